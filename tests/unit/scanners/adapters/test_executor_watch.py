"""What `/readyz` reports of Spark: a small task, asked seldom, that never keeps the one who asks."""

from __future__ import annotations

import threading
import time

import pytest

from catalog.errors import Unavailable
from scanners.adapters.spark.executor_watch import ExecutorWatch
from scanners.adapters.spark.executors import ExecutorReport, no_executors

GOOD = [ExecutorReport("w1", "3.11.9", (), ())]


def watch(ask, **options) -> ExecutorWatch:
    return ExecutorWatch("sc://nowhere", 50, ask, lambda: None, **options)


def test_many_questions_are_one_task() -> None:
    asked = []

    def ask():
        asked.append(1)
        return GOOD

    watching = watch(ask)
    for _ in range(5):
        watching.check()
    assert len(asked) == 1


def test_no_executors_is_told() -> None:
    def ask():
        raise no_executors(50)

    with pytest.raises(Unavailable, match="No executors of Spark took the task within 50 seconds"):
        watch(ask).check()


def test_missing_packages_are_told() -> None:
    with pytest.raises(Unavailable, match="orjson, spacy"):
        watch(lambda: [ExecutorReport("w1", "3.11.9", ("orjson",), ("spacy",))]).check()


def test_a_task_that_waits_is_told_before_it_is_given_up() -> None:
    go = threading.Event()

    def ask():
        go.wait(20)
        return GOOD

    watching = watch(ask, first_seconds=0.05, slow_seconds=0.2)
    begun = time.monotonic()
    watching.check()
    assert time.monotonic() - begun < 2
    time.sleep(0.3)
    with pytest.raises(Unavailable, match="has not run a small task"):
        watching.check()
    go.set()
    for _ in range(100):
        try:
            return watching.check()
        except Unavailable:
            time.sleep(0.02)
    raise AssertionError("it does not recover")


def test_errors_of_a_driver_are_told_by_their_kind_only() -> None:
    def ask():
        raise RuntimeError("secret of the driver")

    with pytest.raises(Unavailable, match="RuntimeError") as caught:
        watch(ask).check()
    assert "secret" not in caught.value.message
