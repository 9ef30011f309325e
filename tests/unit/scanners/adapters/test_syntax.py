"""Several threads read what Spark's workers import, as the doctor does for each engine."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scanners.adapters.spark.syntax import parsed
from tests.threads import hammer

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def threads_change_in_the_middle() -> Iterator[None]:
    """Many collections of garbage, at each of which Python may change threads; some fall between two nodes of a tree."""

    def give_way(*_: Any) -> None:
        time.sleep(0)

    before = gc.get_threshold()
    gc.callbacks.append(give_way)
    gc.set_threshold(30)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(give_way)


def test_threads_parse_at_once(threads_change_in_the_middle: None) -> None:
    sources = [path.read_text() for path in sorted((ROOT / "catalog").rglob("*.py"))[:80]]
    assert hammer(lambda source: len(parsed(source).body), sources, threads=3) == []
