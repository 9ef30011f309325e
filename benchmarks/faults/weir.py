"""An instance of Weir that is broken on purpose, driven by its command line and its HTTP interface."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import psutil

from stack.instances.state import Entry, State
from stack.processes.process import spawn, stop

ROOT = Path(__file__).resolve().parents[2]
PORTS = ("KAFKA", "REGISTRY", "NEO4J", "ELASTICSEARCH", "SPARK", "QUERY")
START_S = 300.0


@dataclass(frozen=True)
class Weir:
    """One instance: its folder and the environment its command line runs in."""

    home: Path
    env: dict[str, str]

    def command(self, *words: str, timeout: float = START_S) -> subprocess.CompletedProcess[str]:
        """`weir WORDS`; the caller looks at the code."""
        return subprocess.run(
            [sys.executable, "-m", "api", *words],
            env=self.env,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def up(self) -> None:
        """Start what does not run. Raises RuntimeError when that fails twice."""
        for _ in range(2):
            done = self.command("up", "--detach")
            if done.returncode == 0:
                return
        raise RuntimeError(f"weir up failed: {done.stderr[-2000:]}")

    def down(self) -> None:
        self.command("down")

    def processes(self) -> dict[str, Entry]:
        """What the instance runs, by name, as it recorded it."""
        return dict(State.load(self.home / "run" / "stack.json").servers)

    @property
    def url(self) -> str:
        entry = self.processes().get("weir")
        return entry.url if entry is not None else "http://127.0.0.1:1"

    def token(self, user: str | None = None) -> str:
        """The administrator's token, or a new one of a user."""
        admin = (self.home / "admin.token").read_text().strip()
        if user is None:
            return admin
        headers = {"Authorization": f"Bearer {admin}"}
        answer = httpx.post(f"{self.url}/api/v1/tokens", json={"user": user}, headers=headers, timeout=60)
        return str(answer.raise_for_status().json()["token"])

    def addresses(self) -> dict[str, Any]:
        """As `python -m stack env -o json` prints them."""
        done = subprocess.run(
            [sys.executable, "-m", "stack", "env", "-o", "json"],
            env=self.env,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        addresses: dict[str, Any] = json.loads(done.stdout)
        return addresses

    def ready(self) -> bool:
        """Every process lives, the registry answers, and `/readyz` reports all servers up."""
        processes = self.processes()
        if not processes or not all(entry.identity.alive() for entry in processes.values()):
            return False
        try:
            if "registry" in processes:
                httpx.get(f"{processes['registry'].url}/subjects", timeout=3).raise_for_status()
            answer = httpx.get(f"{self.url}/readyz", timeout=10)
            return bool(answer.status_code == 200 and answer.json()["status"] == "ready")
        except (httpx.HTTPError, ValueError, KeyError):
            return False

    def await_ready(self, seconds: float = START_S) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.ready():
                return True
            time.sleep(0.2)
        return False

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to a process and, for a stop or its end, to nothing else: children are its own affair."""
        entry = self.processes()[name]
        process = entry.identity.process()
        if process is not None:
            process.send_signal(number)

    def kill(self, name: str) -> int | None:
        """SIGKILL; gives the pid, None when it did not live."""
        entry = self.processes()[name]
        process = entry.identity.process()
        if process is None:
            return None
        process.kill()
        while entry.identity.alive():
            time.sleep(0.01)
        return entry.pid

    def restart_alone(self, name: str, more: Mapping[str, str] | None = None, seconds: float = 90.0) -> bool:
        """End one of Weir's own processes gently and start it as `weir up` does, whatever the servers do.

        `more`: variables that it gets besides; an empty one is taken from it. The new process is
        recorded, so that `weir up`, `status` and `down` know it.
        """
        entry = self.processes()[name]
        process = entry.identity.process()
        if process is None:
            return False
        words, folder = process.cmdline(), process.cwd()
        variables = {key: value for key, value in (process.environ() | dict(more or {})).items() if value}
        stop([entry.identity], 30)
        identity = spawn(words, variables, Path(entry.log), Path(folder), name)
        state = State.load(self.home / "run" / "stack.json")
        state.record(replace(entry, pid=identity.pid, create_time=identity.create_time))
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and identity.alive():
            if self._works(name, identity.pid):
                return True
            time.sleep(0.2)
        return False

    def _works(self, name: str, pid: int) -> bool:
        try:
            if name == "weir":
                return httpx.get(f"{self.url}/healthz", timeout=5).status_code == 200
            return (self.home / "run" / "worker.pid").read_text().strip() == str(pid)
        except (OSError, httpx.HTTPError):
            return False

    def memory(self) -> dict[str, int]:
        """Bytes that only this process and its children use (USS), by name of the process."""
        sizes: dict[str, int] = {}
        for name, process in self.families():
            with contextlib.suppress(psutil.Error):
                sizes[name] = sizes.get(name, 0) + process.memory_full_info().uss
        return sizes

    def families(self) -> Iterator[tuple[str, psutil.Process]]:
        """Each process and its children, with the name of the process; those that end meanwhile may be among them."""
        for name, entry in self.processes().items():
            process = entry.identity.process()
            if process is not None:
                yield from ((name, one) for one in (process, *process.children(recursive=True)))


def environment(home: Path, **more: str) -> dict[str, str]:
    """Of an isolated instance: every port free, nothing of the caller's settings."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    env.update({f"WEIR_STACK__{name}_PORT": "0" for name in PORTS if name != "QUERY" or _has_query()})
    env.update(WEIR_HOME=str(home), WEIR_API__PORT="0", PYTHONPATH=str(ROOT), **more)
    if cache := os.environ.get("WEIR_CACHE"):
        env["WEIR_CACHE"] = cache
    return env


def _has_query() -> bool:
    from stack import StackSettings

    return "query_port" in StackSettings.model_fields


@contextmanager
def instance(home: Path | None = None, **more: str) -> Iterator[Weir]:
    """An instance that runs. A `home` that is given is left running; one made here is stopped and removed.

    `more`: settings it is started with; one that runs already keeps its own.
    """
    if home is not None:
        weir = Weir(home, environment(home, **more))
        if not weir.ready():
            weir.up()
        yield weir
        return
    folder = Path(tempfile.mkdtemp(prefix="weir-faults-"))
    weir = Weir(folder / "home", environment(folder / "home", **more))
    try:
        weir.up()
        yield weir
    finally:
        weir.down()
        shutil.rmtree(folder, ignore_errors=True)
