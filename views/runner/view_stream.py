"""The stream of one view: started for the generation that is written, worked, ended."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from uuid import uuid4

import structlog

from catalog.errors import WeirError
from catalog.records import rfc3339
from views.durations import span
from views.model import State
from views.runner.build import Built
from views.runner.compacted import Compaction
from views.runner.due import Due
from views.runner.figures import REST_SAMPLE_S, SAMPLE_S, sampled
from views.runner.generations import Generations
from views.runner.record import Record
from views.runner.running import RunningStream, start
from views.runner.state import ViewState, behind
from views.runner.tools import DeclaredView, Pause, Tools

_log = structlog.get_logger(__name__)
LOOK_S = 0.5
"""Between two looks at a view."""
_ASK_S = 10.0
"""Between two questions to the engine where the sources have nothing that the rows do not contain."""


@dataclass(slots=True)
class ViewStream:
    """Not safe for threads. What it knows is in a `Record`, which is kept before anything is done that rests on it."""

    name: str
    tools: Tools
    record: Record = field(init=False)
    _generations: Generations = field(init=False)
    _compaction: Compaction = field(init=False)
    _built: Built | None = None
    _declared: DeclaredView | None = None
    _stream: RunningStream | None = None
    _pause: Pause = field(default_factory=Pause)
    _due: Due = field(default_factory=Due)
    _barred: tuple[str, str, str] | None = None
    """What ended at a value, and would end there again, having written what is before it once more."""

    def __post_init__(self) -> None:
        self.record = Record(self.name, self.tools)
        self._generations = Generations(self.name, self.tools, self.record)
        self._compaction = Compaction(self.tools.topics, self.tools.clusters)
        if self.state.state in (State.RUNNING, State.CATCHING_UP):  # as another runner left it
            self.record.turn(State.RESTARTING)

    @property
    def state(self) -> ViewState:
        return self.record.state

    @property
    def waits(self) -> bool:
        """Whether a step waits for records itself."""
        return self._stream is not None

    def close(self) -> None:
        """End the stream; it continues from its checkpoint when the view is stepped again, here or elsewhere."""
        stream, self._stream = self._stream, None
        if stream is None:
            return
        stream.feed.close()
        try:
            stream.query.stop()
            self.state.session = ""
        except WeirError as error:  # it is ended by its session, once the engine is back
            _log.warning("view_not_stopped", view=self.name, message=error.message)

    def _end_left_over(self) -> None:
        """A runner that was killed, or an engine that did not answer, has left a stream behind, under a decision that may
        have ended since. Raises Unavailable: then nothing else of the view is done."""
        if self.state.session:
            self.tools.engine.end(self.state.session)
            self.state.session = ""
            self.record.save(now=True)

    def _stop(self) -> None:
        """Have no stream run. Raises Unavailable."""
        self.close()
        self._end_left_over()

    def _run(self, declared: DeclaredView) -> None:
        """Have the stream of the written generation run."""
        writing, current = self.state.writing, self._built
        if self._stream is not None or writing is None or current is None or writing.hash != current.generation:
            return
        if self._barred == (declared.digest, writing.id, current.reads):
            return
        self.tools.serving.prepare(self.name, writing.id)
        self.state.session, self.state.runs = str(uuid4()), self.state.runs + 1
        self.record.save(now=True)
        plan = self._generations.plan(declared, current, writing)
        if plan.copy_to:
            kafka = self.tools.clusters.client(writing.cluster)
            plan = replace(plan, compacted=bool(self.tools.topics.compacted(kafka, writing.topic)))
        ttl = span(declared.spec.ttl) if declared.spec.ttl is not None else None
        self._stream = start(self.name, writing, plan, ttl, self.state.session, self.state.letters, self.tools)
        self.record.turn(State.CATCHING_UP)

    def _work(self) -> bool:
        """Move rows to the serving table, and see how far the stream is."""
        if self._stream is None:
            return False
        feed = self._stream.feed
        moved = feed.move()
        now = self.tools.monotonic()
        if now - self._due.asked >= (_ASK_S if not moved and self._is_caught_up else LOOK_S):
            self._due.asked = now
            self.state.counts, self.state.rates = self._stream.look(self.state.letters)
        if feed.look():
            self._due.behind = now
            self.state.lag = feed.lag()
            self._sample(now)
            self._pause = Pause()
            building = self.state.building
            if building is not None and behind(building.goal, feed.contained) == 0:
                self._generations.swap()
            up_to_date = self.state.building is None and feed.current()
            self.record.turn(State.RUNNING if up_to_date else State.CATCHING_UP)
        return moved

    @property
    def _is_caught_up(self) -> bool:
        """Whether the rows have everything."""
        return self.state.state == State.RUNNING and self.state.lag.get("records") == 0

    @property
    def _rests(self) -> bool:
        """Whether the rows have everything, and nothing came lately."""
        rates = self.state.rates
        return self._is_caught_up and not rates.get("recordsInPerSecond") and not rates.get("rowsOutPerSecond")

    def _sample(self, now: float) -> None:
        if now - self._due.sampled >= (REST_SAMPLE_S if self._rests else SAMPLE_S):
            self._due.sampled = now
            at = rfc3339(self.tools.clock()) or ""
            self.state.history = sampled(self.state.history, at, self.state.lag, self.state.rates)
