"""The scan of a cluster's topics: plan, sample by Spark, finish, classify; one dataset after another as they are done."""

from __future__ import annotations

import difflib
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog.envelopes import unwrapped_payload
from catalog.errors import InvalidInput, NotFound, Unavailable, WeirError
from catalog.model import DatasetId, DatasetScan, ScanWindow, SchemaVersion
from scanners.checks.topic_checks import expected_of
from scanners.model import (
    ClusterConnection,
    Recognizer,
    RegisteredSchema,
    SampleRequest,
    ScanProgress,
    Topic,
    TopicFormat,
)
from scanners.ports import Cancelled, DeadLetters, OffsetLookup, ProfileJob, Sampler, SchemaRegistry
from scanners.scan.classify import classify, versions
from scanners.scan.registry_problems import of_one_topic
from scanners.scan.sample import plan
from scanners.scan.to_schema import format_of, gaps_of, schema_of, undecodable, window_of
from scanners.scan.topic_changes import changed_meanwhile
from scanners.schemas.known.places import with_registered
from scanners.settings import ScannerSettings
from scanners.sketch.topic import Sketch

_PATTERN = re.compile(r"[*?\[\]()|^$+\\]")


class Scanner:
    """Scans topics. Holds no state between scans: what was read is in each result's window."""

    def __init__(
        self,
        sampler: Sampler,
        offsets: OffsetLookup,
        registry: SchemaRegistry,
        settings: ScannerSettings | None = None,
        clock: Callable[[], float] = time.time,
        letters: DeadLetters | None = None,
    ) -> None:
        self._sampler = sampler
        self._offsets = offsets
        self._registry = registry
        self._settings = settings or ScannerSettings()
        self._clock = clock
        self._letters = letters

    def scan(
        self,
        cluster: ClusterConnection,
        topics: Sequence[str] = (),
        request: SampleRequest | None = None,
        recognizers: Sequence[Recognizer] = (),
        on_progress: Callable[[ScanProgress], None] | None = None,
        cancelled: Cancelled | None = None,
        *,
        last_windows: Mapping[str, ScanWindow] | None = None,
        formats: Mapping[str, TopicFormat] | None = None,
        declared: Mapping[str, str] | None = None,
        resume: str = "",
    ) -> Iterator[DatasetScan]:
        """Scan the named topics and those that match patterns (`shop.*`); no names at all means every topic.

        Yields a DatasetScan as soon as its topic is done, in no promised order. `last_windows` (by topic) are the
        windows of earlier scans, for the strategy since-last; `formats` are declared ones, `declared` the columns declared
        as Spark DDL, which the records are held against, as against registered schemas. A topic without records gives a
        scan without fields and the problem `empty`. `resume` names the scan: with the name of one that was interrupted it
        goes on after the offsets that one had read. Ends early and without error once `cancelled()` is true.

        Raises NotFound for a topic that is not there, InvalidInput for a pattern that cannot be read, Unavailable when
        Kafka or Spark does not answer.
        """
        request = request or SampleRequest()
        is_cancelled = cancelled or (lambda: False)
        names = self.resolve(cluster, topics)
        done = records = 0

        def report(topic: str | None) -> None:
            if on_progress is not None:
                on_progress(ScanProgress(done, len(names), records, topic))

        report(None)
        for start in range(0, len(names), self._settings.topics_per_job):
            if is_cancelled():
                return
            chunk = names[start : start + self._settings.topics_per_job]
            for result in self._scan_some(
                cluster,
                chunk,
                request,
                recognizers,
                is_cancelled,
                last_windows or {},
                formats or {},
                declared or {},
                resume,
            ):
                done += 1
                records += result.schema.window.records
                report(result.dataset.name)
                yield result

    def resolve(self, cluster: ClusterConnection, topics: Sequence[str]) -> list[str]:
        """The topics that names and patterns stand for, sorted. Raises as `scan` does."""
        known = self._offsets.topics(cluster)
        hidden = re.compile(self._settings.default_exclude)
        if not topics:
            return sorted(t for t in known if not hidden.match(t))
        found: set[str] = set()
        for text in topics:
            if text in known:
                found.add(text)
            elif _PATTERN.search(text):
                matching = _matches(text, known)
                if not matching:
                    raise NotFound(f"No topic of cluster {cluster.name} matches {text!r}.", details={"topic": text})
                found.update(t for t in matching if not hidden.match(t) or text.startswith("_"))
            else:
                near = difflib.get_close_matches(text, known, 1)
                hint = f" Did you mean {near[0]!r}?" if near else " See the cluster's topics with `weir get dataset`."
                raise NotFound(f"Cluster {cluster.name} has no topic {text!r}.{hint}", details={"topic": text})
        return sorted(found)

    # --- one Spark job ------------------------------------------------------------------------------------------------

    def _scan_some(
        self,
        cluster: ClusterConnection,
        names: Sequence[str],
        request: SampleRequest,
        recognizers: Sequence[Recognizer],
        cancelled: Cancelled,
        last_windows: Mapping[str, ScanWindow],
        formats: Mapping[str, TopicFormat],
        declared: Mapping[str, str],
        resume: str,
    ) -> Iterator[DatasetScan]:
        topics = self._offsets.offsets(cluster, names)
        for gone in sorted(set(names) - {t.name for t in topics}):
            yield _nothing(cluster, Topic(gone, ()), request, "topic_gone")
        ranges = plan(topics, request, last_positions=_positions(last_windows), windows=self._settings.windows)
        planned = {r.topic for r in ranges}
        for topic in topics:
            if topic.name not in planned:
                yield _nothing(cluster, topic, request, "empty" if not topic.retained else "nothing_new")
        if not ranges:
            return
        waiting = {t.name: t for t in topics if t.name in planned}
        answer = self._registry.for_topics(cluster, sorted(waiting))
        schemas, problems = dict(answer.schemas), list(answer.problems)
        settings = self._settings
        expected = {name: found for name in waiting if (found := expected_of(name, declared.get(name), schemas))}
        job = ProfileJob(
            cluster=cluster, ranges=tuple(ranges), schemas=schemas, formats=formats, expected=expected,
            recognizers=tuple(recognizers),
            max_bytes=request.max_bytes, deadline=self._clock() + request.max_seconds, salt=secrets.token_hex(16),
            detect=settings.detect, phone_regions=tuple(settings.phone_regions), free_text_limit=settings.free_text_limit,
            regex_seconds=settings.regex_seconds, tasks=settings.tasks_per_job, resume=resume,
        )  # fmt: skip
        again: dict[str, Sketch] = {}
        lost: dict[str, str] = {}
        for name, body in self._sketches(job, list(waiting.values()), lost, cancelled):
            sketch = Sketch.from_bytes(body)
            if sketch.unknown_ids and cluster.registry:
                again[name] = sketch
                continue
            yield self._finish(cluster, waiting.pop(name), sketch, job, request, recognizers, problems)
        if again and not cancelled():
            yield from self._second_look(cluster, again, waiting, job, request, recognizers, problems, cancelled)
        if cancelled():
            return
        # A topic whose planned offsets held no record: compacted away, expired meanwhile, or markers only.
        if waiting:
            lost |= changed_meanwhile(self._offsets, cluster, list(waiting.values()))
        for topic in waiting.values():
            yield _nothing(cluster, topic, request, lost.get(topic.name, "offsets_without_record"))

    def _sketches(
        self, job: ProfileJob, topics: Sequence[Topic], lost: dict[str, str], cancelled: Cancelled
    ) -> Iterator[tuple[str, bytes]]:
        """The sketches as they come. Topics that are gone meanwhile are noted in `lost`, and the others read without."""
        done: set[str] = set()
        try:
            for name, body in self._sampler.profile(job, cancelled):
                done.add(name)
                yield name, body
            return
        except Unavailable:
            # Spark fails as a whole when one topic is gone.
            lost |= changed_meanwhile(self._offsets, job.cluster, [t for t in topics if t.name not in done])
            if not lost or cancelled():
                raise
        rest = replace(job, ranges=tuple(r for r in job.ranges if r.topic not in lost and r.topic not in done))
        if rest.ranges:
            yield from self._sampler.profile(rest, cancelled)

    def _second_look(
        self,
        cluster: ClusterConnection,
        again: Mapping[str, Sketch],
        waiting: dict[str, Topic],
        job: ProfileJob,
        request: SampleRequest,
        recognizers: Sequence[Recognizer],
        problems: list[Mapping[str, Any]],
        cancelled: Cancelled,
    ) -> Iterator[DatasetScan]:
        """Topics with schema ids that no subject of theirs has: fetch those ids, read these topics once more."""
        unknown = {each for sketch in again.values() for each in sketch.unknown_ids}
        ids = sorted(int(each) for each in unknown if each.isdigit())
        more: dict[int, RegisteredSchema] = {}
        for answer in (
            self._registry.by_ids(cluster, ids) if ids else None,
            self._registry.by_guids(cluster, guids) if (guids := sorted(unknown - set(map(str, ids)))) else None,
        ):
            if answer is not None:
                more |= {i: s for i, s in answer.schemas.items() if s != job.schemas.get(i)}
                problems = [*problems, *answer.problems]
        left = dict(again)
        if more:
            ranges = tuple(r for r in job.ranges if r.topic in again)
            retry = replace(
                job, ranges=ranges, schemas={**job.schemas, **more}, deadline=self._clock() + request.max_seconds,
                salt=secrets.token_hex(16),
            )  # fmt: skip
            for name, body in self._sampler.profile(retry, cancelled):
                left.pop(name, None)
                sketch = Sketch.from_bytes(body)
                yield self._finish(cluster, waiting.pop(name), sketch, retry, request, recognizers, problems)
        for name, sketch in left.items():
            yield self._finish(cluster, waiting.pop(name), sketch, job, request, recognizers, problems)

    def _finish(
        self,
        cluster: ClusterConnection,
        topic: Topic,
        sketch: Sketch,
        job: ProfileJob,
        request: SampleRequest,
        recognizers: Sequence[Recognizer],
        problems: Sequence[Mapping[str, Any]],
    ) -> DatasetScan:
        window = window_of(sketch, topic, [r for r in job.ranges if r.topic == topic.name], request.strategy)
        found = [*of_one_topic(problems, topic.name, sketch, job.schemas), *gaps_of(window)]
        found += self._dead_letters(topic, sketch, job, request)
        schema = schema_of(sketch, window, found, job.expected.get(topic.name))
        schema = replace(schema, fields=with_registered(schema.fields, topic.name, job.schemas, schema.format))
        verdicts, unscanned = classify(sketch, recognizers, _summary(window)) if job.detect else ((), ())
        schema = unwrapped_payload(schema, {*(verdict.path for verdict in verdicts), *unscanned})
        return DatasetScan(
            DatasetId(cluster.namespace, topic.name),
            schema,
            verdicts,
            unscanned,
            schema.problems,
            versions(recognizers) if job.detect else {},
        )

    def _dead_letters(
        self, topic: Topic, sketch: Sketch, job: ProfileJob, request: SampleRequest
    ) -> list[Mapping[str, Any]]:
        """Send the records that could not be decoded, when that was asked for; gives what came of it, as a problem."""
        target = request.dead_letter
        count = undecodable(sketch)
        if self._letters is None or target is None or not count or target == topic.name:
            return []
        again = replace(
            job,
            ranges=tuple(r for r in job.ranges if r.topic == topic.name),
            formats={topic.name: format_of(sketch)},
            expected={},
            deadline=self._clock() + request.max_seconds,
        )
        said: dict[str, Any] = {"part": "record", "reason": "dead_letters", "count": count, "topic": target}
        try:
            self._letters.send(again, target, lambda: False)
        except WeirError as error:
            return [{**said, "reason": "dead_letters_failed", "message": f"No dead letters were sent: {error.message}"}]
        return [said]


def _matches(text: str, known: Sequence[str]) -> list[str]:
    """Topics that a pattern means: a regular expression over the whole name; a lone `*` stands for anything."""
    pattern = re.sub(r"(?<![.\])\\])\*", ".*", text)
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InvalidInput(
            f"The topic pattern {text!r} cannot be read; write it like shop.* or orders|payments."
        ) from error
    return [t for t in known if compiled.fullmatch(t)]


def _positions(windows: Mapping[str, ScanWindow]) -> dict[tuple[str, int], int]:
    """Where the next scan goes on: at the end offset each partition had at the last one."""
    return {(topic, int(p["partition"])): int(p["end"]) for topic, window in windows.items() for p in window.partitions}


def _summary(window: ScanWindow) -> dict[str, Any]:
    """The window as evidence shows it."""
    return {
        "records": window.records, "time_from": window.time_from, "time_to": window.time_to,
        "offsets": [[p["partition"], p["first"], p["last"]] for p in window.partitions if p["read"]][:100],
    }  # fmt: skip


def _nothing(cluster: ClusterConnection, topic: Topic, request: SampleRequest, reason: str) -> DatasetScan:
    problems = ({"part": "record", "reason": reason},)
    window = window_of(None, topic, (), request.strategy)
    schema = SchemaVersion(format={}, fields=(), window=window, problems=problems)
    return DatasetScan(DatasetId(cluster.namespace, topic.name), schema, (), (), problems)
