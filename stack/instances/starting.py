"""Starting the processes of one instance, all servers at once, and ending them again."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from stack.errors import GivenUp, StackError
from stack.home import Home
from stack.instances.state import Entry, State
from stack.processes.ports import is_free
from stack.processes.process import MARK, Identity, await_ready, listens, marked, spawn, stop
from stack.progress import Progress
from stack.servers.server import Server, Site
from stack.settings import StackSettings
from stack.spec import OPTIONAL, SERVERS, ProcessSpec

ATTEMPTS = 3
"""Times a server is started that loses its port to another program in the moment before it listens."""
PATIENCE = 5.0
"""Seconds in which a running but busy server must answer once to count as alive."""


def end(state: State, names: Sequence[str], patience: float) -> None:
    """Stop these and forget them: the caller's processes first, which still talk to the servers."""
    entries = [state.servers[name] for name in names if name in state.servers]
    for group in (
        [entry for entry in entries if entry.name not in (*SERVERS, *OPTIONAL)],
        [entry for entry in entries if entry.name in (*SERVERS, *OPTIONAL)],
    ):
        stop([entry.identity for entry in reversed(group)], patience)
        for entry in group:
            state.forget(entry.name)


@dataclass
class Starter:
    """One start. `started` lists what this start itself began, so that a failure ends no more than that."""

    home: Home
    settings: StackSettings
    state: State
    progress: Progress
    mark: str
    move: Callable[[Sequence[str]], Mapping[str, int]] = field(default=lambda names: {})
    """Chooses other ports for these names, and remembers them."""
    started: list[str] = field(default_factory=list)
    _given_up: threading.Event = field(default_factory=threading.Event)
    _failures: list[Exception] = field(default_factory=list)

    def servers(self, servers: Mapping[str, Server], site: Site) -> None:
        """Start those that do not run, all at once; returns when all are ready.

        The first failure ends the others' start and is raised, whatever they raise on being ended.
        """
        if not servers:
            return
        with ThreadPoolExecutor(len(servers)) as pool:
            jobs = [pool.submit(self._guarded, server, site) for server in servers.values()]
            try:
                wait(jobs, return_when=FIRST_EXCEPTION)
            finally:
                if not all(job.done() for job in jobs):
                    self._given_up.set()
                    # A start that waits for its process ends with it.
                    running = [self.state.servers[name].identity for name in list(self.started)]
                    stop(running, self.settings.stop_timeout)
        if self._failures:
            raise next((error for error in self._failures if not isinstance(error, GivenUp)), self._failures[0])

    def _guarded(self, server: Server, site: Site) -> None:
        try:
            self._server(server, site)
        except Exception as error:
            self._failures.append(error)
            raise

    def _server(self, server: Server, site: Site) -> None:
        if self._runs(server.facts.name, lambda: server.ready(site)):
            return
        for attempt in range(ATTEMPTS):
            try:
                self._begin(server, site)
                return
            except StackError as error:
                lost = self._lost_ports(server, site)
                if isinstance(error, GivenUp) or not lost or attempt == ATTEMPTS - 1:
                    raise
                moved = self.move(lost)
                site.ports.update(moved)
                for name, port in moved.items():
                    self.progress.note(f"another program took the port of {name}; it is started again on {port}")

    def _lost_ports(self, server: Server, site: Site) -> list[str]:
        """The names of a server whose ports another program listens on, once what is left of the server has ended."""
        entry = self.state.servers.get(server.facts.name)
        if entry is not None:
            stop([entry.identity], self.settings.stop_timeout)
        return [name for name in (server.facts.name, *server.facts.extra_ports) if not is_free(site.ports[name])]

    def _begin(self, server: Server, site: Site) -> None:
        name, title = server.facts.name, server.facts.title
        begun = time.monotonic()
        self.progress.starting(name)
        launch = server.prepare(site)
        if self._given_up.is_set():
            raise GivenUp(f"The start of {title} was given up.")
        entry = self._spawn(
            name,
            title,
            launch.argv,
            launch.environment,
            launch.folder,
            (site.ports[name], server.url(site), server.facts.version),
        )
        log, identity = Path(entry.log), entry.identity
        server.boot(site, identity, log)
        timeout = self.settings.start_timeout

        def ready() -> bool:
            # Another program on the port may answer too, while our server has not tried to listen yet.
            return server.ready(site) and listens(identity, site.ports[name])

        await_ready(title, identity, ready, log, timeout, self._given_up.is_set)
        self.progress.ready(name, time.monotonic() - begun, entry.url)

    def processes(self, specs: Sequence[ProcessSpec], environment: Mapping[str, str]) -> None:
        """Start the caller's processes one after another, in its order, each when its `needs` are ready.

        The environment is the caller's own, with the instance's addresses on top, with the spec's on top of both.
        """
        for spec in specs:
            absent = [name for name in spec.needs if name not in self.state.servers]
            if absent:
                raise StackError(f"{spec.name} needs {absent[0]}, which is not part of this start.")
            if self._runs(spec.name, spec.ready):
                continue
            self.progress.starting(spec.name)
            words = dict(os.environ) | dict(environment) | dict(spec.env)
            facts = (spec.port, spec.url, spec.version)
            entry = self._spawn(spec.name, spec.name, spec.argv, words, Path.cwd(), facts)
            timeout = self.settings.start_timeout
            seconds = await_ready(spec.name, entry.identity, spec.ready, Path(entry.log), timeout)
            self.progress.ready(spec.name, seconds, spec.url)

    def _runs(self, name: str, probe: Callable[[], bool]) -> bool:
        """Whether it lives and answers. What lives and does not answer is ended here, to be started again."""
        entry = self.state.servers.get(name)
        if entry is None:
            return False
        if entry.identity.alive():
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline:
                if probe():
                    self.progress.ready(name, 0, entry.url)
                    return True
                time.sleep(0.2)
            self.progress.note(f"{name} does not answer; it is started again")
            stop([entry.identity], self.settings.stop_timeout)
        # Its children (Spark's Python workers) may have outlived it.
        stop(marked(f"{self.mark}:{name}"), self.settings.stop_timeout)
        return False

    def _spawn(
        self,
        name: str,
        title: str,
        argv: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        facts: tuple[int, str, str],
    ) -> Entry:
        log = self.home.logs / f"{name}.log"
        words = dict(environment) | {MARK: f"{self.mark}:{name}"}
        identity: Identity = spawn(argv, words, log, folder, title)
        entry = Entry(name, identity.pid, identity.create_time, *facts, str(log))
        self.state.record(entry)
        self.started.append(name)
        return entry
