"""Scans as jobs: asked for by the API, done by the worker, remembered in the record store."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog

from api.clusters import Clusters
from api.errors import frames
from catalog.datasets import Datasets
from catalog.errors import NotFound, Unavailable, WeirError
from catalog.model import DatasetScan
from catalog.ports import CatalogStore
from catalog.records import ScanRecord, ScanState
from scanners.model import Recognizer, SampleRequest, ScanProgress
from scanners.scan import Scanner

log = structlog.get_logger("weir.scans")


class Scans:
    """Queues, runs and follows scans."""

    def __init__(
        self,
        store: CatalogStore,
        datasets: Datasets,
        clusters: Clusters,
        scanner: Scanner,
        heartbeat_s: float,
    ) -> None:
        self._store = store
        self._datasets = datasets
        self._clusters = clusters
        self._scanner = scanner
        self._heartbeat = timedelta(seconds=heartbeat_s)

    def start(
        self,
        by: str,
        *,
        cluster: str | None,
        bootstrap_servers: str | None,
        schema_registry: str | None,
        topics: Sequence[str],
        sample: dict[str, Any],
    ) -> ScanRecord:
        """Queue a scan of a declared cluster, or of an address, which becomes a cluster named after it.

        Raises InvalidInput (sample, address), NotFound (cluster, topic), Unavailable (broker).
        """
        SampleRequest.parse(sample)
        if bootstrap_servers is not None:
            cluster = self._clusters.from_address(cluster, bootstrap_servers, schema_registry)
        assert cluster is not None
        self._clusters.refresh(cluster)
        self._scanner.topics(self._clusters.connection(cluster), topics)
        scan = ScanRecord(
            id=str(uuid.uuid4()),
            state=ScanState.QUEUED,
            request={"cluster": cluster, "topics": list(topics), "sample": sample},
            created_at=datetime.now(UTC),
            requested_by=by,
        )
        self._store.put_scan(scan)
        return scan

    def get(self, identifier: str) -> ScanRecord:
        """Raises NotFound."""
        scan = self._store.scan(identifier)
        if scan is None:
            raise NotFound(f"There is no scan {identifier!r}; GET /api/v1/scans lists them.")
        return scan

    def cancel(self, identifier: str) -> ScanRecord:
        """Ask a scan to stop; one that is still queued ends at once. Raises NotFound."""
        scan = self.get(identifier)
        if scan.state is ScanState.QUEUED:
            changes = {"state": ScanState.CANCELLED, "cancel_requested": True, "finished_at": datetime.now(UTC)}
            return self._store.update_scan(identifier, changes) or scan
        return self._store.update_scan(identifier, {"cancel_requested": True}) or scan

    def run_next(self) -> bool:
        """Do one queued scan, or one whose worker died; False when there is none."""
        now = datetime.now(UTC)
        scan = self._store.claim_scan(f"{os.uname().nodename}:{os.getpid()}", now, now - self._heartbeat)
        if scan is None:
            return False
        beat = _Heartbeat(lambda: self._beat(scan.id), self._heartbeat.total_seconds() / 6)
        with beat:
            try:
                state, problems = self._run(scan)
            except WeirError as error:
                state, problems = ScanState.FAILED, [{"message": error.message}]
            except Exception as error:
                log.error("scan_failed", scan=scan.id, kind=type(error).__name__, at=frames(error))
                state = ScanState.FAILED
                problems = [{"message": f"The scan failed inside Weir ({type(error).__name__}); the worker's log says where."}]
        ended = self.get(scan.id)
        changes: dict[str, Any] = {"state": state, "finished_at": datetime.now(UTC)}
        if state is ScanState.DONE:
            changes["progress"] = 1.0
        changes["problems"] = (*ended.problems, *problems)
        self._store.update_scan(scan.id, changes)
        return True

    def _beat(self, identifier: str) -> None:
        self._store.update_scan(identifier, {"heartbeat_at": datetime.now(UTC)})

    def _run(self, scan: ScanRecord) -> tuple[ScanState, list[dict[str, Any]]]:
        request = scan.request
        connection = self._clusters.connection(request["cluster"])
        finished = {item["name"] for item in scan.datasets if item.get("state") == "done"}
        rows: list[dict[str, Any]] = [dict(item) for item in scan.datasets]
        problems: list[dict[str, Any]] = []

        def progressed(progress: ScanProgress) -> None:
            share = progress.done / progress.total if progress.total else 1.0
            self._store.update_scan(scan.id, {"progress": share})

        def cancelled() -> bool:
            fresh = self._store.scan(scan.id)
            return fresh is not None and fresh.cancel_requested

        for found in self._scanner.scan(
            connection,
            [name for name in self._scanner.topics(connection, request["topics"]) if name not in finished],
            SampleRequest.parse(request["sample"]),
            self._recognizers(),
            on_progress=progressed,
            cancelled=cancelled,
        ):
            rows.append(self._keep(found))
            problems = [
                {"dataset": r["name"], "message": p} for r in rows for p in r["problems"] if not str(p).startswith("empty")
            ]
            self._store.update_scan(scan.id, {"datasets": tuple(rows)})
        return (ScanState.CANCELLED if cancelled() else ScanState.DONE), problems

    def _keep(self, found: DatasetScan) -> dict[str, Any]:
        schema = self._datasets.record_scan(found)
        return {
            "namespace": found.dataset.namespace,
            "name": found.dataset.name,
            "state": "done",
            "version": schema.version,
            "format": dict(found.schema.format),
            "records": found.schema.window.records,
            "fields": len(found.schema.fields),
            "shapes": len(found.schema.shapes),
            "entities": sorted({c.entity for c in found.classifications}),
            "problems": [str(p.get("message") or p.get("reason") or "") for p in found.problems],
        }

    def _recognizers(self) -> list[Recognizer]:
        return [
            Recognizer.from_json({"name": document.key, **document.spec})
            for document in self._store.documents("Recognizer")
        ]


class _Heartbeat:
    """Says now and then that a scan is alive, while the scan itself is busy."""

    def __init__(self, beat: Callable[[], None], every_s: float) -> None:
        self._beat = beat
        self._every = every_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go, name="scan-heartbeat", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _go(self) -> None:
        while not self._over.wait(self._every):
            try:
                self._beat()
            except Unavailable:
                log.warning("heartbeat_missed")


