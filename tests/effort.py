"""What a piece of work costs the processor, for tests that a cost does not grow out of bounds."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import cache

_USUAL = 0.05
"""Processor seconds of `_yardstick` on a machine of 2024 that has nothing else to do."""


def least_effort(work: Callable[[], object], times: int = 3) -> float:
    """Processor seconds of the cheapest of several runs, as a machine of 2024 would need them.

    Other work only ever adds, and so does the interpreter's search for cycles among all that earlier tests left, which
    may strike any one run for seconds. A machine whose cores are shared is slower by a factor, which a known piece of
    work beside each run measures.
    """
    return min(_seconds(work) * _USUAL / max(_USUAL, _seconds(_yardstick)) for _ in range(times))


@cache
def pace() -> float:
    """How many times slower than a machine of 2024 without other work this one is, from 1 to 6: measured once a process.

    By the clock, not by the processor: what waits for something gets no turn either.
    """

    def seconds() -> float:
        begun = time.perf_counter()
        _yardstick()
        return time.perf_counter() - begun

    return min(6.0, max(1.0, sorted(seconds() for _ in range(3))[1] / _USUAL))


def _seconds(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return time.thread_time() - begun


def _yardstick() -> object:
    words = [f"word {number % 977} of {number}" for number in range(40_000)]
    lengths = {word: len(word) for word in words}
    return sum(lengths[word] for word in words if re.match(r"word \d+1 of", word))
