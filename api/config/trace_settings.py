"""Settings of traces."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr

from api.config.section import Section


class TraceSettings(Section):
    """Spans for a collector of OpenTelemetry. No values of records, no SQL, no names of people are in them."""

    endpoint: str = Field(
        "",
        pattern=r"^(https?://.+)?$",
        description="Address of an OTLP collector (HTTP), such as `http://collector:4318`; empty = no traces.",
    )
    share: float = Field(1.0, ge=0, le=1, description="Share of the traces begun here that are kept, 0 to 1.")
    headers: SecretStr | None = Field(
        None, description="Headers for the collector, `name=value`, comma between several."
    )
    ca: Path | None = Field(None, description="File of the authorities behind the collector's certificate, PEM.")
