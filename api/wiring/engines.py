"""The local engines as processes: looked at, and started again where they ended.

Only `api/wiring` and the worker use it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import psutil
import structlog
from pydantic import ValidationError

from api.config.home import Home
from catalog.errors import Unavailable
from policies.plan.ports import EngineHeap, EngineThreads, ThreadTime
from stack import ENGINES, IdlePython, Instance, KeptServer, StackError, StackSettings, cut_logs
from stack.home import own_paths
from stack.instances.state import Entry
from stack.processes.process import Identity

log = structlog.get_logger("weir.engines")
_PROCESSOR_SECONDS = 10.0
_QUIET_SECONDS = 300.0
_LONGEST_PAUSE_SECONDS = 60.0


def _servers(home: Home) -> dict[str, KeptServer]:
    instance = Instance(home.root, StackSettings.from_environment())
    return {name: KeptServer(instance, name) for name in ENGINES}


class Door(Protocol):
    """The engine as anybody sees it (`policies.adapters.spark.engine_door`)."""

    @property
    def address(self) -> str: ...

    def listens(self) -> bool: ...

    def answer(self) -> None: ...

    def forget(self) -> None: ...


class QueryEngine:
    """Implements `policies.plan.ports.EngineProcess`: the process behind a Spark Connect URL, ours or another's."""

    def __init__(self, home: Home, door: Door) -> None:
        self._door = door
        self._servers = _servers(home)
        self._processors = _Processors()

    def local(self) -> bool:
        return self._kept() is not None

    def alive(self) -> bool:
        kept = self._kept()
        return kept[1].identity.alive() if kept is not None else self._door.listens()

    def answer(self) -> None:
        self._door.answer()

    def heap(self) -> EngineHeap | None:
        kept = self._kept()
        heap = kept[0].heap(kept[1].identity) if kept is not None else None
        return None if heap is None else EngineHeap(heap.share, heap.full_collections, heap.full_seconds)

    def threads(self) -> EngineThreads | None:
        kept = self._kept()
        threads = kept[0].threads(kept[1].identity) if kept is not None else None
        if threads is None:
            return None
        tasks = {number: ThreadTime(*time) for number, time in threads.tasks.items()}
        return EngineThreads(tasks, {name: ThreadTime(*time) for name, time in threads.statements.items()})

    def starved(self) -> bool:
        kept = self._kept()
        return kept is not None and self._processors.short(kept[1].pid)

    def replace(self) -> bool:
        kept = self._kept()
        return kept is not None and _replaced(kept[0], kept[1].identity)

    def forget(self) -> None:
        self._door.forget()

    def archive_classes(self) -> None:
        """Have a warm local engine's next start take half of the processor time; in the background, once an install."""
        kept = self._kept()
        if kept is None:
            return
        begun = time.monotonic()
        try:
            if kept[0].archive_classes():
                log.info("engine_classes_archived", seconds=round(time.monotonic() - begun, 1))
        except (OSError, StackError) as error:
            # The engine starts as it did, only slower.
            log.warning("engine_classes_not_archived", reason=str(error))

    def _kept(self) -> tuple[KeptServer, Entry] | None:
        """The server of our own instance that answers at the address, as it is recorded now."""
        for server in self._servers.values():
            entry = server.entry()
            if entry is not None and entry.url == self._door.address:
                return server, entry
        return None


class _Processors:
    """Who had the processors during the last seconds. Called several times a second, by one thread."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int, float, float]] = deque()

    def short(self, pid: int) -> bool:
        """Whether nearly nothing of them was idle, and this process had less than half of what was used."""
        now = time.monotonic()
        if not self._seen or now - self._seen[-1][0] >= 0.5:
            try:
                times = psutil.Process(pid).cpu_times()
            except psutil.Error:
                return False
            self._seen.append((now, pid, times.user + times.system, psutil.cpu_times().idle))
        while now - self._seen[0][0] > _PROCESSOR_SECONDS or self._seen[0][1] != pid:
            self._seen.popleft()
        if not self._seen:
            return False
        (since, _, had_before, idle_before), (until, _, had, idle) = self._seen[0], self._seen[-1]
        whole = (until - since) * (psutil.cpu_count() or 1)
        return whole > 1 and idle - idle_before < 0.1 * whole and had - had_before < 0.5 * whole


class Revival:
    """Starts the local engine of scans again when it ended; `step` is called about once a second."""

    def __init__(self, home: Home) -> None:
        self._server = _servers(home)["spark"]
        self._ends: list[float] = []
        self._not_before = 0.0

    def step(self) -> bool:
        """False: there is nothing more to do at once."""
        entry, now = self._server.entry(), time.monotonic()
        if entry is None or entry.identity.alive() or now < self._not_before:
            return False
        self._ends = [at for at in self._ends if now - at < _QUIET_SECONDS] + [now]
        # One that dies again and again is started ever more seldom.
        self._not_before = now + min(_LONGEST_PAUSE_SECONDS, 5.0 * 2 ** (len(self._ends) - 1))
        if _replaced(self._server, entry.identity):
            log.warning("engine_started_again", server="spark", ends=len(self._ends))
        return False


class Logs:
    """Keeps the logs of the instance's processes from filling the disk; `step` is called once in a while."""

    def __init__(self, home: Home) -> None:
        self._instance = Instance(home.root, StackSettings.from_environment())

    def step(self) -> bool:
        """False: there is nothing more to do at once."""
        try:
            if cut := cut_logs(self._instance):
                log.info("logs_put_aside", names=cut)
        except (OSError, StackError) as error:
            log.warning("logs_not_put_aside", reason=str(error))
        return False


class PythonDaemons:
    """Ends the Python processes that Spark leaves behind of each session; `step` is called about once a minute."""

    def __init__(self, home: Home) -> None:
        self._idle = IdlePython(_servers(home).values())

    def step(self) -> bool:
        """False: there is nothing more to do at once."""
        try:
            if ended := self._idle.step():
                log.info("python_ended", daemons=ended)
        except (OSError, StackError) as error:
            log.warning("python_not_ended", reason=str(error))
        return False


def _replaced(server: KeptServer, identity: Identity) -> bool:
    try:
        return server.replace(identity) is not None
    except StackError as error:
        raise Unavailable(str(error), details={"server": server.name}) from None


_VARIABLES = {
    "kafka": ("WEIR_KAFKA__", "WEIR_SECRET_STACK_KAFKA"),
    "registry": ("WEIR_SCHEMA_REGISTRY__", "WEIR_SECRET_STACK_REGISTRY"),
    "neo4j": ("WEIR_NEO4J__",),
    "elasticsearch": ("WEIR_ELASTICSEARCH__",),
    "spark": ("WEIR_SPARK__",),
    "query": ("WEIR_QUERY__",),
    "connect": ("WEIR_SECRET_STACK_CONNECT",),
}


def local_environment(home: Home) -> dict[str, str]:
    """Addresses and logins of the servers of this WEIR_HOME that were started and not stopped; nothing is made or started."""
    if not (home.root / "run" / "stack.json").is_file():
        return {}
    try:
        instance = Instance(home.root, StackSettings.from_environment())
        started = {row["name"] for row in instance.status() if row["state"] != "stopped"}
        prefixes = tuple(prefix for name in started for prefix in _VARIABLES.get(name, ()))
        return {name: value for name, value in instance.environment().items() if prefixes and name.startswith(prefixes)}
    except (OSError, StackError, ValidationError):
        return {}


def instance_paths(home: Home) -> Iterator[Path]:
    """The folder of an instance and what Weir writes below it, as far as it is there."""
    return own_paths(home.root)
