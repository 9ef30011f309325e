"""Several processes on one record store: none loses what another wrote, and one that is frozen is not waited for for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from catalog.adapters.sql import database as module
from catalog.adapters.sql.database import Database
from catalog.errors import Unavailable

PROCESSES, THREADS, TIMES = 3, 4, 15
COUNT = f"""
import sys
from concurrent.futures import ThreadPoolExecutor
from sqlalchemy import text
from catalog.adapters.sql.database import Database
database = Database(sys.argv[1])
def one(_):
    for _ in range({TIMES}):
        with database.read() as session:
            session.execute(text("SELECT n FROM counted")).scalar()
        with database.begin() as session:
            n = session.execute(text("SELECT n FROM counted")).scalar()
            session.execute(text("UPDATE counted SET n = :n"), {{"n": n + 1}})
with ThreadPoolExecutor({THREADS}) as threads:
    list(threads.map(one, range({THREADS})))
"""
HOLD = """
import sys, time
from sqlalchemy import text
from catalog.adapters.sql.database import Database
from catalog.adapters.sql import database as module
module._IDLE_MS = int(sys.argv[2])
with Database(sys.argv[1]).begin() as session:
    session.execute(text("UPDATE counted SET n = 1000"))
    print("holds", flush=True)
    time.sleep(120)
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    file = f"sqlite:///{tmp_path / 'weir.db'}"
    chosen: str = file if request.param == "sqlite" else request.getfixturevalue("postgres_server")
    database = Database(chosen)
    with database.begin() as session:
        session.execute(text("DROP TABLE IF EXISTS counted"))
        session.execute(text("CREATE TABLE counted (n INTEGER)"))
        session.execute(text("INSERT INTO counted VALUES (0)"))
    yield chosen
    with database.begin() as session:
        session.execute(text("DROP TABLE counted"))
    database.close()


def counted(url: str) -> int:
    database = Database(url)
    with database.read() as session:
        number = int(session.execute(text("SELECT n FROM counted")).scalar() or 0)
    database.close()
    return number


def test_processes_that_read_and_then_write_lose_nothing(url: str) -> None:
    run = [sys.executable, "-c", COUNT, url]
    started = [subprocess.Popen(run, stderr=subprocess.PIPE, text=True) for _ in range(PROCESSES)]
    for each in started:
        _, problem = each.communicate(timeout=300)
        assert each.returncode == 0, problem
    assert counted(url) == PROCESSES * THREADS * TIMES


@pytest.fixture
def frozen(url: str) -> Iterator[str]:
    """A store with a writer that is frozen in the middle of its transaction."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, url, "4000"], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdout.readline() == "holds\n"
    os.kill(holder.pid, signal.SIGSTOP)
    yield url
    holder.kill()
    holder.wait(10)


def test_a_writer_gives_up_on_one_that_is_frozen(frozen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BUSY_MS", 1000)
    database = Database(frozen)
    asked = time.monotonic()
    with pytest.raises(Unavailable), database.begin():
        pass
    assert time.monotonic() - asked < 20
    assert counted(frozen) == 0
    database.close()


@pytest.mark.tail
def test_postgresql_ends_the_transaction_of_a_writer_that_is_frozen(frozen: str) -> None:
    database = Database(frozen)
    if database.is_sqlite:
        pytest.skip("a file is locked for as long as the process lives")
    with database.begin() as session:
        assert session.execute(text("SELECT n FROM counted")).scalar() == 0
    database.close()


def test_a_writer_that_was_silent_for_too_long_gets_a_sentence(postgres_server: str) -> None:
    database, other = Database(postgres_server), Database(postgres_server)
    database.idle_ms = lambda: 100
    with pytest.raises(Unavailable, match="does not answer"), database.begin() as session:
        mine = session.execute(text("SELECT pg_backend_pid()")).scalar()
        while True:
            with other.read() as look:
                there = look.execute(text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid"), {"pid": mine})
                if not there.scalar():
                    break
        session.execute(text("SELECT 1"))
    database.close()
    other.close()
