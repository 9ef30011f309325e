"""The migrations make exactly the tables that the code declares, on both databases, however many start at once."""

from __future__ import annotations

import importlib.util
import multiprocessing
from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

import catalog.adapters.sql.tables  # noqa: F401
import catalog.adapters.sql.tables_contracts  # noqa: F401
import catalog.adapters.sql.tables_incidents  # noqa: F401
import catalog.adapters.sql.tables_lags  # noqa: F401
import catalog.adapters.sql.tables_leases  # noqa: F401
import catalog.adapters.sql.tables_origins  # noqa: F401
import catalog.adapters.sql.tables_quality  # noqa: F401
import catalog.adapters.sql.tables_questions  # noqa: F401
import catalog.adapters.sql.tables_record_keys  # noqa: F401
import catalog.adapters.sql.tables_reports  # noqa: F401
import catalog.adapters.sql.tables_saved_queries  # noqa: F401
import catalog.adapters.sql.tables_signals  # noqa: F401
import views.adapters.states_sql  # noqa: F401
from catalog.adapters.sql.database import Base, Database
from catalog.errors import SettingsError, Unavailable

if importlib.util.find_spec("policies.adapters.stores.tables"):
    import policies.adapters.stores.campaign_tables
    import policies.adapters.stores.notice_tables
    import policies.adapters.stores.rights_tables
    import policies.adapters.stores.session_tables
    import policies.adapters.stores.tables  # noqa: F401


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:  # noqa: F811
    database = Database(database_url)
    yield database
    database.close()


def test_migrated_schema_is_what_the_code_declares(database: Database) -> None:
    database.migrate()
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_migrating_again_changes_nothing(database: Database) -> None:
    database.migrate()
    database.migrate()
    database.ping()


def _migrate(url: str) -> None:
    Database(url).migrate()


@pytest.mark.sampled(1)
def test_processes_that_start_at_once_all_succeed(database: Database, database_url: str) -> None:  # noqa: F811
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_migrate, args=(database_url,)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    database.ping()


def test_a_store_of_a_newer_weir_is_refused(database: Database) -> None:
    database.migrate()
    with database.begin() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SettingsError, match="newer Weir"):
        database.migrate()


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    database.migrate()
    insert = text("INSERT INTO namespace_aliases (alias, namespace) VALUES ('a', 'b')")
    with pytest.raises(ZeroDivisionError), database.begin() as session:
        session.execute(insert)
        with database.begin() as inner:
            assert inner is session
            raise ZeroDivisionError
    with database.read() as session:
        assert session.scalar(text("SELECT count(*) FROM namespace_aliases")) == 0


def test_a_write_inside_a_read_is_a_mistake(database: Database) -> None:
    database.migrate()
    with database.read(), pytest.raises(RuntimeError), database.begin():
        pass


def test_a_database_that_is_not_there_is_named_without_its_password() -> None:
    database = Database("postgresql://weir:secret-word@127.0.0.1:1/weir")
    with pytest.raises(Unavailable) as caught:
        database.migrate()
    assert "127.0.0.1:1" in caught.value.message
    assert "secret-word" not in caught.value.message


@pytest.mark.parametrize("url", ["mysql://u:p@h/d", "nonsense"])
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(SettingsError):
        Database(url)
