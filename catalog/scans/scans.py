"""Scan jobs: asked for, taken by one worker, watched, stopped. The scanning itself is the scanners' room."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from catalog.datasets.clusters import Clusters
from catalog.errors import Conflict, InvalidInput, NotFound
from catalog.model import DatasetId
from catalog.ports import CatalogStore, Clock
from catalog.scan_store import ScanPosition, ScanRecord, ScanState


class Scans:
    """The queue of scans. A worker that falls silent for `heartbeat_s` seconds loses its scan to another."""

    def __init__(self, store: CatalogStore, clock: Clock, clusters: Clusters, heartbeat_s: float = 60.0) -> None:
        self._store = store
        self._clock = clock
        self._clusters = clusters
        self._heartbeat = timedelta(seconds=heartbeat_s)

    def request(
        self,
        cluster: str,
        topics: Sequence[str] = (),
        sample: Mapping[str, Any] | None = None,
        by: str | None = None,
        exclude: Sequence[str] = (),
        *,
        reread: bool = False,
    ) -> ScanRecord:
        """Queue a scan of the topics (patterns such as `shop.*`; none = all), less the excluded names. `reread`: topics
        that did not change since their last scan are read all the same.

        Raises NotFound for the cluster.
        """
        self._clusters.get(cluster)
        if any(not topic.strip() for topic in topics):
            raise InvalidInput("A topic to scan has no name; write a topic or a pattern such as shop.*.")
        document: dict[str, object] = {"cluster": cluster, "topics": list(topics), "sample": dict(sample or {})}
        if exclude:
            document["exclude"] = list(exclude)
        if reread:
            document["reread"] = True
        scan = ScanRecord(
            id=uuid.uuid4().hex,
            state=ScanState.QUEUED,
            request=document,
            created_at=self._clock(),
            requested_by=by,
        )
        self._store.put_scan(scan)
        return scan

    def get(self, scan_id: str) -> ScanRecord:
        """Raises NotFound."""
        scan = self._store.scan(scan_id)
        if scan is None:
            raise NotFound(f"There is no scan {scan_id!r}.", details={"scan": scan_id})
        return scan

    def list(self, limit: int = 50, offset: int = 0) -> Sequence[ScanRecord]:
        """Newest first."""
        return self._store.scans(limit, offset)

    def cancel(self, scan_id: str) -> ScanRecord:
        """Stop a scan: at once when it waits, at its next step when it runs. Raises Conflict when it is over."""
        with self._store.transaction():
            scan = self.get(scan_id)
            if scan.state.over:
                raise Conflict(f"Scan {scan_id} is over ({scan.state}) and cannot be cancelled.")
            changes: dict[str, object] = {"cancel_requested": True}
            if scan.state is ScanState.QUEUED:
                changes |= {"state": ScanState.CANCELLED, "finished_at": self._clock()}
            return self._changed(scan_id, changes)

    def claim(self, worker: str) -> ScanRecord | None:
        """The next scan to do, now this worker's; None when there is none."""
        now = self._clock()
        return self._store.claim_scan(worker, now, now - self._heartbeat)

    def report(
        self,
        scan_id: str,
        worker: str,
        *,
        progress: float | None = None,
        datasets: Sequence[Mapping[str, Any]] | None = None,
        problems: Sequence[Mapping[str, Any]] | None = None,
    ) -> bool:
        """A sign of life, with what is known by now (progress 0..1). False = stop: cancelled, or another has it."""
        changes: dict[str, object] = {"heartbeat_at": self._clock()}
        if progress is not None:
            changes["progress"] = min(1.0, max(0.0, progress))
        if datasets is not None:
            changes["datasets"] = tuple(datasets)
        if problems is not None:
            changes["problems"] = tuple(problems)
        with self._store.transaction():
            scan = self.get(scan_id)
            if scan.worker != worker or scan.state is not ScanState.RUNNING:
                return False
            return not self._changed(scan_id, changes).cancel_requested

    def finish(
        self,
        scan_id: str,
        worker: str,
        *,
        datasets: Sequence[Mapping[str, Any]],
        problems: Sequence[Mapping[str, Any]] = (),
        failed: bool = False,
    ) -> ScanRecord:
        """The scan is over: cancelled when that was asked, failed when nothing came of it, else done."""
        with self._store.transaction():
            scan = self.get(scan_id)
            if scan.worker != worker or scan.state is not ScanState.RUNNING:
                return scan
            state = ScanState.FAILED if failed else ScanState.DONE
            if scan.cancel_requested:
                state = ScanState.CANCELLED
            changes: dict[str, object] = {
                "state": state,
                "datasets": tuple(datasets),
                "problems": tuple(problems),
                "finished_at": self._clock(),
            }
            if state is ScanState.DONE:
                changes["progress"] = 1.0
            return self._changed(scan_id, changes)

    def positions(self, dataset: DatasetId) -> Sequence[ScanPosition]:
        """Where the last scan of each partition ended."""
        return self._store.positions(self._clusters.resolve(dataset.namespace, dataset.name))

    def _changed(self, scan_id: str, changes: Mapping[str, Any]) -> ScanRecord:
        scan = self._store.update_scan(scan_id, changes)
        assert scan is not None, "the scan was read in the same transaction"
        return scan
