"""Choosing ports on the loopback address, and remembering the choice so that addresses survive a restart."""

from __future__ import annotations

import errno
import json
import random
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from stack.errors import StackError
from stack.home import write_atomically

LOOPBACK = "127.0.0.1"


def is_free(port: int) -> bool:
    """Whether a server could listen on this loopback port now.

    Both address families count: clients that connect to `localhost` may reach a stranger on `::1` first.
    """
    for family, address in ((socket.AF_INET, LOOPBACK), (socket.AF_INET6, "::1")):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            # As servers do: a port whose last connections linger in TIME_WAIT is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
            except OSError as error:
                if error.errno in (errno.EADDRINUSE, errno.EACCES):
                    return False
    return True


def is_open(port: int, timeout: float = 0.5) -> bool:
    """Whether something accepts connections on this loopback port."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout):
            return True
    except OSError:
        return False


RANGE = range(20_000, 32_000)
"""Where free ports are looked for: below what Linux (32768) and macOS (49152) hand out to outgoing connections. One of
theirs may be taken by any client while a server restarts, even by one that calls that very server."""
PATIENCE = 3.0
"""Seconds in which a port that was ours before may become free again."""


def free_port(avoid: set[int], reserve: Callable[[int], bool] = lambda port: True) -> int:
    """A port that is free now, not in `avoid`, and that `reserve` takes. Raises StackError when the machine has none."""
    for port in random.SystemRandom().sample(RANGE, 200):
        if port not in avoid and is_free(port) and reserve(port):
            return port
    raise StackError("No free port was found on the loopback address; close some programs and try again.")


def _becomes_free(port: int) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not is_free(port):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


@dataclass
class PortBook:
    """The ports of one instance: for each name what was wanted and what was chosen.

    `reserve` returns whether no other instance has chosen a port meanwhile, and keeps it from others.
    """

    path: Path
    entries: dict[str, tuple[int, int]] = field(default_factory=dict)
    reserve: Callable[[int], bool] = lambda port: True

    @classmethod
    def load(cls, path: Path, reserve: Callable[[int], bool] = lambda port: True) -> PortBook:
        """Read the book; a missing or broken file is an empty book (its ports are chosen again)."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            return cls(path, {name: (int(wanted), int(chosen)) for name, (wanted, chosen) in raw.items()}, reserve)
        except (OSError, ValueError, TypeError, AttributeError):
            return cls(path, reserve=reserve)

    def chosen(self, name: str) -> int | None:
        """The port chosen for `name` earlier, free or not."""
        entry = self.entries.get(name)
        return entry[1] if entry else None

    def choose(self, name: str, wanted: int, listening: bool = False) -> tuple[int, bool]:
        """The port for `name` and whether a wanted port had to be replaced.

        An earlier choice for the same wish is kept, so that addresses stay. `listening`: our own process
        listens there now, so its port is the answer, whatever is set for the next start. The caller saves.
        """
        before = self.entries.get(name)
        if before and (listening or (before[0] == wanted and _becomes_free(before[1]) and self.reserve(before[1]))):
            return before[1], False
        others = {chosen for other, (_, chosen) in self.entries.items() if other != name}
        replaced = bool(wanted) and (wanted in others or not is_free(wanted) or not self.reserve(wanted))
        port = wanted if wanted and not replaced else free_port(others, self.reserve)
        self.entries[name] = (wanted, port)
        return port, replaced

    def save(self) -> None:
        """Write the book. Raises OSError."""
        write_atomically(self.path, json.dumps(self.entries, indent=1, sort_keys=True))

    def move(self, name: str) -> int:
        """Another free port for `name`, whose port somebody took. The caller saves."""
        wanted, _ = self.entries[name]
        port = free_port({chosen for _, chosen in self.entries.values()}, self.reserve)
        self.entries[name] = (wanted, port)
        return port
