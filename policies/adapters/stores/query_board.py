"""Queries of all processes in tables beside the record store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pydantic import TypeAdapter
from sqlalchemy import Column, MetaData, Table, Text, delete, insert, select

from catalog.adapters.sql.beside import BesideDatabase
from catalog.adapters.sql.database import Database
from catalog.adapters.sql.types import AnyText
from policies.plan.seen_query import SeenQuery

_TABLES = MetaData()
QUERIES = Table(
    "shared_queries",
    _TABLES,
    Column("process", AnyText, primary_key=True),
    Column("query_id", AnyText, primary_key=True),
    Column("query", Text, nullable=False),
)
"""`query`: a SeenQuery as JSON."""
STOPS = Table(
    "query_stops",
    _TABLES,
    Column("process", AnyText, primary_key=True),
    Column("query_id", AnyText, primary_key=True),
    Column("why", AnyText, nullable=False),
)
_QUERY = TypeAdapter(SeenQuery)


class SqlQueryBoard:
    """`policies.plan.query_board.QueryBoard`."""

    def __init__(self, database: Database) -> None:
        self._beside = BesideDatabase(database, [QUERIES, STOPS])

    def publish(self, process: str, queries: Sequence[SeenQuery], gone: Collection[str]) -> None:
        replaced = [*gone, *(query.id for query in queries)]
        rows = [
            {"process": process, "query_id": query.id, "query": _QUERY.dump_json(query).decode()} for query in queries
        ]
        with self._beside.transaction() as connection:
            connection.execute(delete(QUERIES).where(QUERIES.c.process == process, QUERIES.c.query_id.in_(replaced)))
            if rows:
                connection.execute(insert(QUERIES), rows)

    def queries(self, processes: Collection[str], query_id: str | None = None) -> Sequence[tuple[str, SeenQuery]]:
        wanted = select(QUERIES).where(QUERIES.c.process.in_(processes))
        if query_id is not None:
            wanted = wanted.where(QUERIES.c.query_id == query_id)
        with self._beside.transaction() as connection:
            return [(row.process, _QUERY.validate_json(row.query)) for row in connection.execute(wanted)]

    def ask_to_stop(self, process: str, query_id: str, why: str) -> None:
        with self._beside.transaction() as connection:
            connection.execute(delete(STOPS).where(STOPS.c.process == process, STOPS.c.query_id == query_id))
            connection.execute(insert(STOPS).values(process=process, query_id=query_id, why=why))

    def take_stops(self, process: str) -> Mapping[str, str]:
        with self._beside.transaction() as connection:
            stops = {
                row.query_id: row.why for row in connection.execute(select(STOPS).where(STOPS.c.process == process))
            }
            if stops:
                connection.execute(delete(STOPS).where(STOPS.c.process == process, STOPS.c.query_id.in_(stops)))
        return stops

    def forget(self, process: str) -> None:
        with self._beside.transaction() as connection:
            for table in (QUERIES, STOPS):
                connection.execute(delete(table).where(table.c.process == process))

    def close(self) -> None:
        self._beside.close()
