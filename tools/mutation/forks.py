"""Runs tests against mutants: one collection, then a fork of the process for each mutant.

A fork has everything imported and collected already, puts the change into the function and runs the tests that reach
it, file by file and the fastest first, until one fails.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tools.mutation.mutants import Mutant, apply, codes, mutants

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 12 << 30
"""Address space of a fork in bytes: a mutant that never ends must not take the machine with it."""

SECONDS = 8.0
"""Time of the tests tried on one mutant, those of the first file first and the fastest of each file first.

What would take longer is left out, so that rather too many survive than too few."""


@dataclass
class Result:
    """What became of one mutant: killed | timeout | survived | no tests."""

    mutant: Mutant
    outcome: str


@dataclass
class Reach:
    """What a run without a change showed: seconds of each test, and the tests that reach each function."""

    seconds: dict[str, float] = field(default_factory=dict)
    reached: dict[str, list[str]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)


def collect(files: Sequence[str], use: Callable[[Forks], None]) -> int:
    """Collect the tests of the files, then call `use` instead of running them. Returns the exit code of pytest."""
    options = ["-q", "-s", "-p", "no:cacheprovider", "--rootdir", str(ROOT), "-m", "not integration and not e2e"]
    return int(pytest.main([*options, *files], plugins=[_Instead(use)]))


class _Instead:
    def __init__(self, use: Callable[[Forks], None]) -> None:
        self._use = use

    def pytest_configure(self) -> None:
        import hypothesis  # not before pytest has seen to its plugin

        hypothesis.settings.register_profile(
            "mutation",
            derandomize=True,
            database=None,
            deadline=None,
            max_examples=60,
            phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        hypothesis.settings.load_profile("mutation")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.collect()
        gc.freeze()
        self._use(Forks(session))
        return True


class Forks:
    def __init__(self, session: pytest.Session) -> None:
        self._session = session

    def run(
        self, module: str, files: Sequence[str], report: Callable[[Result], None], function: str | None = None
    ) -> Reach:
        """Try every mutant of policies/MODULE.py with the tests of `files`. Returns what the tests reach unchanged."""
        changes = mutants(ROOT / f"policies/{module}.py")
        items = [item for item in self._session.items if item.path.name in files]
        reach = self._unchanged(module, changes, items)
        for mutant in () if reach.failed else [m for m in changes if function in (None, m.function)]:
            report(Result(mutant, self._try(module, mutant, reach, items, files)))
        return reach

    def _unchanged(self, module: str, changes: Sequence[Mutant], items: Sequence[pytest.Item]) -> Reach:
        """In a fork too, since what the tests leave in caches would hide changes."""
        live = codes(importlib.import_module(f"policies.{module.replace('/', '.')}"), changes)

        def inside(out: Any) -> int:
            reach: Reach = Reach()
            for item in items:
                seen: set[str] = set()

                def note(frame: FrameType, event: str, _: object, seen: set[str] = seen) -> None:
                    if event == "call" and frame.f_code in live:
                        seen.add(live[frame.f_code])

                threading.setprofile(note)
                sys.setprofile(note)
                started = time.monotonic()
                self._test(item)
                reach.seconds[item.nodeid] = time.monotonic() - started
                sys.setprofile(None)
                threading.setprofile(None)
                for name in seen:
                    reach.reached.setdefault(name, []).append(item.nodeid)
                if self._session.testsfailed:
                    reach.failed.append(item.nodeid)
                    break
            json.dump(vars(reach), out)
            out.flush()
            return 0

        read, write = os.pipe()
        with os.fdopen(write, "w") as out:
            child = _fork(lambda: inside(out))
        with os.fdopen(read) as answer:
            text = answer.read()
        os.waitpid(child, 0)
        return Reach(**json.loads(text))

    def _try(
        self, module: str, mutant: Mutant, reach: Reach, items: Sequence[pytest.Item], files: Sequence[str]
    ) -> str:
        names = set(reach.reached.get(mutant.function, ()))
        if not names:
            return "no tests"
        wanted: list[pytest.Item] = []
        spent = 0.0
        reaching = [item for item in items if item.nodeid in names]
        for item in sorted(reaching, key=lambda i: (files.index(i.path.name), reach.seconds[i.nodeid])):
            spent += reach.seconds[item.nodeid]
            if wanted and spent > SECONDS:
                break
            wanted.append(item)

        def inside() -> int:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            apply(mutant, importlib.import_module(f"policies.{module.replace('/', '.')}"))
            for item in wanted:
                self._test(item)
                if self._session.testsfailed:
                    return 1
            return 0

        status = _wait(_fork(inside), 10 + 5 * min(spent, SECONDS))
        return {None: "timeout", 0: "survived"}.get(status, "killed")

    def _test(self, item: pytest.Item) -> None:
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)


def _fork(inside: Callable[[], int]) -> int:
    """The number of a new process that runs `inside` in silence and ends with what it returns; 1 where it raises."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        code = inside()
    finally:
        os._exit(code)


def _wait(child: int, seconds: float) -> int | None:
    """The exit status, None where the process had to be ended after its time."""
    until = time.monotonic() + seconds
    pause = 0.002
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(pause)
        pause = min(0.05, pause * 1.5)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def counted(results: Sequence[Result]) -> Mapping[str, int]:
    kinds = [result.outcome for result in results]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}
