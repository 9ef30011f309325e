"""A look at the record store shows whether somebody wrote to it, on both databases."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Hashable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from catalog.adapters.sql.database import Database
from catalog.adapters.sql.store_version import StoreVersion
from catalog.errors import Unavailable

WRITE = """
import sys
from sqlalchemy import text
from catalog.adapters.sql.database import Database
database = Database(sys.argv[1])
with database.begin() as session:
    session.execute(text("INSERT INTO notes VALUES (1)"))
database.close()
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'weir.db'}"
    return str(request.getfixturevalue("postgres_server"))


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    database = Database(url)
    with database.begin() as session:
        session.execute(text("CREATE TABLE notes (number INTEGER)"))
    yield database
    with database.begin() as session:
        session.execute(text("DROP TABLE notes"))
    database.close()


def test_a_write_of_this_process_is_seen(database: Database) -> None:
    version = StoreVersion(database)
    before = version.read()
    with database.begin() as session:
        session.execute(text("INSERT INTO notes VALUES (1)"))
    assert version.read() != before
    version.close()


def test_a_write_of_another_process_is_seen(database: Database, url: str) -> None:
    version = StoreVersion(database)
    before = version.read()
    subprocess.run([sys.executable, "-c", WRITE, url], check=True, timeout=60)
    assert version.read() != before
    version.close()


def test_a_write_that_failed_and_a_read_change_nothing_on_sqlite(database: Database) -> None:
    if not database.is_sqlite:
        pytest.skip("PostgreSQL counts what began to write, to any database of the server")
    version = StoreVersion(database)
    before = version.read()
    with pytest.raises(ZeroDivisionError), database.begin() as session:
        session.execute(text("INSERT INTO notes VALUES (1)"))
        raise ZeroDivisionError
    with database.read() as session:
        session.execute(text("SELECT * FROM notes")).all()
    with database.begin() as session:
        session.execute(text("DELETE FROM notes WHERE number = 77"))
    assert version.read() == before
    version.close()


def test_a_writer_that_commits_after_a_later_one_is_seen(database: Database) -> None:
    if database.is_sqlite:
        pytest.skip("SQLite has one writer at a time")
    version = StoreVersion(database)
    with database.engine.connect() as older, database.engine.connect() as later:
        for each in (older, later):
            each.execute(text("INSERT INTO notes VALUES (1)"))
        later.commit()
        before = version.read()
        older.commit()
        assert version.read() != before
    version.close()


def test_any_thread_may_look_and_close(database: Database) -> None:
    version = StoreVersion(database)
    seen: list[Hashable] = []
    for _ in range(3):
        thread = threading.Thread(target=lambda: seen.append(version.read()))
        thread.start()
        thread.join(30)
    assert len(seen) == 3
    assert not database.is_sqlite or len(set(seen)) == 1
    version.close()
    assert version.read() is not None
    version.close()


def test_a_store_that_is_away_is_told_in_a_sentence() -> None:
    version = StoreVersion(Database("postgresql+psycopg://weir@127.0.0.1:1/weir"))
    with pytest.raises(Unavailable, match="does not answer"):
        version.read()
