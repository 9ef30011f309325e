"""Executors that are not there, or lack packages: reported once, with every name, and before long."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from typing import Any

import pytest

from catalog.errors import Unavailable
from scanners.adapters.spark import executors
from scanners.adapters.spark.executors import (
    ExecutorReport,
    NoExecutors,
    PackagesMissing,
    TaskWatch,
    examine,
    may_be_busy,
    python_problem,
    require_packages,
)
from scanners.adapters.spark.sampler import SparkSampler
from scanners.adapters.spark.worker_packages import worker_packages
from scanners.model import ClusterConnection, OffsetRange
from scanners.ports import ProfileJob

JOB = ProfileJob(
    cluster=ClusterConnection("prod", "kafka://prod:9092", "prod:9092", {}), ranges=(OffsetRange("orders", 0, 0, 10),)
)


@dataclass
class Stage:
    num_tasks: int
    num_completed_tasks: int = 0


class Table:
    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def to_pylist(self) -> list[dict[str, Any]]:
        return self._rows

    def column(self, name: str) -> Table:
        return Table([row[name] for row in self._rows])


class Session:
    """What the code asks of a Spark session. `work` is what an action does; it may call `progress`."""

    def __init__(self, work: Any, master: str = "spark://master:7077", splits: int = 2) -> None:
        self._work, self._master, self._splits = work, master, splits
        self.handlers: list[Any] = []
        self.interrupted = threading.Event()
        self.actions = 0
        self.conf = self
        self.client = self
        self.released = 0

    # the session
    def get(self, name: str, default: str = "") -> str:
        return self._master if name == "spark.master" else default

    def addTag(self, tag: str) -> None: ...

    def removeTag(self, tag: str) -> None: ...

    def release_session(self) -> None:
        self.released += 1

    def registerProgressHandler(self, handler: Any) -> None:
        self.handlers.append(handler)

    def removeProgressHandler(self, handler: Any) -> None:
        self.handlers.remove(handler)

    def interruptTag(self, tag: str) -> None:
        self.interrupted.set()

    def range(self, *_: int) -> Session:
        return self

    # its frames
    def _explain_string(self) -> str:
        return f"Range (0, 2, step=1, splits={self._splits})"

    def select(self, *_: Any) -> Session:
        return self

    def toArrow(self) -> Table:
        self.actions += 1
        return Table(self._work(self))

    def progress(self, *stages: Stage, running: int = 0) -> None:
        for handler in list(self.handlers):
            handler(stages=stages, inflight_tasks=running, operation_id="", done=False)


def waiting(session: Session) -> list[dict[str, Any]]:
    """A job whose only task nobody takes."""
    until = time.monotonic() + 20
    while not session.interrupted.wait(0.02) and time.monotonic() < until:
        session.progress(Stage(1))
    raise RuntimeError("OPERATION_CANCELED")


def sampler(session: Session, monkeypatch: pytest.MonkeyPatch, seconds: float = 0.4) -> SparkSampler:
    sampler = SparkSampler("sc://nowhere", connect=lambda _: session, executor_seconds=seconds)
    monkeypatch.setattr(SparkSampler, "_plan", lambda *_: session)
    return sampler


def test_a_scan_without_executors_ends_with_that_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(waiting)
    begun = time.monotonic()
    with pytest.raises(NoExecutors, match="the master has no workers"):
        list(sampler(session, monkeypatch).profile(JOB, lambda: False))
    assert time.monotonic() - begun < 5
    assert session.actions == 1


@pytest.mark.parametrize(("master", "splits"), [("local[*]", 2), ("spark://master:7077", 8)])
def test_a_scan_waits_for_executors_that_are_busy(monkeypatch: pytest.MonkeyPatch, master: str, splits: int) -> None:
    def late(session: Session) -> list[dict[str, Any]]:
        for _ in range(50):
            session.progress(Stage(1))
            time.sleep(0.02)
        return [{"topic": "orders", "sketch": b"sealed"}]

    session = Session(late, master, splits)
    assert list(sampler(session, monkeypatch).profile(JOB, lambda: False)) == [("orders", b"sealed")]


def test_tasks_that_run_long_are_not_starved(monkeypatch: pytest.MonkeyPatch) -> None:
    def long(session: Session) -> list[dict[str, Any]]:
        for _ in range(50):
            session.progress(Stage(2), running=1)
            time.sleep(0.02)
        return [{"topic": "orders", "sketch": b"sealed"}]

    assert list(sampler(Session(long), monkeypatch).profile(JOB, lambda: False)) == [("orders", b"sealed")]


def test_all_packages_that_executors_lack_are_named_and_the_stage_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lacking(session: Session) -> list[dict[str, Any]]:
        if session.actions == 1:
            raise RuntimeError("PythonException: ... ModuleNotFoundError: No module named 'orjson'")
        report = {"host": "w1", "python": "3.11.9", "missing": ["orjson", "tldextract"], "broken": ["numpy"]}
        return [{"report": json.dumps(report)}]

    session = Session(lacking)
    with pytest.raises(PackagesMissing, match="numpy, orjson, tldextract") as caught:
        list(sampler(session, monkeypatch, 5).profile(JOB, lambda: False))
    assert caught.value.details["packages"] == ["numpy", "orjson", "tldextract"]
    assert session.actions == 2  # the stage, and the question what else is missing


def test_a_task_that_nobody_takes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(waiting)
    with pytest.raises(NoExecutors):
        examine(session, 0.3)
    assert session.interrupted.wait(5)


def test_a_task_that_does_not_end_is_not_called_without_executors() -> None:
    def slow(session: Session) -> list[dict[str, Any]]:
        session.progress(Stage(1), running=1)
        session.interrupted.wait(5)
        return []

    with pytest.raises(Unavailable, match="did not end within") as caught:
        examine(Session(slow), 0.3)
    assert not isinstance(caught.value, NoExecutors)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.9", "another minor version"),
        ('java.io.IOException: Cannot run program "python3": error=2', "have no Python"),
        ("PyArrow >= 11.0.0 must be installed; however, it was not found.", "package pyarrow"),
        ("No module named 'presidio_analyzer'", "presidio-analyzer"),
    ],
)
def test_what_spark_says_of_a_python(text: str, words: str) -> None:
    problem = python_problem(RuntimeError(text))
    assert problem is not None
    assert words in problem.message


def test_other_errors_say_nothing_of_a_python() -> None:
    assert python_problem(RuntimeError("value 'ana@example.com' cannot be cast")) is None


def test_reports_without_anything_missing_pass() -> None:
    require_packages([ExecutorReport("w1", "3.11.9", (), ())])


def test_the_packages_of_a_worker_are_those_that_its_code_imports() -> None:
    packages = worker_packages()
    assert {"orjson", "numpy", "pyarrow", "presidio_analyzer", "spacy", "phonenumbers"} <= set(packages.direct)
    assert not {"pyspark", "sqlalchemy", "fastapi", "numba", "hyperscan"} & set(packages.direct)
    assert {"thinc", "pydantic", "tldextract", "regex"} <= set(packages.modules.values())


def test_the_task_names_what_this_python_lacks() -> None:
    look = executors._look(
        ("json", "nowhere_module"), {"json": "json", "nowhere_module": "no-where", "other_gone": "gone"}
    )
    report = json.loads(look(0))
    assert report["missing"] == ["gone", "no-where"]
    assert report["broken"] == []


def test_progress_of_other_threads_is_not_counted() -> None:
    watch = TaskWatch(0.0)
    thread = threading.Thread(target=lambda: watch([Stage(1)], 0, "", False))
    thread.start()
    thread.join()
    assert not watch.starved()


def test_a_session_that_fails_is_not_known_to_be_busy() -> None:
    assert not may_be_busy(object())
