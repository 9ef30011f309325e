"""One running server of an instance, for a process that keeps it alive: looked at, and replaced where it ended or hangs.

It does not fight with `up` and `down`: it acts under the instance's lock, for the very process it was asked to replace,
and never while the instance is stopped.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from stack.errors import StackError
from stack.instances.starting import Starter
from stack.instances.state import Entry, State
from stack.processes import heap, jvm, python_daemons
from stack.processes.process import Identity, cut, marked, reap, stop
from stack.progress import Silent
from stack.servers.spark import Spark

if TYPE_CHECKING:
    from stack.instances.instance import Instance


def cut_logs(instance: Instance) -> list[str]:
    """Put aside the logs that got too long of the instance's running processes; gives their names. Raises OSError."""
    entries = State.load(instance.home.state_file).servers.values()
    return [entry.name for entry in entries if cut(Path(entry.log))]


class KeptServer:
    """Safe for threads."""

    def __init__(self, instance: Instance, name: str) -> None:
        self._instance, self.name = instance, name

    def entry(self) -> Entry | None:
        """The record of its process; None where this instance does not run the server, or is being stopped."""
        state = State.load(self._instance.home.state_file)
        return None if state.stopping else state.servers.get(self.name)

    def heap(self, identity: Identity) -> heap.Heap | None:
        """How full its heap is; None where that cannot be seen."""
        return heap.read(identity.pid)

    def threads(self, identity: Identity) -> jvm.SparkThreads | None:
        """What it works on, and how much; None where it cannot be asked."""
        return jvm.spark_threads(identity.pid)

    def kill(self, identity: Identity) -> None:
        """End the process and what it started, at once."""
        stop([identity], 0)
        reap()

    def archive_classes(self) -> bool:
        """Write the archive of classes that the server's next starts use, where there is none yet and this start wrote a
        list of them; True when it was written now. Takes up to a minute. Raises OSError, StackError."""
        instance = self._instance
        server = instance._servers[self.name]
        if not isinstance(server, Spark):
            return False
        site = instance._site(instance.running_java())
        log = instance.home.logs / f"{self.name}-classes.log"
        return server.archive(site).make(server.class_list(site), log)

    def replace(self, identity: Identity) -> Identity | None:
        """End this process, if it lives, and start the server again on its data and its port; does not wait until it
        is ready. None where somebody else replaced it, or the instance is being stopped.

        Raises StackError while another start or stop holds the instance, or when the program cannot be started.
        """
        reap()
        instance = self._instance
        installed = instance.running_java()
        with instance.home.locked():
            state = State.load(instance.home.state_file)
            entry = state.servers.get(self.name)
            if state.stopping or entry is None or entry.identity != identity:
                return None
            stop([identity], 0)
            # Its children (Python workers) may have outlived it.
            stop(marked(f"{instance._mark()}:{self.name}"), 0)
            server, site = instance._servers[self.name], instance._site(installed)
            starter = Starter(instance.home, instance.settings, state, Silent(), instance._mark())
            try:
                launch = server.prepare(site)
                title = server.facts.title
                facts = (site.ports[self.name], entry.url, server.facts.version)
                return starter._spawn(self.name, title, launch.argv, launch.environment, launch.folder, facts).identity
            except OSError as error:
                raise StackError(
                    f"{self.name} could not be started again: {error.filename or Path(entry.log)}"
                    f" ({error.strerror or error})."
                ) from error


class IdlePython:
    """Ends the Python daemons of servers that had no work at two looks running; `step` is called about once a minute."""

    def __init__(self, servers: Iterable[KeptServer]) -> None:
        self._servers = list(servers)
        self._before: frozenset[Identity] = frozenset()

    def step(self) -> int:
        """How many were ended. Raises OSError, StackError."""
        entries = [entry for server in self._servers if (entry := server.entry()) is not None]
        idle = frozenset[Identity]().union(*(python_daemons.idle(entry.identity) for entry in entries))
        over = idle & self._before
        stop(list(over), 5)
        self._before = idle - over
        return len(over)
