"""The beat of a push query: when its events go out shows nothing of records that a row filter hides."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from policies.plan.cancellation import Stop
from policies.plan.model import Result, ResultColumn, Window
from policies.plan.prepare import PreparedQuery
from policies.plan.registry import Running
from policies.plan.unreadable import UnreadableReport
from policies.query.running_access import Access
from policies.query.stream import Beat, Stream
from policies.query.stream_events import StreamEvent
from policies.sql.windows import AsOf
from tests.unit.policies.query.test_query import ANA, World


@dataclass
class Metronome(Beat):
    """A beat that the test gives, one by one."""

    asked: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    given: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    over: bool = False

    def wait(self) -> None:
        self.asked.release()
        assert self.given.acquire(timeout=60)


@dataclass
class Followed:
    """A push query over a topic whose new records are hidden, or show, and whose engine ends when the test lets it."""

    shows: bool
    world: World = field(default_factory=World)
    running: threading.Event = field(default_factory=threading.Event)
    let_on: threading.Event = field(default_factory=threading.Event)
    beat: Metronome = field(default_factory=Metronome)
    events: list[StreamEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        service = self.world.service()
        gated = service.trail.gate(ANA, "SELECT id FROM orders EMIT CHANGES", None, "query.stream")
        prepared = service.preparer.govern(gated, service.preparer.find(ANA, gated, None))
        service.preparer.look(prepared)
        live = Running("q-1", ANA.user, "", None, Stop())
        access = Access(service.preparer, ANA, prepared, live, 60.0, fixed=False)
        self.stream = Stream(
            access,
            service.preparer,
            self.world.topics,
            self._run,
            lambda *_: [],
            self.world.settings,
            lambda *_: UnreadableReport(),
            live.stop,
            [],
            self.beat,
        )
        self.follow = self.stream.follow(prepared)
        self.taker = threading.Thread(target=self._take, daemon=True)
        self.taker.start()

    def _run(self, prepared: PreparedQuery, rows: int) -> Result:
        self.running.set()
        assert self.let_on.wait(30)
        return Result((ResultColumn("id", "string"),), [["o9"]] if self.shows else [], False)

    def _take(self) -> None:
        for event in self.follow:
            self.events.append(event)
            if self.beat.over:
                return

    def close(self) -> None:
        """Let the follower go at its next event."""
        self.beat.over = True
        self.let_on.set()
        for _ in range(4):
            self.beat.given.release()
        self.taker.join(30)
        assert not self.taker.is_alive()
        self.stream._closed.set()

    def arrive(self) -> None:
        self.world.topics.topics["orders"].append({"key": "k", "value": {"id": "o9"}})
        assert self.running.wait(30), "the engine reads what arrived"

    def beats(self, count: int) -> list[str]:
        """What goes out in so many beats."""
        before = len(self.events)
        for _ in range(count):
            assert self.beat.asked.acquire(timeout=30)
            self.beat.given.release()
        # The next wait shows that the beat before is over.
        assert self.beat.asked.acquire(timeout=30)
        self.beat.asked.release()
        return [event["type"] for event in self.events[before:]]

    def computed(self) -> None:
        """Wait until what the engine gave was looked at: it looks for what is new again."""
        looked = threading.Event()
        window = self.world.topics.window

        def looking(kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
            looked.set()
            return window(kafka, topic, as_of, limit)

        self.world.topics.window = looking  # type: ignore[method-assign]
        self.let_on.set()
        assert looked.wait(30)


def beats_around_arrivals(shows: bool) -> Iterator[list[str]]:
    followed = Followed(shows)
    yield followed.beats(4)
    followed.arrive()
    yield followed.beats(4)  # the engine is at it
    followed.computed()
    yield followed.beats(4)
    followed.close()


def test_hidden_records_do_not_move_the_beat() -> None:
    quiet = Followed(False)
    alone = [quiet.beats(4) for _ in range(3)]
    quiet.close()
    assert alone == [["idle", "idle"]] * 3
    assert list(beats_around_arrivals(False)) == alone, "neither while they are read nor after"


def test_records_that_show_go_out_at_a_beat() -> None:
    before, during, after = beats_around_arrivals(True)
    assert before == during == ["idle", "idle"]
    assert after == ["rows", "idle"]


def test_whoever_stops_following_stops_the_engine() -> None:
    world = World()
    service = world.service()
    events = service.stream(ANA, "SELECT * FROM orders EMIT CHANGES")
    assert next(events)["type"] == "columns"
    events.close()
    followed = Followed(True)
    gated = service.trail.gate(ANA, "SELECT id FROM orders EMIT CHANGES", None, "query.stream")
    prepared = service.preparer.govern(gated, service.preparer.find(ANA, gated, None))
    live = Running("q-1", ANA.user, "", None, Stop())
    stream = Stream(
        Access(service.preparer, ANA, prepared, live, 60.0, fixed=False),
        service.preparer,
        world.topics,
        followed._run,
        lambda *_: [],
        world.settings,
        lambda *_: UnreadableReport(),
        live.stop,
        [],
        Beat(0.01),
    )
    service.preparer.look(prepared)
    following = stream.follow(prepared)
    assert next(following)["type"] == "idle"
    following.close()  # type: ignore[attr-defined]
    assert stream.stop.stopped and stream._closed.is_set()
    followed.close()


def test_a_beat_is_even_and_leaves_out_what_was_missed(monkeypatch: Any) -> None:
    now = [100.0]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(round(seconds, 6))
        now[0] += seconds

    monkeypatch.setattr("policies.query.stream.time.monotonic", lambda: now[0])
    monkeypatch.setattr("policies.query.stream.time.sleep", sleep)
    beat = Beat(0.5, 100.0)
    beat.wait()
    now[0] += 0.2
    beat.wait()
    now[0] += 1.2  # two beats were missed
    beat.wait()
    assert slept == [0.5, 0.3, 0.3] and round(now[0], 6) == 102.5
