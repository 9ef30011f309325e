"""The phases of a whole test run, side by side: each printed as one block when it ends, and a summary of all.

A phase is a list of commands in processes of their own. Phases wait in one queue and each lane takes the next, so the
longest come first in the list. Servers are started by the phases that use them: the first one starts while another lane
checks the code.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

PYTHON = (sys.executable, "-m")
_DURATIONS = ("--durations=10", "--durations-min=5")
_REPORT = re.compile(r"^=+ (?!test session starts).*=+$", re.MULTILINE)
"""The first heading after pytest's progress: failures, durations, what was skipped and why, or the last line."""
_RESULT = re.compile(r"^=+ (.*) in [\d.]+s(?: \([\d:]+\))? =+$", re.MULTILINE)
_COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed|rerun)")
_PERCENT = re.compile(r"\[ *(\d+)%\]\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Phase:
    """`steps`: (name, command) one after another; the phase fails when any of them does.

    `environment`: variables and values added to those of the run.
    """

    name: str
    steps: tuple[tuple[str, tuple[str, ...]], ...]
    environment: tuple[tuple[str, str], ...] = ()


@dataclass
class Outcome:
    """How a phase ended. Times in seconds since the start of the run."""

    phase: Phase
    began: float
    ended: float = 0.0
    failed: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    report: str = ""

    def line(self) -> str:
        """One line: a mark, the name, its minutes, what was counted."""
        summary = ", ".join(f"{count} {what}" for what, count in self.counts.items()) or ", ".join(self.failed)
        mark = "✗" if self.failed else "✓"
        return f"{mark} {self.phase.name:<26} {_clock(self.began)} to {_clock(self.ended)}   {summary}".rstrip()


def pytest_phase(name: str, marks: str, *words: str) -> Phase:
    """The tests that carry such marks. `words`: folders (all where none is given) and options of pytest."""
    return Phase(name, (("pytest", (*PYTHON, "pytest", "-m", marks, *_DURATIONS, *words)),))


def workers(cores: int) -> tuple[str, ...]:
    """Options for the tests without servers: more processes where another lane leaves cores free, a file in one each."""
    return ("-n", str(cores - 2), "--dist", "loadfile") if cores >= 4 else ()


CHECKS = Phase(
    "checks",
    (
        ("ruff", (*PYTHON, "ruff", "check", ".")),
        ("format", (*PYTHON, "ruff", "format", "--check", ".")),
        ("arrows", (str(Path(sys.executable).with_name("lint-imports")),)),
        ("types", (*PYTHON, "mypy")),
        # Some tests without servers look at what the pages are built from.
        ("pages", (*PYTHON, "tools.pages")),
    ),
)
UNIT_MARKS = "not integration and not e2e and not own_servers"


JOINED = ("tests/contract", "tests/features")
"""Folders whose tests join rooms or build the application: about as long as all other tests without servers."""


def parts(only: str = "") -> tuple[Phase, Phase, Phase, Phase, Phase]:
    """The tests on shared servers, of features, of rooms, on the demo, and on secured brokers.

    `only`: a further condition on marks.
    """
    processes = workers(os.cpu_count() or 1)
    unit = f"{UNIT_MARKS}{only}"
    return (
        pytest_phase(
            "tests on shared servers",
            f"integration and not e2e and not own_servers{only}",
            "tests/contract",
            "tests/integration",
        ),
        pytest_phase("contracts and features", unit, *processes, *JOINED),
        pytest_phase("rooms and code", unit, *processes, *(f"--ignore={folder}" for folder in JOINED)),
        pytest_phase("demo and browser", f"e2e and not secured and not own_servers{only}", "tests/e2e"),
        pytest_phase("secured brokers", f"e2e and secured and not own_servers{only}", "tests/e2e"),
    )


SERVERS, FEATURES, ROOMS, DEMO, SECURED = parts()
QUICK_SERVERS, QUICK_FEATURES, QUICK_ROOMS, QUICK_DEMO, QUICK_SECURED = parts(" and not tail")
OWN = pytest_phase("servers of their own", "own_servers", "tests/integration", "tests/e2e")
MUTATION = Phase(
    "mutants",
    (("mutation", (*PYTHON, "tools.mutation", "--minutes", "60")),),
    (("WEIR_TEST_DECISIONS", "200"), ("WEIR_TEST_SEED", "20261121")),  # its list of survivors is of these
)
QUICK = (QUICK_SERVERS, CHECKS, QUICK_FEATURES, QUICK_DEMO, QUICK_ROOMS, QUICK_SECURED)
ALL = (SERVERS, CHECKS, FEATURES, DEMO, ROOMS, SECURED, OWN, MUTATION)
FAST = (CHECKS, QUICK_FEATURES, QUICK_ROOMS)


def lanes() -> int:
    """How many phases run at a time: WEIR_TEST_LANES, else one more than there are cores, and three at most.

    A phase waits for servers and pages now and then; another one has the core meanwhile.
    """
    return int(os.environ.get("WEIR_TEST_LANES", "0")) or min(3, (os.cpu_count() or 1) + 1)


def run(phases: Sequence[Phase], root: Path, write: Callable[[str], None], side_by_side: int | None = None) -> int:
    """Run phases from a folder and write each one's report as it ends; 0, or 1 when anything failed.

    WEIR_TEST_MINUTES counts from the start of the whole run, not of a phase.
    """
    start = time.monotonic()
    logs = Path(tempfile.mkdtemp(prefix="weir-tests-"))
    outcomes: list[Outcome] = []
    running: dict[Future[Outcome], Phase] = {}
    write(f"{len(phases)} phases, {side_by_side or lanes()} at a time; all they print is kept in {logs}")
    with ThreadPoolExecutor(side_by_side or lanes()) as pool, _children() as children:
        running = {pool.submit(_perform, phase, root, logs, start, children): phase for phase in phases}
        while running:
            done, _ = wait(running, timeout=60, return_when=FIRST_COMPLETED)
            if not done:
                write(f"  {_clock(time.monotonic() - start)}  {_progress(running.values(), logs)}")
            for each in done:
                running.pop(each)
                outcomes.append(outcome := each.result())
                write(f"\n{outcome.line()}\n{outcome.report}".rstrip())
    write("\n" + "\n".join(outcome.line() for outcome in outcomes))
    failed = [f"{outcome.phase.name} ({', '.join(outcome.failed)})" for outcome in outcomes if outcome.failed]
    total = sum((outcome.counts for outcome in outcomes), Counter[str]())
    counts = ", ".join(f"{count} {what}" for what, count in total.items())
    write(f"{counts or 'no tests'} in {_clock(time.monotonic() - start)}" + _failures(failed))
    return 1 if failed else 0


def _failures(failed: Sequence[str]) -> str:
    return f"\nFailed: {'; '.join(failed)}." if failed else ""


def _perform(phase: Phase, root: Path, logs: Path, start: float, children: _Children) -> Outcome:
    outcome = Outcome(phase, time.monotonic() - start)
    for name, command in phase.steps:
        log = _log(logs, phase, name)
        with log.open("wb") as out:
            code = children.run(_timed(command, log), root, out.fileno(), _environment(phase, outcome.began))
        text = log.read_text(errors="replace")
        result = _RESULT.findall(text)
        failed = code != 0 or (name == "pytest" and not result)
        if failed:
            outcome.failed.append(name)
        if result:
            outcome.counts.update({what: int(count) for count, what in _COUNT.findall(result[-1])})
        outcome.report += _report(name, text, f"✗ {name} ended with {code}" if failed else "")
    outcome.ended = time.monotonic() - start
    return outcome


def _timed(command: tuple[str, ...], log: Path) -> tuple[str, ...]:
    """A command of pytest keeps the seconds of each test in a file of JUnit's form, beside its log."""
    return (*command, f"--junit-xml={log.with_suffix('.xml')}") if command[:3] == (*PYTHON, "pytest") else command


def _report(name: str, text: str, failure: str) -> str:
    """What to read of a step: pytest's output behind its progress; of another command all, if it failed."""
    results = list(_RESULT.finditer(text))
    if not results:
        return f"{failure}\n{text[-20_000:]}\n" if failure else f"✓ {name}\n"
    heading = _REPORT.search(text)
    assert heading is not None
    return text[heading.start() : results[-1].end()] + "\n"


def _environment(phase: Phase, spent: float) -> dict[str, str]:
    """The environment of a phase that begins so many seconds after the run."""
    environment = {**os.environ, **dict(phase.environment)}
    if minutes := environment.get("WEIR_TEST_MINUTES"):
        environment["WEIR_TEST_MINUTES"] = str(max(0.0, float(minutes) - spent / 60))
    return environment


def _progress(phases: Iterable[Phase], logs: Path) -> str:
    """How far each phase is that has begun, by the last percentage its tests printed."""
    known = []
    for phase in phases:
        for name, _ in reversed(phase.steps):
            if (log := _log(logs, phase, name)).exists():
                percents = _PERCENT.findall(log.read_text(errors="replace"))
                known.append(f"{phase.name} {percents[-1] + '%' if percents else name}")
                break
    return ", ".join(known)


def _log(logs: Path, phase: Phase, step: str) -> Path:
    return logs / f"{phase.name}-{step}.log".replace(" ", "-")


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60:>2}:{int(seconds) % 60:02}"


class _Children:
    """The processes of a run: each in a session of its own, so that an interrupt reaches it once, from here."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._over = False

    def run(self, command: Sequence[str], root: Path, out: int, environment: Mapping[str, str]) -> int:
        """The exit code of a command; 127 where it cannot be started, 130 where the run is over."""
        with self._lock:
            if self._over:
                return 130
            try:
                child = subprocess.Popen(
                    command,
                    cwd=root,
                    env=dict(environment),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                os.write(out, f"{command[0]} cannot be started: {error.strerror}".encode())
                return 127
            self._running.add(child)
        code = child.wait()
        with self._lock:
            self._running.discard(child)
        return code

    def end(self, patience: float = 120) -> None:
        """Interrupt what runs, so that tests stop their servers; kill what does not end in time."""
        with self._lock:
            self._over = True
            left = list(self._running)
        for child in left:
            child.send_signal(signal.SIGINT)
        for child in left:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(patience)
            child.kill()


@contextlib.contextmanager
def _children() -> Iterator[_Children]:
    """Ends what runs when the block is left early, by an interrupt or a request to end."""
    children = _Children()

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as below nohup; what is ignored here is ignored by children
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield children
    finally:
        signal.signal(signal.SIGTERM, before)
        children.end()
