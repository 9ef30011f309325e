"""What was set aside while batches are folded is looked through again soon: other duties leave cycles in it."""

from __future__ import annotations

import gc
import time
import weakref

import pytest

from lineage.worker.consume import LineageWorker
from lineage.worker.gc_tuning import uncollected
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph


class Cycle:
    def __init__(self) -> None:
        self.me = self


@pytest.mark.tail
def test_cycles_that_outlive_a_batch_are_gone_within_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = LineageWorker(MemoryEventSource(MemoryEventLog()), MemoryGraph(), MemoryEventLog())
    try:
        one = Cycle()
        left = weakref.ref(one)
        with uncollected():
            pass
        del one
        gc.collect()
        assert left() is not None, "it was set aside"
        begun = time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: begun + 61)
        worker.tidy()
        assert left() is None
    finally:
        gc.unfreeze()
