"""One scan, done: the scanners' results go into the catalog dataset by dataset, and the job's record follows along."""

from __future__ import annotations

import os
import threading
import time
import uuid
from typing import Any

import structlog

from api.config.logs import frames
from api.joins.connections import Connections
from catalog.datasets.datasets import Datasets
from catalog.datasets.discovery import Discovery
from catalog.errors import Unavailable, WeirError
from catalog.model import DatasetId, DatasetScan, ScanWindow
from catalog.ports import CatalogStore, EventSink
from catalog.problems import sentence
from catalog.scan_store import ScanRecord, ScanState
from catalog.scans.scans import Scans
from scanners.model import Recognizer, SampleRequest, ScanProgress, TopicFormat
from scanners.scan.service import Scanner

log = structlog.get_logger("weir.scans")

_ASK_S = 0.5  # how often a running scan looks whether it was cancelled


class ScanRunner:
    """Takes queued scans and does them, one at a time."""

    def __init__(
        self,
        store: CatalogStore,
        scans: Scans,
        datasets: Datasets,
        discovery: Discovery,
        connections: Connections,
        scanner: Scanner,
        heartbeat_s: float,
        events: EventSink,
    ) -> None:
        self._store = store
        self._scans = scans
        self._datasets = datasets
        self._discovery = discovery
        self._connections = connections
        self._scanner = scanner
        self._events = events
        self._beat_s = heartbeat_s / 6
        self._worker = f"{os.uname().nodename}:{os.getpid()}:{uuid.uuid4().hex[:6]}"

    def run_next(self) -> bool:
        """Do the next scan; False when there is none. A scan whose worker died continues after its finished topics."""
        scan = self._scans.claim(self._worker)
        if scan is None:
            return False
        job = _Job(self, scan)
        with job.heartbeat():
            job.run()
        return True


class _Job:
    """One scan under way. `rows` are the datasets done so far."""

    def __init__(self, runner: ScanRunner, scan: ScanRecord) -> None:
        self._r = runner
        self._scan = scan
        self.rows = [dict(row) for row in scan.datasets if row.get("state") == "done"]
        done = {row["name"] for row in self.rows}
        self.problems: list[dict[str, Any]] = [dict(p) for p in scan.problems if p.get("dataset") in done]
        self._failed_topics = 0
        self._share = 0.0
        self._stop = threading.Event()
        self._asked_at = 0.0

    def run(self) -> None:
        failed = False
        try:
            self._scan_topics()
            failed = self._failed_topics > 0 and not self.rows
        except Exception as error:
            failed = True
            self.problems.append({"message": self._sentence("The scan", error)})
        with self._r._store.transaction():
            over = self._r._scans.finish(
                self._scan.id, self._r._worker, datasets=self.rows, problems=self.problems, failed=failed
            )
            if over.state.over and over.worker == self._r._worker:
                self._tell(over)

    def _tell(self, over: ScanRecord) -> None:
        """`scan.finished`, `scan.failed` or `scan.cancelled`, in the transaction that ended the scan."""
        fields: dict[str, Any] = {
            "cluster": over.request["cluster"],
            "datasets": len(self.rows),
            "records": sum(int(row.get("records", 0)) for row in self.rows),
            "problems": len(self.problems),
            "requestedBy": over.requested_by,
        }
        if over.state is ScanState.FAILED and self.problems:
            fields["problem"] = str(self.problems[-1].get("message", ""))
        kind = "finished" if over.state is ScanState.DONE else str(over.state)
        self._r._events.emit(f"scan.{kind}", over.id, fields)

    def _scan_topics(self) -> None:
        request = self._scan.request
        cluster = request["cluster"]
        connection = self._r._connections.connection(cluster)
        finished = {row["name"] for row in self.rows} | set(request.get("exclude", ()))
        topics = [t.name for t in self._r._discovery.select(cluster, request["topics"]) if t.name not in finished]
        if not topics:  # no names at all would mean every topic
            if not finished:
                self.problems.append(self._no_topic(cluster, request["topics"]))
            return
        windows, formats, declared = self._known(connection.namespace, topics)
        for scan in self._r._scanner.scan(
            connection,
            topics,
            SampleRequest.parse(request["sample"]),
            self._recognizers(),
            on_progress=self._progressed,
            cancelled=self._cancelled,
            on_failure=self._topic_failed,
            last_windows=windows,
            formats=formats,
            declared=declared,
            resume=self._scan.id,
        ):
            try:
                self._keep(scan)
            except Exception as error:
                self._topic_failed(scan.dataset.name, error)
            self._report()

    def _topic_failed(self, topic: str, error: Exception) -> None:
        """One topic's failure is a problem of that topic; the others are scanned."""
        self._failed_topics += 1
        text = self._sentence(f"Topic {topic} was not scanned: its scan", error)
        self.problems.append({"dataset": topic, "reason": "topic_failed", "message": text})

    def _sentence(self, what: str, error: Exception) -> str:
        """What a person reads of an error; that of a fault of Weir stands in the log."""
        if isinstance(error, WeirError):
            return error.message
        log.error("scan_failed", scan=self._scan.id, kind=type(error).__name__, at=frames(error))
        return f"{what} failed inside Weir ({type(error).__name__}); the worker's log shows where."

    def _no_topic(self, cluster: str, patterns: list[str]) -> dict[str, Any]:
        others = len(self._r._discovery.select(cluster, ["*"]))
        named = " or ".join(patterns)
        have = f"it has {others:,} other {'topic' if others == 1 else 'topics'}"
        have = have if others else "its brokers list none that is not internal (_...)"
        return {"reason": "no_topic", "message": f"No topic of cluster {cluster} matches {named}; {have}."}

    def _known(
        self, namespace: str, topics: list[str]
    ) -> tuple[dict[str, ScanWindow], dict[str, TopicFormat], dict[str, str]]:
        """What the last scans looked at, and the formats and columns people declared."""
        windows: dict[str, ScanWindow] = {}
        formats: dict[str, TopicFormat] = {}
        declared: dict[str, str] = {}
        for topic in topics:
            record = self._r._store.dataset(DatasetId(namespace, topic))
            if record is None:
                continue
            stored = self._r._store.schema(record.id)
            if stored is not None:
                windows[topic] = stored.current.window
            if record.declared_ddl:
                declared[topic] = record.declared_ddl
            document = self._r._store.document("Dataset", record.reference)
            if document is not None and document.spec.get("format"):
                formats[topic] = TopicFormat.from_mapping(document.spec["format"])
        return windows, formats, declared

    def _keep(self, scan: DatasetScan) -> None:
        schema = self._r._datasets.record_scan(scan)
        messages = [sentence(p) for p in scan.problems]
        self.rows.append(
            {
                "namespace": scan.dataset.namespace,
                "name": scan.dataset.name,
                "state": "done",
                "version": schema.version,
                "format": dict(scan.schema.format),
                "records": scan.schema.window.records,
                "fields": len(scan.schema.fields),
                "shapes": len(scan.schema.shapes),
                "entities": sorted({c.entity for c in scan.classifications}),
                "problems": messages,
            }
        )
        self.problems += [
            {"dataset": scan.dataset.name, "reason": p.get("reason"), "message": text}
            for p, text in zip(scan.problems, messages, strict=True)
            if p.get("reason") not in ("empty", "nothing_new")
        ]

    def _progressed(self, progress: ScanProgress) -> None:
        self._share = progress.done / progress.total if progress.total else 1.0

    def _report(self) -> bool:
        """Record how far the scan is; False when it is to stop."""
        going = self._r._scans.report(
            self._scan.id, self._r._worker, progress=self._share, datasets=self.rows, problems=self.problems
        )
        if not going:
            self._stop.set()
        return going

    def _cancelled(self) -> bool:
        if not self._stop.is_set() and time.monotonic() - self._asked_at > _ASK_S:
            self._asked_at = time.monotonic()
            self._report()
        return self._stop.is_set()

    def _recognizers(self) -> list[Recognizer]:
        documents = self._r._store.documents("Recognizer")
        return [Recognizer.from_json({**d.spec, "name": d.spec.get("name") or d.key}) for d in documents]

    def heartbeat(self) -> _Heartbeat:
        return _Heartbeat(self._report, self._r._beat_s)


class _Heartbeat:
    """Records now and then that a scan is alive, while Spark is busy with it."""

    def __init__(self, beat: Any, every_s: float) -> None:
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
