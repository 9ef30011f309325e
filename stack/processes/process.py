"""Plain background processes: started in a session of their own, awaited, recognised later, stopped gently."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from stack.errors import GivenUp, StackError

POLL = 0.1
"""Seconds between two looks at a starting process; small against every start, large against the cost of a look."""
LOGS_KEPT = 10
"""Logs of a process: the one that is written and earlier ones."""
LOG_BYTES = 10_000_000
"""Size from which on a log is put aside while its process continues."""
TAIL_LINES = 15
STACK_FRAME = re.compile(r"\s+(at \S+\(|\.\.\. \d+ more)")
MARK = "WEIRSTACK_INSTANCE"
"""Environment variable that every process of an instance carries, so that a lost one can still be found. It does not
begin with WEIR_, for that would be a setting of Weir's."""
CLOCK = 1.0
"""Seconds by which a start time may seem to move: psutil adds the boot time, which clock corrections shift."""


@dataclass(frozen=True)
class Identity:
    """A process that cannot be mistaken for a later one of the same number."""

    pid: int
    create_time: float

    @classmethod
    def of(cls, pid: int) -> Identity:
        """Raises psutil.NoSuchProcess."""
        return cls(pid, psutil.Process(pid).create_time())

    def process(self) -> psutil.Process | None:
        """The living process, or None when it ended or its number belongs to another one by now."""
        try:
            process = psutil.Process(self.pid)
            if abs(process.create_time() - self.create_time) > CLOCK:
                return None
            # A dead child that nobody collected is dead all the same.
            return None if process.status() == psutil.STATUS_ZOMBIE else process
        except psutil.Error:
            return None

    def alive(self) -> bool:
        return self.process() is not None

    def memory(self) -> int:
        """Resident memory in bytes of the process and its children; 0 when it ended."""
        process = self.process()
        if process is None:
            return 0
        total = 0
        with contextlib.suppress(psutil.Error):
            for each in (process, *process.children(recursive=True)):
                total += each.memory_info().rss
        return total


def listens(identity: Identity, port: int) -> bool:
    """Whether the process or a child of it listens on a TCP port; True where the system does not let us look."""
    process = identity.process()
    if process is None:
        return False
    try:
        family = [process, *process.children(recursive=True)]
        return any(
            connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
            for each in family
            for connection in each.net_connections(kind="tcp")
        )
    except psutil.Error:
        return True


def tail(log: Path, lines: int = TAIL_LINES) -> tuple[str, ...]:
    """The last lines of a log file, without blank ones and Java's stack frames; empty when there is no file."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 65_536))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ()
    log_lines = (line for line in text.splitlines() if line.strip() and not STACK_FRAME.match(line))
    return tuple(line.rstrip()[:300] for line in log_lines)[-lines:]


def spawn(argv: Sequence[str], environment: Mapping[str, str], log: Path, folder: Path, error_name: str) -> Identity:
    """Start a program detached from this terminal, its words going to `log`; those of earlier runs become `.1` to `.9`.

    Raises StackError when the program cannot be started at all.
    """
    try:
        shift(log)
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            child = subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=handle,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                cwd=folder,
                start_new_session=True,
                umask=0o077,
            )
        finally:
            os.close(handle)
    except OSError as error:
        raise StackError(f"{error_name} could not be started: {error.strerror or error}.") from error
    _children[child.pid] = child
    try:
        return Identity.of(child.pid)
    except psutil.NoSuchProcess as error:
        raise StackError(f"{error_name} ended at once (log: {log}).", tail(log)) from error


def shift(log: Path, kept: int = LOGS_KEPT) -> None:
    """Make room for a new log: `x.log` becomes `x.log.1`, that one `.2`, and so on; `kept` in all. Raises OSError."""
    if not log.exists() or not log.stat().st_size:
        return
    for older, newer in reversed(list(itertools.pairwise(_logs(log, kept)))):
        if older.exists():
            older.replace(newer)


def cut(log: Path, most: int = LOG_BYTES, kept: int = LOGS_KEPT) -> bool:
    """The same for a log that its process continues to write, once it has `most` bytes: it is copied and emptied, since the
    process appends to this very file. A line that is written between the two may be lost. True when it was; raises OSError.
    """
    if not log.exists() or log.stat().st_size < most:
        return False
    names = _logs(log, kept)
    copy = log.with_suffix(f"{log.suffix}.new")
    copy.touch(0o600)
    try:
        shutil.copyfile(log, copy)
        os.truncate(log, 0)
    except OSError:
        copy.unlink(missing_ok=True)
        raise
    for older, newer in reversed(list(itertools.pairwise(names[1:]))):
        if older.exists():
            older.replace(newer)
    copy.replace(names[1])
    return True


def _logs(log: Path, kept: int) -> list[Path]:
    return [log, *(log.with_suffix(f"{log.suffix}.{n}") for n in range(1, kept))]


_children: dict[int, subprocess.Popen[bytes]] = {}


def reap() -> None:
    """Collect those of our own children that ended, so that none stays a zombie."""
    for pid, child in list(_children.items()):
        if child.poll() is not None:
            del _children[pid]


def exit_code(pid: int) -> int | None:
    """How a child of this very process ended (negative: by that signal); None when alive or not ours."""
    child = _children.get(pid)
    return child.poll() if child else None


def await_ready(
    name: str,
    identity: Identity,
    probe: Callable[[], bool],
    log: Path,
    timeout: float,
    cancelled: Callable[[], bool] = lambda: False,
) -> float:
    """Wait until `probe` returns True; returns the seconds it took.

    Raises StackError with the log's tail when the process ends first, when `timeout` seconds pass, or, without a
    tail, when `cancelled` returns that the whole start was given up.
    """
    started = time.monotonic()
    while True:
        if not identity.alive():
            code = exit_code(identity.pid)
            how = "" if code is None else f" with signal {-code}" if code < 0 else f" with code {code}"
            raise StackError(f"{name} ended{how} while it was starting (log: {log}).", tail(log))
        if cancelled():
            raise GivenUp(f"The start of {name} was given up.")
        if probe():
            return time.monotonic() - started
        if time.monotonic() - started > timeout:
            raise StackError(
                f"{name} was not ready after {timeout:.0f} s (log: {log}); the machine may be too busy or short of"
                " memory, and WEIR_STACK__START_TIMEOUT gives it longer.",
                tail(log),
            )
        time.sleep(POLL)


def stop(identities: Sequence[Identity], timeout: float) -> None:
    """End processes and whatever they started: SIGTERM to all, up to `timeout` seconds of patience, then SIGKILL.

    A process whose start time differs from the identity's is another one and is left alone. Returns when all ended.
    """
    leaders = [process for identity in identities if (process := identity.process()) is not None]
    everyone: dict[int, psutil.Process] = {process.pid: process for process in leaders}
    for leader in leaders:
        try:
            everyone |= {child.pid: child for child in leader.children(recursive=True)}
        except psutil.Error:
            continue
    for leader in leaders:
        _signal(leader, signal.SIGTERM)
    _, left = psutil.wait_procs(leaders, timeout=timeout)
    # Children of a leader that ended (Spark's Python workers) end by themselves in a moment; then they are told.
    rest = [process for pid, process in everyone.items() if process not in leaders]
    _, orphans = psutil.wait_procs(rest, timeout=1 if not left else 0)
    for process in (*left, *orphans):
        _signal(process, signal.SIGKILL)
    psutil.wait_procs([*left, *orphans], timeout=10)
    reap()


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    # psutil itself refuses when the number was given to another process meanwhile.
    with contextlib.suppress(psutil.Error):
        process.send_signal(number)


def marked(mark: str) -> list[Identity]:
    """Living processes of this user that carry the mark, or one that continues after it with `:` (the process's name).

    These are what a killed start left unrecorded. The caller itself and its ancestors are not among them.
    """
    identities = []
    own = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    for process in psutil.process_iter():
        try:
            value = process.environ().get(MARK, "") if process.pid not in own else ""
            if value == mark or value.startswith(mark + ":"):
                identity = Identity(process.pid, process.create_time())
                if identity.alive():
                    identities.append(identity)
        except (psutil.Error, OSError):
            continue
    return identities
