"""What changed in the rows of a generation since a version: reading it, and the keys that are gone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    Double,
    Integer,
    LargeBinary,
    Text,
    bindparam,
    cast,
    delete,
    func,
    literal,
    null,
    select,
    union_all,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from views.adapters.serving_statements import gone_of, rows_of
from views.adapters.serving_tables import GENERATIONS, identity_of, row_of
from views.row_ports import Change, Changes
from views.serving.whole_versions import whole_versions


def read_changes(connection: Connection, number: int, after: int, until: int, limit: int, gone: bool) -> Changes:
    """See `views.ports.ServingTable.changes`."""
    statement = _changes(number, gone)

    def read(most: int) -> list[Change]:
        changes = connection.execute(statement, {"after": after, "until": until, "n": most})
        return [
            Change(
                version, identity_of(identity), row_of(identity, body, partition, offset) if body is not None else None
            )
            for version, _, identity, body, partition, offset in changes
        ]

    return whole_versions(read, limit, until)


@lru_cache(maxsize=512)
def _changes(number: int, gone: bool) -> Any:
    row, key = rows_of(number).c, gone_of(number).c
    statement: Any = select(row.version, row.key, row.identity, row.body, row.partition, row.offset).where(
        *_between(row)
    )
    if gone:
        nothing = cast(null(), Text), cast(null(), Integer), cast(null(), BigInteger)
        statement = union_all(statement, select(key.version, key.key, key.identity, *nothing).where(*_between(key)))
    # A union's columns have the names of its first query's.
    return statement.order_by("version", "key").limit(bindparam("n", type_=Integer))


def _between(columns: Any) -> tuple[Any, Any]:
    after, until = bindparam("after", type_=BigInteger), bindparam("until", type_=BigInteger)
    return columns.version > after, columns.version <= until


def take_away(connection: Connection, number: int, keys: Sequence[bytes], version: int, at: float) -> int:
    """Delete the rows of these keys and note those that were there; how many."""
    table, gone_keys = rows_of(number), gone_of(number)
    there = table.c.key.in_(bindparam("keys", expanding=True, type_=LargeBinary))
    noted = select(table.c.key, table.c.identity, literal(version, BigInteger), literal(at, Double)).where(there)
    insert: Any = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    new = insert(gone_keys).from_select(["key", "identity", "version", "at"], noted)
    again = {name: new.excluded[name] for name in ("identity", "version", "at")}
    connection.execute(new.on_conflict_do_update(index_elements=["key"], set_=again), {"keys": keys})
    return connection.execute(delete(table).where(there), {"keys": keys}).rowcount


def forget_some(connection: Connection, number: int, before: float | None) -> int:
    """Delete keys that are gone since before this time (None: all of them); how many."""
    gone_keys = gone_of(number)
    old = gone_keys.c.at < before if before is not None else literal(True)
    newest = connection.scalar(select(func.max(gone_keys.c.version)).where(old))
    if newest is None:
        return 0
    count = connection.execute(delete(gone_keys).where(old)).rowcount
    more = (GENERATIONS.c.id == number) & (GENERATIONS.c.forgotten < newest)
    connection.execute(update(GENERATIONS).where(more).values(forgotten=newest))
    return count
