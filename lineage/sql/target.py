"""What a query gives, written down as edges into the table it is written to."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lineage.sql.limits import Budget
from lineage.sql.model import DIRECT, IDENTITY, INDIRECT, ColumnEdge, Columns, SqlLineage, Way
from lineage.sql.queries import Queries
from lineage.sql.relations import Output, Value, spelled_in


class Target:
    """Edges into tables, in the tables' own spelling of their columns where `columns` knows it."""

    def __init__(self, sql_lineage: SqlLineage, budget: Budget, columns: Callable[[str], Columns | None]) -> None:
        self._sql_lineage, self._budget, self._columns = sql_lineage, budget, columns

    def emit(self, queries: Queries, target: str, outputs: Iterable[tuple[str, Output]]) -> None:
        sql_lineage = self._sql_lineage
        sql_lineage.outputs.add(target)
        target_columns = self._columns(target) if target else None
        for name, output in outputs:
            spelled = (spelled_in(target_columns, name) if target_columns is not None else None) or name
            self._value(target, (spelled,), output.get())
        for origin, subtypes in queries.influences.items():
            self._budget.spend(len(subtypes))
            sql_lineage.edges.update(ColumnEdge(origin, target, None, Way(INDIRECT, each)) for each in subtypes)

    def _value(self, target: str, field: tuple[str, ...], value: Value) -> None:
        if value.fields:
            for name, part in value.fields.items():
                self._value(target, (*field, name), part)
            return
        for origin, ways in value.ways.items():
            self._budget.spend(len(ways))
            for way in ways:
                itself = origin.table == target and origin.path == field
                if not (itself and way.type == DIRECT and way.subtype == IDENTITY):
                    self._sql_lineage.edges.add(ColumnEdge(origin, target, field, way))
