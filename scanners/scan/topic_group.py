"""Some topics of a scan, read by one Spark job: plan, sample, look again where a schema was missing, finish each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.envelopes import unwrapped_payload
from catalog.errors import Unavailable, WeirError
from catalog.model import DatasetId, DatasetScan, ScanWindow, SchemaVersion
from scanners.checks.topic_checks import expected_of
from scanners.model import RegisteredSchema, Strategy, Topic
from scanners.ports import JobFailed, ProfileJob
from scanners.scan.classify import classify
from scanners.scan.formats import format_of
from scanners.scan.order import ScanOrder, Tools
from scanners.scan.problems import undecodable
from scanners.scan.recognizer_versions import versions
from scanners.scan.registry_problems import of_one_topic
from scanners.scan.sample import plan
from scanners.scan.to_schema import schema_of
from scanners.scan.topic_changes import changed_meanwhile
from scanners.scan.unchanged import with_basis
from scanners.scan.windows import gaps_of, unreadable_of, window_of
from scanners.schemas.known.places import with_registered
from scanners.sketch.topic import Sketch


@dataclass(slots=True)
class TopicGroup:
    """The topics of one Spark job. `results` is used once."""

    tools: Tools
    order: ScanOrder
    names: Sequence[str]
    _waiting: dict[str, Topic] = field(default_factory=dict)
    """Topics that are planned and not finished yet."""
    _problems: list[Mapping[str, Any]] = field(default_factory=list)
    """Problems of the registry, of any of the topics."""
    _lost: dict[str, str] = field(default_factory=dict)
    """Topics that are gone or emptied since the scan began, with the reason."""

    def results(self) -> Iterator[DatasetScan]:
        """A scan of each topic, as it is done. Raises Unavailable when Kafka or Spark does not answer."""
        tools, order = self.tools, self.order
        topics = tools.offsets.offsets(order.cluster, self.names)
        for missing in sorted(set(self.names) - {topic.name for topic in topics}):
            yield self._nothing(Topic(missing, ()), "topic_gone")
        for topic in topics:
            if topic.unreadable and not topic.partitions:
                self._failed(topic.name, _no_partition(topic))
        topics = [topic for topic in topics if topic.partitions]
        ranges = plan(
            topics, order.request, last_positions=_positions(order, self.names), windows=tools.settings.windows
        )
        planned = {each.topic for each in ranges}
        for topic in topics:
            if topic.name not in planned:
                yield self._nothing(topic, "empty" if not topic.retained else "nothing_new")
        if not ranges:
            return
        self._waiting = {topic.name: topic for topic in topics if topic.name in planned}
        answer = tools.registry.for_topics(order.cluster, sorted(self._waiting))
        self._problems = list(answer.problems)
        yield from self._read(self._job(dict(answer.schemas), ranges))
        if order.cancelled():
            return
        # A topic whose planned offsets had no record: compacted away, expired meanwhile, or markers only.
        if self._waiting:
            self._lost |= changed_meanwhile(tools.offsets, order.cluster, list(self._waiting.values()))
        for topic in self._waiting.values():
            yield self._nothing(topic, self._lost.get(topic.name, "offsets_without_record"))

    def _job(self, schemas: Mapping[int, RegisteredSchema], ranges: Sequence[Any]) -> ProfileJob:
        order, settings = self.order, self.tools.settings
        expected = {
            name: expectation
            for name in self._waiting
            if (expectation := expected_of(name, order.declared.get(name), schemas))
        }
        return ProfileJob(
            cluster=order.cluster,
            ranges=tuple(ranges),
            schemas=schemas,
            formats=order.formats,
            expected=expected,
            recognizers=tuple(order.recognizers),
            max_bytes=order.request.max_bytes,
            deadline=self._deadline(),
            salt=self.tools.salts(),
            detect=settings.detect,
            phone_regions=tuple(settings.phone_regions),
            free_text_limit=settings.free_text_limit,
            regex_seconds=settings.regex_seconds,
            tasks=settings.tasks_per_job,
            resume=order.resume,
        )

    def _deadline(self) -> float:
        return self.tools.clock() + self.order.request.max_seconds

    def _read(self, job: ProfileJob) -> Iterator[DatasetScan]:
        again: dict[str, Sketch] = {}
        for name, body in self._sketches(job):
            sketch = Sketch.from_bytes(body)
            if (sketch.unknown_ids and job.cluster.registry) or _names_matter(name, sketch, job):
                again[name] = sketch
                continue
            yield from self._finished(name, sketch, job)
        if again and not self.order.cancelled():
            yield from self._second_look(again, job)

    def _sketches(self, job: ProfileJob) -> Iterator[tuple[str, bytes]]:
        """The sketches as they come. Topics that are gone meanwhile are noted as lost, and the others read without."""
        sampler, cancelled = self.tools.sampler, self.order.cancelled
        done: set[str] = set()
        try:
            for name, body in sampler.profile(job, cancelled):
                done.add(name)
                yield name, body
            return
        except Unavailable as error:
            # Spark fails as a whole when one topic is gone.
            left = [topic for name, topic in self._waiting.items() if name not in done and name not in self._lost]
            lost = changed_meanwhile(self.tools.offsets, job.cluster, left)
            self._lost |= lost
            if cancelled() or not (lost or isinstance(error, JobFailed)):
                raise
            failure = error
        rest = replace(job, ranges=tuple(r for r in job.ranges if r.topic not in self._lost and r.topic not in done))
        names = {each.topic for each in rest.ranges}
        if lost and names:
            yield from self._sketches(rest)
        elif len(names) == 1:
            self._failed(names.pop(), failure)
        else:
            yield from self._alone(rest)

    def _alone(self, job: ProfileJob) -> Iterator[tuple[str, bytes]]:
        """The sketches of a job's topics, each by a job of its own: what fails one topic does not fail the others."""
        for name in sorted({each.topic for each in job.ranges}):
            if self.order.cancelled():
                return
            own = replace(job, ranges=tuple(each for each in job.ranges if each.topic == name))
            try:
                yield from self.tools.sampler.profile(own, self.order.cancelled)
            except JobFailed as error:
                self._failed(name, error)

    def _failed(self, name: str, error: Exception) -> None:
        self._waiting.pop(name, None)
        self.order.on_failure(name, error)

    def _second_look(self, again: Mapping[str, Sketch], job: ProfileJob) -> Iterator[DatasetScan]:
        """Topics with schema ids that no subject of theirs has: fetch those ids, read these topics once more. So are rows
        whose columns have names: one task meets the header record, and the detectors of all need the names in it."""
        left = dict(again)
        formats = {name: format_of(sketch) for name, sketch in again.items() if _names_matter(name, sketch, job)}
        more = self._by_ids({each for sketch in again.values() for each in sketch.unknown_ids}, job)
        names = again.keys() if more else formats.keys()
        if names:
            retry = replace(
                job,
                ranges=tuple(each for each in job.ranges if each.topic in names),
                schemas={**job.schemas, **more},
                formats={**job.formats, **formats},
                deadline=self._deadline(),
                salt=self.tools.salts(),
            )
            for name, body in self._sketches(retry):
                left.pop(name, None)
                yield from self._finished(name, Sketch.from_bytes(body), retry)
        for name, sketch in left.items():
            if name in self._waiting:
                yield from self._finished(name, sketch, job)

    def _by_ids(self, unknown: set[str], job: ProfileJob) -> dict[int, RegisteredSchema]:
        """Schemas of the registry by the ids and GUIDs that records carry, without those that the job has."""
        registry, cluster = self.tools.registry, job.cluster
        ids = sorted(int(each) for each in unknown if each.isdigit())
        guids = sorted(unknown - set(map(str, ids)))
        more: dict[int, RegisteredSchema] = {}
        for answer in (
            registry.by_ids(cluster, ids) if ids else None,
            registry.by_guids(cluster, guids) if guids else None,
        ):
            if answer is not None:
                more |= {each: schema for each, schema in answer.schemas.items() if schema != job.schemas.get(each)}
                self._problems = [*self._problems, *answer.problems]
        return more

    def _finished(self, name: str, sketch: Sketch, job: ProfileJob) -> Iterator[DatasetScan]:
        """The topic's result; none where it could not be made, and `on_failure` gets the cause."""
        try:
            result = self._finish(name, sketch, job)
        except Exception as error:
            self._failed(name, error)
        else:
            yield result

    def _finish(self, name: str, sketch: Sketch, job: ProfileJob) -> DatasetScan:
        topic = self._waiting.pop(name)
        recognizers = self.order.recognizers
        ranges = [each for each in job.ranges if each.topic == name]
        window = window_of(sketch, topic, ranges, self.order.request.strategy, self._last_window(topic))
        problems = [*of_one_topic(self._problems, name, sketch, job.schemas), *unreadable_of(topic), *gaps_of(window)]
        problems += self._dead_letters(topic, sketch, job)
        schema = schema_of(sketch, window, problems, job.expected.get(name))
        schema = replace(schema, fields=with_registered(schema.fields, name, job.schemas, schema.format))
        verdicts, unscanned = classify(sketch, recognizers, _summary(window)) if job.detect else ((), ())
        schema = unwrapped_payload(schema, {*(verdict.path for verdict in verdicts), *unscanned})
        result = DatasetScan(
            dataset=DatasetId(job.cluster.namespace, name),
            schema=schema,
            classifications=verdicts,
            unscanned=unscanned,
            problems=schema.problems,
            recognizers=versions(recognizers) if job.detect else {},
        )
        return with_basis(result, self.tools, self.order, topic, job.schemas, self._problems)

    def _dead_letters(self, topic: Topic, sketch: Sketch, job: ProfileJob) -> list[Mapping[str, Any]]:
        """Send the records that could not be decoded, when that was asked for; gives what came of it, as a problem."""
        letters, target = self.tools.letters, self.order.request.dead_letter
        count = undecodable(sketch)
        if letters is None or target is None or not count or target == topic.name:
            return []
        again = replace(
            job,
            ranges=tuple(each for each in job.ranges if each.topic == topic.name),
            formats={topic.name: format_of(sketch)},
            expected={},
            deadline=self._deadline(),
        )
        problem: dict[str, object] = {"part": "record", "reason": "dead_letters", "count": count, "topic": target}
        try:
            letters.send(again, target, lambda: False)
        except WeirError as error:
            message = f"No dead letters were sent: {error.message}"
            return [{**problem, "reason": "dead_letters_failed", "message": message}]
        return [problem]

    def _last_window(self, topic: Topic) -> ScanWindow | None:
        """Of the last scan, where a partition that cannot be read now keeps its place."""
        return self.order.last_windows.get(topic.name) if topic.unreadable else None

    def _nothing(self, topic: Topic, reason: str) -> DatasetScan:
        problems: tuple[Mapping[str, object], ...] = ({"part": "record", "reason": reason}, *unreadable_of(topic))
        window = window_of(None, topic, (), self.order.request.strategy, self._last_window(topic))
        schema = SchemaVersion(format={}, fields=(), window=window, problems=problems)
        return DatasetScan(DatasetId(self.order.cluster.namespace, topic.name), schema, (), (), problems)


def _names_matter(name: str, sketch: Sketch, job: ProfileJob) -> bool:
    """Whether detectors looked at columns of rows without the names that a header record gives them."""
    options = format_of(sketch).value.options
    return bool(job.detect and name not in job.formats and options.get("columns") and not options.get("header"))


def _no_partition(topic: Topic) -> Unavailable:
    reasons = ", ".join(sorted({why for _, why in topic.unreadable}))
    return Unavailable(
        f"None of the {len(topic.unreadable):,} partitions of {topic.name} can be read: {reasons}. Check the brokers, and scan"
        " it again.",
        details={"server": "kafka", "topic": topic.name},
    )


def _positions(order: ScanOrder, names: Sequence[str]) -> dict[tuple[str, int], int]:
    """Where the scan of what is new continues: at the end offset each partition had at the last one."""
    if order.request.strategy is not Strategy.SINCE_LAST:
        return {}
    windows = {name: window for name in names if (window := order.last_windows.get(name)) is not None}
    return {(topic, int(p["partition"])): int(p["end"]) for topic, window in windows.items() for p in window.partitions}


def _summary(window: ScanWindow) -> dict[str, object]:
    """The window as evidence shows it."""
    return {
        "records": window.records,
        "timeFrom": window.time_from,
        "timeTo": window.time_to,
        "offsets": [[p["partition"], p["first"], p["last"]] for p in window.partitions if p["read"]][:100],
    }
