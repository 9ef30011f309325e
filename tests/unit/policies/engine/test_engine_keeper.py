"""An engine that dies, hangs, fills its heap or continues with what was stopped: who waits is answered by our own clock."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from catalog.errors import LimitExceeded, Unavailable
from policies.engine.blame import Blame
from policies.engine.engine import KeptEngine
from policies.engine.keeper import EngineState, Keeper
from policies.engine.memory import out_of_memory
from policies.plan.cancellation import Stop
from policies.plan.errors import QueryCancelled
from policies.plan.model import QueryPlan, Result, ResultColumn, Unreadable
from policies.plan.ports import EngineHeap, EngineThreads, ThreadTime
from policies.plan.settings import QuerySettings
from tests import waiting

HEAVY = "SELECT sum(id) FROM range(100000)"
ROWS = Result((ResultColumn("n", "int"),), [[1]], False)


class Process:
    """A process that does as it is set (`policies.plan.ports.EngineProcess`)."""

    def __init__(self) -> None:
        self.lives, self.ours, self.answers = True, True, True
        self.full: EngineHeap | None = None
        self.works: frozenset[int] = frozenset()
        self.plans: frozenset[str] = frozenset()
        self.pace = 1.0
        self.replaced: list[float] = []
        self.starts = True

    def local(self) -> bool:
        return self.ours

    def alive(self) -> bool:
        return self.lives

    def answer(self) -> None:
        while not self.answers:
            time.sleep(0.02)
        if not self.lives:
            raise Unavailable("away")

    def heap(self) -> EngineHeap | None:
        return self.full

    def threads(self) -> EngineThreads:
        used = ThreadTime(self.pace * time.monotonic())
        return EngineThreads(dict.fromkeys(self.works, used), dict.fromkeys(self.plans, used))

    def starved(self) -> bool:
        return False

    def replace(self) -> bool:
        self.replaced.append(time.monotonic())
        self.lives, self.answers, self.full = self.starts, True, None
        self.works, self.plans = frozenset(), frozenset()
        return True

    def forget(self) -> None: ...


class Engine:
    """An engine that works until it is let, deaf to being stopped unless it `hears`."""

    def __init__(self) -> None:
        self.let = threading.Event()
        self.begun = threading.Semaphore(0)
        self.hears, self.empty = False, False
        self.error: Exception | None = None

    def run(self, plan: QueryPlan) -> Result:
        self.begun.release()
        while not self.let.wait(0.01):
            if self.hears:
                plan.stop.check()
        if self.error is not None:
            raise self.error
        return ROWS

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        self.run(plan)
        return [("n", "int")]

    @contextmanager
    def open(self, plan: QueryPlan) -> Iterator[Any]:
        yield Batches(self, plan)


class Batches:
    schema: None = None
    columns: tuple[ResultColumn, ...] = ()
    limit: str | None = None
    unreadable: Unreadable | None = None

    def __init__(self, engine: Engine, plan: QueryPlan) -> None:
        self.engine, self.plan = engine, plan

    def rows(self, batches: Any) -> Any:
        return batches

    def __iter__(self) -> Iterator[int]:
        yield from range(0 if self.engine.empty else 5)
        self.engine.run(self.plan)
        yield 5


class World:
    def __init__(self, **settings: Any) -> None:
        self.process, self.engine = Process(), Engine()
        chosen = {"engine_wait_seconds": 0.3, "engine_stop_seconds": 0.5} | settings
        self.again = threading.Event()
        blame = Blame(lambda: datetime.now(UTC), 600)
        self.keeper = Keeper(self.process, blame, QuerySettings(**chosen), self.again.set)
        self.kept = KeptEngine(self.engine, self.keeper)
        self.keeper.start()
        until(lambda: self.keeper.state() is EngineState.READY)

    def plan(self, sql: str = HEAVY, seconds: float = 30, stop: Stop | None = None) -> QueryPlan:
        return QueryPlan(sql, (), 10, seconds, stop=stop or Stop("q"), asker="ana")

    def running(self, plan: QueryPlan) -> Asked:
        asked = Asked(lambda: self.kept.run(plan))
        assert self.engine.begun.acquire(timeout=5)
        return asked


class Asked(threading.Thread):
    """Somebody who asked and waits."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.ask, self.at = ask, 0.0
        self.result: Any = None
        self.error: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self.result = self.ask()
        except Exception as error:
            self.error = error
        self.at = time.monotonic()

    def ended(self, seconds: float) -> Any:
        self.join(seconds)
        assert not self.is_alive(), f"it waits for more than {seconds} seconds"
        return self.error if self.error is not None else self.result


def until(condition: Callable[[], object], seconds: float = 8) -> None:
    waiting.until(condition, seconds=seconds, every=0.01)


@pytest.fixture
def make() -> Iterator[Callable[..., World]]:
    worlds: list[World] = []

    def world(**settings: Any) -> World:
        worlds.append(World(**settings))
        return worlds[-1]

    yield world
    for each in worlds:
        each.keeper.close()
        each.engine.let.set()


Make = Callable[..., World]


def test_an_answer_comes_through(make: Make) -> None:
    world = make()
    world.engine.let.set()
    assert world.kept.run(world.plan()) is ROWS
    assert world.kept.check(world.plan()) == [("n", "int")]
    with world.kept.open(world.plan()) as batches:
        assert list(batches) == [0, 1, 2, 3, 4, 5]


def test_a_deaf_engine_holds_nobody_above_the_limit(make: Make) -> None:
    world = make(engine_stop_seconds=30)
    begun = time.monotonic()
    with pytest.raises(LimitExceeded) as caught:
        world.kept.run(world.plan(seconds=0.3))
    assert caught.value.details == {"limit": "seconds", "seconds": 0.3}
    assert time.monotonic() - begun < 2.5
    with pytest.raises(LimitExceeded), world.kept.open(world.plan(seconds=0.3)) as batches:
        list(batches)


def test_who_leaves_a_stream_early_does_not_wait(make: Make) -> None:
    world = make(engine_stop_seconds=30)
    begun = time.monotonic()
    with world.kept.open(world.plan()) as batches:
        assert next(iter(batches)) == 0
    assert time.monotonic() - begun < 2


def test_the_queries_of_an_engine_that_died_are_answered_at_once_and_it_is_started_again(make: Make) -> None:
    world = make()
    asked = [world.running(world.plan()) for _ in range(3)]
    died = time.monotonic()
    world.process.lives = False
    for each in asked:
        error = each.ended(2)
        assert isinstance(error, Unavailable) and each.at - died < 2
        assert "was stopped by a query and is starting again" in error.message
        assert error.details["retryAfter"] >= 1
    assert world.again.wait(5) and len(world.process.replaced) == 1
    world.engine.let.set()
    assert world.kept.run(world.plan("SELECT 1")) is ROWS


def test_the_error_of_a_broken_stream_is_that_of_the_end(make: Make) -> None:
    """The stream breaks before the next look at the process."""
    world = make()
    asked = world.running(world.plan())
    world.process.lives = False
    world.engine.error = Unavailable("The query engine does not answer; try again in a moment.")
    world.engine.let.set()
    assert "is starting again" in asked.ended(2).message


@pytest.mark.parametrize(
    ("sql", "error"),
    [(HEAVY, "ran out of memory; ask for fewer"), ("SELECT 1", "is short of memory; ask again in 2 seconds")],
)
def test_only_what_can_be_heavy_is_blamed_for_a_full_heap(make: Make, sql: str, error: str) -> None:
    world = make()
    asked = world.running(world.plan(sql))
    world.engine.error = out_of_memory()
    world.engine.let.set()
    outcome = asked.ended(2)
    assert error in outcome.message
    assert isinstance(outcome, LimitExceeded) is (sql == HEAVY)
    assert outcome.details["limit" if sql == HEAVY else "retryAfter"] == ("memory" if sql == HEAVY else 2)
    assert not world.process.replaced


def test_new_queries_wait_a_little_for_a_starting_engine_and_then_get_an_answer(make: Make) -> None:
    world = make()
    world.process.starts = False
    world.process.lives = False
    until(lambda: world.keeper.state() is EngineState.STARTING)
    begun = time.monotonic()
    with pytest.raises(Unavailable) as caught:
        world.kept.run(world.plan())
    assert 0.2 < time.monotonic() - begun < 2
    assert caught.value.details["retryAfter"] >= 1
    with pytest.raises(Unavailable, match=r"starting again|started again"):
        world.keeper.check()


def test_an_engine_that_dies_at_each_start_is_not_started_in_a_tight_loop(make: Make) -> None:
    world = make()
    world.process.starts = False
    world.process.lives = False
    time.sleep(1.5)
    assert 2 <= len(world.process.replaced) <= 3


@pytest.mark.parametrize("way", ["cancelled", "expired"])
def test_an_engine_that_does_not_stop_a_query_is_replaced(make: Make, way: str) -> None:
    world = make()
    world.process.plans = frozenset({"one"})
    beside = world.running(world.plan("SELECT beside"))
    stop = Stop("q")
    asked = world.running(world.plan(seconds=30 if way == "cancelled" else 0.2, stop=stop))
    if way == "cancelled":
        stop.stop("was cancelled by ana")
    assert isinstance(asked.ended(6), QueryCancelled if way == "cancelled" else LimitExceeded)
    assert world.engine.begun.acquire(timeout=6), "what ran beside is asked again"
    world.engine.let.set()
    assert beside.ended(6) is ROWS
    assert len(world.process.replaced) == 1


@pytest.mark.parametrize("kind", ["statement", "task"])
def test_what_waits_for_a_processor_is_given_five_times_as_long_to_stop(make: Make, kind: str) -> None:
    """Neither has worked since it was asked to stop."""
    world = make()
    world.process.pace = 0.0
    world.engine.hears = kind == "task"
    stop = Stop("q")
    asked = world.running(world.plan(stop=stop))
    world.process.works, world.process.plans = frozenset({1}), frozenset({"one"})
    begun = time.monotonic()
    stop.stop("was cancelled by ana")
    assert isinstance(asked.ended(2), QueryCancelled)
    until(lambda: world.process.replaced)
    assert world.process.replaced[0] - begun > 2.5


def test_a_stream_beside_what_does_not_stop_begins_again_where_nothing_of_it_was_given(make: Make) -> None:
    world = make()
    world.process.plans = frozenset({"one"})
    read: list[object] = []

    def stream() -> list[object]:
        with world.kept.open(world.plan("SELECT beside")) as batches:
            read.append(batches.columns)
            return list(batches)

    world.engine.empty = True
    beside = Asked(stream)
    assert world.engine.begun.acquire(timeout=5)
    stop = Stop("q")
    world.running(world.plan(stop=stop))
    stop.stop("was cancelled by ana")
    assert world.engine.begun.acquire(timeout=6), "it is asked again"
    world.engine.let.set()
    assert beside.ended(6) == [5] and len(read) == 1


def test_an_engine_that_stops_a_query_in_time_is_left_alone(make: Make) -> None:
    world = make()
    world.engine.hears = True
    stop = Stop("q")
    asked = world.running(world.plan(stop=stop))
    stop.stop("was cancelled by ana")
    assert "cancelled by ana" in asked.ended(2).message
    time.sleep(1)
    assert world.process.replaced == []


def test_tasks_that_outlive_their_query_are_found_although_the_query_ended(make: Make) -> None:
    world = make()
    world.engine.hears = True
    stop = Stop("q")
    asked = world.running(world.plan(stop=stop))
    world.process.works = frozenset({1, 2})
    stop.stop("was cancelled by ana")
    assert isinstance(asked.ended(2), QueryCancelled)
    until(lambda: world.process.replaced)


def test_tasks_that_may_be_those_of_a_query_that_runs_are_left_alone(make: Make) -> None:
    world = make()
    world.engine.hears = True
    beside = world.running(world.plan("SELECT beside"))
    stop = Stop("q")
    asked = world.running(world.plan(stop=stop))
    world.process.works = frozenset({1, 2})
    stop.stop("was cancelled by ana")
    assert isinstance(asked.ended(2), QueryCancelled)
    time.sleep(2.5)
    assert world.process.replaced == [] and beside.is_alive()


def test_an_engine_that_does_not_answer_the_smallest_query_is_replaced(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[Keeper.__module__], "_SLOW_SECONDS", 0.5)
    world = make(engine_answer_seconds=5)
    world.process.answers = False
    until(lambda: world.keeper.state() is EngineState.STUCK, 12)
    with pytest.raises(Unavailable, match="stuck"):
        world.keeper.check()
    until(lambda: world.process.replaced, 12)
    assert world.again.wait(5)
    world.keeper.check()


def test_the_heaviest_query_is_stopped_before_the_heap_is_full(make: Make) -> None:
    world = make()
    world.engine.hears = True
    oldest = world.running(world.plan())
    later = world.running(world.plan("SELECT sum(id) FROM range(7)"))
    light = world.running(world.plan("SELECT 1"))
    for number in range(1, 4):
        world.process.full = EngineHeap(0.95, number, 0.1)
        time.sleep(0.5)
    error = oldest.ended(3)
    assert isinstance(error, LimitExceeded) and error.details == {"limit": "memory"}
    assert later.is_alive() and light.is_alive() and world.process.replaced == []


def test_a_full_heap_that_a_collection_empties_stops_nothing(make: Make) -> None:
    world = make()
    asked = world.running(world.plan())
    for number, share in enumerate((0.95, 0.4, 0.97, 0.3), 1):
        world.process.full = EngineHeap(share, number, 0.1)
        time.sleep(0.3)
    assert asked.is_alive()


def test_a_statement_that_ran_at_two_ends_is_refused_and_what_ran_beside_is_not(make: Make) -> None:
    world = make()
    beside = world.running(world.plan("SELECT 1"))
    for count in (1, 2):
        bad = world.running(world.plan())
        world.process.lives = False
        assert isinstance(bad.ended(3), Unavailable)
        until(lambda count=count: len(world.process.replaced) == count)  # type: ignore[misc]
        until(lambda: world.keeper.state() is EngineState.READY)
        if count == 1:
            assert world.engine.begun.acquire(timeout=5), "it is asked once more"
    assert isinstance(beside.ended(3), Unavailable), "and not twice"
    world.engine.let.set()
    with pytest.raises(LimitExceeded, match="refused until"):
        world.kept.run(world.plan())
    assert world.kept.run(world.plan("SELECT 1")) is ROWS


def test_an_engine_on_a_cluster_is_reported_and_left_alone(make: Make) -> None:
    world = make()
    world.process.ours = False
    asked = world.running(world.plan())
    world.process.lives = False
    until(lambda: world.keeper.state() is EngineState.AWAY)
    world.engine.error = Unavailable("away")
    world.engine.let.set()
    assert "stopped while it ran the query" in asked.ended(2).message
    assert world.process.replaced == []
    world.process.lives = True
    until(lambda: world.keeper.state() is EngineState.READY)
