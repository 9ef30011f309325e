"""An instance whose query engine may be ended, for the tests of what the engine survives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks import engine
from benchmarks.engine import QUESTIONS, Door
from tests.waiting import until


@contextmanager
def opened(query_seconds: float) -> Iterator[Door]:
    """Ready to answer. `query_seconds`: how long a query may run."""
    with engine.door({"WEIR_QUERY__SECONDS": str(query_seconds)}) as door:
        answered(door)
        yield door


def answered(door: Door, seconds: float = 300) -> None:
    """Wait until a query is answered."""
    until(lambda: door.ask("honest0", QUESTIONS[1], 60)[0] == 200, "the answer of a query", seconds, every=0.5)
