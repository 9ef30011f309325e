"""Two real processes and one duty of two halves: kills and freezes in the middle of it, and nothing is doubled or left out."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from sqlalchemy import text

from catalog.adapters.sql.database import Database

COUNT = """
import sys, threading, time
from sqlalchemy import text
from catalog.adapters.sql.database import Database
from catalog.adapters.sql.leases import SqlBeats, SqlLeases
from catalog.errors import Unavailable
from catalog.leases.leases import Leases
database = Database(sys.argv[1])
leases, stop = Leases(SqlLeases(database), SqlBeats(database), ["count"]), threading.Event()
threading.Thread(target=leases.run, args=(stop,), daemon=True).start()
def step():
    with database.read() as session:
        n = session.execute(text("SELECT coalesce(max(n), 0) FROM counted")).scalar() + 1
    time.sleep(0.02)  # what is done between is what a freeze interrupts
    with database.begin() as session:
        session.execute(text("INSERT INTO counted VALUES (:n, :at)"), {"n": n, "at": time.time()})
    return True
leased = leases.guarded("count", step)
while True:
    try:
        done = leased()
    except Unavailable:  # PostgreSQL has ended the transaction of a process that was frozen in it
        done = False
    if not done:
        time.sleep(0.05)
"""
MOST_S = 15.0


class Pair:
    """Two processes; one of them counts."""

    def __init__(self, url: str) -> None:
        self.url, self.database = url, Database(url)
        self.processes: list[subprocess.Popen[bytes]] = []
        self.frozen: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        while len(self.processes) < 2:
            self.processes.append(subprocess.Popen([sys.executable, "-c", COUNT, self.url]))

    def holder(self) -> subprocess.Popen[bytes] | None:
        with self.database.read() as session:
            holder = session.execute(text("SELECT holder FROM leases")).scalar() or ""
        return next((each for each in self.processes if f"/{each.pid}/" in holder), None)

    def counted(self) -> list[int]:
        with self.database.read() as session:
            return [int(n) for n in session.scalars(text("SELECT n FROM counted ORDER BY n"))]

    def moves_on(self, after: int, most: float) -> float:
        """Seconds until more was counted than `after`."""
        begun = time.monotonic()
        while len(self.counted()) <= after:
            assert time.monotonic() - begun < most, f"nobody has done the duty for {most:.0f} s"
            time.sleep(0.05)
        return time.monotonic() - begun

    def _writable(self) -> bool:
        with closing(sqlite3.connect(self.url.removeprefix("sqlite:///"), timeout=0.5)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            return True

    def fault(self, freeze: bool) -> float:
        """Stop the holder in the middle of its work; seconds until another counts. A frozen one comes back after that."""
        holder = self.holder()
        assert holder is not None
        holder.send_signal(signal.SIGSTOP if freeze else signal.SIGKILL)
        while freeze and self.database.is_sqlite and not self._writable():
            holder.send_signal(signal.SIGCONT)  # frozen inside a transaction it keeps the file locked
            time.sleep(0.01)
            holder.send_signal(signal.SIGSTOP)
        if not freeze:
            holder.wait()
            self.processes.remove(holder)
        took = self.moves_on(len(self.counted()), 60)
        holder.send_signal(signal.SIGCONT)
        self.start()
        self.moves_on(len(self.counted()) + 5, 60)
        return took


@contextmanager
def pair(url: str) -> Iterator[Pair]:
    two = Pair(url)
    two.database.migrate()
    with two.database.begin() as session:
        session.execute(text("CREATE TABLE counted (n INTEGER, at FLOAT)"))
    two.start()
    try:
        two.moves_on(0, 60)
        yield two
    finally:
        for each in two.processes:
            each.kill()
            each.wait()
        two.database.close()


def _without_fault(pair: Pair, faults: int) -> None:
    times = {freeze: [pair.fault(freeze) for _ in range(faults)] for freeze in (False, True)}
    counted = pair.counted()
    assert counted == list(range(1, len(counted) + 1)), "one was doubled or left out"
    for freeze, seconds in times.items():
        print("frozen" if freeze else "killed", [round(each, 1) for each in seconds])
        assert max(seconds) < MOST_S


@pytest.mark.tail
def test_a_kill_and_a_freeze_cost_and_double_nothing(database_url: str) -> None:
    with pair(database_url) as two:
        _without_fault(two, 1)


@pytest.mark.tail
def test_fifty_kills_and_freezes_cost_and_double_nothing(database_url: str) -> None:
    with pair(database_url) as two:
        _without_fault(two, 25)
