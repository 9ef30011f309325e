"""The ports of one instance: chosen once for each name, kept across restarts, moved where another program took one."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence

from stack.errors import StackError
from stack.home import Home
from stack.instances.state import State
from stack.processes.ports import PortBook
from stack.processes.reservations import Reservations
from stack.progress import Progress
from stack.servers.server import Server
from stack.settings import StackSettings


class InstancePorts:
    """Reads and writes the file of ports. `release` frees what was reserved while servers start. Safe for threads."""

    def __init__(self, home: Home, settings: StackSettings, servers: Mapping[str, Server], mark: str) -> None:
        """`mark`: see `Instance.mark`."""
        self._home, self._settings, self._servers = home, settings, servers
        self._reserved = Reservations(mark)
        self._moving = threading.Lock()

    def all(self) -> dict[str, int]:
        """The port of each name that has one."""
        return {name: port for name, (_, port) in self._book().entries.items()}

    def port(self, name: str, preferred: int, progress: Progress) -> int:
        """See `Instance.port`. Raises StackError."""
        book = self._book()
        port = self._choose(book, State.load(self._home.state_file), name, name, preferred, progress)
        self._save(book)
        return port

    def choose(self, names: Iterable[str], progress: Progress) -> None:
        """Choose the ports of these servers where they have none yet. Raises StackError."""
        book = self._book()
        state = State.load(self._home.state_file)
        for name in names:
            self._choose(book, state, name, name, getattr(self._settings, f"{name}_port"), progress)
            for more in self._servers[name].facts.extra_ports:
                self._choose(book, state, more, name, 0, progress)
        self._save(book)

    def move(self, names: Sequence[str]) -> dict[str, int]:
        """New ports for names whose port another program took while their server was starting. Raises StackError."""
        with self._moving:
            book = self._book()
            ports = {name: book.move(name) for name in names}
            self._save(book)
            return ports

    def release(self) -> None:
        """Free the reservations of this start: the servers listen by now, or have ended."""
        self._reserved.release()

    def _book(self) -> PortBook:
        return PortBook.load(self._home.ports_file, self._reserved.take)

    def _choose(self, book: PortBook, state: State, name: str, owner: str, preferred: int, progress: Progress) -> int:
        """`owner` is the process that listens on the port of this name."""
        entry = state.servers.get(owner)
        listens = entry is not None and entry.identity.alive()
        port, replaced = book.choose(name, preferred, listens)
        if replaced:
            progress.note(f"port {preferred} is taken; {name} uses {port}")
        return port

    def _save(self, book: PortBook) -> None:
        try:
            book.save()
        except OSError as error:
            raise StackError(
                f"The file {book.path} cannot be written ({error.strerror or error}); free some disk space or name"
                " another folder in WEIR_HOME."
            ) from error
