"""A Kafka Connect worker for tests, started by the product's own launcher code beside any Kafka of this machine."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stack.home import Home
from stack.installed import artifacts, java
from stack.installed.versions import JAVA
from stack.processes.ports import free_port
from stack.progress import Silent
from stack.servers.connect import Connect
from stack.servers.server import Site
from stack.settings import StackSettings

START_S = 120.0


@contextmanager
def worker_for(kafka: str) -> Iterator[str]:
    """Its URL; it ends with the block."""
    folder = Path(tempfile.mkdtemp(prefix="weir-connect-"))
    home = Home(folder)
    home.create()
    server = Connect()
    runtime = java.find("", folder / "java.log", Silent(), JAVA)
    artifacts.ensure(server.facts.components, runtime, folder / "fetch.log")
    ports = {"kafka": int(kafka.rpartition(":")[2]), "connect": free_port(set())}
    site = Site(home, runtime, StackSettings(), ports)
    launch = server.prepare(site)
    with (folder / "connect.log").open("wb") as log:
        process = subprocess.Popen(
            launch.argv, env=launch.environment, cwd=launch.folder, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        deadline = time.monotonic() + START_S
        while not server.ready(site):
            assert process.poll() is None and time.monotonic() < deadline, (folder / "connect.log").read_text()[-4000:]
            time.sleep(0.2)
        yield server.url(site)
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)
