"""A Kafka Connect worker for tests, started by the product's own launcher code beside any Kafka of this machine."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stack.home import Home
from stack.installed import artifacts, java
from stack.installed.versions import JAVA
from stack.processes import process
from stack.processes.ports import free_port
from stack.progress import Silent
from stack.servers.connect import Connect
from stack.servers.server import Site
from stack.settings import StackSettings

START_S = 120.0
STOP_S = 15.0
"""A worker that has not ended after so long, as on a busy machine, is killed."""


@contextmanager
def worker_for(kafka: str) -> Iterator[str]:
    """Its URL; it ends with the block. Raises StackError with the end of its log where it does not start."""
    folder = Path(tempfile.mkdtemp(prefix="weir-connect-"))
    home = Home(folder)
    home.create()
    server = Connect()
    runtime = java.find("", folder / "java.log", Silent(), JAVA)
    artifacts.ensure(server.facts.components, runtime, folder / "fetch.log")
    ports = {"kafka": int(kafka.rpartition(":")[2]), "connect": free_port(set())}
    site = Site(home, runtime, StackSettings(), ports)
    launch, log = server.prepare(site), folder / "connect.log"
    worker = process.spawn(launch.argv, launch.environment, log, launch.folder, server.facts.title)
    try:
        process.await_ready(server.facts.title, worker, lambda: server.ready(site), log, START_S)
        yield server.url(site)
    finally:
        process.stop([worker], STOP_S)
        shutil.rmtree(folder, ignore_errors=True)
