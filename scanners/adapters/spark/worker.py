"""What runs inside Spark's Python workers: Arrow batches of records in, sketches out; and the merge of sketches.

Plain functions over a job as JSON text, so that Spark can ship them; the memory sampler calls the same. Expensive parts
(hyperscan, presidio) are built once per worker process and kept. Nothing raised here carries data.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypedDict

from scanners.adapters.spark import headers_text
from scanners.adapters.spark.checkpoints import decrypt, encrypt
from scanners.checks.topic_checks import Expected
from scanners.decode.batch import Batch
from scanners.detectors.engine import Detector, TextAnalyzer
from scanners.model import Recognizer, TopicFormat
from scanners.ports import ProfileJob
from scanners.schemas.registered import Schemas
from scanners.sketch.seal import seal
from scanners.sketch.topic import Sketch, merge_all
from scanners.worker.profile import TopicProfiler

BATCH_RECORDS = 8000
BATCH_BYTES = 8 * 1024 * 1024
_OPEN_TOPICS = 64
"""Sketches a task keeps open at once; a task meets topics one after the other, so few are enough."""


class WorkerJob(TypedDict):
    """What a worker needs of a `ProfileJob`; no address and no secret of the cluster."""

    schemas: dict[str, dict[str, object]]
    formats: dict[str, dict[str, str]]
    expected: Mapping[str, Expected]
    recognizers: list[dict[str, object]]
    max_bytes: int
    deadline: float | None
    salt: str
    detect: bool
    phone_regions: list[str]
    free_text_limit: int
    regex_seconds: float


def job_text(job: ProfileJob) -> str:
    """A `WorkerJob` as JSON."""
    needed = WorkerJob(
        schemas={str(i): s.to_json() for i, s in job.schemas.items()},
        formats={t: f.to_mapping() for t, f in job.formats.items()},
        expected=job.expected,
        recognizers=[r.to_json() for r in job.recognizers],
        max_bytes=job.max_bytes,
        deadline=job.deadline,
        salt=job.salt,
        detect=job.detect,
        phone_regions=list(job.phone_regions),
        free_text_limit=job.free_text_limit,
        regex_seconds=job.regex_seconds,
    )
    return json.dumps(needed, sort_keys=True)


@lru_cache(maxsize=4)
def _detector(recognizers: str, regions: str, limit: int, seconds: float) -> Detector:
    return Detector(tuple(json.loads(regions)), _analyzer(recognizers, seconds), limit)


@lru_cache(maxsize=4)
def _analyzer(recognizers: str, seconds: float) -> TextAnalyzer:
    from scanners.adapters.presidio.detector import PresidioAnalyzer

    return PresidioAnalyzer([Recognizer.from_json(r) for r in json.loads(recognizers)], seconds)


@lru_cache(maxsize=8)
def _schemas(text: str) -> Schemas:
    return Schemas.of(json.loads(text))


class Task:
    """Profiles the records of one task, which may belong to several topics."""

    def __init__(self, job: str) -> None:
        self._job: WorkerJob = json.loads(job)
        self._schemas = _schemas(json.dumps(self._job["schemas"], sort_keys=True))
        self._detector = None
        if self._job["detect"]:
            self._detector = _detector(
                json.dumps(self._job["recognizers"], sort_keys=True),
                json.dumps(self._job["phone_regions"]),
                self._job["free_text_limit"],
                self._job["regex_seconds"],
            )
        self._open: dict[str, TopicProfiler] = {}
        self._waiting: dict[str, Batch] = {}
        self._sizes: dict[str, int] = {}

    def add(self, topic: str, records: Batch) -> Iterator[Sketch]:
        """Take in records; yields sketches that had to be given up to make room."""
        self._waiting.setdefault(topic, Batch()).extend(records)
        self._sizes[topic] = self._sizes.get(topic, 0) + records.size()
        if len(self._waiting[topic]) >= BATCH_RECORDS or self._sizes[topic] >= BATCH_BYTES:
            self._flush(topic)
        if len(self._waiting) > _OPEN_TOPICS:
            yield self._close(next(iter(self._waiting)))

    def finish(self) -> Iterator[Sketch]:
        for topic in list(self._waiting):
            yield self._close(topic)

    def _flush(self, topic: str) -> None:
        profiler = self._open.get(topic)
        if profiler is None:
            formats = self._job["formats"].get(topic)
            profiler = self._open[topic] = TopicProfiler(
                topic,
                self._schemas,
                self._job["salt"],
                self._detector,
                TopicFormat.from_mapping(formats) if formats else None,
                self._job["max_bytes"],
                self._job["deadline"],
                expected=self._job["expected"].get(topic),
            )
        batch, self._waiting[topic], self._sizes[topic] = self._waiting[topic], Batch(), 0
        try:
            profiler.add_batch(batch)
        except Exception:
            # A fault of ours in one topic must not end the job for the others, and what was not looked at is not clean.
            profiler.failed(batch)

    def _close(self, topic: str) -> Sketch:
        self._flush(topic)
        del self._waiting[topic]
        return self._open.pop(topic).done()


def merge_and_seal(parts: Sequence[bytes]) -> bytes:
    """The sealed sketch of a topic from the sketches of its tasks."""
    whole = merge_all(map(Sketch.from_bytes, parts))
    if whole is None:
        raise ValueError("no sketch to merge")
    return seal(whole).to_bytes()


# --- Arrow, for Spark ------------------------------------------------------------------------------------------------

SKETCH_SCHEMA = "topic string, sketch binary"


def profile_batches(job: str) -> Any:
    """A function for `mapInArrow`: COLUMNS, with headers as `headers_text.SQL` makes them -> SKETCH_SCHEMA."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        # The trees of a chunk are many objects for a moment and hold no cycles: looking for some takes half the time.
        gc.set_threshold(100_000, 50, 100)
        _without_jars()
        task = Task(job)
        for batch in batches:
            for topic, records in _by_topic(batch):
                for sketch in task.add(topic, records):
                    yield _row(sketch.topic, sketch.to_bytes())
        for sketch in task.finish():
            yield _row(sketch.topic, sketch.to_bytes())

    return run


def _without_jars() -> None:
    """Spark puts its largest jar on the path of its Python workers, and the list of its files is read again before each
    task: 80 ms. No module is in it."""
    sys.path[:] = [entry for entry in sys.path if not entry.endswith(".jar")]
    for entry in [entry for entry in sys.path_importer_cache if ".jar" in entry]:
        del sys.path_importer_cache[entry]


def _by_topic(batch: Any) -> Iterator[tuple[str, Batch]]:
    """The runs of records of one topic in an Arrow batch."""
    topics = batch.column("topic")
    start = 0
    for name, length in zip(*_runs(topics), strict=True):
        some = batch.slice(start, length)
        keys, values, headers, partitions, offsets, timestamps = (
            some.column(column).to_pylist()
            for column in ("key", "value", "headers", "partition", "offset", "timestamp")
        )
        yield (
            name,
            Batch(
                keys=keys,
                values=values,
                headers=headers_text.read(headers),
                partitions=partitions,
                offsets=offsets,
                timestamps=timestamps,
            ),
        )
        start += length


def _runs(column: Any) -> tuple[list[str], list[int]]:
    import pyarrow.compute

    encoded = pyarrow.compute.run_end_encode(column)
    ends = encoded.run_ends.to_pylist()
    return encoded.values.to_pylist(), [end - start for start, end in zip([0, *ends], ends, strict=False)]


COLUMNS = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")


def merger(last: Collection[str], key: bytes) -> Any:
    """A function for `groupBy("topic").applyInArrow`: the sketches of one topic to one, sealed when the topic is in `last`.

    Others are encrypted, as they go through the process that asked; rows marked `before` are such ones.
    """

    def merge(table: Any) -> Any:
        import pyarrow

        topic = table.column("topic")[0].as_py()
        parts = [
            decrypt(key, body) if before else body
            for body, before in zip(table.column("sketch").to_pylist(), table.column("before").to_pylist(), strict=True)
        ]
        if topic in last:
            sketch = merge_and_seal(parts)
        else:
            whole = merge_all(map(Sketch.from_bytes, parts))
            sketch = encrypt(key, whole.to_bytes() if whole is not None else b"")
        return pyarrow.table(
            {"topic": pyarrow.array([topic], pyarrow.string()), "sketch": pyarrow.array([sketch], pyarrow.binary())}
        )

    return merge


def _row(topic: str, sketch: bytes) -> Any:
    import pyarrow

    return pyarrow.RecordBatch.from_arrays(
        [pyarrow.array([topic], pyarrow.string()), pyarrow.array([sketch], pyarrow.binary())], ["topic", "sketch"]
    )
