"""A record store of any earlier version is brought to the newest one in one step, with its rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory

from catalog.adapters.sql import schema
from catalog.adapters.sql.database import Database
from catalog.adapters.sql.store_copy import StoreCopy
from catalog.adapters.sql.table_shapes import Kind, TableShape, shapes
from tests.catalog_stores import own_postgres

_VALUES: Mapping[Kind, Any] = {
    "text": "kept",
    "json": '{"kept": true}',
    "time": "2026-03-01 12:00:00.000000",
    "bool": True,
    "int": 7,
    "float": 0.5,
    "bytes": "AQ==",
}
_VERSIONS = Path(schema.__file__).parent / "migrations"
EARLIER = [each.revision for each in ScriptDirectory(str(_VERSIONS)).walk_revisions()][:0:-1]
_COUNTER = "catalog_changes"
"""Counts changes of other tables, so it has another number afterwards."""
_COUNTS_CHANGES = ("datasets", "revision")
"""So does this one, where an upgrade adds something to the row."""


def _filled(revision: str) -> dict[str, TableShape]:
    return {shape.name: shape for shape in shapes(revision) if shape.name != _COUNTER}


def _upgraded(database: Database, revision: str) -> None:
    with database.begin() as session:
        copy = StoreCopy(database, session.connection())
        copy.begin(revision)
        for shape in _filled(revision).values():
            copy.fill(shape, [[_VALUES[kind] for kind in shape.kinds.values()]], None)
    database.migrate()
    with database.begin() as session:
        copy, present = StoreCopy(database, session.connection()), _filled(schema.newest())
        assert copy.revision() == schema.newest()
        for name, shape in _filled(revision).items():
            assert name in present, f"{name} is gone"
            (row,) = copy.rows(present[name])
            now = dict(zip(present[name].kinds, row, strict=True))
            for column, kind in shape.kinds.items():
                value = now.get(column, _VALUES[kind])
                rises = (name, column) == _COUNTS_CHANGES and value > _VALUES[kind]
                assert value == _VALUES[kind] or rises, (name, column)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("revision", EARLIER)
def test_rows_of_each_version_are_there_after_the_upgrade(revision: str, tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'weir.db'}")
    database.make_file()
    _upgraded(database, revision)
    database.close()


@pytest.mark.parametrize("revision", EARLIER[::6])
def test_the_same_on_postgresql(revision: str, postgres_server: str) -> None:
    with own_postgres(postgres_server) as url:
        database = Database(url)
        _upgraded(database, revision)
        database.close()
