"""Ports that a start has chosen and whose server does not listen yet: no other start on this machine chooses them.

A free port can be chosen by two starts at once, and the server that binds last dies. So each choice is a lock on a file
for the port, kept until the servers listen. The system drops the locks of a process that ends, however it ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path
from typing import IO


def default_folder() -> Path:
    """One folder for all instances of a user: ports are the machine's, and locks of others cannot be opened."""
    return Path(tempfile.gettempdir()) / f"weir-ports-{os.getuid()}"


class Reservations:
    """The ports one process has reserved for one instance. Used by one thread at a time.

    owner   names the instance: its own processes may choose a port that another of them has reserved
    """

    def __init__(self, owner: str, folder: Path | None = None) -> None:
        self._owner = owner.encode()
        self._folder = folder or default_folder()
        self._locks: dict[int, IO[bytes]] = {}

    def take(self, port: int) -> bool:
        """Reserve a port; False when another instance has it. Where no lock can be made, the port counts as ours."""
        if port in self._locks:
            return True
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = (self._folder / f"{port}.lock").open("a+b")
        except OSError:
            return True
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            with lock:
                lock.seek(0)
                return lock.read() == self._owner
        lock.truncate(0)
        lock.write(self._owner)
        lock.flush()
        self._locks[port] = lock
        return True

    def drop(self, port: int) -> None:
        """Give one port back."""
        lock = self._locks.pop(port, None)
        if lock is not None:
            lock.close()

    def release(self) -> None:
        """Give every port back: the servers listen by now, or never will."""
        for port in list(self._locks):
            with contextlib.suppress(OSError):
                self.drop(port)
