"""When tags are followed down the lineage: where something changed that they rest on, and seldom without."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import structlog

from catalog.datasets.tag_propagation import TagFlow
from lineage.worker.consume import LineageWorker

log = structlog.get_logger("weir.worker")

MOST_S = 300.0
"""The most between two sweeps: another process may have written to the graph."""


class Fold:
    """Events of lineage go into the graph, by a worker made at each start of the duty."""

    def __init__(self, worker: Callable[[], LineageWorker]) -> None:
        self._make = worker
        self._worker: LineageWorker | None = None

    def run(self, stop: threading.Event) -> None:
        """Until `stop` is set."""
        self._worker = self._make()
        self._worker.run(stop)

    def folded(self) -> tuple[int, int]:
        """Differs once this process has written to the graph."""
        return id(self._worker), self._worker.state.folded if self._worker is not None else 0


class TagSweep:
    """Follows tags where tags, clusters or lineage changed since the last sweep."""

    def __init__(
        self, flow: TagFlow, folded: Callable[[], Any], monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._flow, self._folded, self._monotonic = flow, folded, monotonic
        self._basis: Any = None
        self._until = 0.0

    def step(self) -> bool:
        """Raises Unavailable when the record store or lineage does not answer; the next step tries again."""
        basis, now = (self._flow.basis(), self._folded()), self._monotonic()
        if basis == self._basis and now < self._until:
            return False
        swept = self._flow.sweep()
        self._basis, self._until = basis, now + MOST_S
        if swept.inherited or swept.ended or swept.leaks:
            log.info("tags_followed", inherited=swept.inherited, ended=swept.ended, leaks=swept.leaks)
        return False
