"""Python daemons of an engine: those without work at two looks running are ended, the others are left alone."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psutil
import pytest

from stack.instances.keeping import IdlePython
from stack.processes import python_daemons
from stack.processes.process import Identity

_SLEEP = "import time; time.sleep(600)"
_ENGINE = f"""
import signal, subprocess, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # as the JVM, it leaves no dead child
def child(*words): return subprocess.Popen([sys.executable, "-c", *words]).pid
at_work = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', {_SLEEP!r}]).wait()"
print(child({_SLEEP!r}, "pyspark.daemon"), child(at_work, "pyspark.daemon"), child({_SLEEP!r}), flush=True)
time.sleep(600)
"""


@dataclass
class Engine:
    """A process with an idle daemon, one with a worker, and another child."""

    identity: Identity
    idle: psutil.Process
    busy: psutil.Process
    other: psutil.Process


@pytest.fixture
def engine() -> Iterator[Engine]:
    with subprocess.Popen([sys.executable, "-c", _ENGINE], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        idle, busy, other = (psutil.Process(int(pid)) for pid in process.stdout.readline().split())
        while not busy.children():
            time.sleep(0.02)
        yield Engine(Identity.of(process.pid), idle, busy, other)
        for each in (*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)):
            each.kill()


@dataclass
class Kept:
    """As `KeptServer`; `running`: None while the engine is stopped."""

    running: Engine | None

    def entry(self) -> Engine | None:
        return self.running


def looks_at(*kept: Any) -> IdlePython:
    return IdlePython(kept)


def test_those_without_work_twice_are_ended_and_no_other_process(engine: Engine) -> None:
    idle = looks_at(Kept(engine))
    assert idle.step() == 0 and engine.idle.is_running()
    assert idle.step() == 1
    assert not engine.idle.is_running() or engine.idle.status() == psutil.STATUS_ZOMBIE
    assert idle.step() == 0 and idle.step() == 0
    assert engine.busy.is_running() and len(engine.busy.children()) == 1
    assert engine.other.is_running() and engine.other.status() != psutil.STATUS_ZOMBIE


def test_an_engine_that_is_gone_has_none(engine: Engine) -> None:
    gone = Identity(engine.identity.pid, engine.identity.create_time - 100)
    assert python_daemons.idle(gone) == frozenset()
    assert looks_at(Kept(None)).step() == 0
