"""Servers for the tests: one instance a session, started by the product's own launcher code.

`stack` gives the servers' addresses, `weir` a whole running Weir, `demo` one whose demo has run. To use a stack
that runs already, put the JSON of `python -m stack env -o json` into a file in its home and name it in WEIR_TEST_STACK.
"""

from __future__ import annotations

import gc
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine, create_engine

from catalog.adapters.sql import database as records
from tests import examples
from tests.effort import pace
from tools.testing import kept_servers


def _share_statements() -> None:
    """Let all SQLite files of this process share what SQLAlchemy has compiled.

    It keeps that for each engine and dialect, and each test has a database of its own, which would compile again what the
    test before it had compiled.
    """
    make = create_engine
    first = make("sqlite://", json_deserializer=records._read_json)
    first.connect().close()  # a dialect asks its database what it can

    def shared(url: Any, **options: Any) -> Engine:
        engine = make(url, **options)
        if engine.dialect.name == "sqlite":
            engine.dialect = engine.pool._dialect = first.dialect
            engine._compiled_cache = first._compiled_cache
        return engine

    records.create_engine = shared  # type: ignore[attr-defined]  # where the product looks it up


_share_statements()

STARTED = time.monotonic()
ROOT = Path(__file__).resolve().parent.parent
examples.configure()
SHARED_DATA = Path(os.environ.get("WEIR_SHARED_DATA", ROOT.parent / "shared" / "data"))


@dataclass(frozen=True)
class Stack:
    """Addresses of the running servers."""

    kafka: str
    registry: str
    neo4j: str
    neo4j_auth: tuple[str, str]
    elasticsearch: str
    spark: str
    query: str = ""
    connect: str = ""
    logs: Path = Path()
    """The folder into which the servers write what they log."""

    @property
    def engine(self) -> str:
        """The Spark of queries."""
        return self.query or self.spark


@dataclass(frozen=True)
class RunningWeir:
    """A Weir of its own home, driven through the launcher and HTTP."""

    home: Path
    url: str
    env: dict[str, str]
    stack: Stack

    def command(self, *arguments: str, check: bool = True, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """Run `weir ARGUMENTS` against this instance."""
        done = subprocess.run(
            [sys.executable, "-m", "api", *arguments],
            env=self.env,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=ROOT,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(
                f"weir {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
            )
        return done

    @property
    def secrets(self) -> Path:
        """The folder whose files declared clusters may name."""
        folder = Path(self.env["WEIR_SECRETS__FOLDER"])
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def token(self, user: str | None = None) -> str:
        """The token of a user, of the admin when None."""
        return (self.home / "tokens" / user if user else self.home / "admin.token").read_text().strip()

    def client(self, user: str | None = None) -> httpx.Client:
        """An HTTP client that is signed in as a user, as the admin when None, and takes only documented answers."""
        from tests.answer_check import check

        headers = {"Authorization": f"Bearer {self.token(user)}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=120, event_hooks={"response": [check]})


def instance_environment(home: Path) -> dict[str, str]:
    """The environment of an isolated instance: that of its servers, with a free port and secrets of its own."""
    return kept_servers.environment(home) | {
        "WEIR_API__PORT": "0",
        "WEIR_SECRETS__FOLDER": f"{home}-secrets",
        "PYTHONPATH": str(ROOT),
    }


@pytest.fixture(scope="session")
def weir() -> Iterator[RunningWeir]:
    """A running Weir with an empty catalog, ended after the session."""
    home = Path(tempfile.mkdtemp(prefix="weir-test-"))
    env = instance_environment(home)
    run = [sys.executable, "-m", "api"]
    done = subprocess.run(
        [*run, "up", "--detach"], env=env, capture_output=True, text=True, cwd=ROOT, timeout=900, check=False
    )
    try:
        assert done.returncode == 0, f"weir up failed:\n{done.stdout}\n{done.stderr}"
        status = json.loads(
            subprocess.run(
                [*run, "status", "-o", "json"], env=env, capture_output=True, text=True, cwd=ROOT, check=True
            ).stdout
        )
        addresses = json.loads(
            subprocess.run(
                [sys.executable, "-m", "stack", "env", "-o", "json"],
                env=env,
                capture_output=True,
                text=True,
                cwd=ROOT,
                check=True,
            ).stdout
        )
        yield RunningWeir(home, status["url"], env, _stack(addresses, home))
    finally:
        subprocess.run([*run, "down"], env=env, capture_output=True, cwd=ROOT, timeout=120, check=False)
        if "WEIR_TEST_KEEP" not in os.environ:
            for folder in (home, Path(env["WEIR_SECRETS__FOLDER"])):
                shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def local_servers() -> Iterator[Stack]:
    """The servers without Weir, ended after the session; an engine that ends meanwhile is started again."""
    home = Path(tempfile.mkdtemp(prefix="weir-test-"))
    env = instance_environment(home)
    run = [sys.executable, "-m", "stack"]
    done = subprocess.run(
        [*run, "up", "--detach"], env=env, capture_output=True, text=True, cwd=ROOT, timeout=900, check=False
    )
    keeper = None
    try:
        assert done.returncode == 0, f"the servers did not start:\n{done.stdout}\n{done.stderr}"
        keeper = subprocess.Popen(
            [*run, "up"],
            env=env,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        known = subprocess.run(
            [*run, "env", "-o", "json"], env=env, capture_output=True, text=True, cwd=ROOT, check=True
        )
        yield _stack(json.loads(known.stdout), home)
    finally:
        subprocess.run([*run, "down"], env=env, capture_output=True, cwd=ROOT, timeout=120, check=False)
        if keeper is not None:
            keeper.wait(60)
        if "WEIR_TEST_KEEP" not in os.environ:
            shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def stack(request: pytest.FixtureRequest) -> Stack:
    """The servers alone: those WEIR_TEST_STACK names, else those of the session's Weir where tests need one."""
    given = os.environ.get("WEIR_TEST_STACK")
    if given:
        return _stack(json.loads(Path(given).read_text()), Path(given).parent)
    if any(item.get_closest_marker("e2e") for item in request.session.items):
        running: RunningWeir = request.getfixturevalue("weir")
        return running.stack
    alone: Stack = request.getfixturevalue("local_servers")
    return alone


@pytest.fixture(scope="session")
def stack_with_connect(stack: Stack) -> Iterator[Stack]:
    """The servers and a Kafka Connect worker: theirs, or one that is started beside them for the session."""
    if stack.connect:
        yield stack
        return
    from tests.connect_worker import worker_for

    with worker_for(stack.kafka) as url:
        yield replace(stack, connect=url)


@pytest.fixture(scope="session")
def demo(weir: RunningWeir) -> RunningWeir:
    """The session's Weir after the demo has run."""
    done = weir.command("demo", "--detach", check=False, timeout=600)
    assert done.returncode == 0, f"the demo failed:\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
    (weir.home / "demo.out").write_text(done.stdout)
    return weir


MORE_FROZEN = 3_000_000
"""Objects more than are in use, after which those that are frozen are looked through."""
_frozen = {"most": MORE_FROZEN}
_modules = itertools.count(1)


@pytest.fixture(scope="module", autouse=True)
def _young_heap() -> None:
    """What earlier tests left is not searched for cycles again and again: by the last ones that takes seconds a time.

    Cycles among it are collected before: frozen they would stay. The worker that folds lineage freezes too, in the midst
    of a test, so now and then what is frozen is looked through: else some gigabytes would gather.
    """
    # To count what is frozen takes a tenth of a second by then.
    if next(_modules) % 20 == 0 and gc.get_freeze_count() > _frozen["most"]:
        gc.unfreeze()
        gc.collect()
        _frozen["most"] = len(gc.get_objects()) + MORE_FROZEN
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def spare_until() -> float:
    """When (monotonic) a test that may take any time should end: WEIR_TEST_MINUTES after the start, else never."""
    minutes = os.environ.get("WEIR_TEST_MINUTES")
    return STARTED + 60 * float(minutes) if minutes else math.inf


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real public data; tests that need it are skipped where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no real data at {SHARED_DATA}: set WEIR_SHARED_DATA")
    return SHARED_DATA


def _stack(addresses: dict[str, Any], home: Path) -> Stack:
    known = {name: value for name, value in addresses.items() if not name.endswith("_login")}
    return Stack(**{**known, "neo4j_auth": tuple(known["neo4j_auth"])}, logs=home / "logs")


NEVER_AGAIN = ("attacks", "no_raw_values", "masks", "scenario")
"""Modules whose one failure is a failure: what once shows what it should not has shown it."""

COUNTS_ANSWERS = "test_engine_faults.py"
"""Counts how many clients are answered in time, so it comes last: the other lane of a whole run has ended by then, or soon will."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Fast tests first; those that need servers after them; last those that take what time is left.

    With WEIR_TEST_RERUNS=N a test that needs servers or a browser and fails is run up to N times more, and is reported as
    RERUN: on a machine that has other work, half a minute's wait may be too short. For the same reason it may take longer
    than one without servers, whose limit is in pyproject.toml; the first one of a session starts the servers or the demo.
    """

    def weight(item: pytest.Item) -> int:
        return next(
            (n for n, name in ((3, "spare"), (2, "e2e"), (1, "integration")) if item.get_closest_marker(name)), 0
        )

    items.sort(key=lambda item: (item.path.name == COUNTS_ANSWERS, weight(item)))
    examples.reduce(items)
    if left_out := examples.sample(items):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
    for item in items:
        _give_time(item, 900 if weight(item) in (1, 2) else 300)
    if reruns := int(os.environ.get("WEIR_TEST_RERUNS", "0")):
        for item in items:
            if weight(item) in (1, 2) and not any(word in item.path.name for word in NEVER_AGAIN):
                item.add_marker(pytest.mark.flaky(reruns=reruns))


def _give_time(item: pytest.Item, usual: int) -> None:
    """The limit of a test: its own mark's or the usual seconds, times the pace of the machine."""
    own = item.get_closest_marker("timeout")
    seconds = (own.args[0] if own.args else own.kwargs["timeout"]) if own else usual
    options = {name: value for name, value in own.kwargs.items() if name != "timeout"} if own else {}
    item.add_marker(pytest.mark.timeout(seconds * pace(), **options), append=False)


def pytest_report_header() -> str:
    """How long this machine may take, and which examples are tried."""
    return f"pace: {pace():.1f} times a machine of 2024, by which limits are longer; {examples.told()}"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Why a test had to be run again: the report would show its last try only."""
    for report in terminalreporter.stats.get("rerun", ()):
        terminalreporter.section(f"RERUN {report.nodeid}")
        terminalreporter.line(str(report.longrepr)[-8000:])
