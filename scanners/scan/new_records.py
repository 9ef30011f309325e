"""What is new in a topic since the last look: all of it is read into this process and profiled by the code of scans.

Bounded in records and bytes. What is too much for one look is left for the next one; a backlog beyond `most_behind`
is left out, and counted. Values live until the look is over.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from catalog.envelopes import unwrapped_payload
from catalog.errors import NotFound, Unavailable
from catalog.first_seen import RecordPlace
from catalog.model import SchemaVersion
from scanners.checks.topic_checks import expected_of
from scanners.decode.batch import Batch
from scanners.model import (
    ClusterConnection,
    OffsetRange,
    Partition,
    RawRecord,
    RegisteredSchema,
    Strategy,
    Topic,
    TopicFormat,
)
from scanners.ports import OffsetLookup, RecordReader, SchemaRegistry
from scanners.scan.formats import format_of
from scanners.scan.record_places import rfc3339
from scanners.scan.to_schema import schema_of
from scanners.scan.windows import window_of
from scanners.schemas.known.places import with_registered
from scanners.schemas.registered import Schemas
from scanners.settings import ScannerSettings
from scanners.sketch.seal import seal
from scanners.sketch.topic import Sketch
from scanners.worker.profile import TopicProfiler

_BATCH = 8000


@dataclass(frozen=True, slots=True)
class LookLimits:
    """Of one look: records and bytes that are read, seconds of reading; and how far a topic may be behind."""

    records: int = 100_000
    bytes: int = 64 * 1024 * 1024
    seconds: float = 20.0
    most_behind: int = 1_000_000


@dataclass(frozen=True, slots=True)
class LookStart:
    """Where a look begins: partition -> the first offset that no look reached, and the id of the topic then. `next` None:
    no look was before."""

    next: Mapping[int, int] | None = None
    topic_id: str = ""


@dataclass(frozen=True)
class NewLook:
    """The records of one look, in order of time, and their profile.

    next    where the next look begins
    ends    partition -> one past its newest record
    unread  offsets that no look reads: retention took them, or there were too many
    more    records were left for the next look
    known   the formats by which the last scan read the topic: few records do not show what a column is called, nor
            that their texts are rows
    """

    topic: Topic
    topic_id: str
    next: Mapping[int, int]
    unread: int
    more: bool
    records: tuple[RawRecord, ...]
    ranges: tuple[OffsetRange, ...]
    schemas: Mapping[int, RegisteredSchema]
    formats: TopicFormat | None = None
    declared: str | None = None
    known: TopicFormat | None = None

    def __len__(self) -> int:
        return len(self.records)

    @property
    def ends(self) -> Mapping[int, int]:
        return {each.partition: each.end for each in self.topic.partitions}

    @cached_property
    def sketch(self) -> Sketch:
        sketch = self._sketch(self.records, self.formats)
        if self.formats is not None or self.known is None or not _is_other(format_of(sketch), self.known):
            return sketch
        again = self._sketch(self.records, self.known)
        return again if _reads_all(again, self.known) else sketch

    @cached_property
    def schema(self) -> SchemaVersion:
        """The profile of all of them."""
        return self._schema(self.sketch, self.ranges)

    def part(self, start: int, end: int) -> SchemaVersion:
        """The profile of some of them, read by the formats of all."""
        sketch = self._sketch(self.records[start:end], self.formats or format_of(self.sketch))
        return self._schema(sketch, ())

    def place(self, number: int) -> RecordPlace:
        """Of one record."""
        record = self.records[number]
        return {"time": rfc3339(record.timestamp), "partition": record.partition, "offset": record.offset}

    def _sketch(self, records: tuple[RawRecord, ...], formats: TopicFormat | None) -> Sketch:
        profiler = TopicProfiler(
            self.topic.name,
            Schemas.of(self.schemas),
            secrets.token_hex(16),
            formats=formats,
            expected=expected_of(self.topic.name, self.declared, self.schemas),
        )
        for start in range(0, len(records), _BATCH):
            batch = Batch.of(records[start : start + _BATCH])
            try:
                profiler.add_batch(batch)
            except Exception:  # as a scan does: what was not looked at is counted, and holds nothing
                profiler.failed(batch)
        return seal(profiler.done())

    def _schema(self, sketch: Sketch, ranges: tuple[OffsetRange, ...]) -> SchemaVersion:
        name = self.topic.name
        window = replace(window_of(sketch, self.topic, ranges, Strategy.SINCE_LAST), complete=False)
        schema = schema_of(sketch, window, [], expected_of(name, self.declared, self.schemas))
        schema = replace(schema, fields=with_registered(schema.fields, name, self.schemas, schema.format))
        return unwrapped_payload(schema, set())


class NewRecords:
    """Looks at what is new in topics. Holds no state between looks."""

    def __init__(
        self,
        reader: RecordReader,
        offsets: OffsetLookup,
        registry: SchemaRegistry,
        settings: ScannerSettings | None = None,
        limits: LookLimits | None = None,
    ) -> None:
        self._reader, self._offsets, self._registry = reader, offsets, registry
        self._settings, self._limits = settings or ScannerSettings(), limits or LookLimits()

    def look(
        self,
        cluster: ClusterConnection,
        name: str,
        start: LookStart,
        formats: TopicFormat | None = None,
        declared: str | None = None,
        known: TopicFormat | None = None,
    ) -> NewLook:
        """`formats`, `declared`: as scans take them; `known`: by which formats the last one read. The first look of a topic
        reads nothing: it begins at its end.

        Raises NotFound for a topic that is gone, Unavailable where the cluster does not answer.
        """
        topic = next(iter(self._offsets.offsets(cluster, [name])), None)
        if topic is None:
            raise NotFound(f"There is no topic {name} on cluster {cluster.name}.", details={"topic": name})
        if topic.unreadable and not topic.partitions:
            raise Unavailable(f"No partition of {name} can be read now.", details={"server": "kafka", "topic": name})
        topic_id = self._reader.topic_id(cluster, name)
        begin, unread = planned(topic, topic_id, start, self._limits.most_behind)
        ranges = _within(topic, begin, self._limits.records)
        read = self._reader.read(cluster, ranges, self._limits.bytes, self._limits.seconds)
        schemas = self._registry.for_topics(cluster, [name]).schemas if read.records else {}
        known_before = {} if _is_new(topic, topic_id, start) else (start.next or {})
        reached = {**known_before, **begin, **read.next}
        look = NewLook(
            topic=topic,
            topic_id=topic_id,
            next=reached,
            unread=unread,
            more=bool(read.records) and any(reached[p.partition] < p.end for p in topic.partitions),
            records=tuple(sorted(read.records, key=lambda each: (each.timestamp or 0, each.partition, each.offset))),
            ranges=tuple(ranges),
            schemas=dict(schemas),
            formats=formats,
            declared=declared,
            known=known,
        )
        return self._with_ids(cluster, look)

    def _with_ids(self, cluster: ClusterConnection, look: NewLook) -> NewLook:
        """With the schemas that records name and no subject of the topic has."""
        unknown = [int(each) for each in look.sketch.unknown_ids if each.isdigit()] if look.records else []
        if not unknown or not cluster.registry:
            return look
        return replace(look, schemas={**look.schemas, **self._registry.by_ids(cluster, sorted(unknown)).schemas})


def _is_other(seen: TopicFormat, known: TopicFormat) -> bool:
    """Whether key or value look like another format than the known one, or like rows with other columns."""
    pairs = ((seen.key, known.key), (seen.value, known.value))
    return any(
        mine.name != its.name or mine.options.get("columns") != its.options.get("columns")
        for mine, its in pairs
        if "null" not in (mine.name, its.name)
    )


def _reads_all(sketch: Sketch, known: TopicFormat) -> bool:
    """Whether every key and value was read by the known formats."""
    others = {
        name
        for part, form in (("key", known.key), ("value", known.value))
        for name, _ in sketch.formats.get(part, ())
        if name not in (form.name, "null")
    }
    return not others and not any(
        part in ("key", "value") and reason != "header_record" and not reason.startswith("format")
        for part, reason in sketch.problems
    )


def planned(topic: Topic, topic_id: str, start: LookStart, most_behind: int) -> tuple[dict[int, int], int]:
    """Where the look begins in each partition, and how many offsets no look reads.

    A topic that was made again is new from its first record on; so is a partition that was added. Retention may have
    taken what is before the first record that is kept.
    """
    if start.next is None:
        return {p.partition: p.end for p in topic.partitions}, 0
    is_new, unread = _is_new(topic, topic_id, start), 0
    begin: dict[int, int] = {}
    for p in topic.partitions:
        at = p.begin if is_new else start.next.get(p.partition, p.begin)
        unread += max(0, p.begin - at)
        begin[p.partition] = min(max(at, p.begin), p.end)
    behind = sum(p.end - begin[p.partition] for p in topic.partitions)
    if behind > most_behind:
        for p in topic.partitions:
            kept = (p.end - begin[p.partition]) * most_behind // behind
            unread += p.end - begin[p.partition] - kept
            begin[p.partition] = p.end - kept
    return begin, unread


def _is_new(topic: Topic, topic_id: str, start: LookStart) -> bool:
    """Whether the topic was made again: it has another id, or, where brokers give none, it ends before what was read."""
    if start.topic_id and topic_id:
        return start.topic_id != topic_id
    return any((start.next or {}).get(p.partition, 0) > p.end for p in topic.partitions)


def _within(topic: Topic, begin: Mapping[int, int], records: int) -> list[OffsetRange]:
    """The oldest new records, so many, evenly over the partitions; those of the quiet ones all."""
    left, ranges = records, []
    waiting: list[Partition] = sorted(topic.partitions, key=lambda p: p.end - begin[p.partition])
    for at, p in enumerate(waiting):
        start = begin[p.partition]
        count = min(p.end - start, left // (len(waiting) - at))
        left -= count
        if count > 0:
            ranges.append(OffsetRange(topic.name, p.partition, start, start + count))
    return sorted(ranges)
