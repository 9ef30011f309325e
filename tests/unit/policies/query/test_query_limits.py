"""Turns of queries: who is next, who may wait, and that a turn is given back however its query ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from catalog.errors import LimitExceeded
from policies.plan.cancellation import Stop
from policies.plan.errors import QueryCancelled
from policies.plan.settings import QuerySettings
from policies.query.admission import Turns
from tests.waiting import until


class Waiting:
    """Somebody who takes a turn on a thread of their own, and holds it until asked to release it."""

    def __init__(self, turns: Turns, user: str, order: list[str]) -> None:
        self.stop, self.go, self.error = Stop("q"), threading.Event(), None
        self._turns, self._user, self._order = turns, user, order
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    error: Exception | None

    def _run(self) -> None:
        try:
            with self._turns.take(self._user, self.stop):
                self._order.append(self._user)
                assert self.go.wait(10)
        except Exception as error:
            self.error = error

    def end(self) -> None:
        self.go.set()
        self.thread.join(10)
        assert not self.thread.is_alive()


def turns(**limits: Any) -> Turns:
    return Turns(QuerySettings(**{"wait_seconds": 5, **limits}))


@contextmanager
def held(queue: Turns, *users: str) -> Iterator[None]:
    with ExitStack() as stack:
        for user in users:
            stack.enter_context(queue.take(user))
        yield


def test_the_one_with_the_fewest_running_queries_is_next() -> None:
    queue = turns(concurrent=3, concurrent_per_subject=3)
    order: list[str] = []
    with held(queue, "heavy"):
        with held(queue, "heavy", "heavy"):
            more = [Waiting(queue, "heavy", order) for _ in range(3)]
            until(lambda: len(queue._queue) == 3)
            other = Waiting(queue, "ana", order)
            until(lambda: len(queue._queue) == 4)
        until(lambda: len(order) == 2)
        assert order[0] == "ana" and order == ["ana", "heavy"]
    for each in (other, *more):
        each.end()
    assert queue.running == 0


def test_a_subject_at_its_limit_waits_behind_itself_only() -> None:
    queue = turns(concurrent=4, concurrent_per_subject=1)
    order: list[str] = []
    with held(queue, "ana"):
        waiting = Waiting(queue, "ana", order)
        until(lambda: len(queue._queue) == 1)
        with held(queue, "otto"):
            assert order == []
    until(lambda: order == ["ana"])
    waiting.end()


@pytest.mark.parametrize(
    ("limits", "users", "message"),
    [
        ({"concurrent_per_subject": 1, "wait_seconds": 0.01}, ["ana"], "concurrent_per_subject"),
        ({"concurrent": 1, "wait_seconds": 0.01}, ["otto"], "concurrent"),
        ({"concurrent_per_subject": 1, "queued_per_subject": 0}, ["ana"], "queued_per_subject"),
        ({"concurrent": 1, "queued": 0}, ["otto"], "queued"),
    ],
)
def test_what_cannot_wait_is_told_which_limit_it_met(limits: Any, users: list[str], message: str) -> None:
    queue = turns(**limits)
    with held(queue, *users), pytest.raises(LimitExceeded) as caught, queue.take("ana"):
        pass
    assert caught.value.details["limit"] == message
    with queue.take("ana"):
        assert queue.running == 1


def test_one_who_waits_can_be_stopped() -> None:
    queue = turns(concurrent=1)
    order: list[str] = []
    with held(queue, "otto"):
        waiting = Waiting(queue, "ana", order)
        until(lambda: len(queue._queue) == 1)
        waiting.stop.stop("was cancelled by petra")
        waiting.thread.join(10)
        assert isinstance(waiting.error, QueryCancelled) and "petra" in waiting.error.message
        assert not queue._queue
    assert order == [] and queue.running == 0


def test_a_turn_is_given_back_by_a_query_that_fails() -> None:
    queue = turns(concurrent=1)
    with pytest.raises(ZeroDivisionError), queue.take("ana"):
        _ = 1 / 0
    with queue.take("otto"):
        assert queue.running == 1


def test_a_stop_calls_back_once_and_at_once_where_it_came_first() -> None:
    stop, called = Stop("q"), []
    with stop.telling(lambda: called.append(1)):
        assert stop.stop("was stopped") and not stop.stop("again")
    with stop.telling(lambda: called.append(2)):
        pass
    assert called == [1, 2] and stop.error().message == "The query q was stopped."
