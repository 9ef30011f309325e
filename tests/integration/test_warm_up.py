"""Queries over made-up records that run when the service starts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from policies.adapters.spark.sessions import Sessions
from policies.adapters.warm_up import WarmUp


@pytest.fixture
def sessions(stack: Any) -> Iterator[Sessions]:
    sessions = Sessions(stack.engine, 2)
    yield sessions
    sessions.close()


@pytest.mark.integration
def test_each_statement_is_answered_by_the_engine(sessions: Sessions) -> None:
    assert WarmUp(sessions, 3, busy=lambda: False).run() == 3


@pytest.mark.integration
def test_it_waits_while_a_query_of_somebody_runs(sessions: Sessions) -> None:
    asked, free = threading.Event(), threading.Event()

    def busy() -> bool:
        asked.set()
        return not free.is_set()

    answered: list[int] = []
    warm_up = WarmUp(sessions, 1, busy)
    running = threading.Thread(target=lambda: answered.append(warm_up.run()))
    running.start()
    assert asked.wait(10) and answered == []
    free.set()
    running.join(60)
    assert answered == [1]


def test_it_ends_with_the_service_where_no_engine_answers() -> None:
    sessions = Sessions("sc://127.0.0.1:1", 1)
    asked = threading.Event()

    def busy() -> bool:
        asked.set()
        return False

    warm_up = WarmUp(sessions, 5, busy=busy)
    answered: list[int] = []
    running = threading.Thread(target=lambda: answered.append(warm_up.run()))
    running.start()
    assert asked.wait(10)
    warm_up.close()
    running.join(10)
    assert answered == [0]


def test_none_are_run_where_none_are_wanted() -> None:
    assert WarmUp(Sessions("sc://127.0.0.1:1", 1), 0, busy=lambda: pytest.fail("nothing asks")).run() == 0
