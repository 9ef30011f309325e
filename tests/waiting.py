"""Waiting for a condition: as long as a machine of this pace may need, and no longer than the condition takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tests.effort import pace

T = TypeVar("T")


def until(condition: Callable[[], T], what: str = "the condition", seconds: float = 60, every: float = 0.02) -> T:
    """Ask again and again until the answer is true, which is returned. AssertionError after `seconds` times the pace."""
    limit = seconds * pace()
    deadline = time.monotonic() + limit
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"{what} did not happen within {limit:.0f} s"
        time.sleep(every)
    return answer
