"""One scan, done: the scanners' results go into the catalog dataset by dataset, and the job's record follows along."""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

import structlog

from api.config.logs import frames
from api.features.scans.last_scans import last_scans
from api.features.scans.rows import scan_row, unchanged_row
from api.joins.connections import Connections
from catalog.datasets.datasets import Datasets
from catalog.datasets.discovery import Discovery
from catalog.errors import Unavailable, WeirError
from catalog.model import DatasetId, DatasetScan
from catalog.ports import CatalogStore, EventSink
from catalog.scan_store import ScanRecord, ScanState
from catalog.scans.scans import Scans
from catalog.spans import span
from scanners.model import Recognizer, SampleRequest, ScanProgress
from scanners.scan.service import Scanner

log = structlog.get_logger("weir.scans")

_ASK_S = 0.5  # how often a running scan looks whether it was cancelled
_GROWTH = 1.05
"""By how much what is done must have grown before it is written again: each time all of it is written."""


@dataclass(slots=True)
class _Job:
    """A scan under way. `rows` are the datasets done so far, `share` how much of the topics is done, `reported` how many rows the
    record of the scan has."""

    scan: ScanRecord
    rows: list[dict[str, object]]
    problems: list[dict[str, object]]
    failed_topics: int = 0
    share: float = 0.0
    reported: int = 0
    stop: threading.Event = field(default_factory=threading.Event)
    asked_at: float = 0.0

    @classmethod
    def of(cls, scan: ScanRecord) -> _Job:
        """It continues after the topics that are done."""
        rows = [dict(row) for row in scan.datasets if row.get("state") == "done"]
        done = {row["name"] for row in rows}
        return cls(scan, rows, [dict(p) for p in scan.problems if p.get("dataset") in done])


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
        reread_after: timedelta,
    ) -> None:
        self._store = store
        self._scans = scans
        self._datasets = datasets
        self._discovery = discovery
        self._connections = connections
        self._scanner = scanner
        self._events = events
        self._reread_after = reread_after
        self._beat_s = heartbeat_s / 6
        self._worker = f"{os.uname().nodename}:{os.getpid()}:{uuid.uuid4().hex[:6]}"

    def run_next(self) -> bool:
        """Do the next scan; False when there is none. A scan whose worker died continues after its finished topics."""
        scan = self._scans.claim(self._worker)
        if scan is None:
            return False
        job = _Job.of(scan)
        with span("scan"), _Heartbeat(partial(self._report, job), self._beat_s):
            self._run(job)
        return True

    def _run(self, job: _Job) -> None:
        failed = False
        try:
            self._scan_topics(job)
            failed = job.failed_topics > 0 and not job.rows
        except Exception as error:
            failed = True
            job.problems.append({"message": self._sentence(job, "The scan", error)})
        with self._store.transaction():
            over = self._scans.finish(
                job.scan.id, self._worker, datasets=job.rows, problems=job.problems, failed=failed
            )
            if over.state.over and over.worker == self._worker:
                self._tell(job, over)

    def _tell(self, job: _Job, over: ScanRecord) -> None:
        """`scan.finished`, `scan.failed` or `scan.cancelled`, in the transaction that ended the scan."""
        fields: dict[str, object] = {
            "cluster": over.request["cluster"],
            "datasets": len(job.rows),
            "records": sum(n for row in job.rows if isinstance(n := row.get("records"), int)),
            "problems": len(job.problems),
            "requestedBy": over.requested_by,
        }
        if over.state is ScanState.FAILED and job.problems:
            fields["problem"] = str(job.problems[-1].get("message", ""))
        kind = "finished" if over.state is ScanState.DONE else str(over.state)
        self._events.emit(f"scan.{kind}", over.id, fields)

    def _scan_topics(self, job: _Job) -> None:
        request = job.scan.request
        cluster = request["cluster"]
        connection = self._connections.connection(cluster)
        finished = {row["name"] for row in job.rows} | set(request.get("exclude", ()))
        topics = [t.name for t in self._discovery.select(cluster, request["topics"]) if t.name not in finished]
        if not topics:  # no names at all would mean every topic
            if not finished:
                job.problems.append(self._no_topic(cluster, request["topics"]))
            return
        known = last_scans(self._store, connection.namespace, topics, self._reread_after)
        for scan in self._scanner.scan(
            connection,
            topics,
            SampleRequest.parse(request["sample"]),
            self._recognizers(),
            on_progress=partial(self._progressed, job),
            cancelled=partial(self._cancelled, job),
            on_failure=partial(self._topic_failed, job),
            last_windows=known.windows,
            formats=known.formats,
            declared=known.declared,
            last_bases={} if request.get("reread") else known.bases,
            resume=job.scan.id,
        ):
            try:
                self._keep(job, scan)
            except Exception as error:
                self._topic_failed(job, scan.dataset.name, error)
            if len(job.rows) > job.reported * _GROWTH:
                self._report(job)

    def _topic_failed(self, job: _Job, topic: str, error: Exception) -> None:
        """One topic's failure is a problem of that topic; the others are scanned."""
        job.failed_topics += 1
        text = self._sentence(job, f"Topic {topic} was not scanned: its scan", error)
        job.problems.append({"dataset": topic, "reason": "topic_failed", "message": text})
        try:
            namespace = self._connections.connection(job.scan.request["cluster"]).namespace
            self._datasets.record_scan_failure(DatasetId(namespace, topic), text)
        except Exception as failure:  # it only tells reports of the gap
            log.error("scan_failure_not_kept", scan=job.scan.id, kind=type(failure).__name__, at=frames(failure))

    def _sentence(self, job: _Job, what: str, error: Exception) -> str:
        """What a person reads of an error; the log has that of a fault of Weir."""
        if isinstance(error, WeirError):
            return error.message
        log.error("scan_failed", scan=job.scan.id, kind=type(error).__name__, at=frames(error))
        return f"{what} failed inside Weir ({type(error).__name__}); the worker's log shows where."

    def _no_topic(self, cluster: str, patterns: list[str]) -> dict[str, object]:
        others = len(self._discovery.select(cluster, ["*"]))
        named = " or ".join(patterns)
        have = f"it has {others:,} other {'topic' if others == 1 else 'topics'}"
        have = have if others else "its brokers list none that is not internal (_...)"
        return {"reason": "no_topic", "message": f"No topic of cluster {cluster} matches {named}; {have}."}

    def _keep(self, job: _Job, scan: DatasetScan) -> None:
        if scan.unchanged:
            record, schema = self._datasets.record_unchanged(scan.dataset)
            row, problems = unchanged_row(record, schema, self._store.classifications(record.id))
        else:
            row, problems = scan_row(scan, self._datasets.record_scan(scan))
        job.rows.append(row)
        job.problems += problems

    def _progressed(self, job: _Job, progress: ScanProgress) -> None:
        job.share = progress.done / progress.total if progress.total else 1.0

    def _report(self, job: _Job) -> bool:
        """Record how far the scan is, with all that is done; False when it is to stop."""
        rows = list(job.rows)
        going = self._scans.report(job.scan.id, self._worker, progress=job.share, datasets=rows, problems=job.problems)
        job.reported = len(rows)
        return self._going(job, going)

    def _going(self, job: _Job, going: bool) -> bool:
        if not going:
            job.stop.set()
        return going

    def _cancelled(self, job: _Job) -> bool:
        if not job.stop.is_set() and time.monotonic() - job.asked_at > _ASK_S:
            job.asked_at = time.monotonic()
            self._going(job, self._scans.report(job.scan.id, self._worker, progress=job.share))
        return job.stop.is_set()

    def _recognizers(self) -> list[Recognizer]:
        documents = self._store.documents("Recognizer")
        return [Recognizer.from_json({**d.spec, "name": d.spec.get("name") or d.key}) for d in documents]


class _Heartbeat:
    """Records now and then that a scan is alive, while Spark is busy with it."""

    def __init__(self, beat: Callable[[], object], every_s: float) -> None:
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
