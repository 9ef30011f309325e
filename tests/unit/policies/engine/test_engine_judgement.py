"""An engine that lives is replaced for what it did; on a machine whose load is the reason, not twice in a row for the same."""

from __future__ import annotations

import pytest

from policies.engine.jobs import Job
from policies.engine.judgement import APART_SECONDS, Judgement
from policies.engine.probe import Probe
from policies.plan.cancellation import Stop
from policies.plan.model import QueryPlan
from policies.plan.ports import EngineHeap, EngineThreads, ThreadTime
from policies.plan.settings import QuerySettings


class Process:
    """An engine with a task that uses half of a processor for ever (`policies.plan.ports.EngineProcess`)."""

    def __init__(self, starved: bool) -> None:
        self.now, self._starved = 0.0, starved

    def local(self) -> bool:
        return True

    def alive(self) -> bool:
        return True

    def answer(self) -> None: ...

    def heap(self) -> EngineHeap | None:
        return None

    def threads(self) -> EngineThreads:
        return EngineThreads({1: ThreadTime(self.now / 2, self.now / 2)}, {})

    def starved(self) -> bool:
        return self._starved

    def replace(self) -> bool:
        return True

    def forget(self) -> None: ...


def replacements(starved: bool, seconds: int) -> list[float]:
    """When the engine is replaced, where each one meets a statement that does not stop."""
    process = Process(starved)
    judgement = Judgement(process, Probe(process.answer), QuerySettings(), lambda: process.now)
    stopped = Job(QueryPlan("SELECT 1", (), 10, 60.0, stop=Stop("q"), asker="ana"), 10.0)
    judgement.suspect(stopped)
    at = []
    for second in range(seconds):
        process.now = float(second)
        reason = judgement.reason([])
        if reason is not None:
            assert reason.how == "went on with a query that had been stopped" and reason.culprits == [stopped]
            at.append(process.now)
            judgement.forget()
            judgement.suspect(stopped)
    return at


@pytest.mark.parametrize("starved", [False, True])
def test_what_does_not_stop_ends_within_a_minute_although_it_has_half_of_a_processor(starved: bool) -> None:
    assert 10 <= replacements(starved, 60)[0] < 60


def test_on_a_machine_whose_load_says_why_none_follows_for_the_same_reason() -> None:
    often, seldom = replacements(False, 400), replacements(True, 400)
    assert len(often) > 10
    assert len(seldom) == 2 and seldom[1] - seldom[0] >= APART_SECONDS
