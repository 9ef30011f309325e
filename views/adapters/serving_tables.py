"""The tables of the serving database: one of generations, and one of rows for each generation.

A generation's rows are a table of their own so that dropping them frees whole pages, which SQLite then overwrites, and
whole files of PostgreSQL.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, MetaData, Table, Text, UniqueConstraint

from views.model import Positions, Row
from views.ports import Contained

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
    UniqueConstraint("view", "generation"),
    sqlite_autoincrement=True,
)


def rows_table(number: int) -> Table:
    """The rows of the generation with this id. `key` sorts as `views.serving.key_order`; `body`: JSON text."""
    return Table(
        f"weir_view_rows_{number}",
        MetaData(),
        Column("key", LargeBinary, primary_key=True),
        Column("identity", LargeBinary, nullable=False),
        Column("body", Text, nullable=False),
        Column("partition", Integer, nullable=False),
        Column("offset", BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )


Stored = tuple[bytes, bytes, str, int, int]
"""A row in the order of the table's columns."""
# ASCII: PostgreSQL's texts hold neither a zero character nor half a pair.
_json = json.JSONEncoder(separators=(",", ":")).encode


def stored(key: bytes, row: Row) -> Stored:
    return key, row.key.encode("utf-8", "surrogatepass"), _json(row.values), row.partition, row.offset


def row_of(identity: bytes, body: str, partition: int, offset: int) -> Row:
    return Row(bytes(identity).decode("utf-8", "surrogatepass"), json.loads(body), offset, partition)


def positions_text(positions: Positions) -> str:
    return json.dumps({str(partition): offset for partition, offset in positions.items()})


def positions_of(text: str) -> dict[int, int]:
    return {int(partition): offset for partition, offset in json.loads(text).items()}


def offsets_text(offsets: Mapping[str, Positions]) -> str:
    return json.dumps({topic: {str(p): o for p, o in positions.items()} for topic, positions in offsets.items()})


def contained_of(positions: str, offsets: str, at: str | None) -> Contained:
    topics = {t: {int(p): o for p, o in positions.items()} for t, positions in json.loads(offsets).items()}
    return Contained(positions_of(positions), topics, datetime.fromisoformat(at) if at else None)
