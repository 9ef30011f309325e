"""Spark's report of a batch, in our words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from views.model import Progress


def read_progress(status: Mapping[str, Any]) -> Progress:
    """Spark's report of a batch, in our words. `numOutputRows` is -1 where the sink does not count."""
    sources = status["sources"]
    state = status.get("stateOperators") or ()
    return Progress(
        batch=int(status["batchId"]),
        offsets=_offsets([each.get("endOffset") for each in sources]),
        rows_in=sum(int(each.get("numInputRows") or 0) for each in sources),
        rows_out=max(0, int((status.get("sink") or {}).get("numOutputRows") or 0)),
        seconds=int((status.get("durationMs") or {}).get("triggerExecution") or 0) / 1000,
        state_rows=sum(int(each.get("numRowsTotal") or 0) for each in state),
        state_bytes=sum(int(each.get("memoryUsedBytes") or 0) for each in state),
        unfit_values=sum(map(_counted, (status.get("observedMetrics") or {}).values())),
        late_rows=sum(int(each.get("numRowsDroppedByWatermark") or 0) for each in state),
    )


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
        for topic, positions in (json.loads(each) if isinstance(each, str) else each or {}).items():
            known = by_topic.setdefault(topic, {})
            for partition, offset in positions.items():
                known[int(partition)] = min(known.get(int(partition), int(offset)), int(offset))
    return by_topic
