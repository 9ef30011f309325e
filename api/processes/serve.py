"""The HTTP server process."""

from __future__ import annotations

import gc
import sys

import structlog

from api.app import create_app
from api.bootstrap import build
from api.config import plugs
from api.config.address import Address
from api.config.extras import notices
from api.config.home import Home
from api.config.log_files import keep_small
from api.config.logs import configure
from api.config.settings import load
from api.processes.heap import few_arenas
from api.processes.server import listening
from api.wiring import traces
from api.wiring.duties import Duties
from api.wiring.instance import write_admin_token
from catalog.errors import SettingsError

_TURN_SECONDS = 0.001
"""Python's own 5 ms is what a request waits at each of its steps while another one computes."""


def serve(home: Home) -> None:
    """Serve until TERM or Ctrl-C. Raises SettingsError, Unavailable when the record store cannot be opened."""
    few_arenas()
    settings = load(home)
    configure(settings.log)
    traces.start(settings.traces, "api")
    keep_small(home.root / "logs" / "weir.log")
    services = build(settings, home)
    server = listening(create_app(services), settings.api)
    write_admin_token(services)
    services[Duties].warm()
    address = Address(settings.api.host, settings.api.port, settings.api.tls_certificate)
    address.write(home)
    structlog.get_logger("weir").info("serving", url=address.url)
    for notice in notices():
        structlog.get_logger("weir").warning("extra_missing", notice=notice)
    for problem in plugs.problems():
        structlog.get_logger("weir").warning("plug_not_used", problem=problem)
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
