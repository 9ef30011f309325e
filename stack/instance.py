"""One instance of the local servers: up, down, status."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from stack import artifacts, java
from stack.elasticsearch import Elasticsearch
from stack.errors import GivenUp, StackError
from stack.home import Home, default_home
from stack.kafka import Kafka
from stack.neo4j import USER, Neo4j
from stack.ports import PortBook
from stack.process import MARK, Identity, await_ready, marked, reap, spawn, stop, tail
from stack.progress import Progress, Silent
from stack.registry import Registry
from stack.server import Server, Site
from stack.settings import StackSettings
from stack.spark import Spark
from stack.spec import SERVERS, Addresses, ProcessSpec
from stack.state import Entry, State
from stack.versions import JAVA, JAVA_REGISTRY


class Instance:
    """The servers whose data, secrets, ports and processes live in one folder. Two folders are two instances."""

    def __init__(self, home: Path | None = None, settings: StackSettings | None = None) -> None:
        """`home` is WEIR_HOME (see `default_home`); nothing is read or made before a method needs it."""
        self.home = Home((home or default_home()).expanduser().absolute())
        self.settings = settings or StackSettings()
        self._servers: dict[str, Server] = {
            "kafka": Kafka(),
            "registry": Registry(),
            "neo4j": Neo4j(),
            "elasticsearch": Elasticsearch(),
            "spark": Spark(),
        }
        self._external: frozenset[str] = frozenset()
        self._specs: tuple[ProcessSpec, ...] = ()

    # -- what callers ask ---------------------------------------------------------------------------------------

    def port(self, name: str, wanted: int, progress: Progress | None = None) -> int:
        """The port of this instance for `name`, remembered across restarts: the wanted one, or a free one.

        Raises StackError when the folder cannot be written.
        """
        self.home.create()
        book = PortBook.load(self.home.ports_file)
        port = self._choose(book, State.load(self.home.state_file), name, wanted, progress or Silent())
        book.save()
        return port

    def addresses(self) -> Addresses:
        """Where the servers answer; ports are chosen now if they were not. Raises StackError, as `port` does."""
        self._choose_ports(Silent())
        site = self._site(None)
        urls = {name: "" if name in self._external else self._servers[name].url(site) for name in SERVERS}
        token = self.home.secret("spark.token")
        return Addresses(
            kafka=urls["kafka"],
            registry=urls["registry"],
            neo4j=urls["neo4j"],
            neo4j_auth=(USER, self.home.secret("neo4j.password")),
            elasticsearch=urls["elasticsearch"],
            spark=f"{urls['spark']}/;token={token}" if urls["spark"] else "",
        )

    def environment(self) -> dict[str, str]:
        """The WEIR_* variables that point a program at this instance; none for an external server."""
        addresses = self.addresses()
        named = {
            "WEIR_KAFKA__BOOTSTRAP_SERVERS": addresses.kafka,
            "WEIR_SCHEMA_REGISTRY__URL": addresses.registry,
            "WEIR_NEO4J__URI": addresses.neo4j,
            "WEIR_ELASTICSEARCH__URL": addresses.elasticsearch,
            "WEIR_SPARK__REMOTE": addresses.spark,
        }
        if addresses.neo4j:
            named["WEIR_NEO4J__USER"], named["WEIR_NEO4J__PASSWORD"] = addresses.neo4j_auth
        return {name: value for name, value in named.items() if value}

    def job_environment(self) -> dict[str, str]:
        """JAVA_HOME and PYSPARK_PYTHON for a PySpark job that starts a JVM of its own. Raises StackError."""
        import sys

        found = java.find(self.settings.java_home, self.home.logs / "java-install.log", Silent())
        home = java.spark_java_home(found, self.home.run / "java")
        return {"JAVA_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}

    def status(self) -> list[dict[str, Any]]:
        """One row a process: name, state (ready, starting, dead, stopped), url, version, pid, port, memory, log.

        `memory` is in bytes and includes children. Servers that were never started are listed as stopped.
        """
        reap()
        state = State.load(self.home.state_file)
        names = list(SERVERS) + [name for name in state.servers if name not in SERVERS]
        with ThreadPoolExecutor(len(names)) as pool:
            return list(pool.map(lambda name: self._row(name, state.servers.get(name)), names))

    # -- up -----------------------------------------------------------------------------------------------------

    def up(
        self,
        detach: bool = False,
        extra: Sequence[ProcessSpec] = (),
        external: Iterable[str] = (),
        only: Iterable[str] | None = None,
        progress: Progress | None = None,
    ) -> Addresses:
        """Bring every server up, and after them the `extra` processes; returns when all are ready.

        What runs already is kept, what died is started again on its data and its port. `external` names servers that
        the caller has elsewhere, `only` limits the start to some. Not detached, this process becomes the supervisor:
        call `wait` and then `down`. A failed start ends what it started. Raises StackError.
        """
        progress = progress or Silent()
        self._external = frozenset(external)
        self._specs = tuple(extra)
        wanted = [name for name in SERVERS if name not in self._external and (only is None or name in set(only))]
        self.home.create()
        with self.home.locked():
            state = self._reconcile(detach, progress)
            started: list[str] = []
            try:
                self._choose_ports(progress, wanted)
                # One Java for all: the registry is the one that needs the newer.
                majors = JAVA_REGISTRY if "registry" in wanted else JAVA
                found = java.find(self.settings.java_home, self.home.logs / "java-install.log", progress, majors)
                components = [part for name in wanted for part in self._servers[name].facts.components]
                artifacts.ensure(components, found, self.home.logs / "download.log", progress)
                self._start_servers(state, self._site(found), wanted, started, progress)
                self._start_extra(state, started, progress)
                state.save()
            except BaseException as error:
                self._end(state, [name for name in started if name in state.servers])
                if not state.servers:
                    state.remove()
                if isinstance(error, OSError):
                    reason = error.strerror or str(error)
                    raise StackError(
                        f"The start could not write to {error.filename or self.home.root} ({reason});"
                        " free some disk space or name another folder in WEIR_HOME."
                    ) from error
                raise
        return self.addresses()

    def wait(self, died: Callable[[str, tuple[str, ...]], None], poll: float = 0.5) -> None:
        """Stay in the foreground until the instance is stopped from elsewhere (returns) or a signal interrupts.

        `died` is called once for each process that ended by itself, with its name and the tail of its log. Another
        `up` heals it meanwhile.
        """
        reported: set[Identity] = set()
        while True:
            reap()
            state = State.load(self.home.state_file)
            if not state.servers or state.stopping:
                return
            for entry in state.servers.values():
                if entry.identity not in reported and not entry.identity.alive():
                    reported.add(entry.identity)
                    died(entry.name, tail(Path(entry.log)))
            time.sleep(poll)

    # -- down ---------------------------------------------------------------------------------------------------

    def down(self, wipe: bool = False, progress: Progress | None = None) -> int:
        """Stop every process of the instance, newest first, and wait for them; returns how many were stopped.

        Data, ports and secrets stay, unless `wipe` asks for the data and logs to be deleted. Raises StackError.
        """
        progress = progress or Silent()
        if not self.home.root.exists():
            return 0
        self.home.create()
        with self.home.locked():
            state = State.load(self.home.state_file)
            if state.servers:
                state.stopping = True
                state.save()
            alive = [name for name, entry in state.servers.items() if entry.identity.alive()]
            for name in reversed(alive):
                progress.stopping(name)
            self._end(state, list(state.servers))
            lost = marked(self._mark())
            stop(lost, self.settings.stop_timeout)
            state.remove()
            if wipe:
                for folder in (self.home.root / "data", self.home.logs, self.home.run / "config"):
                    shutil.rmtree(folder, ignore_errors=True)
            return len(alive) + len(lost)

    # -- inside -------------------------------------------------------------------------------------------------

    def _mark(self) -> str:
        return self.home.secret("instance.id")

    def _site(self, found: java.Java | None) -> Site:
        book = PortBook.load(self.home.ports_file)
        ports = {name: port for name, (_, port) in book.entries.items()}
        return Site(self.home, found or java.Java(Path(), 0), self.settings, ports)

    def _choose(self, book: PortBook, state: State, name: str, wanted: int, progress: Progress) -> int:
        entry = state.servers.get(name.split("-")[0]) or state.servers.get(name)
        held = entry is not None and entry.identity.alive()
        port, replaced = book.choose(name, wanted, held)
        if replaced:
            progress.note(f"port {wanted} is taken; {name} uses {port}")
        return port

    def _choose_ports(self, progress: Progress, names: Iterable[str] = SERVERS) -> None:
        self.home.create()
        book = PortBook.load(self.home.ports_file)
        state = State.load(self.home.state_file)
        before = dict(book.entries)
        for name in names:
            self._choose(book, state, name, getattr(self.settings, f"{name}_port"), progress)
            for more in self._servers[name].facts.extra_ports:
                self._choose(book, state, more, 0, progress)
        if book.entries != before:
            book.save()

    def _reconcile(self, detach: bool, progress: Progress) -> State:
        """The record to go on with: what lives is kept, except the remains of a killed foreground run."""
        state = State.load(self.home.state_file)
        supervised = state.supervisor is not None and state.supervisor.alive()
        mine = state.supervisor is not None and state.supervisor.pid == os.getpid()
        if state.servers and (state.stopping or (state.mode == "foreground" and not supervised)):
            progress.note("ending what an earlier run left behind")
            self._end(state, list(state.servers))
            stop(marked(self._mark()), self.settings.stop_timeout)
            state.remove()
        if supervised and not mine and state.servers and not detach:
            pid = state.supervisor.pid if state.supervisor else 0
            progress.note(f"process {pid} already runs this instance in the foreground; healing what is dead")
            return state
        if supervised and state.servers:
            return state
        if not state.servers:
            # A start that was killed before it could record its first process leaves only marked ones.
            lost = marked(self._mark())
            if lost:
                progress.note("ending what an earlier run left behind")
                stop(lost, self.settings.stop_timeout)
        state.stopping = False
        state.mode = "detached" if detach else "foreground"
        state.supervisor = None if detach else Identity.of(os.getpid())
        return state

    def _start_servers(
        self, state: State, site: Site, wanted: Sequence[str], started: list[str], progress: Progress
    ) -> None:
        """All at once. The first failure is raised, and the others stop waiting."""
        if not wanted:
            return
        given_up = threading.Event()
        with ThreadPoolExecutor(len(wanted)) as pool:
            jobs: list[Future[None]] = []
            for name in wanted:
                jobs.append(pool.submit(self._start_server, state, site, name, started, given_up, progress))
            try:
                wait(jobs, return_when=FIRST_EXCEPTION)
            finally:
                given_up.set() if any(not job.done() for job in jobs) else None
            failures = [error for job in jobs if (error := job.exception()) is not None]
        if failures:
            raise next((error for error in failures if not isinstance(error, GivenUp)), failures[0])

    def _start_server(
        self,
        state: State,
        site: Site,
        name: str,
        started: list[str],
        given_up: threading.Event,
        progress: Progress,
    ) -> None:
        server = self._servers[name]
        entry = state.servers.get(name)
        if entry and entry.identity.alive():
            if self._answers(lambda: server.ready(site)):
                progress.ready(name, 0, entry.url)
                return
            progress.note(f"{name} does not answer; it is started again")
            stop([entry.identity], self.settings.stop_timeout)
        begun = time.monotonic()
        progress.starting(name)
        log = self.home.logs / f"{name}.log"
        launch = server.prepare(site)
        if given_up.is_set():
            raise GivenUp(f"The start of {name} was given up.")
        port, url, version = site.ports[name], server.url(site), server.facts.version
        environment = launch.environment | {MARK: self._mark()}
        identity = spawn(launch.argv, environment, log, launch.folder, server.facts.title)
        started.append(name)
        state.record(Entry(name, identity.pid, identity.create_time, port, url, version, str(log)))
        server.boot(site, identity, log)
        timeout, title = self.settings.start_timeout, server.facts.title
        await_ready(title, identity, lambda: server.ready(site), log, timeout, given_up.is_set)
        progress.ready(name, time.monotonic() - begun, url)

    def _start_extra(self, state: State, started: list[str], progress: Progress) -> None:
        for spec in self._specs:
            entry = state.servers.get(spec.name)
            if entry and entry.identity.alive():
                if self._answers(spec.ready):
                    progress.ready(spec.name, 0, entry.url)
                    continue
                stop([entry.identity], self.settings.stop_timeout)
            progress.starting(spec.name)
            log = self.home.logs / f"{spec.name}.log"
            environment = dict(os.environ) | self.environment() | dict(spec.env) | {MARK: self._mark()}
            identity = spawn(spec.argv, environment, log, Path.cwd(), spec.name)
            started.append(spec.name)
            state.record(
                Entry(
                    spec.name, identity.pid, identity.create_time, spec.port, spec.url, spec.version, str(log)
                )
            )
            seconds = await_ready(spec.name, identity, spec.ready, log, self.settings.start_timeout)
            progress.ready(spec.name, seconds, spec.url)

    def _answers(self, probe: Callable[[], bool], patience: float = 5) -> bool:
        """A busy server may miss one question, so ask for a few seconds."""
        deadline = time.monotonic() + patience
        while not probe():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.2)
        return True

    def _end(self, state: State, names: Sequence[str]) -> None:
        """Stop these and forget them: the caller's processes first, which still talk to the servers."""
        entries = [state.servers[name] for name in names if name in state.servers]
        for group in (
            [entry for entry in entries if entry.name not in SERVERS],
            [entry for entry in entries if entry.name in SERVERS],
        ):
            stop([entry.identity for entry in reversed(group)], self.settings.stop_timeout)
            for entry in group:
                state.forget(entry.name)

    def _row(self, name: str, entry: Entry | None) -> dict[str, Any]:
        server = self._servers.get(name)
        if entry is None:
            version = server.facts.version if server else ""
            return dict(
                name=name, state="stopped", url="", version=version, pid=None, port=None, memory=0, log=""
            )
        state = "dead"
        if entry.identity.alive():
            state = "ready" if self._ready_now(name, server) else "starting"
        return {
            "name": name,
            "state": state,
            "url": entry.url,
            "version": entry.version,
            "pid": entry.pid,
            "port": entry.port or None,
            "memory": entry.identity.memory(),
            "log": entry.log,
        }

    def _ready_now(self, name: str, server: Server | None) -> bool:
        if server is not None:
            return server.ready(self._site(None))
        spec = next((spec for spec in self._specs if spec.name == name), None)
        return spec.ready() if spec else True
