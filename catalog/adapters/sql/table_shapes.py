"""The tables of any revision, the same whichever database has them: they are made in memory and looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from sqlalchemy import MetaData, Table, create_engine, text

from catalog.adapters.sql import schema

Kind = Literal["text", "json", "time", "bool", "int", "float", "bytes"]
_KINDS: Mapping[str, Kind] = {
    "TEXT": "text",
    "VARCHAR": "text",
    "JSON": "json",
    "DATETIME": "time",
    "BOOLEAN": "bool",
    "INTEGER": "int",
    "BIGINT": "int",
    "FLOAT": "float",
    "DOUBLE": "float",
    "BLOB": "bytes",
}
_OF_ALEMBIC = "alembic_version"
_COUNTS_OTHERS = "catalog_changes"


@dataclass(frozen=True, slots=True)
class TableShape:
    """kinds: of the columns; key: columns of the primary key; numbered: whether a number is never given to a second row;
    first_rows: what the migrations put into it."""

    name: str
    kinds: Mapping[str, Kind]
    key: Sequence[str]
    numbered: bool
    first_rows: Sequence[tuple[Any, ...]]


@cache
def shapes(revision: str) -> tuple[TableShape, ...]:
    """All tables of a revision, each after those that it refers to.

    The counter of changes is last: triggers would count rows that are put into other tables after it.
    """
    engine = create_engine("sqlite:///:memory:")
    with engine.begin() as connection:
        schema.upgrade(connection, "in memory", revision)
        metadata = MetaData()
        metadata.reflect(connection)
        made_by = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
        statements = {str(row[0]): str(row[1]) for row in made_by}
        tables = [table for table in metadata.sorted_tables if table.name != _OF_ALEMBIC]
        listed = tuple(
            TableShape(
                table.name,
                _kinds(table),
                [column.name for column in table.primary_key.columns],
                "AUTOINCREMENT" in statements[table.name].upper(),
                [tuple(row) for row in connection.execute(table.select())],
            )
            for table in sorted(tables, key=lambda table: table.name == _COUNTS_OTHERS)
        )
    engine.dispose()
    return listed


def _kinds(table: Table) -> dict[str, Kind]:
    return {column.name: _KINDS[str(column.type).partition("(")[0]] for column in table.columns}
