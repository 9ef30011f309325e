"""Writers that wait for one another hold nothing that the one they wait for may need: no connection, no lock of theirs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import text

from catalog.adapters.sql.database import Database
from tests.query_door import until

WAITING = 30


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    file = f"sqlite:///{tmp_path / 'weir.db'}"
    database = Database(file if request.param == "sqlite" else request.getfixturevalue("postgres_server"))
    database.ping()
    yield database
    database.close()


def test_a_reader_is_answered_while_more_writers_wait_than_a_pool_holds(database: Database) -> None:
    begun, release = threading.Event(), threading.Event()

    def holds() -> None:
        with database.begin() as session:
            session.execute(text("SELECT 1"))
            begun.set()
            assert release.wait(60)

    def waits(_: int) -> bool:
        with database.begin() as session:
            return bool(session.execute(text("SELECT 1")).scalar())

    with ThreadPoolExecutor(WAITING + 1) as threads:
        first = threads.submit(holds)
        assert begun.wait(10)
        others = [threads.submit(waits, number) for number in range(WAITING)]
        try:
            until(lambda: database.engine.pool.checkedout() > WAITING)  # type: ignore[attr-defined]
            asked = time.monotonic()
            with database.read() as session:
                assert session.execute(text("SELECT 1")).scalar() == 1
            assert time.monotonic() - asked < 5
        finally:
            release.set()
        first.result(30)
        assert all(other.result(60) for other in others)


def test_a_writer_waits_before_its_work_begins(database: Database) -> None:
    """Else it could take a lock of its process first, which the writer that it waits for needs."""
    entered = threading.Event()

    def writes() -> None:
        with database.begin():
            entered.set()

    with ThreadPoolExecutor(1) as threads:
        with database.begin() as session:
            session.execute(text("SELECT 1"))
            second = threads.submit(writes)
            assert not entered.wait(1)
        second.result(30)
    assert entered.is_set()
