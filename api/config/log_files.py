"""The log file of one of Weir's own processes, kept by size: `weir up` gives it as standard output and error."""

from __future__ import annotations

import itertools
import os
import threading
import time
from pathlib import Path

LARGEST = 10 * 1024 * 1024
KEPT = 10
_LOOK_SECONDS = 5.0


def keep_small(log: Path, largest: int = LARGEST, kept: int = KEPT, every: float = _LOOK_SECONDS) -> bool:
    """Watch the file for as long as the process lives; a larger one becomes `.1`, and so on to `kept` in all.

    False, and nothing is done, where this process does not write to that file: it was started by hand.
    """
    if not is_written_by_us(log):
        return False
    threading.Thread(target=_watch, args=(log, largest, kept, every), name="log-files", daemon=True).start()
    return True


def is_written_by_us(log: Path) -> bool:
    """Whether standard error goes to the file."""
    try:
        return os.path.samestat(os.fstat(2), log.stat())
    except OSError:
        return False


def turn_over(log: Path, kept: int = KEPT) -> None:
    """Begin a new file and write on there. Raises OSError."""
    names = [log, *(log.with_suffix(f"{log.suffix}.{n}") for n in range(1, kept))]
    for older, newer in reversed(list(itertools.pairwise(names))):
        if older.exists():
            older.replace(newer)
    fresh = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.dup2(fresh, 1)
        os.dup2(fresh, 2)
    finally:
        os.close(fresh)


def _watch(log: Path, largest: int, kept: int, every: float) -> None:
    while True:
        time.sleep(every)
        try:
            if log.stat().st_size > largest:
                turn_over(log, kept)
        except OSError:
            continue  # a full disk: the next look tries again
