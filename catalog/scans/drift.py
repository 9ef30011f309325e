"""Scans that queries ask for: a topic whose values do not fit their columns any more is scanned again, once in a while."""

from __future__ import annotations

from datetime import timedelta

from catalog.errors import NotFound
from catalog.ports import CatalogStore, Clock
from catalog.scan_store import ScanRecord
from catalog.scans.scans import Scans


class DriftScans:
    """Queues a scan of a topic, unless one was asked for this way less than `quiet_seconds` ago. Safe for threads."""

    def __init__(self, store: CatalogStore, scans: Scans, clock: Clock, quiet_seconds: float) -> None:
        self._store, self._scans, self._clock = store, scans, clock
        self._quiet = timedelta(seconds=quiet_seconds)

    def seen(self, reference: str) -> ScanRecord | None:
        """The scan of `CLUSTER/TOPIC` that waits or runs, queued now or before; None when it is too early for one.

        Raises Unavailable.
        """
        cluster, _, topic = reference.partition("/")
        name = f"drift:{reference}"
        # Of two that come at once one sees the other's scan: writers come one after another, those of other processes too.
        with self._store.transaction():
            last = self._store.last_scan(name)
            if last is not None and not last.state.over:
                return last
            if last is not None and self._clock() - last.created_at < self._quiet:
                return None
            try:
                return self._scans.request(cluster, [topic], {"strategy": "since-last"}, name, reread=True)
            except NotFound:
                return None
