"""How a start reports its steps: a port that a command line may render as it likes, and a plain-text default."""

from __future__ import annotations

import sys
import threading
from typing import Protocol, TextIO


class Progress(Protocol):
    """Notified of each step, from several threads at once. Implementations must not raise."""

    def downloading(self, done: int, total: int, megabytes: float) -> None:
        """`done` of `total` components are complete; `megabytes` arrived so far in this run."""

    def starting(self, name: str) -> None:
        """The process `name` was started and is not ready yet."""

    def ready(self, name: str, seconds: float, address: str) -> None:
        """`name` answers at `address`, `seconds` after its start. 0 seconds: it was running already."""

    def stopping(self, name: str) -> None:
        """`name` was asked to stop."""

    def note(self, text: str) -> None:
        """Something worth a line: a port that was taken, a process of an earlier run that was ended."""


class Silent:
    """Reports nothing."""

    def downloading(self, done: int, total: int, megabytes: float) -> None: ...

    def starting(self, name: str) -> None: ...

    def ready(self, name: str, seconds: float, address: str) -> None: ...

    def stopping(self, name: str) -> None: ...

    def note(self, text: str) -> None: ...


class PlainText:
    """One plain line an event, on standard error by default."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._lock = threading.Lock()

    def _line(self, text: str) -> None:
        with self._lock:
            self._stream.write(text + "\n")
            self._stream.flush()

    def downloading(self, done: int, total: int, megabytes: float) -> None:
        self._line(f"downloading: {done} of {total} complete, {megabytes:.0f} MB")

    def starting(self, name: str) -> None:
        self._line(f"starting {name}")

    def ready(self, name: str, seconds: float, address: str) -> None:
        how = f"ready after {seconds:.1f} s" if seconds else "was running"
        self._line(f"{name} {how} at {address}")

    def stopping(self, name: str) -> None:
        self._line(f"stopping {name}")

    def note(self, text: str) -> None:
        self._line(text)
