"""Statements on the serving database, each built once a table."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Integer,
    LargeBinary,
    Select,
    Table,
    Text,
    bindparam,
    case,
    cast,
    func,
    or_,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite

from views.adapters.serving_tables import GENERATIONS, gone_table, rows_table


def of_generation(view: str, generation: str, *columns: Any) -> Select[Any]:
    return select(*columns).where(GENERATIONS.c.view == view, GENERATIONS.c.generation == generation)


CONTAINED = select(GENERATIONS.c.positions, GENERATIONS.c.offsets, GENERATIONS.c.at).where(
    GENERATIONS.c.view == bindparam("view"),
    GENERATIONS.c.generation == bindparam("generation"),
    ~GENERATIONS.c.dropping,
)
"""What the rows of a generation contain; no row for one that is not there."""


@lru_cache(maxsize=256)
def rows_of(number: int) -> Table:
    return rows_table(number)


@lru_cache(maxsize=256)
def gone_of(number: int) -> Table:
    return gone_table(number)


@lru_cache(maxsize=512)
def range_of_keys(table: Table, ends: bool) -> Select[Any]:
    statement = _shown(table).where(table.c.key >= bindparam("low", type_=LargeBinary))
    return statement.where(table.c.key < bindparam("high", type_=LargeBinary)) if ends else statement


@lru_cache(maxsize=256)
def some_keys(table: Table) -> Select[Any]:
    return _shown(table).where(table.c.key.in_(bindparam("keys", expanding=True, type_=LargeBinary)))


def _shown(table: Table) -> Select[Any]:
    c = table.c
    return select(c.identity, c.body, c.partition, c.offset).order_by(c.key).limit(bindparam("n", type_=Integer))


TYPES = {
    "key": LargeBinary,
    "identity": LargeBinary,
    "body": Text,
    "partition": Integer,
    "offset": BigInteger,
    "version": BigInteger,
}


@lru_cache(maxsize=512)
def insert_arrays(table: Table, replace: bool) -> Any:
    """PostgreSQL's: it takes all rows as five arrays."""
    arrays: list[Any] = [cast(bindparam(f"all_{name}"), ARRAY(kind)) for name, kind in TYPES.items()]
    unnested = func.unnest(*arrays).table_valued(*TYPES).render_derived()
    source = select(*(unnested.c[name] for name in TYPES))
    return _on_conflict(postgresql.insert(table).from_select(list(TYPES), source), table, replace)


@lru_cache(maxsize=512)
def insert_one(table: Table, replace: bool) -> str:
    insert = _on_conflict(sqlite.insert(table).values({name: bindparam(name) for name in TYPES}), table, replace)
    return str(insert.compile(dialect=sqlite.dialect(paramstyle="qmark")))


def _on_conflict(insert: Any, table: Table, replace: bool) -> Any:
    """Rows whose key is there stay, or are replaced where they differ. A row that comes again with the same values, as
    after a failure, keeps its version: nothing changed for who follows."""
    if not replace:
        return insert.on_conflict_do_nothing()
    new = insert.excluded
    changed = [name for name in TYPES if name not in ("key", "version")]
    differs = or_(*(new[name] != table.c[name] for name in changed))
    version = case((new.body != table.c.body, new.version), else_=table.c.version)
    return insert.on_conflict_do_update(
        index_elements=["key"], set_={name: new[name] for name in changed} | {"version": version}, where=differs
    )
