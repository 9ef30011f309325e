"""The worker of lineage over a log, a source and a graph in memory."""

from __future__ import annotations

from typing import Any

from lineage.settings import LineageSettings
from lineage.worker.consume import LineageWorker
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph


def memory_worker(settings: LineageSettings | None = None) -> Any:
    """The log, the dead letters, the graph, the source, and the worker that joins them."""
    log, dead, graph = MemoryEventLog(), MemoryEventLog(), MemoryGraph()
    source = MemoryEventSource(log)
    return log, dead, graph, source, LineageWorker(source, graph, dead, settings)
