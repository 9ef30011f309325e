"""Processes: a death is noticed and explained, a stranger is never touched, a stop is gentle first."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from stack.errors import GivenUp, StackError
from stack.processes.process import MARK, Identity, await_ready, cut, exit_code, marked, reap, spawn, stop, tail
from tests import waiting

Start = Callable[[str], Identity]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "child.log"


@pytest.fixture
def start(tmp_path: Path, log: Path) -> Iterator[Start]:
    """Starts Python code as a background process, and ends it after the test."""
    begun: list[Identity] = []

    def start(code: str) -> Identity:
        environment = dict(os.environ) | {MARK: f"test-{tmp_path.name}:child", "PYTHONUNBUFFERED": "1"}
        begun.append(spawn([sys.executable, "-c", code], environment, log, tmp_path, "The child"))
        return begun[-1]

    yield start
    for identity in begun:
        if (process := identity.process()) is not None:
            process.kill()
            process.wait(5)
    reap()


def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    waiting.until(condition, seconds=seconds)


SLEEP = "import time; print('up'); time.sleep(60)"


def test_a_dead_child_is_noticed_at_once_with_the_end_of_its_log(start: Start, log: Path) -> None:
    identity = start("import sys; [print('line', n) for n in range(40)]; print('port is taken'); sys.exit(3)")
    begun = time.monotonic()
    with pytest.raises(StackError) as failure:
        await_ready("Kafka", identity, lambda: False, log, timeout=60)
    assert time.monotonic() - begun < 10
    assert failure.value.message == f"Kafka ended with code 3 while it was starting (log: {log})."
    assert failure.value.tail[-2:] == ("line 39", "port is taken")
    assert len(failure.value.tail) == 15
    assert "  | port is taken" in str(failure.value)


def test_a_killed_child_is_named_with_its_signal(start: Start, log: Path) -> None:
    identity = start("import os; os.kill(os.getpid(), 9)")
    with pytest.raises(StackError, match="ended with signal 9"):
        await_ready("Kafka", identity, lambda: False, log, timeout=60)


def test_a_start_that_takes_too_long_says_so_and_names_the_setting(start: Start, log: Path) -> None:
    identity = start(SLEEP)
    until(lambda: bool(tail(log)))
    with pytest.raises(StackError, match=r"not ready after 0 s.*WEIR_STACK__START_TIMEOUT") as failure:
        await_ready("Kafka", identity, lambda: False, log, timeout=0.2)
    assert failure.value.tail == ("up",)
    assert identity.alive()


def test_a_start_that_was_given_up_is_not_a_reason(start: Start, log: Path) -> None:
    with pytest.raises(GivenUp):
        await_ready("Kafka", start(SLEEP), lambda: False, log, timeout=60, cancelled=lambda: True)


def test_ready_is_reported_in_seconds(start: Start, log: Path) -> None:
    answers = iter([False, False, True])
    assert 0.1 < await_ready("Kafka", start(SLEEP), lambda: next(answers), log, timeout=60) < 10


def test_a_program_that_does_not_exist_is_one_sentence(tmp_path: Path, log: Path) -> None:
    with pytest.raises(StackError, match=r"^Kafka could not be started: No such file or directory\.$"):
        spawn([str(tmp_path / "none")], {}, log, tmp_path, "Kafka")


def test_a_process_with_another_start_time_is_a_stranger(start: Start) -> None:
    identity = start(SLEEP)
    stranger = replace(identity, create_time=identity.create_time - 100)
    assert not stranger.alive()
    assert stranger.memory() == 0
    stop([stranger], timeout=1)
    assert identity.alive(), "a process of the same number was signalled"


def test_a_dead_child_that_nobody_collected_is_dead(start: Start) -> None:
    identity = start("pass")
    until(lambda: psutil.Process(identity.pid).status() == psutil.STATUS_ZOMBIE)
    assert not identity.alive()
    assert exit_code(identity.pid) == 0


def test_a_stop_is_gentle(start: Start, log: Path) -> None:
    code = (
        "import signal,sys,time; signal.signal(15, lambda *_: (print('bye'), sys.exit(0))); print('up'); time.sleep(60)"
    )
    identity = start(code)
    until(lambda: tail(log) == ("up",))
    stop([identity], timeout=10)
    assert not identity.alive()
    assert tail(log) == ("up", "bye")


def test_a_stop_does_not_wait_for_ever(start: Start, log: Path) -> None:
    identity = start("import signal,time; signal.signal(15, signal.SIG_IGN); print('up'); time.sleep(60)")
    until(lambda: tail(log) == ("up",))
    stop([identity], timeout=0.3)
    assert not identity.alive()


def test_children_end_with_their_parent(start: Start, log: Path) -> None:
    code = (
        "import subprocess,sys,time; child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
        "print(child.pid); time.sleep(60)"
    )
    identity = start(code)
    until(lambda: bool(tail(log)))
    child = Identity.of(int(tail(log)[0]))
    stop([identity], timeout=5)
    assert not child.alive()


def test_lost_processes_are_found_by_their_mark(start: Start, tmp_path: Path) -> None:
    identity = start(SLEEP)
    mark = f"test-{tmp_path.name}"
    until(lambda: marked(mark) == [identity])
    assert marked(f"{mark}:child") == [identity]
    assert marked(f"{mark}:chi") == []
    assert marked(mark[:-1]) == []


def test_the_caller_is_never_among_the_lost(monkeypatch: pytest.MonkeyPatch, start: Start, log: Path) -> None:
    mark = f"weir-self-{os.getpid()}"
    monkeypatch.setenv(MARK, mark)
    assert marked(mark) == []


def test_a_process_outlives_the_terminal_it_was_started_from(start: Start) -> None:
    identity = start(SLEEP)
    assert os.getsid(identity.pid) == identity.pid != os.getsid(0)


def test_the_last_runs_log_is_kept(start: Start, log: Path) -> None:
    first = start("print('first')")
    until(lambda: not first.alive() and tail(log) == ("first",))
    start("print('second')")
    until(lambda: tail(log) == ("second",))
    assert tail(log.with_suffix(".log.1")) == ("first",)


def test_a_tail_leaves_out_javas_stack_frames(log: Path) -> None:
    log.write_text(
        "ERROR it broke\njava.net.BindException: Address already in use\n"
        "\tat java.base/sun.nio.ch.Net.bind0(Native Method)\n\tat a.b.C.d(C.java:5)\n\t... 4 more\n\nbye\n"
    )
    assert tail(log) == ("ERROR it broke", "java.net.BindException: Address already in use", "bye")


def test_a_long_log_is_put_aside_while_its_process_goes_on(log: Path, start: Start) -> None:
    go = log.with_suffix(".go")
    code = f"""
import os, time
print("a" * 5000)
while not os.path.exists({str(go)!r}): time.sleep(0.02)
print("after")
time.sleep(60)
"""
    start(code)
    until = time.monotonic() + 30
    while not log.exists() or log.stat().st_size < 5001:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert not cut(log, 10_000)
    log.with_suffix(".log.1").write_text("earlier")
    log.with_suffix(".log.2").write_text("earliest")
    assert cut(log, 1000, kept=3)
    assert log.with_suffix(".log.1").read_text() == "a" * 5000 + "\n"
    assert log.with_suffix(".log.1").stat().st_mode & 0o777 == 0o600
    assert log.with_suffix(".log.2").read_text() == "earlier", "the oldest is dropped"
    assert not log.with_suffix(".log.3").exists()
    go.touch()
    while log.stat().st_size == 0:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert log.read_text() == "after\n", "written at the new end"
