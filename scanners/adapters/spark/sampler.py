"""The sampler on Spark, by Spark Connect: several topics in one job, read by explicit offsets, profiled where they are
read, merged in Spark. What comes back is one sealed sketch a topic; no record ever reaches this process.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path
from typing import Any

from catalog.adapters.spark_connect import connect, release
from catalog.errors import Unavailable, WeirError
from catalog.spans import leaf
from scanners.adapters.kafka.settings import java
from scanners.adapters.spark import headers_text
from scanners.adapters.spark.code_archive import code_archive
from scanners.adapters.spark.executor_archive import send
from scanners.adapters.spark.executors import (
    EXECUTOR_SECONDS,
    PackagesMissing,
    TaskWatch,
    examine,
    may_be_busy,
    no_executors,
    python_problem,
    require_packages,
)
from scanners.adapters.spark.worker import COLUMNS, SKETCH_SCHEMA, job_text, merger, profile_batches
from scanners.model import ClusterConnection, OffsetRange
from scanners.ports import Cancelled, Checkpoint, Checkpoints, JobFailed, ProfileJob
from scanners.scan.waves import Wave, joined, left, waves

WAVE_RECORDS = 250_000
"""Offsets read by one Spark job: some seconds of work, which is what a fault costs."""

_LARGE_JOB = 50_000
"""Offsets from which every range is a task of its own; smaller jobs are packed into few tasks."""

_WORKER_DIED = ("Python worker exited unexpectedly", "Python worker failed", "PYTHON_WORKER_EXITED", "crashed")
_WORKER_DEATHS = 4
"""How often the Python worker of a wave may die. Without a cluster Spark gives up at the first."""

_SESSION_CONF = {
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(16 * 1024 * 1024),
    "spark.sql.session.timeZone": "UTC",
}
_GONE = ("INVALID_HANDLE", "SESSION_CLOSED", "SESSION_NOT_FOUND", "NO_ACTIVE_SESSION", "SESSION_CHANGED")


@dataclass(frozen=True)
class _Part:
    """One wave as it is run: with what was learned `before` of its topics."""

    job: ProfileJob
    wave: Wave
    options: dict[str, str]
    before: dict[str, bytes]


class SparkSampler:
    """`Sampler` on a Spark Connect server. One session, opened when first needed, and opened again when the server lost it.

    `remote` is a Spark Connect URL (`sc://host:port/;token=...`); it may hold a token, so it is never printed.
    """

    def __init__(
        self,
        remote: str,
        connect: Callable[[str], Any] | None = None,
        checkpoints: Checkpoints | None = None,
        wave_records: int = WAVE_RECORDS,
        executor_seconds: float = EXECUTOR_SECONDS,
        archive: Path | None = None,
    ) -> None:
        """`executor_seconds`: how long a job may wait for an executor before the scan ends. `archive`: of Python packages,
        which is sent with each session."""
        self._executor_seconds = executor_seconds
        self._remote = remote
        self._connect = connect or partial(_connect, archive=archive)
        self._checkpoints = checkpoints
        self._wave_records = wave_records
        self._key = checkpoints.key if checkpoints is not None else secrets.token_bytes(32)
        self._session: Any = None
        self._lock = threading.Lock()

    def close(self) -> None:
        """Give the session back to the server."""
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            release(session)

    def profile(self, job: ProfileJob, cancelled: Cancelled) -> Iterator[tuple[str, bytes]]:
        # A name for the job's consumers lets Spark use one for all windows of a partition. They are assigned, join no
        # group and commit nothing, so no group of this name ever exists at the broker.
        options = {**kafka_options(job.cluster), "kafka.group.id": f"weir-scan-{uuid.uuid4().hex}"}
        checkpoints = self._known(job)
        job = replace(
            job, ranges=tuple(left(job.ranges, (r for c in checkpoints.values() for r in c.done))), salt=self._salt(job)
        )
        unread = set(checkpoints) - {r.topic for r in job.ranges}
        for wave in [*waves(job.ranges, self._wave_records), *([Wave((), frozenset(unread))] if unread else [])]:
            part = _Part(job, wave, options, {t: c.sketch for t, c in checkpoints.items() if t in wave.topics})
            for topic, sketch in self._persistently(part, cancelled):
                if topic in wave.last:
                    yield topic, sketch
                    continue
                done = checkpoints[topic].done if topic in checkpoints else ()
                checkpoints[topic] = Checkpoint(
                    tuple(joined((*done, *(r for r in wave.ranges if r.topic == topic)))), sketch
                )
                if self._checkpoints is not None and job.resume:
                    self._checkpoints.save(job.resume, topic, checkpoints[topic])
            if cancelled():
                return
        if self._checkpoints is not None and checkpoints:
            self._checkpoints.drop(job.resume, list(checkpoints))

    def _known(self, job: ProfileJob) -> dict[str, Checkpoint]:
        """How far an earlier process came with this scan."""
        if self._checkpoints is None or not job.resume:
            return {}
        checkpoints: dict[str, Checkpoint] = {}
        for topic in {r.topic for r in job.ranges}:
            checkpoint = self._checkpoints.load(job.resume, topic)
            ends = {r.partition: r.end for r in job.ranges if r.topic == topic}
            # Offsets beyond the end mean that the topic was created again meanwhile.
            if checkpoint is not None and all(r.end <= ends.get(r.partition, -1) for r in checkpoint.done):
                checkpoints[topic] = checkpoint
        return checkpoints

    def _salt(self, job: ProfileJob) -> str:
        """Unknown without the key, and the same for every part of a scan, so that it can continue and estimates compare."""
        if self._checkpoints is None or not job.resume:
            return job.salt
        return hashlib.blake2b(b"distinct estimates", key=self._key, digest_size=16).hexdigest()

    def _persistently(self, part: _Part, cancelled: Cancelled) -> list[tuple[str, bytes]]:
        """Run a wave; again when the session was lost or a Python worker killed: nothing of it was kept."""
        died = failed = 0
        while True:
            try:
                return self._run(part, cancelled)
            except WeirError:
                raise
            except Exception as error:
                if cancelled():
                    return []
                if (problem := python_problem(error)) is not None:
                    self._name_all_packages()
                    raise problem from None  # the next try would lack the same
                self.close()
                if any(word in str(error) for word in _WORKER_DIED):
                    died += 1
                else:
                    failed += 1
                if died >= _WORKER_DEATHS or failed >= 2:
                    raise _translated(error, part.job.cluster) from None

    def _name_all_packages(self) -> None:
        """Spark's error names the first package that was missed. Raises PackagesMissing."""
        try:
            reports = examine(self.session(), self._executor_seconds)
        except PackagesMissing:
            raise
        except Exception:
            return  # what is known of the first failure is told
        require_packages(reports)

    def session(self) -> Any:
        """The open session."""
        with self._lock:
            if self._session is None:
                self._session = self._connect(self._remote)
            return self._session

    def _run(self, part: _Part, cancelled: Cancelled) -> list[tuple[str, bytes]]:
        spark = self.session()
        tag = f"weir-scan-{uuid.uuid4().hex}"
        ended, alone = threading.Event(), threading.Event()
        tasks = TaskWatch(self._executor_seconds)

        def watch() -> None:
            while not ended.wait(0.2):
                if tasks.starved():
                    tasks.excuse()
                    if not may_be_busy(spark):
                        alone.set()
                if alone.is_set() or cancelled():
                    spark.interruptTag(tag)
                    return

        watcher = threading.Thread(target=watch, name=tag, daemon=True)
        spark.addTag(tag)
        spark.registerProgressHandler(tasks)
        watcher.start()
        try:
            with leaf("spark scan"):
                table = self._plan(spark, part).toArrow()
        except Exception:
            if alone.is_set():
                raise no_executors(self._executor_seconds) from None
            raise
        finally:
            ended.set()
            spark.removeProgressHandler(tasks)
            spark.removeTag(tag)
            watcher.join(5)
        if cancelled():
            return []
        return list(zip(table.column("topic").to_pylist(), table.column("sketch").to_pylist(), strict=True))

    def _plan(self, spark: Any, part: _Part) -> Any:
        job, ranges = part.job, part.wave.ranges
        parts = []
        if ranges:
            frames = [self.read(spark, some, part.options) for some in layers(ranges)]
            records = reduce(lambda a, b: a.unionAll(b), frames)
            if sum(r.length for r in ranges) < _LARGE_JOB:
                records = records.coalesce(max(1, min(job.tasks, len(ranges))))
            sketches = records.mapInArrow(profile_batches(job_text(job)), SKETCH_SCHEMA)
            parts.append(sketches.selectExpr("topic", "sketch", "false AS before"))
        if part.before:
            rows = [(topic, sketch, True) for topic, sketch in part.before.items()]
            parts.append(spark.createDataFrame(rows, f"{SKETCH_SCHEMA}, before boolean"))
        whole = reduce(lambda a, b: a.unionAll(b), parts)
        return whole.groupBy("topic").applyInArrow(merger(part.wave.last, self._key), SKETCH_SCHEMA)

    @staticmethod
    def read(spark: Any, ranges: list[OffsetRange], options: dict[str, str]) -> Any:
        """The records of some ranges, at most one of a partition."""
        assign: dict[str, list[int]] = defaultdict(list)
        starts: dict[str, dict[str, int]] = defaultdict(dict)
        ends: dict[str, dict[str, int]] = defaultdict(dict)
        for r in ranges:
            assign[r.topic].append(r.partition)
            starts[r.topic][str(r.partition)] = r.start
            ends[r.topic][str(r.partition)] = r.end
        frame = (
            spark.read.format("kafka")
            .options(**options)
            .option("assign", json.dumps(assign))
            .option("startingOffsets", json.dumps(starts))
            .option("endingOffsets", json.dumps(ends))
            .load()
        )
        expressions = {"timestamp": "unix_millis(timestamp) AS timestamp", "headers": headers_text.SQL}
        return frame.selectExpr(*(expressions.get(column, f"`{column}`") for column in COLUMNS))


def layers(ranges: tuple[OffsetRange, ...]) -> list[list[OffsetRange]]:
    """Ranges split so that each part has at most one of a partition: one Kafka read takes no more. All are one job."""
    parts: list[list[OffsetRange]] = []
    counts: dict[tuple[str, int], int] = defaultdict(int)
    for r in sorted(ranges):
        level = counts[r.topic, r.partition]
        counts[r.topic, r.partition] += 1
        if level == len(parts):
            parts.append([])
        parts[level].append(r)
    return parts


def kafka_options(cluster: ClusterConnection) -> dict[str, str]:
    """Options of Spark's Kafka source. Offsets that are gone meanwhile are reported by the scan, not failed on."""
    return {
        "kafka.bootstrap.servers": cluster.bootstrap,
        "includeHeaders": "true",
        "failOnDataLoss": "false",
        "kafka.isolation.level": "read_committed",
        # At the end of a partition a fetch would otherwise wait half a second for records no window asks for.
        "kafka.fetch.max.wait.ms": "5",
        # How long Spark waits for an offset that is gone, as in a topic that was created again; it would wait two minutes.
        "kafkaConsumer.pollTimeoutMs": "15000",
        **{f"kafka.{name}": value for name, value in java(cluster.kafka).items()},
    }


def _connect(remote: str, archive: Path | None = None) -> Any:
    """A session of our own with our code in it."""
    session = connect(remote)
    for name, value in _SESSION_CONF.items():
        session.conf.set(name, value)
    if archive is not None:
        send(session, archive)
    session.addArtifacts(str(code_archive()), pyfile=True)
    return session


def _translated(error: Exception, cluster: ClusterConnection) -> Unavailable:
    """One sentence for Spark's error, whose own message may hold data and Java's stack."""
    text = str(error)
    details = {"server": "spark", "cluster": cluster.name}
    if "UNAUTHENTICATED" in text or "Invalid authentication token" in text:
        return Unavailable("Spark refused Weir's token; check the token in the Spark Connect address.", details=details)
    if any(
        word in text
        for word in ("UnknownTopicOrPartition", "TimeoutException", "SaslAuthentication", "SslAuthentication")
    ):
        return Unavailable(
            f"Spark cannot read Kafka at {cluster.bootstrap} (cluster {cluster.name}); check that the address and the"
            " security settings also hold on the machine where Spark runs.",
            details={**details, "server": "kafka"},
        )
    if "UNAVAILABLE" in text or "failed to connect" in text.lower() or "Connection refused" in text:
        return Unavailable("The Spark Connect server does not answer; see `weir status`.", details=details)
    if any(word in text for word in _GONE):
        return Unavailable("The Spark session was lost twice; see `weir status`.", details=details)
    return JobFailed(
        f"Spark could not finish the scan job ({type(error).__name__}); see the server's log.", details=details
    )
