"""The process that runs stream views. The worker starts it when a view is declared, and again when it ends."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import structlog

from api.bootstrap import build
from api.config.home import PROGRAM, Home
from api.config.log_files import keep_small
from api.config.logs import configure
from api.config.settings import load
from api.joins.views.service import Views
from api.processes.heap import few_arenas
from api.wiring import traces
from api.wiring.duties import Duties
from api.wiring.instance import Instance
from catalog.leases.leases import Leases, act_as
from catalog.leases.ports import Lease

log = structlog.get_logger("weir.views")
LOG_NAME = "weir-views.log"
LEASE = "views"
_PARENT_S = 0.5
_STOP_S = 20.0
_FIRST_PAUSE_S, _MOST_PAUSE_S = 1.0, 30.0


def run(home: Home, parent: int | None = None) -> None:
    """Run the views until TERM, Ctrl-C, the end of the process `parent`, or until another process took them over. One process
    of an instance at a time; others wait."""
    few_arenas()
    settings = load(home)
    configure(settings.log)
    traces.start(settings.traces, "views")
    keep_small(home.logs / LOG_NAME)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    if parent is not None:
        threading.Thread(target=_follow, args=(parent, stop), name="parent", daemon=True).start()
    services = build(settings, home)
    # Rows are many objects for a moment and hold no cycles: looking for some took a third of the time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    leases = services[Duties].leases((LEASE,))
    beating = threading.Thread(target=leases.run, args=(stop,), name="leases", daemon=True)
    beating.start()
    while (lease := leases.lease_of(LEASE)) is None and not stop.is_set():
        stop.wait(_PARENT_S)
    if lease is not None:
        act_as(lease)
        log.info("running")
        ended = threading.Event()
        threading.Thread(target=_follow_lease, args=(leases, lease, stop, ended), name="lease", daemon=True).start()
        services[Duties].view_runner().run(ended)
    stop.set()
    beating.join(_STOP_S)
    leases.give_back()
    services.close()


def _follow_lease(leases: Leases, lease: Lease, stop: threading.Event, ended: threading.Event) -> None:
    """End the views where another process runs them by now, as after this one was frozen. A beat that is late ends nothing:
    what is written under a lost lease is refused."""
    while leases.keeps(lease) and not stop.wait(_PARENT_S):
        pass
    ended.set()


def _follow(parent: int, stop: threading.Event) -> None:
    """A runner whose worker was killed would be beside the next one."""
    while not stop.wait(_PARENT_S):
        if os.getppid() != parent:
            stop.set()


class ViewProcess:
    """Starts the process, and starts it again; for the worker."""

    def __init__(self, home: Home, services: Instance) -> None:
        self._home, self._services = home, services
        self._process: subprocess.Popen[bytes] | None = None
        self._pause, self._next = _FIRST_PAUSE_S, 0.0

    @property
    def started(self) -> bool:
        """Whether there was a process at the last step, or one is to come back: its end is seen at the next step only."""
        return self._process is not None or time.monotonic() < self._next

    def step(self) -> bool:
        """Have the process run while there is a view. Raises Unavailable."""
        if self._process is not None and self._process.poll() is not None:
            log.warning("views_ended", code=self._process.returncode)
            self._process = None
            self._next = time.monotonic() + self._pause
            self._pause = min(self._pause * 2, _MOST_PAUSE_S)
        if self._process is None and time.monotonic() >= self._next and self._services[Views].any():
            self._start()
        return False

    def _start(self) -> None:
        logs = self._home.logs
        logs.mkdir(parents=True, exist_ok=True)
        with (logs / LOG_NAME).open("ab") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "api", "server", "view-runner", "--parent", str(os.getpid())],
                stdout=out,
                stderr=out,
                stdin=subprocess.DEVNULL,
                cwd=PROGRAM,
                env=dict(os.environ),
            )

    def close(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            psutil.Process(self._process.pid).kill()
