"""Spark's report of a batch, in our words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from views.model import Progress


def read_progress(status: Mapping[str, Any]) -> Progress:
    """Spark's report of a batch, in our words. `numOutputRows` is -1 where the sink does not count."""
    sources = status["sources"]
    state = status.get("stateOperators") or ()
    return Progress(
        batch=int(status["batchId"]),
        batches=1,
        starts=_offsets([each.get("startOffset") for each in sources]),
        offsets=_offsets([each.get("endOffset") for each in sources]),
        rows_in=sum(int(each.get("numInputRows") or 0) for each in sources),
        rows_out=max(0, int((status.get("sink") or {}).get("numOutputRows") or 0)),
        seconds=int((status.get("durationMs") or {}).get("triggerExecution") or 0) / 1000,
        state_rows=sum(int(each.get("numRowsTotal") or 0) for each in state),
        state_bytes=sum(int(each.get("memoryUsedBytes") or 0) for each in state),
        unfit_values=sum(map(_counted, (status.get("observedMetrics") or {}).values())),
        late_rows=sum(int(each.get("numRowsDroppedByWatermark") or 0) for each in state),
    )


class Reports:
    """Every batch of a query once, though the engine is asked now and then. Not safe for threads."""

    def __init__(self) -> None:
        self._seen: int | None = None
        self._last = Progress()

    def next(self, newest: Mapping[str, Any] | None, recent: Callable[[], Sequence[Mapping[str, Any]]]) -> Progress:
        """`newest`: the engine's last report; `recent`: gives those that it keeps, oldest first, asked only where batches
        ended that were not seen."""
        if newest is None:
            return self._again()
        # A look that finds nothing new is reported, too, under the number of the batch that comes next.
        top = int(newest["batchId"]) - (not _ran(newest))
        if top == (self._seen if self._seen is not None else -1):
            if self._last.batch < 0:  # after a restart without news it still shows what was read
                self._last = replace(read_progress(newest), batch=-1, batches=0)
            return self._again()
        whole = [newest] if _ran(newest) and self._seen == top - 1 else recent()
        ran = {int(each["batchId"]): each for each in whole if _ran(each)}
        unseen = [ran[number] for number in sorted(ran) if self._seen is None or number > self._seen]
        if not unseen:
            if self._seen is None:
                self._last = replace(read_progress(newest), batch=-1, batches=0)
            return self._again()
        *before, last = map(read_progress, unseen)
        expected = last.batch - self._seen if self._seen is not None else last.batch - (*before, last)[0].batch + 1
        self._seen = last.batch
        self._last = replace(last, before=tuple(before), batches=len(unseen), missed=expected - len(unseen))
        return self._last

    def _again(self) -> Progress:
        self._last = replace(self._last, before=(), batches=0, missed=0)
        return self._last


def _ran(status: Mapping[str, Any]) -> bool:
    return "addBatch" in (status.get("durationMs") or {})


def _counted(metrics: Any) -> int:
    """The counts that one table observed (`policies.adapters.spark.reading.counted`). PySpark's client gives a row of two:
    the list of values, and their schema."""
    observed = metrics.asDict() if hasattr(metrics, "asDict") else dict(metrics)
    values = observed["values"] if set(observed) == {"values", "schema"} else observed.values()
    return sum(int(each or 0) for each in values)


def _offsets(ends: list[Any]) -> dict[str, dict[int, int]]:
    """Topic -> partition -> next offset; of a topic that several sources follow, what all of them have read."""
    by_topic: dict[str, dict[int, int]] = {}
    for each in ends:
        # PySpark's client has the text None where there is no offset yet.
        read = (None if each == "None" else json.loads(each)) if isinstance(each, str) else each
        for topic, positions in (read or {}).items():
            lowest = by_topic.setdefault(topic, {})
            for partition, offset in positions.items():
                lowest[int(partition)] = min(lowest.get(int(partition), int(offset)), int(offset))
    return by_topic
