"""Where an instance listens, and what it writes down for commands of the same machine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from api.config.home import Home, write_private


@dataclass(frozen=True, slots=True)
class Address:
    """`certificate`: file of the certificate that is served there; None without TLS."""

    host: str
    port: int
    certificate: Path | None = None

    @property
    def url(self) -> str:
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104
        scheme = "https" if self.certificate is not None else "http"
        return f"{scheme}://[{host}]:{self.port}" if ":" in host else f"{scheme}://{host}:{self.port}"

    def write(self, home: Home) -> None:
        """Into `run/weir.json`."""
        certificate = str(self.certificate.expanduser().resolve()) if self.certificate is not None else None
        noted = {"url": self.url} | ({"certificate": certificate} if certificate else {})
        write_private(home.root / "run" / "weir.json", json.dumps(noted) + "\n")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a running instance wrote down."""

    url: str
    certificate: Path | None = None

    @staticmethod
    def of(home: Home) -> Recorded | None:
        """None where nothing runs, or nothing readable was written."""
        try:
            noted = json.loads((home.root / "run" / "weir.json").read_text())
            certificate = noted.get("certificate")
            return Recorded(str(noted["url"]), Path(certificate) if certificate else None)
        except (OSError, ValueError, KeyError, AttributeError):
            return None
