"""Beginning, replacing and deleting the generations of one view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from catalog.errors import Conflict, NotFound
from catalog.records import rfc3339
from views.declared import ViewSpec
from views.durations import span
from views.model import State, StreamPlan
from views.ports import TopicSettings
from views.runner.build import Built, start_of
from views.runner.record import Record
from views.runner.result import flows, inherited, origins
from views.runner.state import Generation
from views.runner.tools import Declared, Tools

PRIVATE_TOPIC = "_weir.views."
_MOST_PARTITIONS = 12


class Generations:
    """Each change is kept in the record before anything is done that rests on it."""

    def __init__(self, view: str, tools: Tools, record: Record) -> None:
        self._view, self._tools, self._record = view, tools, record

    def plan(self, declared: Declared, current: Built, generation: Generation) -> StreamPlan:
        """What the engine runs for a generation."""
        return self._plan(declared, current, generation.id, generation.cluster, generation.topic, generation.checkpoint)

    def begin(self, declared: Declared, current: Built, why: str) -> None:
        """Make room for a generation: the first one, or one that is built beside the rows of another.

        Raises Conflict for an output topic with other records in it, QueryFailed for SQL that does not fit its tables.
        """
        tools, spec, state = self._tools, declared.spec, self._record.state
        number = state.number + 1
        cluster = spec.sink.cluster if spec.sink is not None else current.sources[0].partition("/")[0]
        topic = spec.sink.topic if spec.sink is not None else f"{PRIVATE_TOPIC}{self._view}.{number}"
        identity = f"{number}-{current.generation}"
        checkpoint = f"{tools.checkpoints.rstrip('/')}/{self._view}/{number}"
        schema = tools.engine.columns(self._plan(declared, current, identity, cluster, topic, checkpoint))
        names = [name for name, _ in schema]
        streams = _streams(current)
        kafka = tools.clusters.client(cluster)
        self._room(spec, kafka, topic, current)
        generation = Generation(
            id=identity, number=number, declared=declared.digest, cluster=cluster, topic=topic,
            private=spec.sink is None, begins=dict(tools.topics.ends(kafka, topic)), goal=self._goal(streams),
            checkpoint=checkpoint, columns=[[name, kind] for name, kind in schema], keys=list(current.shape.key),
            single=current.shape.single, sources=list(current.sources), reads=current.reads,
            created=rfc3339(tools.clock()) or "", why=why, tags=inherited(current.prepared, names),
            streams=streams, notes=list(current.shape.notes), origins=origins(flows(current.prepared, names)),
            filtered={
                each.table.reference: sorted(f.where for f in each.decision.filters) for each in current.prepared.tables.values()
            },
        )  # fmt: skip
        state.number = number
        if state.active is None:
            state.active = generation
        else:
            state.building = generation
        self._record.turn(State.STARTING)
        self._record.save(now=True)
        tools.journal("view.start", self._view, [f"generation {number}: {why}"])

    def replace(self, declared: Declared, current: Built, why: str) -> None:
        """Build another beside the rows of the one that readers get; its stream must have ended."""
        state = self._record.state
        if state.building is not None:
            state.retired.append(state.building)
            state.building = None
            self._record.save(now=True)
        self.begin(declared, current, why)

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
            tags = inherited(current.prepared, [column for column, _ in each.columns])
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

    def bury(self) -> None:
        """Delete what retired generations left: rows, state, and the records of their topic. Raises Unavailable."""
        state, tools = self._record.state, self._tools
        while state.retired:
            old = state.retired[0]
            rows = tools.serving.drop(self._view, old.id)
            tools.engine.forget(old.checkpoint)
            reasons = [f"generation {old.number}: {rows} rows and its state deleted"]
            try:
                self._clear_topic(old)
            except NotFound as error:
                reasons.append(f"the topic {old.cluster}/{old.topic} could not be cleared: {error.message}")
            state.retired.pop(0)
            self._record.save(now=True)
            tools.journal("view.drop", self._view, reasons)

    def _clear_topic(self, old: Generation) -> None:
        """A private topic is deleted; of an output topic the records before the next generation are."""
        topics, kafka = self._tools.topics, self._tools.clusters.client(old.cluster)
        if old.private:
            topics.delete(kafka, old.topic)
        elif topics.partitions(kafka, old.topic):
            state = self._record.state
            heirs = [each for each in (state.active, state.building) if each is not None and each.topic == old.topic]
            topics.cut(kafka, old.topic, heirs[0].begins if heirs else topics.ends(kafka, old.topic))

    def _room(self, spec: ViewSpec, kafka: Mapping[str, str], topic: str, current: Built) -> None:
        """Have the topic of a new generation. Raises Conflict for one that holds what is not this view's."""
        sink, state = spec.sink, self._record.state
        wanted = TopicSettings(
            partitions=(sink.partitions if sink is not None else None) or self._partitions(current),
            replication=(sink.replication if sink is not None else None) or 1,
            compacted=_compacted(spec, current),
            ttl_ms=int(span(spec.ttl).total_seconds() * 1000) if spec.ttl is not None else None,
        )
        created = self._tools.topics.ensure(kafka, topic, wanted)
        known = [each for each in (state.active, state.building, *state.retired) if each is not None]
        if created or sink is None or any(each.topic == topic for each in known):
            return
        if self._tools.topics.ends(kafka, topic) != self._tools.topics.starts(kafka, topic):
            raise Conflict(
                f"The topic {sink.cluster}/{topic} holds records that are not this view's; name another topic in sink,"
                " or delete that one.",
                details={"topic": f"{sink.cluster}/{topic}"},
            )

    def _partitions(self, current: Built) -> int:
        """As many as the first source has, so that a copy is partitioned alike; a dozen at most."""
        kafka = self._tools.clusters.client(current.sources[0].partition("/")[0])
        return min(_MOST_PARTITIONS, max(1, self._tools.topics.partitions(kafka, current.tables[0].table.topic)))

    def _goal(self, streams: Mapping[str, str]) -> dict[str, dict[int, int]]:
        """Where the followed topics end now: what a generation must contain before readers get it."""
        topics, clusters = self._tools.topics, self._tools.clusters
        return {topic: dict(topics.ends(clusters.client(cluster), topic)) for topic, cluster in streams.items()}

    def _plan(
        self, declared: Declared, current: Built, generation: str, cluster: str, topic: str, checkpoint: str
    ) -> StreamPlan:
        return StreamPlan(
            view=self._view, generation=generation, sql=current.sql, tables=current.tables, mode=current.shape.mode,
            keys=current.shape.key, start=start_of(declared.spec), topic=topic, kafka=self._tools.clusters.spark(cluster),
            checkpoint=checkpoint, trigger=span(declared.spec.trigger), most_offsets=self._tools.settings.batch_records,
            single=current.shape.single,
        )  # fmt: skip


def _compacted(spec: ViewSpec, current: Built) -> bool:
    """Whether the topic keeps the newest record of each key. Raises Conflict where that is declared and there is no key."""
    keyed = bool(current.shape.key) or current.shape.single
    asked = spec.sink.cleanup if spec.sink is not None else None
    if asked == "compact" and not keyed:
        raise Conflict(
            "A topic with cleanup: compact needs a key for each row; give the view a key, or cleanup: delete.",
            details={"field": "spec.sink.cleanup"},
        )
    return keyed if asked is None else asked == "compact"


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
