"""What is kept of a view between steps and restarts. JSON-ready."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from catalog.errors import ErrorParts
from views.model import Column, Positions, Registered, State
from views.runner.figures import Lag, Sample
from views.runner.result import columns_of

Offsets = dict[str, dict[int, int]]


@dataclass(frozen=True, slots=True)
class Generation:
    """One life of a view's state, topic and rows, all of them made under one decision.

    id        NUMBER-HASH; declared: hash of the document's spec
    begins    first offset of each partition of the topic that is this generation's; goal: offsets of the sources that it
              must contain before readers get it
    reads     see `views.runner.build.Built`
    tags      path -> tag -> why
    streams   followed topic -> its cluster; other sources are read as tables
    notes     sentences for who wrote the SQL
    origins   column -> [`CLUSTER/TOPIC`, path] of the fields whose values may be in it
    copy_to   see `views.model.StreamPlan`
    starts    where the first batch begins, topic by topic
    schema    of the topic's Avro values; None: they are JSON
    start     earliest, latest or a time that a rebuild began from; None: as it is declared
    sql       as it was declared
    made_of   see `views.runner.result.made_of`; None: not known, which denies
    filtered  sources of which the subject sees some rows only: `CLUSTER/TOPIC` -> conditions
    compacted see `views.runner.build.Built`
    """

    id: str
    number: int
    declared: str
    cluster: str
    topic: str
    private: bool
    begins: dict[int, int]
    goal: Offsets
    checkpoint: str
    columns: list[list[str]]
    keys: list[str]
    single: bool
    sources: list[str]
    reads: str
    created: str
    why: str
    tags: dict[str, dict[str, str]] = field(default_factory=dict)
    streams: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    origins: dict[str, list[list[str]]] = field(default_factory=dict)
    made_of: list[list[Any]] | None = None
    filtered: dict[str, list[str]] = field(default_factory=dict)
    schema: Registered | None = None
    starts: Offsets = field(default_factory=dict)
    copy_to: int = 0
    start: str | None = None
    sql: str = ""
    compacted: dict[str, bool] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        return self.id.partition("-")[2]

    @property
    def typed(self) -> tuple[Column, ...]:
        return columns_of([(name, kind) for name, kind in self.columns])

    @staticmethod
    def read(data: Mapping[str, Any] | None) -> Generation | None:
        if data is None:
            return None
        values = dict(data)
        values["begins"] = positions(values["begins"])
        for name in ("goal", "starts"):
            values[name] = {topic: positions(each) for topic, each in values.get(name, {}).items()}
        if values.get("schema") is not None:
            values["schema"] = Registered(**values["schema"])
        return Generation(**values)


@dataclass(slots=True)
class Letters:
    """Dead letters of a view: the source offsets of `generation` that were looked through, how many letters were written,
    how often there were too many to write, and the clusters that have the topic of letters."""

    generation: str = ""
    looked: Offsets = field(default_factory=dict)
    written: int = 0
    cut: int = 0
    clusters: list[str] = field(default_factory=list)

    @staticmethod
    def read(data: Mapping[str, Any]) -> Letters:
        looked = {topic: positions(each) for topic, each in data.get("looked", {}).items()}
        return Letters(**{**data, "looked": looked})


@dataclass(slots=True)
class ViewState:
    """`active` is what readers get; `building` is to replace it; `retired` are to be deleted; `lingering` are deleted but for
    their records in an output topic, which are between those of others; `session` is the
    engine's of the stream that was started last, empty once that has ended; `reported` is the generation whose lineage was sent
    last; `history` are figures every ten seconds, see `views.runner.figures`."""

    state: str = State.STARTING
    since: str = ""
    error: ErrorParts | None = None
    number: int = 0
    active: Generation | None = None
    building: Generation | None = None
    retired: list[Generation] = field(default_factory=list)
    lingering: list[Generation] = field(default_factory=list)
    session: str = ""
    reported: str = ""
    runs: int = 0
    restarts: int = 0
    restart: int = 0
    rebuild: int = 0
    lag: Lag = field(default_factory=Lag)
    rates: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    letters: Letters = field(default_factory=Letters)
    history: list[Sample] = field(default_factory=list)

    @property
    def writing(self) -> Generation | None:
        """The generation whose stream runs."""
        return self.building or self.active

    @property
    def stored(self) -> list[Generation]:
        """All generations of which there may be records in a topic."""
        return [each for each in (self.active, self.building, *self.retired, *self.lingering) if each is not None]

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    @staticmethod
    def read(data: Mapping[str, Any]) -> ViewState:
        names = {each.name for each in fields(ViewState)}
        values = {name: value for name, value in data.items() if name in names}
        values["active"] = Generation.read(values.get("active"))
        values["building"] = Generation.read(values.get("building"))
        values["letters"] = Letters.read(values.get("letters") or {})
        for name in ("retired", "lingering"):
            read = (Generation.read(each) for each in values.get(name, ()))
            values[name] = [generation for generation in read if generation is not None]
        return ViewState(**values)


def positions(data: Mapping[Any, int]) -> dict[int, int]:
    """JSON has texts for keys."""
    return {int(partition): int(offset) for partition, offset in data.items()}


def behind(goal: Mapping[str, Positions], contained: Mapping[str, Positions]) -> int:
    """Records up to `goal` that are not contained."""
    return sum(
        max(0, end - contained.get(topic, {}).get(partition, 0))
        for topic, ends in goal.items()
        for partition, end in ends.items()
    )
