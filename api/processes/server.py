"""The listening server: uvicorn with bounds in time for its clients, with TLS where it is set."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from api.config.http_settings import ApiSettings
from api.edge.peer_certificates import RequireCertificate
from api.edge.slow_clients import Patience, patient_protocol
from api.edge.tls import Renewal, server_context

_SHUTDOWN_SECONDS = 5.0
"""How long a client may take to agree to the end of a TLS connection."""
_LOOK_TICKS = 100
"""After so many of uvicorn's ticks of 0.1 s files of certificates are looked at again."""


class Server(uvicorn.Server):
    """Serves an application. `renewal`: of its certificate; None without TLS."""

    def __init__(self, config: uvicorn.Config, renewal: Renewal | None, look_ticks: int = _LOOK_TICKS) -> None:
        super().__init__(config)
        self._renewal, self._look_ticks = renewal, look_ticks

    async def on_tick(self, counter: int) -> bool:
        if self._renewal is not None and counter % self._look_ticks == 0:
            self._renewal.look()
        return await super().on_tick(counter)


class _TlsConfig(uvicorn.Config):
    """uvicorn's, with handshakes that end: by themselves they may take a minute."""

    def __init__(self, app: ASGIApp, handshake_seconds: float, **options: Any) -> None:
        super().__init__(app, **options)
        self._handshake_seconds = handshake_seconds

    def get_loop_factory(self) -> Callable[[], asyncio.AbstractEventLoop] | None:
        make = super().get_loop_factory() or asyncio.new_event_loop

        def patient() -> asyncio.AbstractEventLoop:
            loop = make()
            bounded = partial(
                loop.create_server,
                ssl_handshake_timeout=self._handshake_seconds,
                ssl_shutdown_timeout=_SHUTDOWN_SECONDS,
            )
            loop.create_server = bounded  # type: ignore[method-assign]
            return loop

        return patient


def listening(app: ASGIApp, settings: ApiSettings, look_ticks: int = _LOOK_TICKS, **options: Any) -> Server:
    """A server that was not started. `options`: more of uvicorn's. Raises SettingsError for a certificate that cannot be used."""
    context = server_context(settings)
    if settings.tls_client_certificates == "required":
        app = RequireCertificate(app)
    given: dict[str, Any] = {
        "host": settings.host,
        "port": settings.port,
        "log_config": None,  # its messages are in the form of all others
        "log_level": "warning",
        "access_log": False,
        "timeout_graceful_shutdown": 5,
        "server_header": False,
        "proxy_headers": False,  # see api.trusted_proxies: by default uvicorn believes every program of this machine
        "http": patient_protocol(Patience(settings.header_seconds, body_rate=settings.body_bytes_per_second)),
    } | options
    if context is None:
        return Server(uvicorn.Config(app, **given), None)
    config = _TlsConfig(app, settings.header_seconds, ssl_context_factory=lambda *_: context, **given)
    return Server(config, Renewal(context, settings), look_ticks)
