"""Settings of TLS at the HTTP server, and whether they fit together."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

from pydantic import SecretStr

CLIENT_CERTIFICATE = "weir.client_certificate"
"""Key of a request's scope that has the verified certificate of its connection, or None."""

ClientCertificates = Literal["none", "optional", "required"]


class Tls(Protocol):
    """The part of `ApiSettings` that is about TLS."""

    public_url: str | None
    header_seconds: float
    tls_certificate: Path | None
    tls_key: Path | None
    tls_key_password: SecretStr | None
    tls_client_ca: Path | None
    tls_client_certificates: ClientCertificates
    tls_min_version: Literal["1.2", "1.3"]


def check(settings: Tls) -> None:
    """Raises ValueError for settings that contradict each other."""
    if settings.tls_certificate is None:
        lone = next((name for name in ("tls_key", "tls_client_ca") if getattr(settings, name) is not None), None)
        lone = lone or ("tls_client_certificates" if settings.tls_client_certificates != "none" else None)
        if lone is not None:
            raise ValueError(
                f"{lone} needs tls_certificate (WEIR_API__TLS_CERTIFICATE): without it the API is served without TLS"
            )
        return
    if settings.tls_client_certificates != "none" and settings.tls_client_ca is None:
        raise ValueError(
            f"tls_client_certificates is {settings.tls_client_certificates!r} and needs tls_client_ca"
            " (WEIR_API__TLS_CLIENT_CA): the file of the authorities that sign certificates of clients"
        )
    if settings.tls_client_certificates == "none" and settings.tls_client_ca is not None:
        raise ValueError(
            "tls_client_ca has no effect while tls_client_certificates (WEIR_API__TLS_CLIENT_CERTIFICATES) is none; set it"
            " to optional or required"
        )
    if (settings.public_url or "").startswith("http://"):
        raise ValueError("public_url begins with http:// and the API is served by TLS; write it with https://")
