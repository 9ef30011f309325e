"""How the interpreter works while batches are folded: no search for cycles, and quick turns between threads."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lineage.sql.dialects import texts_read


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the cycle collector off for a batch: it would walk all books in memory many times for nothing.

    Folding is about twice as fast so. Objects are freed by their counts meanwhile, as ever. What is left afterwards is
    set aside, or each of the next collections would walk all books too; now and then all of it is looked through again
    (`looked_through`). Only syntax trees of SQL make many cycles: where some were read, what is left is looked through at
    once.
    """
    was, before = gc.isenabled(), texts_read()
    gc.disable()
    try:
        yield
    finally:
        if was:
            if texts_read() != before:
                gc.collect()
            gc.freeze()
            gc.enable()
            _SET_ASIDE[0] += 1


_SET_ASIDE = [0]


def set_aside() -> int:
    """How often something was set aside by this process: where it was not since, there is nothing to look through."""
    return _SET_ASIDE[0]


def looked_through() -> float:
    """Collect the cycles among what was set aside; gives the seconds that it took."""
    begun = time.monotonic()
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    return time.monotonic() - begun


_TURN_SECONDS = 0.0005


@contextmanager
def quick_turns() -> Iterator[None]:
    """Let a thread that talks to a server have its turn soon, while others compute.

    By default it waits 5 ms for each packet, which is longer than the server takes.
    """
    was = sys.getswitchinterval()
    sys.setswitchinterval(min(was, _TURN_SECONDS))
    try:
        yield
    finally:
        sys.setswitchinterval(was)
