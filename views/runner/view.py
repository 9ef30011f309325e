"""One view: its stream, its rows and its generations, kept in step with what is declared and decided.

    document, decision -> Built -> a generation: stream on the engine -> topic -> serving table -> readers

`step` does what is due and is called again and again by one thread. What it knows is in `ViewState`, which is kept before
anything is done that rests on it, so a runner that is killed at any place goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import structlog

from catalog.errors import Conflict, InvalidInput, NotAllowed, NotFound, NotSignedIn, Unavailable, WeirError
from catalog.records import rfc3339
from policies.model import Subject
from policies.plan.prepare import Preparer
from views.declared import ViewSpec
from views.durations import span
from views.model import State, StreamPlan
from views.ports import Clusters, Journal, ServingTable, StreamEngine, StreamingQuery, Topics, TopicSettings, ViewStates
from views.runner.build import Built, built, start_of
from views.runner.feed import Feed
from views.runner.result import inherited
from views.runner.state import Generation, ViewState, behind, error_json
from views.settings import ViewSettings

_log = structlog.get_logger(__name__)
PRIVATE_TOPIC = "_weir.views."
_MOST_PARTITIONS = 12
_FIRST_PAUSE_S = 1.0
_SAVE_S = 1.0
_LOOK_S = 0.5
_ENDS_ACCESS = (NotAllowed, NotSignedIn)


@dataclass(frozen=True, slots=True)
class Declared:
    """A view as it is declared now. `digest` changes with the spec."""

    spec: ViewSpec
    digest: str


@dataclass(frozen=True, slots=True)
class Tools:
    """What every view works with.

    document  gives the declaration, None when it was deleted
    subject   a user or service account as they are now; raises NotSignedIn
    taken     the view that writes a topic already, if another does: (cluster, topic, view) -> name
    """

    document: Callable[[str], Declared | None]
    subject: Callable[[str], Subject]
    preparer: Preparer
    engine: StreamEngine
    topics: Topics
    clusters: Clusters
    serving: ServingTable
    states: ViewStates
    journal: Journal
    settings: ViewSettings
    checkpoints: str
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class Pause:
    """Growing pauses between tries that fail."""

    until: float = 0.0
    seconds: float = _FIRST_PAUSE_S

    def over(self, now: float) -> bool:
        return now >= self.until

    def grow(self, now: float, most: float) -> None:
        self.until, self.seconds = now + self.seconds, min(self.seconds * 2, most)


@dataclass(slots=True)
class View:
    """Not safe for threads: one thread steps it."""

    name: str
    tools: Tools
    state: ViewState = field(default_factory=ViewState)
    _built: Built | None = None
    _declared: Declared | None = None
    _query: StreamingQuery | None = None
    _feed: Feed | None = None
    _pause: Pause = field(default_factory=Pause)
    _decided: float = -1e9
    _looked: float = -1e9
    _asked: float = -1e9
    _saved: tuple[float, dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        self.state = ViewState.read(self.tools.states.get(self.name))

    def step(self) -> bool:
        """Do what is due; False when nothing was. Raises nothing: what fails is in the state."""
        try:
            busy = self._step()
        except _ENDS_ACCESS as error:
            self._end_access(error)
            busy = False
        except Unavailable as error:
            self._away(error)
            busy = False
        except WeirError as error:
            self._failed(error)
            busy = False
        self._save()
        return busy

    @property
    def over(self) -> bool:
        """Whether the view was deleted and nothing of it is left."""
        return not self.state.since

    def close(self) -> None:
        """End the stream; it goes on from its checkpoint when it is stepped again, here or elsewhere."""
        self._halt()

    # -- one step -----------------------------------------------------------------------------------------------------

    def _step(self) -> bool:
        now = self.tools.monotonic()
        if now - self._looked >= _LOOK_S:
            self._looked = now
            self._look()
        return self._work()

    def _look(self) -> None:
        """Compare what runs with what is declared, wished and decided."""
        self._bury()
        declared = self.tools.document(self.name)
        if declared is None:
            self._delete()
            return
        wish = self.tools.states.wish(self.name)
        if wish.get("paused", declared.spec.paused):
            self._halt()
            self._turn(State.PAUSED)
            return
        if int(wish.get("restart", 0)) > self.state.restart:
            self.state.restart = int(wish["restart"])
            self._halt()
            self._pause, self._declared = Pause(), None
            self._turn(State.RESTARTING)
        if self._pause.over(self.tools.monotonic()):
            self._settle(declared, int(wish.get("rebuild", 0)))
            self._run(declared)

    def _settle(self, declared: Declared, rebuild: int) -> None:
        """Decide again, where that is due, and turn to another generation where that is asked for."""
        now = self.tools.monotonic()
        changed = self._declared is None or declared.digest != self._declared.digest
        wanted = rebuild > self.state.rebuild
        if not changed and not wanted and now - self._decided < self.tools.settings.recheck_seconds:
            return
        subject = self.tools.subject(declared.spec.runAs.subject)
        made = built(declared.spec, self.tools.preparer, subject)
        self._decided, self._declared = now, declared
        writing = self.state.writing
        if changed and self.state.state in (State.FAILED, State.STOPPED):
            self._turn(State.STARTING)
        if writing is None:
            if not (self.state.state == State.STOPPED and self.state.error):
                self._begin(declared, made, "declared")
        elif wanted:
            self.state.rebuild = rebuild
            self._replace(declared, made, "asked for")
        elif writing.hash != made.generation:
            if writing.declared != declared.digest:
                self._replace(declared, made, "its declaration changed")
            elif declared.spec.onDecisionChange == "rebuild":
                self._replace(declared, made, f"what {subject.user} may see, or a source's type, changed")
            else:
                self._stop(f"What {subject.user} may see of the sources, or a type in them, changed.")
        elif self._built is not None and made.reads != self._built.reads:
            self._halt()  # the same generation, with the schemas of now
        self._built = made

    def _run(self, declared: Declared) -> None:
        """Have the stream of the written generation run."""
        writing, made = self.state.writing, self._built
        if self._query is not None or writing is None or made is None:
            return
        self.tools.serving.prepare(self.name, writing.id)
        self._query = self.tools.engine.start(
            self._plan(declared, made, writing.id, writing.cluster, writing.topic, writing.checkpoint)
        )
        self._feed = Feed(self.name, writing, self.tools)
        self._turn(State.CATCHING_UP)

    def _work(self) -> bool:
        """Move rows to the serving table, and see how far the stream is."""
        if self._query is None or self._feed is None:
            return False
        moved = self._feed.move()
        now = self.tools.monotonic()
        if now - self._asked >= _LOOK_S:
            self._asked = now
            status = self._query.progress()
            self._feed.note(status)
            self.state.counts, self.state.rates = self._feed.counts(status), self._feed.rates(status)
        if self._feed.look():
            self.state.lag = self._feed.lag()
            self._pause.seconds = _FIRST_PAUSE_S
            building = self.state.building
            if building is not None and behind(building.goal, self._feed.contained) == 0:
                self._swap(building)
            self._turn(State.RUNNING if self.state.building is None and self._feed.current() else State.CATCHING_UP)
        return moved

    # -- generations --------------------------------------------------------------------------------------------------

    def _begin(self, declared: Declared, made: Built, why: str) -> None:
        """Make room for a generation, and note it before anything is written to it."""
        tools, spec = self.tools, declared.spec
        number = self.state.number + 1
        first = made.tables[0].table
        cluster = spec.sink.cluster if spec.sink is not None else made.sources[0].partition("/")[0]
        kafka = tools.clusters.client(cluster)
        topic = spec.sink.topic if spec.sink is not None else f"{PRIVATE_TOPIC}{self.name}.{number}"
        identity = f"{number}-{made.generation}"
        checkpoint = f"{tools.checkpoints.rstrip('/')}/{self.name}/{number}"
        schema = tools.engine.columns(self._plan(declared, made, identity, cluster, topic, checkpoint))
        partitions = _MOST_PARTITIONS
        for reference in made.sources[:1]:
            source = tools.clusters.client(reference.partition("/")[0])
            partitions = min(_MOST_PARTITIONS, max(1, tools.topics.partitions(source, first.topic)))
        self._room(spec, kafka, topic, partitions)
        goal = {}
        for each, table in zip(made.prepared.tables.values(), made.tables, strict=True):
            source = tools.clusters.client(each.table.reference.partition("/")[0])
            goal[table.table.topic] = dict(tools.topics.ends(source, table.table.topic))
        names = [name for name, _ in schema]
        self.state.number = number
        generation = Generation(
            id=identity, number=number, declared=declared.digest, cluster=cluster, topic=topic,
            private=spec.sink is None, begins=dict(tools.topics.ends(kafka, topic)), goal=goal, checkpoint=checkpoint,
            columns=[[name, kind] for name, kind in schema], keys=list(made.shape.key), single=made.shape.single,
            sources=list(made.sources), reads=made.reads, created=rfc3339(tools.clock()) or "", why=why,
            tags=inherited(made.prepared, names),
        )  # fmt: skip
        if self.state.active is None:
            self.state.active = generation
        else:
            self.state.building = generation
        self._turn(State.STARTING)
        self._save(now=True)
        tools.journal("view.start", self.name, [f"generation {generation.number}: {why}"])

    def _room(self, spec: ViewSpec, kafka: Mapping[str, str], topic: str, partitions: int) -> None:
        """The topic of a new generation. Raises Conflict for one that holds what is not this view's."""
        sink, ttl = spec.sink, spec.ttl
        wanted = TopicSettings(
            partitions=(sink.partitions if sink is not None else None) or partitions,
            replication=(sink.replication if sink is not None else None) or 1,
            compacted=sink is None or sink.cleanup == "compact",
            ttl_ms=int(span(ttl).total_seconds() * 1000) if ttl is not None else None,
        )
        created = self.tools.topics.ensure(kafka, topic, wanted)
        ours = any(each is not None and each.topic == topic for each in (self.state.active, *self.state.retired))
        if created or ours or sink is None:
            return
        if self.tools.topics.ends(kafka, topic) != self.tools.topics.starts(kafka, topic):
            raise Conflict(
                f"The topic {sink.cluster}/{topic} holds records that are not this view's; name another topic in sink,"
                " or delete that one.",
                details={"topic": f"{sink.cluster}/{topic}"},
            )

    def _replace(self, declared: Declared, made: Built, why: str) -> None:
        """Stop the old generation, and build another beside its rows."""
        self._halt()
        if self.state.building is not None:
            self.state.retired.append(self.state.building)
            self.state.building = None
        self._save(now=True)
        self._begin(declared, made, why)

    def _swap(self, building: Generation) -> None:
        """Readers get the new generation from now on; the old one is deleted."""
        if self.state.active is not None:
            self.state.retired.append(self.state.active)
        self.state.active, self.state.building = building, None
        self._save(now=True)
        self.tools.journal(
            "view.replace", self.name, [f"generation {building.number} replaces the one before: {building.why}"]
        )

    def _bury(self) -> None:
        """Delete what retired generations left: state, rows, and the records of their topic."""
        while self.state.retired:
            old = self.state.retired[0]
            tools = self.tools
            rows = tools.serving.drop(self.name, old.id)
            tools.engine.forget(old.checkpoint)
            kafka = tools.clusters.client(old.cluster)
            heirs = [each for each in (self.state.active, self.state.building) if each is not None]
            if old.private:
                tools.topics.delete(kafka, old.topic)
            elif tools.topics.partitions(kafka, old.topic):
                after = next((each.begins for each in heirs if each.topic == old.topic), None)
                tools.topics.cut(kafka, old.topic, after if after is not None else tools.topics.ends(kafka, old.topic))
            self.state.retired.pop(0)
            self._save(now=True)
            tools.journal(
                "view.drop", self.name, [f"generation {old.number}: {rows} rows, its state and its records deleted"]
            )

    def _delete(self) -> None:
        """The view is not declared any more: nothing of it stays, but an output topic that others read."""
        self._halt()
        self.state.retired += [each for each in (self.state.active, self.state.building) if each is not None]
        self.state.active = self.state.building = None
        self._save(now=True)
        self._bury()
        self.tools.states.forget(self.name)
        self.state, self._saved = ViewState(), None

    # -- ends ---------------------------------------------------------------------------------------------------------

    def _stop(self, sentence: str) -> None:
        self._retire_all()
        self._turn(
            State.STOPPED,
            Conflict(f"{sentence} Its rows were deleted; weir view rebuild {self.name} builds them again."),
        )
        self.tools.journal("view.stop", self.name, [sentence])

    def _end_access(self, error: WeirError) -> None:
        """Whom the view runs as may not read a source: state that was computed under the old right is deleted."""
        if self.state.writing is not None:
            self.tools.journal("view.stop", self.name, [error.message])
        self._retire_all()
        self._pause.until = self.tools.monotonic() + self.tools.settings.recheck_seconds
        self._turn(State.FAILED, error)

    def _retire_all(self) -> None:
        self._halt()
        self.state.retired += [each for each in (self.state.active, self.state.building) if each is not None]
        self.state.active = self.state.building = None

    def _failed(self, error: WeirError) -> None:
        """What does not pass by itself, mostly: tried again after a growing pause, unless a person has to act."""
        self._halt()
        self._pause.grow(self.tools.monotonic(), self.tools.settings.restart_most_seconds)
        self._turn(State.FAILED if _needs_somebody(error) else State.RESTARTING, error)

    def _away(self, error: WeirError) -> None:
        self._halt()
        self._pause.grow(self.tools.monotonic(), self.tools.settings.restart_most_seconds)
        self.state.restarts += self.state.state not in (State.RESTARTING, State.STARTING)
        self._turn(State.RESTARTING, error)

    def _halt(self) -> None:
        """End the stream, if it runs. An engine that is away has no stream to end."""
        query, self._query = self._query, None
        feed, self._feed = self._feed, None
        if feed is not None:
            feed.close()
        if query is not None:
            try:
                query.stop()
            except WeirError as error:
                _log.warning("view_not_stopped", view=self.name, message=error.message)

    # -- what is kept -------------------------------------------------------------------------------------------------

    def _plan(
        self, declared: Declared, made: Built, generation: str, cluster: str, topic: str, checkpoint: str
    ) -> StreamPlan:
        return StreamPlan(
            view=self.name, generation=generation, sql=made.sql, tables=made.tables, mode=made.shape.mode,
            keys=made.shape.key, start=start_of(declared.spec), topic=topic, kafka=self.tools.clusters.spark(cluster),
            checkpoint=checkpoint, trigger=span(declared.spec.trigger), most_offsets=self.tools.settings.batch_records,
        )  # fmt: skip

    def _turn(self, state: State, error: WeirError | None = None) -> None:
        shown = error_json(error) if error is not None else None
        if state is State.RUNNING or error is not None or state in (State.PAUSED, State.STARTING):
            self.state.error = shown
        if self.state.state != state:
            self.state.state, self.state.since = state, rfc3339(self.tools.clock()) or ""

    def _save(self, now: bool = False) -> None:
        """Keep the state when it differs; figures alone are kept once in a while."""
        if not self.state.since and self.state.writing is None and self._saved is None and not self.state.error:
            return
        made, moment = self.state.to_json(), self.tools.monotonic()
        if not now and self._saved is not None:
            before = self._saved
            figures = {"lag": None, "rates": None, "counts": None}
            if before[1] == made or (moment - before[0] < _SAVE_S and before[1] | figures == made | figures):
                return
        try:
            self.tools.states.put(self.name, made)
        except Unavailable as error:
            if now:
                raise
            _log.warning("view_state_not_kept", view=self.name, message=error.message)
            return
        self._saved = moment, made


def _needs_somebody(error: WeirError) -> bool:
    """Whether the error stays until the declaration, the topic or the catalog is changed."""
    return isinstance(error, (InvalidInput, Conflict, NotFound)) or error.details.get("condition") in (
        "data-loss", "state", "topic", "access",
    )  # fmt: skip
