"""An application behind a real socket of this machine, for clients that speak HTTP themselves."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from tests import waiting


@contextmanager
def served(app: Any) -> Iterator[str]:
    """The address at which the application answers until the block is left."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    waiting.until(lambda: server.started, seconds=60)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
