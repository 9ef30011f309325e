"""The tables of the serving database: one of generations, and for each generation one of rows and one of keys that are gone.

A generation's rows are a table of their own so that dropping them frees whole pages, which SQLite then overwrites, and
whole files of PostgreSQL.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

import orjson
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    text,
)

from views.model import Positions, Row
from views.row_ports import Contained

_METADATA = MetaData()

GENERATIONS = Table(
    "weir_view_generations",
    _METADATA,
    Column("id", Integer, primary_key=True),  # never given twice: the name of a table of rows
    Column("view", Text, nullable=False),
    Column("generation", Text, nullable=False),
    Column("positions", Text, nullable=False),
    Column("offsets", Text, nullable=False),
    Column("at", Text),
    Column("rows", BigInteger, nullable=False),
    Column("dropping", Boolean, nullable=False),
    Column("version", BigInteger, nullable=False, server_default="0"),  # of the newest batch that changed a row
    Column("forgotten", BigInteger, nullable=False, server_default="0"),  # up to which keys that are gone were deleted
    UniqueConstraint("view", "generation"),
    sqlite_autoincrement=True,
)


def rows_table(number: int) -> Table:
    """The rows of the generation with this id. `key` sorts as `views.serving.key_order`; `body`: JSON text; `version`: of
    the batch that changed the row last."""
    name = f"weir_view_rows_{number}"
    return Table(
        name,
        MetaData(),
        Column("key", LargeBinary, primary_key=True),
        Column("identity", LargeBinary, nullable=False),
        Column("body", Text, nullable=False),
        Column("partition", Integer, nullable=False),
        Column("offset", BigInteger, nullable=False),
        Column("version", BigInteger, nullable=False, server_default="0"),
        Index(f"{name}_version", "version", "key"),
        sqlite_with_rowid=False,
    )


def gone_table(number: int) -> Table:
    """Keys whose row was taken away in the batch `version`, at a time in seconds since 1970. They are kept for a while, for
    those who follow the view."""
    name = f"weir_view_gone_{number}"
    return Table(
        name,
        MetaData(),
        Column("key", LargeBinary, primary_key=True),
        Column("identity", LargeBinary, nullable=False),
        Column("version", BigInteger, nullable=False),
        Column("at", Double, nullable=False),
        Index(f"{name}_version", "version", "key"),
        sqlite_with_rowid=False,
    )


def make_tables(connection: Connection) -> None:
    """Nothing where they are. Those of a Weir without versions get them."""
    GENERATIONS.create(connection, checkfirst=True)
    if any(each["name"] == "version" for each in inspect(connection).get_columns(GENERATIONS.name)):
        return
    for column in ("version", "forgotten"):
        connection.execute(text(f"ALTER TABLE {GENERATIONS.name} ADD COLUMN {column} BIGINT NOT NULL DEFAULT 0"))
    for number in list(connection.scalars(GENERATIONS.select().with_only_columns(GENERATIONS.c.id))):
        rows = rows_table(number)
        connection.execute(text(f"ALTER TABLE {rows.name} ADD COLUMN version BIGINT NOT NULL DEFAULT 0"))
        for index in rows.indexes:
            index.create(connection)
        gone_table(number).create(connection)


Stored = tuple[bytes, bytes, str, int, int, int]
"""A row in the order of the table's columns."""
_ascii = json.JSONEncoder(separators=(",", ":")).encode
"""PostgreSQL's texts do not hold half a pair."""


def _json(values: Mapping[str, object]) -> str:
    try:
        return orjson.dumps(values).decode()  # zero characters are escaped
    except TypeError:
        return _ascii(values)


def stored(key: bytes, row: Row, version: int) -> Stored:
    return key, row.key.encode("utf-8", "surrogatepass"), _json(row.values), row.partition, row.offset, version


def row_of(identity: bytes, body: str, partition: int, offset: int) -> Row:
    return Row(identity_of(identity), json.loads(body), offset, partition)


def identity_of(stored_text: bytes) -> str:
    return bytes(stored_text).decode("utf-8", "surrogatepass")


def positions_text(positions: Positions) -> str:
    return json.dumps({str(partition): offset for partition, offset in positions.items()})


def positions_of(text: str) -> dict[int, int]:
    return {int(partition): offset for partition, offset in json.loads(text).items()}


def offsets_text(offsets: Mapping[str, Positions]) -> str:
    return json.dumps({topic: {str(p): o for p, o in positions.items()} for topic, positions in offsets.items()})


def contained_of(positions: str, offsets: str, at: str | None) -> Contained:
    topics = {t: {int(p): o for p, o in positions.items()} for t, positions in json.loads(offsets).items()}
    return Contained(positions_of(positions), topics, datetime.fromisoformat(at) if at else None)
