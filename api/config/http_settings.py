"""Settings of the HTTP server, and the names of its cookies."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from api.config import tls_settings
from api.config.section import Section

HOST_PREFIX = "__Host-"
AUTHENTICATED = "authenticated"
"""Key of a request's state that is set once it is known who calls."""
SESSION_COOKIES = (f"{HOST_PREFIX}weir_session", "weir_session")
"""With TLS, and without: the first is taken by browsers only with Secure, from this very host."""


class ApiSettings(Section):
    """The HTTP server."""

    host: str = Field("127.0.0.1", description="Address to listen on; loopback by default.")
    port: int = Field(8484, ge=0, le=65535, description="Port to listen on.")
    public_url: str | None = Field(
        None,
        pattern=r"^https?://[^/?#@\s]+/?$",
        description="Address that browsers use, as behind a TLS proxy: `https://weir.example.com`. Sign-in by a provider"
        " needs it where browsers come by another address than this machine's own; with https, cookies are `Secure`.",
    )
    max_body_mb: int = Field(64, ge=1, description="Largest body of lineage events, in MiB; others: 4 MiB at most.")
    header_seconds: float = Field(20.0, gt=0, description="How long a client may take to send a request's headers.")
    body_bytes_per_second: int = Field(
        500, ge=0, description="Least rate at which a client must send a body, measured over 20 seconds; 0 = any."
    )
    rate_requests: float = Field(
        200.0, ge=0, description="Requests a second from one token and one person; 0 = any number."
    )
    rate_queries: float = Field(
        200.0, ge=0, description="Requests a second to `/query` from one token and one person; 0 = any number."
    )
    rate_events: float = Field(
        5000.0, ge=0, description="Requests a second with lineage events from one token and one person; 0 = any number."
    )
    rate_sign_in: float = Field(
        5.0,
        ge=0,
        description="Requests a second that sign in, from one address but this machine's own; 0 = any number.",
    )
    rate_searches: float = Field(
        200.0, ge=0, description="Requests a second to `/search` from one token and one person; 0 = as `rate_requests`."
    )
    rate_tokens: float = Field(
        10.0, ge=0, description="Requests a second to `/tokens` from one token and one person; 0 = as `rate_requests`."
    )
    rate_rows: float = Field(
        2000.0,
        ge=0,
        description="Requests a second for rows of views from one token and one person; 0 = as `rate_requests`.",
    )
    rate_failed: float = Field(
        2.0,
        ge=0,
        description="Requests a second with tokens that are not good, from one address but this machine's own; 0 = any"
        " number. Good tokens, cookies and sign-in are not slowed down by them.",
    )
    trusted_proxies: list[str] = Field(
        [],
        description="Addresses and networks of proxies whose `X-Forwarded-For` names the client, as in"
        " `10.0.3.7,10.0.3.8`. From anybody else the header counts for nothing; every machine in a network that is named"
        " here can take any address, so name the proxies alone.",
    )
    rate_address: float = Field(
        2000.0, ge=0, description="Requests a second from one address but this machine's own; 0 = any number."
    )

    open_metrics: bool = Field(True, description="Whether `/metrics` answers without a token; it names no people.")
    open_docs: bool = Field(
        True,
        description="Whether `/docs` and `/openapi.json` answer without a token; they describe the API and no data.",
    )

    tls_certificate: Path | None = Field(
        None, description="File of the server's certificate and those between it and its authority, PEM: serves TLS."
    )
    tls_key: Path | None = Field(None, description="File of its key, PEM; absent = in the file of the certificate.")
    tls_key_password: SecretStr | None = Field(None, description="Password of that key.")
    tls_min_version: Literal["1.2", "1.3"] = Field("1.2", description="Oldest version of TLS that is accepted.")
    tls_client_certificates: tls_settings.ClientCertificates = Field(
        "none",
        description="Certificates of clients: `none` = not asked for, `optional`, `required` for everything but `/healthz` and"
        " `/readyz`.",
    )
    tls_client_ca: Path | None = Field(
        None, description="File of the authorities that sign certificates of clients, PEM; no other ones count."
    )

    @model_validator(mode="after")
    def _fits(self) -> ApiSettings:
        tls_settings.check(self)
        return self

    @field_validator("trusted_proxies")
    @classmethod
    def _are_addresses(cls, addresses: list[str]) -> list[str]:
        for each in addresses:
            try:
                ipaddress.ip_network(each, strict=False)
            except ValueError:
                raise ValueError(f"{each!r} is neither an address nor a network, as in 10.0.3.7") from None
        return addresses

    @property
    def wide_proxies(self) -> list[str]:
        """Networks among the trusted proxies that have more than 256 addresses."""
        networks = {each: ipaddress.ip_network(each, strict=False) for each in self.trusted_proxies}
        return [each for each, network in networks.items() if network.num_addresses > 256]

    @property
    def secure(self) -> bool:
        """Whether browsers come by TLS."""
        return self.tls_certificate is not None or (self.public_url or "").startswith("https://")

    @property
    def host_prefix(self) -> str:
        """First letters of cookies' names with TLS, where browsers take them from this very host only."""
        return HOST_PREFIX if self.secure else ""

    @property
    def session_cookie(self) -> str:
        """Name of the cookie of a browser's session."""
        return SESSION_COOKIES[0] if self.secure else SESSION_COOKIES[1]
