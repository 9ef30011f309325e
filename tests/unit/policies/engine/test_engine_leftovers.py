"""What ignores a stop, judged from looks at the engine's threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.engine.jobs import Job
from policies.engine.leftovers import LONGEST, Leftovers
from policies.plan.cancellation import Stop
from policies.plan.model import QueryPlan
from policies.plan.ports import EngineThreads, ThreadTime

SECONDS = 10.0
OPERATION = "0b1e7a52-1f0c-4c59-8f7e-2a8c4f1d9e11"
OTHER = "7a52-other"


class Times:
    """Looks once a second at threads that use and wait as they are set; in seconds of a clock of its own."""

    def __init__(self) -> None:
        self.now = 0.0
        self.leftovers = Leftovers(SECONDS, lambda: self.now)

    def ended_after(
        self,
        seconds: int,
        threads: Callable[[float], EngineThreads | None],
        running: list[Job],
        patience: float = 1.0,
    ) -> float | None:
        """When the engine is first taken to ignore a stop; None within so many seconds."""
        for second in range(seconds):
            self.now = float(second)
            deaf, left = self.leftovers.look(lambda: threads(self.now), running, patience=patience)
            if deaf or left:
                return self.now
        return None


def job(operations: Mapping[str, object] | None = None) -> Job:
    stopped = Job(QueryPlan("SELECT 1", (), 10, 60.0, stop=Stop("q"), asker="ana"), SECONDS)
    stopped.stop.reached(operations or ())
    return stopped


def tasks(**shares: float) -> Callable[[float], EngineThreads]:
    """One task, of which a thread uses and waits for these shares of each second."""
    return lambda now: EngineThreads({1: ThreadTime(now * shares["used"], now * shares["waited"])}, {})


def test_a_task_that_uses_a_processor_has_as_long_as_it_may_continue() -> None:
    times = Times()
    times.leftovers.suspect(job())
    assert times.ended_after(60, tasks(used=1.0, waited=0.0), []) == SECONDS


def test_a_task_that_waits_for_a_processor_has_as_much_of_one_and_not_of_the_clock() -> None:
    """Beside twenty loops on two processors: a tenth of one."""
    times = Times()
    times.leftovers.suspect(job())
    assert times.ended_after(90, tasks(used=0.1, waited=0.9), []) is None
    times.leftovers.suspect(job())
    assert times.ended_after(150, tasks(used=0.1, waited=0.9), []) is not None


@given(used=st.floats(0, 1), idle=st.floats(0, 1))
def test_nothing_is_ended_sooner_than_its_work_or_its_standing_still_allows(used: float, idle: float) -> None:
    idle = idle * (1 - used)
    times = Times()
    times.leftovers.suspect(job())
    at = times.ended_after(120, tasks(used=used, waited=1 - used - idle), [])
    if at is not None:
        assert at * used >= SECONDS - 1e-6 or at * (used + idle) > SECONDS * LONGEST - 1e-6


def test_what_stands_still_has_longer_where_others_have_the_processors() -> None:
    free, starved = Times(), Times()
    for times in (free, starved):
        times.leftovers.suspect(job())
    assert free.ended_after(300, tasks(used=0.0, waited=0.0), []) == SECONDS * LONGEST + 1
    assert starved.ended_after(300, tasks(used=0.0, waited=0.0), [], patience=4.0) == SECONDS * LONGEST * 4 + 1


def test_tasks_that_end_one_after_another_are_progress() -> None:
    """As many as there are seconds, each with all of a processor."""
    times = Times()
    times.leftovers.suspect(job())
    assert times.ended_after(300, lambda now: EngineThreads({int(now / 5): ThreadTime(now)}, {}), []) is None


def test_a_job_is_forgotten_when_no_task_of_its_time_is_left() -> None:
    """Later tasks, of others, are not taken for its own; the engine is not asked for its threads any more."""
    times, asked = Times(), 0

    def threads(now: float) -> EngineThreads:
        nonlocal asked
        asked += 1
        return EngineThreads({1 if now < 3 else 2: ThreadTime(now)}, {})

    times.leftovers.suspect(job())
    assert times.ended_after(60, threads, []) is None
    assert asked == 4


@pytest.mark.parametrize(("name", "ends"), [(OPERATION, True), (OTHER, False)])
def test_only_the_work_of_a_statement_that_was_stopped_counts_against_it(name: str, ends: bool) -> None:
    """Another one that works hard beside it, as an export does, proves nothing."""
    stopped = Overdue(SECONDS + 1, OPERATION)
    at = Times().ended_after(40, lambda now: EngineThreads({}, {name: ThreadTime(now)}), [stopped])
    assert (at == SECONDS) is ends and (at is None) is not ends


@pytest.mark.parametrize(("patience", "ends"), [(1.0, True), (4.0, False)])
def test_a_statement_of_which_nothing_is_seen_has_five_times_the_seconds(patience: float, ends: bool) -> None:
    late = Overdue(SECONDS * LONGEST + 1)
    assert (Times().ended_after(2, lambda now: None, [late], patience) is not None) is ends


class Overdue(Job):
    """A job that should have stopped so many seconds ago."""

    def __init__(self, overdue: float, operation: str = "") -> None:
        super().__init__(QueryPlan("SELECT 1", (), 10, 60.0, stop=Stop("q"), asker="ana"), SECONDS)
        self.stop.reached({operation} - {""})
        self._overdue = overdue

    @property
    def overdue(self) -> float:
        return self._overdue


def test_looks_and_suspicions_from_many_threads_lose_nobody() -> None:
    times = Times()
    suspects = [job() for _ in range(200)]
    with_each = [threading.Thread(target=times.leftovers.suspect, args=(each,)) for each in suspects]
    for thread in with_each:
        thread.start()
    for thread in with_each:
        thread.join()
    culprits: list[Job] = []
    for second in range(20):
        times.now = float(second)
        culprits = culprits or times.leftovers.look(lambda: tasks(used=1.0, waited=0.0)(times.now), [])[1]
    assert set(culprits) == set(suspects)
