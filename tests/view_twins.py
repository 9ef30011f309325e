"""An engine and topics of views in memory, which can be stopped at any call as a killed process is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from catalog.errors import DatasetNotFound, Unavailable
from views.model import Positions, Progress, StreamPlan, Unfit
from views.ports import TopicOptions, TopicSettings, ViewRecord
from views.runner.topic_options import config_of


class Killed(BaseException):
    """The process ended here."""


@dataclass
class Fate:
    """Ends the process at the call of this number, before or after its effect; None: never. `away`: the engine is. `fails`:
    the number of the one call that a server does not answer, before or after its effect."""

    at: int | None = None
    fails: int | None = None
    calls: int = 0
    away: bool = False

    def around(self) -> Iterator[None]:
        self._count()
        yield
        self._count()

    def _count(self) -> None:
        self.calls += 1
        if self.calls == self.at:
            raise Killed
        if self.calls == self.fails:
            raise Unavailable("The server does not answer.", details={"server": "spark"})


def fated(method: Any) -> Any:
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        steps = self.fate.around()
        next(steps)
        if self.fate.away and isinstance(self, (TwinStreams, TwinStream)):
            raise Unavailable("The engine does not answer.", details={"server": "spark"})
        result = method(self, *args, **kwargs)
        for _ in steps:
            pass
        return result

    return wrapped


@dataclass
class TwinTopics:
    """Topics of one partition. Each record: (value, generation, row key)."""

    fate: Fate
    records: dict[str, list[tuple[bytes | None, str, bytes | None]]] = field(default_factory=dict)
    begins: dict[str, int] = field(default_factory=dict)
    config: dict[str, dict[str, str]] = field(default_factory=dict)
    old: dict[str, int] = field(default_factory=dict)
    """The first offset that is young enough, where a test sets one."""

    @fated
    def ensure(self, kafka: Mapping[str, str], topic: str, settings: TopicSettings) -> bool:
        new = topic not in self.records
        self.records.setdefault(topic, [])
        self.begins.setdefault(topic, 0)
        if new:
            self.config[topic] = config_of(settings)
        return new

    def options(self, kafka: Mapping[str, str], topic: str) -> TopicOptions | None:
        return TopicOptions(1, 1, self.config[topic]) if topic in self.config else None

    @fated
    def alter(self, kafka: Mapping[str, str], topic: str, config: Mapping[str, str], partitions: int | None) -> None:
        self.config[topic] = self.config[topic] | dict(config)

    def partitions(self, kafka: Mapping[str, str], topic: str) -> int:
        return int(topic in self.records)

    @fated
    def ends(self, kafka: Mapping[str, str], topic: str) -> Positions:
        if topic not in self.records:
            raise DatasetNotFound(f"There is no topic {topic} any more.")
        return {0: len(self.records[topic])}

    def starts(self, kafka: Mapping[str, str], topic: str) -> Positions:
        return {0: self.begins[topic]}

    @fated
    def cut(self, kafka: Mapping[str, str], topic: str, before: Positions) -> None:
        self.begins[topic] = max(self.begins[topic], before.get(0, 0))

    @fated
    def delete(self, kafka: Mapping[str, str], topic: str) -> None:
        self.records.pop(topic, None)
        self.begins.pop(topic, None)

    def compacted(self, kafka: Mapping[str, str], topic: str) -> bool | None:
        return False

    def at(self, kafka: Mapping[str, str], topic: str, moment: datetime) -> Positions:
        return {0: self.old.get(topic, self.begins.get(topic, 0))}

    @fated
    def send(self, kafka: Mapping[str, str], topic: str, records: Sequence[tuple[str, bytes]]) -> None:
        self.records[topic] += [(value, "", None) for _, value in records]

    @fated
    def read(self, kafka: Mapping[str, str], topic: str, positions: Positions) -> TwinReader:
        return TwinReader(self, topic, max(positions.get(0, 0), self.begins.get(topic, 0)))

    def there(self, topic: str) -> list[tuple[bytes | None, str, bytes | None]]:
        """What a consumer can read."""
        return self.records.get(topic, [])[self.begins.get(topic, 0) :]


@dataclass
class TwinReader:
    topics: TwinTopics
    topic: str
    at: int

    def poll(self, most: int, seconds: float) -> list[ViewRecord]:
        records = self.topics.records.get(self.topic, [])[self.at : self.at + most]
        news = [ViewRecord(0, self.at + n, value, gen, key) for n, (value, gen, key) in enumerate(records)]
        self.at += len(news)
        return news

    def positions(self) -> Positions:
        return {0: self.at}

    def close(self) -> None:
        return None


@dataclass
class Running:
    """A stream in the engine: it lives on when the process that started it does not."""

    plan: StreamPlan
    session: str
    alive: bool = True


@dataclass
class TwinStreams:
    """Runs views of one source whose SQL takes columns as they are; a masked column has the text `masked`."""

    fate: Fate
    topics: TwinTopics
    checkpoints: dict[str, int] = field(default_factory=dict)
    running: list[Running] = field(default_factory=list)
    asked: list[Any] = field(default_factory=list)
    columns_of: tuple[tuple[str, str], ...] = (("id", "string"), ("email", "string"))

    @fated
    def columns(self, plan: StreamPlan) -> list[tuple[str, str]]:
        return list(self.columns_of)

    @fated
    def start(self, plan: StreamPlan, session: str) -> TwinStream:
        for each in self.running:
            if each.plan.checkpoint == plan.checkpoint:
                each.alive = False
        run = Running(plan, session)
        self.running.append(run)
        self.checkpoints.setdefault(plan.checkpoint, 0)
        return TwinStream(self, run)

    def unfit(self, plan: StreamPlan, ranges: Mapping[str, Mapping[int, tuple[int, int]]], most: int) -> list[Unfit]:
        """Records with a key `bad` do not fit."""
        unfit = []
        for topic, parts in ranges.items():
            first, end = parts[0]
            for offset, (value, _, _) in enumerate(self.topics.records[topic][first:end], first):
                if b'"bad"' in (value or b""):
                    unfit.append(Unfit(topic, 0, offset, ("value.email",)))
        self.asked.append({topic: dict(parts) for topic, parts in ranges.items()})
        return unfit

    @fated
    def end(self, session: str) -> None:
        for each in self.running:
            if each.session == session:
                each.alive = False

    @fated
    def forget(self, checkpoint: str) -> None:
        self.checkpoints.pop(checkpoint, None)

    def tidy(self, checkpoints: str) -> None:
        """There are no folders."""

    def advance(self) -> None:
        """A batch of every stream that lives."""
        for run in self.running:
            if run.alive:
                self._batch(run.plan)

    def _batch(self, plan: StreamPlan) -> None:
        table = plan.tables[0].table
        at = self.checkpoints.setdefault(plan.checkpoint, 0)
        shown = dict(table.columns)
        source = self.topics.records[table.topic]
        out = self.topics.records.setdefault(plan.topic, [])
        self.topics.begins.setdefault(plan.topic, 0)
        for value, _, _ in source[at:]:
            row = json.loads(value or b"{}")
            seen = {name: row[name] if _is_plain(shown[name]) else "masked" for name, _ in self.columns_of}
            out.append((json.dumps(seen).encode(), plan.generation, json.dumps({"id": row["id"]}).encode()))
        self.checkpoints[plan.checkpoint] = len(source)


def _is_plain(sql: str) -> bool:
    """Whether a column of a governed table is the stored field itself."""
    return "weir_value" in sql and "CASE" not in sql


@dataclass
class TwinStream:
    engine: TwinStreams
    run: Running
    seen: int | None = None

    @fated
    def progress(self) -> Progress:
        if not self.run.alive:
            raise Unavailable("The engine has forgotten the view; it is started again.")
        plan = self.run.plan
        at = self.engine.checkpoints[plan.checkpoint]
        topic = plan.tables[0].table.topic
        first, again = 0 if self.seen is None else self.seen, self.seen == at
        bad = sum(b'"bad"' in (value or b"") for value, _, _ in self.engine.topics.records[topic][first:at])
        self.seen = at
        return Progress(batch=at, batches=0 if again else 1, offsets={topic: {0: at}} if at else {}, unfit_values=bad)

    @fated
    def stop(self) -> None:
        self.run.alive = False

    @property
    def fate(self) -> Fate:
        return self.engine.fate


def rows(topic: Iterable[dict[str, Any]]) -> list[tuple[bytes | None, str, bytes | None]]:
    return [(json.dumps(each).encode(), "", None) for each in topic]


@dataclass
class TwinRegistry:
    """A registry of one cluster: subject -> its Avro schemas. It accepts what `agrees` lets through."""

    there: bool = True
    schemas: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    agrees: bool = True

    def has(self, cluster: str) -> bool:
        return self.there

    def newest(self, cluster: str, subject: str) -> tuple[str, str] | None:
        return self.schemas[subject][-1] if self.schemas.get(subject) else None

    def accepts(self, cluster: str, subject: str, schema: str) -> tuple[bool, list[str]]:
        return self.agrees, [] if self.agrees else ["READER_FIELD_MISSING_DEFAULT_VALUE"]

    def register(self, cluster: str, subject: str, schema: str) -> int:
        known = self.schemas.setdefault(subject, [])
        if ("AVRO", schema) not in known:
            known.append(("AVRO", schema))
        return 1 + known.index(("AVRO", schema))
