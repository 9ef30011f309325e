"""Beginning, replacing and deleting the generations of one view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from catalog.errors import Conflict, NotFound
from catalog.records import rfc3339
from policies.plan.errors import QueryFailed
from policies.query.failures import explained, with_place
from views.declared import ViewSpec
from views.durations import span
from views.model import State, StreamPlan
from views.ports import TopicSettings
from views.runner import letters
from views.runner.build import Built, start_of
from views.runner.contents import contents, place_of, plan_of, with_form
from views.runner.record import Record
from views.runner.result import flows, inherited
from views.runner.schemas import avro_text, refuse_foreign, register
from views.runner.state import Generation
from views.runner.tools import DeclaredView, Tools
from views.runner.topic_options import alterations

_MOST_PARTITIONS = 12


class Generations:
    """Each change is kept in the record before anything is done that rests on it."""

    def __init__(self, view: str, tools: Tools, record: Record) -> None:
        self._view, self._tools, self._record = view, tools, record

    def plan(self, declared: DeclaredView, current: Built, generation: Generation) -> StreamPlan:
        """What the engine runs for a generation."""
        at = (generation.id, generation.cluster, generation.topic, generation.checkpoint, generation.start)
        run = self._record.state.runs
        return replace(
            self._plan(declared.spec, current, *at), schema=generation.schema, run=run, copy_to=generation.copy_to
        )

    def begin(self, declared: DeclaredView, current: Built, why: str, since: str | None = None) -> None:
        """Make room for a generation: the first one, or one that is built beside the rows of another. `since`: see `start_of`.

        Raises Conflict for an output topic with other records in it, QueryFailed for SQL that does not fit its tables.
        """
        tools, spec, state = self._tools, with_form(declared.spec, current), self._record.state
        number = state.number + 1
        cluster, topic = place_of(self._view, spec, current, number)
        identity = f"{number}-{current.generation}"
        checkpoint = f"{tools.checkpoints.rstrip('/')}/{self._view}/{number}"
        try:
            schema = tools.engine.columns(self._plan(spec, current, identity, cluster, topic, checkpoint, since))
        except QueryFailed as error:
            raise with_place(explained(current.prepared, error)) from None
        refuse_foreign(self._view, spec, tools.registry)
        text = avro_text(self._view, spec, schema)
        streams = _streams(current)
        kafka = tools.clusters.client(cluster)
        changed = self._room(spec, kafka, topic, current)
        if spec.onError == "deadLetter":
            letters.check(self._view, cluster, state.letters, tools)
        registered = register(spec.sink, text, tools.registry) if spec.sink is not None and text else None
        generation = Generation(
            id=identity,
            number=number,
            declared=declared.digest,
            cluster=cluster,
            topic=topic,
            private=spec.sink is None,
            begins=dict(tools.topics.ends(kafka, topic)),
            goal=self._goal(streams),
            checkpoint=checkpoint,
            created=rfc3339(tools.clock()) or "",
            why=why,
            start=since,
            sql=spec.sql,
            streams=streams,
            copy_to=tools.topics.partitions(kafka, topic) if spec.copyOf is not None else 0,
            schema=registered,
            starts=self._starts(declared.spec, streams, since),
            **contents(current, schema),
        )
        state.number = number
        if state.active is None:
            state.active = generation
        else:
            state.building = generation
        self._record.turn(State.STARTING)
        self._record.save(now=True)
        tools.journal("view.start", self._view, [f"generation {number}: {why}", *changed])

    def replace(self, declared: DeclaredView, current: Built, why: str, since: str | None = None) -> None:
        """Build another beside the rows of the one that readers get; its stream must have ended."""
        state = self._record.state
        if state.building is not None:
            state.retired.append(state.building)
            state.building = None
            self._record.save(now=True)
        self.begin(declared, current, why, since)

    def swap(self) -> None:
        """Readers get the generation that was built; the one before is to be deleted."""
        state = self._record.state
        building = state.building
        if building is None:
            return
        state.retired += [state.active] if state.active is not None else []
        state.active, state.building = building, None
        self._record.save(now=True)
        self._tools.journal("view.replace", self._view, [f"generation {building.number}: {building.why}"])

    def retag(self, current: Built) -> None:
        """Tags of the sources change without a change of what the view holds. Rows of an older generation keep theirs."""
        state = self._record.state
        for name in ("active", "building"):
            each: Generation | None = getattr(state, name)
            if each is None:
                continue
            tags = inherited(flows(current.prepared, [column for column, _ in each.columns]))
            if each.hash != current.generation:
                tags = {path: {**each.tags.get(path, {}), **tags.get(path, {})} for path in {**each.tags, **tags}}
            if tags != each.tags:
                setattr(state, name, replace(each, tags=tags))

    def retire_all(self) -> None:
        """No generation is left; what there was is deleted by `bury`."""
        state = self._record.state
        state.retired += [each for each in (state.active, state.building) if each is not None]
        state.active = state.building = None
        self._record.save(now=True)

    def forget_gone(self) -> None:
        """Delete keys that went long enough ago, also of a view whose stream does not run. Raises Unavailable."""
        tools, state = self._tools, self._record.state
        before = tools.clock() - timedelta(seconds=tools.settings.changes_seconds)
        for each in (state.active, state.building):
            if each is not None:
                tools.serving.forget_gone(self._view, each.id, before)

    def bury(self) -> None:
        """Delete what retired generations left: rows, state, and the records of their topic. Raises Unavailable."""
        state, tools = self._record.state, self._tools
        while state.retired:
            old = state.retired[0]
            rows = tools.serving.drop(self._view, old.id)
            tools.engine.forget(old.checkpoint)
            reasons = [f"generation {old.number}: {rows} rows and its state deleted"]
            try:
                if not self._clear_topic(old):
                    state.lingering.append(old)
                    reasons.append(
                        f"its records in {old.cluster}/{old.topic} are between those of others, and go with the generation before"
                    )
            except NotFound as error:
                reasons.append(f"the topic {old.cluster}/{old.topic} could not be cleared: {error.message}")
            state.retired.pop(0)
            self._record.save(now=True)
            tools.journal("view.drop", self._view, reasons)

    def delete_letters(self) -> None:
        """Delete the topic of dead letters, which the view leaves nothing of. Raises Unavailable."""
        for cluster in self._record.state.letters.clusters:
            self._tools.topics.delete(self._tools.clusters.client(cluster), letters.topic_of(self._view))

    def _clear_topic(self, old: Generation) -> bool:
        """A private topic is deleted; of an output topic the records before the next generation are. False where an older
        generation is in use still: then records of this one stay behind those."""
        topics, kafka = self._tools.topics, self._tools.clusters.client(old.cluster)
        state = self._record.state
        if old.private:
            topics.delete(kafka, old.topic)
            return True
        heirs = [each for each in (state.active, state.building) if each is not None and each.topic == old.topic]
        if topics.partitions(kafka, old.topic):
            topics.cut(kafka, old.topic, heirs[0].begins if heirs else topics.ends(kafka, old.topic))
        oldest = min((each.number for each in heirs), default=None)
        state.lingering = [
            each for each in state.lingering if each.topic != old.topic or (oldest is not None and each.number > oldest)
        ]
        return oldest is None or old.number < oldest

    def _room(self, spec: ViewSpec, kafka: Mapping[str, str], topic: str, current: Built) -> list[str]:
        """Have the topic of a new generation; what was changed of one that was there. Raises Conflict for one that holds what
        is not this view's, or is otherwise than declared and cannot be changed."""
        sink, state = spec.sink, self._record.state
        wanted = TopicSettings(
            partitions=(sink.partitions if sink is not None else None) or self._partitions(spec, current),
            replication=(sink.replication if sink is not None else None) or 1,
            compacted=self._compacted(spec, current),
            ttl_ms=int(span(spec.ttl).total_seconds() * 1000) if spec.ttl is not None else None,
        )
        topics = self._tools.topics
        if topics.ensure(kafka, topic, wanted) or sink is None:
            return []
        own = any(each.topic == topic for each in state.stored)
        if not own and topics.ends(kafka, topic) != topics.starts(kafka, topic):
            raise Conflict(
                f"The topic {sink.cluster}/{topic} holds records that are not this view's; name another topic in sink,"
                " or delete that one.",
                details={"topic": f"{sink.cluster}/{topic}"},
            )
        there = topics.options(kafka, topic)
        if there is None:
            return []
        changes = alterations(
            there, wanted, sink, bool(current.shape.key) or current.shape.single or spec.copyOf is not None
        )
        if changes.refused:
            raise Conflict(changes.refused[0], details={"topic": f"{sink.cluster}/{topic}", "field": "spec.sink"})
        if changes.config or changes.partitions is not None:
            topics.alter(kafka, topic, {name: value for name, (_, value) in changes.config.items()}, changes.partitions)
        return changes.sentences(f"{sink.cluster}/{topic}")

    def _partitions(self, spec: ViewSpec, current: Built) -> int:
        """As many as the first source has; a dozen at most, but for a copy, which is partitioned alike."""
        kafka = self._tools.clusters.client(current.sources[0].partition("/")[0])
        there = max(1, self._tools.topics.partitions(kafka, current.tables[0].table.topic))
        return there if spec.copyOf is not None else min(_MOST_PARTITIONS, there)

    def _compacted(self, spec: ViewSpec, current: Built) -> bool:
        if spec.copyOf is None or spec.sink is None:
            return _compacted(spec, current)
        if spec.sink.cleanup is not None:
            return spec.sink.cleanup == "compact"
        kafka = self._tools.clusters.client(current.sources[0].partition("/")[0])
        return bool(self._tools.topics.compacted(kafka, current.tables[0].table.topic))

    def _goal(self, streams: Mapping[str, str]) -> dict[str, dict[int, int]]:
        """Where the followed topics end now: what a generation must contain before readers get it."""
        topics, clusters = self._tools.topics, self._tools.clusters
        return {topic: dict(topics.ends(clusters.client(cluster), topic)) for topic, cluster in streams.items()}

    def _starts(self, spec: ViewSpec, streams: Mapping[str, str], since: str | None) -> dict[str, dict[int, int]]:
        """Where the first batch begins, as far as it can be known before: `latest` is taken again by the engine."""
        topics, start = self._tools.topics, start_of(spec, since)
        starts: dict[str, dict[int, int]] = {}
        for topic, cluster in streams.items():
            kafka = self._tools.clusters.client(cluster)
            if start.offsets is not None:
                starts[topic] = dict(start.offsets)
            elif isinstance(start.at, datetime):
                starts[topic] = dict(topics.at(kafka, topic, start.at))
            else:
                starts[topic] = dict(topics.ends(kafka, topic) if start.at == "latest" else topics.starts(kafka, topic))
        return starts

    def _plan(
        self,
        spec: ViewSpec,
        current: Built,
        generation: str,
        cluster: str,
        topic: str,
        checkpoint: str,
        since: str | None,
    ) -> StreamPlan:
        kafka, most = self._tools.clusters.spark(cluster), self._tools.settings.batch_records
        return plan_of(self._view, spec, current, generation, topic, checkpoint, kafka, most, since)


def _compacted(spec: ViewSpec, current: Built) -> bool:
    """Whether the topic keeps the newest record of each key. Raises Conflict where that is declared and there is no key."""
    keyed = bool(current.shape.key) or current.shape.single
    cleanup = spec.sink.cleanup if spec.sink is not None else None
    if cleanup == "compact" and not keyed:
        raise Conflict(
            "A topic with cleanup: compact needs a key for each row; give the view a key, or cleanup: delete.",
            details={"field": "spec.sink.cleanup"},
        )
    return keyed if cleanup is None else cleanup == "compact"


def _streams(current: Built) -> dict[str, str]:
    """Followed topic -> its cluster. Raises Conflict for two topics of one name: the engine reports offsets by name."""
    streams: dict[str, str] = {}
    for governed, table in zip(current.prepared.tables.values(), current.tables, strict=True):
        cluster = governed.table.reference.partition("/")[0]
        if table.tabular:
            continue
        if streams.setdefault(table.table.topic, cluster) != cluster:
            raise Conflict(
                f"The view follows a topic {table.table.topic} of two clusters; one of them needs another name.",
                details={"topic": table.table.topic},
            )
    return streams
