"""Twins of the adapters that hold everything in memory; the same worker code, without Spark or Kafka."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from catalog.errors import Unavailable
from scanners.adapters.spark.worker import Task, job_text, merge_and_seal
from scanners.decode.batch import Batch
from scanners.decode.dead_letters import Letter, letters
from scanners.model import ClusterConnection, OffsetRange, Partition, RawRecord, RegisteredSchema, Topic
from scanners.ports import Cancelled, ProfileJob, ReadRecords, RegistryAnswer
from scanners.schemas.registered import Schemas
from scanners.sketch.topic import Sketch

Records = Mapping[str, Sequence[RawRecord]]


class MemorySampler:
    """Profiles records from a dictionary, split into tasks as Spark would, so that merging is exercised too."""

    def __init__(self, topics: Records) -> None:
        self._topics = topics

    def profile(self, job: ProfileJob, cancelled: Cancelled) -> Iterator[tuple[str, bytes]]:
        text = job_text(job)
        for topic in sorted({r.topic for r in job.ranges}):
            if cancelled():
                return
            ranges = [r for r in job.ranges if r.topic == topic]
            chosen = [
                record
                for record in self._topics.get(topic, ())
                if any(r.partition == record.partition and r.start <= record.offset < r.end for r in ranges)
            ]
            parts: list[bytes] = []
            for number in range(max(1, job.tasks)):
                task = Task(text)
                for some in Batch.of(chosen[number :: max(1, job.tasks)]).slices(1000):
                    parts += [s.to_bytes() for s in task.add(topic, some)]
                parts += [s.to_bytes() for s in task.finish()]
            if parts:
                yield topic, merge_and_seal(parts)


class MemoryOffsets:
    """Offsets of the same dictionary; `end` is one past the highest offset, `begin` the lowest, as Kafka has them. `ids`: Kafka's
    ids of topics that were made again."""

    def __init__(self, topics: Records, ids: Mapping[str, str] | None = None) -> None:
        self._topics, self.ids = topics, ids or {}

    def topics(self, cluster: ClusterConnection) -> list[str]:
        return sorted(self._topics)

    def offsets(self, cluster: ClusterConnection, topics: Sequence[str]) -> list[Topic]:
        answer = []
        for name in topics:
            if name not in self._topics:
                continue
            by_partition: dict[int, list[int]] = {0: []}
            for record in self._topics[name]:
                by_partition.setdefault(record.partition, []).append(record.offset)
            parts = tuple(
                Partition(p, min(offsets, default=0), max(offsets, default=-1) + 1)
                for p, offsets in sorted(by_partition.items())
            )
            answer.append(Topic(name, parts, id=self.ids.get(name, f"id of {name}")))
        return answer


class MemoryRecords:
    """`RecordReader` over the same dictionary. `ids`: Kafka's ids of topics; a topic that is made again gets another one."""

    def __init__(self, topics: Records, ids: Mapping[str, str] | None = None) -> None:
        self._topics, self.ids = topics, ids or {}
        self.reads = 0

    def topic_id(self, cluster: ClusterConnection, topic: str) -> str:
        return self.ids.get(topic, "")

    def read(
        self, cluster: ClusterConnection, ranges: Sequence[OffsetRange], max_bytes: int, seconds: float
    ) -> ReadRecords:
        self.reads += 1
        records: list[RawRecord] = []
        reached = {each.partition: each.start for each in ranges}
        for each in ranges:
            for record in sorted(self._topics.get(each.topic, ()), key=lambda record: record.offset):
                if record.partition == each.partition and each.start <= record.offset < each.end:
                    if sum(r.size for r in records) >= max_bytes:
                        break
                    records.append(record)
                    reached[each.partition] = record.offset + 1
            else:
                reached[each.partition] = each.end
        return ReadRecords(tuple(records), reached)


class DownOffsets:
    """A cluster that does not answer."""

    def topics(self, cluster: ClusterConnection) -> list[str]:
        raise Unavailable(f"Kafka at {cluster.bootstrap} does not answer.", details={"server": "kafka"})

    def offsets(self, cluster: ClusterConnection, topics: Sequence[str]) -> list[Topic]:
        raise Unavailable(f"Kafka at {cluster.bootstrap} does not answer.", details={"server": "kafka"})


class MemoryRegistry:
    """A registry from a dictionary of schemas by id; `hidden` ids are found only when asked for by id."""

    def __init__(self, schemas: Mapping[int, RegisteredSchema] | None = None, hidden: Sequence[int] = ()) -> None:
        self._schemas = dict(schemas or {})
        self._hidden = set(hidden)

    def for_topics(self, cluster: ClusterConnection, topics: Sequence[str], seen: Sequence[int] = ()) -> RegistryAnswer:
        return RegistryAnswer({i: s for i, s in self._schemas.items() if i in seen or i not in self._hidden})

    def newest(self, cluster: ClusterConnection, subject: str) -> RegisteredSchema | None:
        mine = [s for s in self._schemas.values() if s.subject == subject]
        return max(mine, key=lambda s: s.version, default=None)

    def accepts(self, cluster: ClusterConnection, subject: str, kind: str, text: str) -> tuple[bool, list[str]]:
        newest = self.newest(cluster, subject)
        return newest is None or newest.text == text, []

    def register(self, cluster: ClusterConnection, subject: str, kind: str, text: str) -> int:
        newest = self.newest(cluster, subject)
        same = [i for i, s in self._schemas.items() if (s.type, s.text) == (kind, text)]
        number = same[0] if same else max(self._schemas, default=0) + 1
        version = newest.version + 1 if newest is not None else 1
        self._schemas[number] = RegisteredSchema(number, kind, text, subject=subject, version=version)
        return number

    def by_ids(self, cluster: ClusterConnection, ids: Sequence[int]) -> RegistryAnswer:
        missing = [i for i in ids if i not in self._schemas]
        problems = ({"part": "registry", "reason": "schema_not_found", "ids": missing},) if missing else ()
        return RegistryAnswer({i: self._schemas[i] for i in ids if i in self._schemas}, problems)

    def by_guids(self, cluster: ClusterConnection, guids: Sequence[str]) -> RegistryAnswer:
        schemas = {i: s for i, s in self._schemas.items() if s.guid in guids}
        missing = sorted(set(guids) - {s.guid for s in schemas.values()})
        problems = ({"part": "registry", "reason": "schema_not_found", "ids": missing},) if missing else ()
        return RegistryAnswer(schemas, problems)


def sealed(topic: str, sketches: Sequence[Sketch]) -> Sketch:
    """A sealed sketch straight from unsealed ones, for tests."""
    return Sketch.from_bytes(merge_and_seal([s.to_bytes() for s in sketches]))


class MemoryDeadLetters:
    """Keeps dead letters by the topic they were sent to."""

    def __init__(self, topics: Records) -> None:
        self._topics = topics
        self.sent: dict[str, list[Letter]] = {}

    def send(self, job: ProfileJob, target: str, cancelled: Cancelled) -> None:
        for r in job.ranges:
            records = [
                record
                for record in self._topics.get(r.topic, ())
                if r.partition == record.partition and r.start <= record.offset < r.end
            ]
            dead = letters(r.topic, records, job.formats[r.topic], Schemas(job.schemas))
            self.sent.setdefault(target, []).extend(dead)
