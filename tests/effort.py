"""What a piece of work costs the processor, for tests that a cost does not grow out of bounds."""

from __future__ import annotations

import time
from collections.abc import Callable


def least_seconds(work: Callable[[], object], times: int = 3) -> float:
    """Processor seconds of the cheapest of several runs.

    Other work only ever adds, and so does the interpreter's search for cycles among all that earlier tests left, which
    may strike any one run for seconds.
    """
    taken = []
    for _ in range(times):
        begun = time.thread_time()
        work()
        taken.append(time.thread_time() - begun)
    return min(taken)
