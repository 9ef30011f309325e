"""One instance of the local servers: up, down, status."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from stack.errors import StackError
from stack.home import Home, default_home, make_private, write_atomically
from stack.installed import artifacts, java
from stack.installed.versions import JAVA, JAVA_REGISTRY
from stack.instances.environment import environment_of
from stack.instances.ports import InstancePorts
from stack.instances.starting import Starter, end
from stack.instances.state import State
from stack.instances.status import StatusRow, status_row
from stack.processes.process import Identity, marked, reap, stop, tail
from stack.progress import Progress, Silent
from stack.servers.connect import Connect
from stack.servers.elasticsearch import Elasticsearch
from stack.servers.kafka import Kafka
from stack.servers.neo4j import USER, Neo4j
from stack.servers.registry import Registry
from stack.servers.server import Server, Site
from stack.servers.spark import FOR_QUERIES, FOR_SCANS
from stack.settings import StackSettings
from stack.spec import OPTIONAL, SERVERS, Addresses, ProcessSpec

ENGINE_START = 3.0
"""Seconds that `up` and `down` give one who is starting an engine again, which takes a moment."""
COMPANIONS = {"spark": ("openlineage-spark",)}
"""Components that no server needs but the jobs of its users do; `artifacts.jars` has them after `up`."""


class Instance:
    """The servers whose data, secrets, ports and processes live in one folder. Two folders are two instances."""

    def __init__(self, home: Path | None = None, settings: StackSettings | None = None) -> None:
        """`home` is WEIR_HOME (see `default_home`); nothing is read or made before a method needs it."""
        self.home = Home((home or default_home()).expanduser().absolute())
        self.settings = settings or StackSettings()
        servers: tuple[Server, ...] = (Kafka(), Registry(), Neo4j(), Elasticsearch(), FOR_SCANS, FOR_QUERIES, Connect())
        self._servers = {server.facts.name: server for server in servers}
        self._external: frozenset[str] = frozenset()
        self._ports = InstancePorts(self.home, self.settings, self._servers, self._mark())

    # What callers ask.

    def port(self, name: str, wanted: int, progress: Progress | None = None) -> int:
        """The port of this instance for `name`, remembered across restarts: the wanted one, or a free one.

        0 wants any. Raises StackError when the folder cannot be written.
        """
        self.home.create()
        return self._ports.port(name, wanted, progress or Silent())

    def addresses(self) -> Addresses:
        """Where the servers answer; ports are chosen now if they were not. Raises StackError, as `port` does."""
        self.home.create()
        self._ports.choose(SERVERS, Silent())
        site = self._site(None)
        urls = {name: "" if name in self._external else self._servers[name].url(site) for name in SERVERS}
        started = State.load(self.home.state_file).servers
        urls |= {name: self._servers[name].url(site) if name in started else "" for name in OPTIONAL}
        token = self.home.secret("spark.token")
        return Addresses(
            kafka=urls["kafka"],
            registry=urls["registry"],
            neo4j=urls["neo4j"],
            neo4j_auth=(USER, self.home.secret("neo4j.password")),
            elasticsearch=urls["elasticsearch"],
            spark=f"{urls['spark']}/;token={token}" if urls["spark"] else "",
            kafka_login=site.login("kafka") if urls["kafka"] else None,
            kafka_consumer_login=site.consumer_login() if urls["kafka"] else None,
            registry_login=site.login("registry") if urls["registry"] else None,
            elasticsearch_login=site.login("elasticsearch") if urls["elasticsearch"] else None,
            query=f"{urls['query']}/;token={token}" if urls["query"] else "",
            connect=urls["connect"],
            connect_login=site.login("connect") if urls["connect"] else None,
        )

    @property
    def secured(self) -> bool:
        """Whether the servers that run ask for passwords; what is set, where none runs."""
        return self.settings.secured or self.home.secured_file.exists()

    def environment(self) -> dict[str, str]:
        """The WEIR_* variables that point a program at this instance; none for an external server."""
        return environment_of(self.addresses())

    def job_environment(self) -> dict[str, str]:
        """JAVA_HOME and PYSPARK_PYTHON for a PySpark job that starts a JVM of its own. Raises StackError."""
        installed = self.running_java()
        home = java.spark_java_home(installed, self.home.run / "java")
        return {"JAVA_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}

    def status(self) -> list[StatusRow]:
        """One row a process. Servers that were never started are listed as stopped."""
        reap()
        state = State.load(self.home.state_file)
        names = [*SERVERS, *(name for name in state.servers if name not in SERVERS)]
        site = self._site(None)
        with ThreadPoolExecutor(len(names)) as pool:
            return list(
                pool.map(lambda name: status_row(name, self._servers.get(name), state.servers.get(name), site), names)
            )

    # Up.

    def up(
        self,
        detach: bool = False,
        extra: Sequence[ProcessSpec] | Callable[[], Sequence[ProcessSpec]] = (),
        external: Iterable[str] = (),
        only: Iterable[str] | None = None,
        progress: Progress | None = None,
    ) -> Addresses:
        """Bring every server up, and after them the `extra` processes; returns when all are ready.

        What runs already is kept, what died is started again on its data and its port. `external` names servers that
        the caller has elsewhere, `only` limits the start to some. A function for `extra` is called once no other start or
        stop is under way. Not detached, this process becomes the supervisor:
        call `wait` and then `down`. A failed start ends what it started. Raises StackError.
        """
        progress = progress or Silent()
        self._external = frozenset(external)
        servers = [name for name in _named(only) if name not in self._external]
        if "connect" in servers and "kafka" not in servers:
            raise StackError(
                "The local Kafka Connect works with the local Kafka alone; unset WEIR_KAFKA__BOOTSTRAP_SERVERS."
            )
        self.home.create()
        with self.home.locked(ENGINE_START):
            make_private(self.home.root)
            processes = extra() if callable(extra) else extra
            state = self._reconcile(detach, progress)
            self._secure(bool(state.servers))
            starter = Starter(
                home=self.home,
                settings=self.settings,
                state=state,
                progress=progress,
                mark=self._mark(),
                move=self._ports.move,
            )
            try:
                self._ports.choose(servers, progress)
                installed = self._fetch(servers, progress)
                starter.servers({name: self._servers[name] for name in servers}, self._site(installed))
                starter.processes(processes, self.environment())
                state.save()
            except BaseException as error:
                end(state, starter.started, self.settings.stop_timeout)
                if not state.servers:
                    state.remove()
                if isinstance(error, OSError):
                    raise StackError(
                        f"The start could not use {error.filename or self.home.root} ({error.strerror or error});"
                        " free some disk space or name another folder in WEIR_HOME."
                    ) from error
                raise
            finally:
                self._ports.release()
        return self.addresses()

    def fetch(self, only: Iterable[str] | None = None, progress: Progress | None = None) -> None:
        """Bring Java and the servers' programs, so that a later start needs no network. Raises StackError."""
        self.home.create()
        self._fetch(_named(only), progress or Silent())

    def wait(self, died: Callable[[str, tuple[str, ...]], None], poll: float = 0.5) -> None:
        """Stay in the foreground until the instance is stopped from elsewhere (returns) or a signal interrupts.

        `died` is called once for each process that ended by itself, with its name and the tail of its log. Another
        `up` heals it meanwhile. Sees a death within `poll` seconds.
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

    # Down.

    def down(self, wipe: bool = False, progress: Progress | None = None, keep: Collection[str] = ()) -> int:
        """Stop every process of the instance, newest first, and wait for them; returns how many were stopped.

        Data, ports and secrets stay, unless `wipe` asks for data, logs and secrets to be deleted; secrets named in `keep` stay
        then, too. Raises StackError.
        """
        progress = progress or Silent()
        if not self.home.root.exists():
            return 0
        self.home.create()
        with self.home.locked(ENGINE_START):
            state = State.load(self.home.state_file)
            if state.servers:
                # A supervisor that waits in the foreground must not take this for a death.
                state.stopping = True
                state.save()
            alive = [name for name, entry in state.servers.items() if entry.identity.alive()]
            for name in reversed(alive):
                progress.stopping(name)
            end(state, list(state.servers), self.settings.stop_timeout)
            lost = marked(self._mark())
            stop(lost, self.settings.stop_timeout)
            state.remove()
            self.home.secured_file.unlink(missing_ok=True)
            if wipe:
                for folder in ("data", "logs", "run/config", "run/java"):
                    shutil.rmtree(self.home.root / folder, ignore_errors=True)
                self.home.forget_secrets(keep)
            return len(alive) + len(lost)

    # Inside.

    def _secure(self, runs: bool) -> None:
        """Remember whether passwords are asked for, so that later commands know without the setting."""
        remembered = self.home.secured_file.exists()
        if runs and self.settings.secured and not remembered:
            raise StackError(
                f"The instance in {self.home.root} runs without passwords; stop it first (weir down), then start it with"
                " WEIR_STACK__SECURED=true."
            )
        if self.settings.secured:
            write_atomically(self.home.secured_file, "")
        elif not runs:
            self.home.secured_file.unlink(missing_ok=True)

    def _mark(self) -> str:
        """Marks the processes of this instance, so that they are recognized even when the folder was deleted meanwhile."""
        return hashlib.sha256(str(self.home.root.resolve()).encode()).hexdigest()[:16]

    def running_java(self) -> java.Java:
        """The Java that the servers of this instance run on, which another start of one takes too. Raises StackError."""
        return self._java(_majors(State.load(self.home.state_file).servers), Silent())

    def _java(self, majors: tuple[int, ...], progress: Progress) -> java.Java:
        return java.find(self.settings.java_home, self.home.logs / "java-install.log", progress, majors)

    def _fetch(self, names: Sequence[str], progress: Progress) -> java.Java:
        running = State.load(self.home.state_file).servers
        installed = self._java(_majors({*names, *running}), progress)
        components = [part for name in names for part in self._servers[name].facts.components]
        components += [part for name in names for part in COMPANIONS.get(name, ())]
        artifacts.ensure(components, installed, self.home.logs / "download.log", progress)
        return installed

    def _site(self, installed: java.Java | None) -> Site:
        return Site(self.home, installed or java.Java(Path(), 0), self.settings, self._ports.all(), self.secured)

    def _reconcile(self, detach: bool, progress: Progress) -> State:
        """The record to continue with: what lives is kept, except the remains of a killed foreground run."""
        state = State.load(self.home.state_file)
        supervised = state.supervisor is not None and state.supervisor.alive()
        if state.servers and supervised and not state.stopping:
            if not detach and state.supervisor is not None and state.supervisor.pid != os.getpid():
                progress.note(
                    f"process {state.supervisor.pid} runs this instance in the foreground; what is dead is healed"
                )
            return state
        if state.servers and (state.stopping or state.mode == "foreground"):
            progress.note("ending what an earlier run left behind")
            end(state, list(state.servers), self.settings.stop_timeout)
        if not state.servers:
            # A start that was killed before it could record a process leaves a marked one.
            lost = marked(self._mark())
            if lost:
                progress.note("ending what an earlier start left behind")
                stop(lost, self.settings.stop_timeout)
        state.stopping = False
        state.mode = "detached" if detach else "foreground"
        state.supervisor = None if detach else Identity.of(os.getpid())
        return state


def _majors(names: Collection[str]) -> tuple[int, ...]:
    """One Java for all: the registry is the one that needs the newer."""
    return JAVA_REGISTRY if "registry" in names else JAVA


def _named(only: Iterable[str] | None) -> list[str]:
    """The servers to start: those named and what they need, else all but the optional ones."""
    servers = set(SERVERS if only is None else only)
    if "connect" in servers:
        servers.add("kafka")
    return [name for name in (*SERVERS, *OPTIONAL) if name in servers]
