"""The HTTP server process."""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass

import structlog
import uvicorn

from api.config.extras import notices
from api.config.home import Home, write_private
from api.config.log_files import keep_small
from api.config.logs import configure
from api.config.settings import load
from api.http.app import create_app
from api.http.edge.slow_clients import Patience, patient_protocol
from api.wiring.bootstrap import build
from catalog.errors import SettingsError

_TURN_SECONDS = 0.001
"""Python's own 5 ms is what a request waits at each of its steps while another one computes."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where this instance listens; written to `run/weir.json` for the command line."""

    host: str
    port: int

    @property
    def url(self) -> str:
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


def serve(home: Home) -> None:
    """Serve until TERM or Ctrl-C. Raises SettingsError, Unavailable when the record store cannot be opened."""
    settings = load(home)
    configure(settings.log)
    keep_small(home.root / "logs" / "weir.log")
    services = build(settings, home)
    services.admin_token_file()
    services.warm()
    address = Address(settings.api.host, settings.api.port)
    write_private(home.root / "run" / "weir.json", f'{{"url": "{address.url}"}}\n')
    structlog.get_logger("weir").info("serving", url=address.url)
    for notice in notices():
        structlog.get_logger("weir").warning("extra_missing", notice=notice)
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(services),
            host=settings.api.host,
            port=settings.api.port,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=5,
            server_header=False,
            proxy_headers=False,  # see api.trusted_proxies: by default uvicorn believes every program of this machine
            http=patient_protocol(Patience(settings.api.header_seconds, body_rate=settings.api.body_bytes_per_second)),
        )
    )
    sys.setswitchinterval(_TURN_SECONDS)
    # What is loaded by now stays: looking through it took a full collection 150 ms, in the middle of some request.
    gc.collect()
    gc.freeze()
    server.run()
    if not server.started:
        raise SettingsError(
            f"Weir cannot listen on {settings.api.host}:{settings.api.port}; the port is taken or not allowed."
            " Set WEIR_API__PORT to another one."
        )
