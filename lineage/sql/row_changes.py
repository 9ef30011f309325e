"""MERGE and UPDATE: statements that give single columns of rows new values."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from lineage.sql.from_clause import table_name
from lineage.sql.limits import Budget
from lineage.sql.model import FILTER, JOIN, Columns, SqlLineage
from lineage.sql.queries import Queries
from lineage.sql.relations import BaseTable, Output, Relation, Value, spelled_in
from lineage.sql.scope import Scope
from lineage.sql.target import Target


class RowChanges:
    """Reads assignments. `columns` returns the columns of a table."""

    def __init__(
        self, sql_lineage: SqlLineage, budget: Budget, columns: Callable[[str], Columns | None], target: Target
    ) -> None:
        self._sql_lineage, self._budget, self._columns, self._target = sql_lineage, budget, columns, target

    def merge(self, tree: exp.Merge, queries: Queries) -> None:
        table = tree.this
        scope = Scope(self._sql_lineage, self._budget, None, queries.ctes(tree, None, {}))
        before = set(self._sql_lineage.inputs)
        queries.from_clause.add(table, scope)
        own = table_name(table)
        queries.from_clause.add(tree.args["using"], scope)
        source = list(scope.sources.values())[-1]
        queries.influence(tree.args.get("on"), scope, JOIN)
        assigned: list[tuple[str, Output]] = []
        whens = tree.args.get("whens")
        for when in whens.expressions if whens is not None else ():
            queries.influence(when.args.get("condition"), scope, FILTER)
            assigned += self._merged(own, when.args.get("then"), scope, source, queries)
        self._target.emit(queries, own, assigned)
        if own not in before and not any(edge.source.table == own for edge in self._sql_lineage.edges):
            self._sql_lineage.inputs.discard(own)

    def _merged(
        self, own: str, then: exp.Expression | None, scope: Scope, source: Relation, queries: Queries
    ) -> list[tuple[str, Output]]:
        if isinstance(then, exp.Update):
            if then.expressions and not any(isinstance(each, exp.Star) for each in then.expressions):
                return self._assignments(then.expressions, scope, queries)
        elif isinstance(then, exp.Insert):
            columns, values = then.this, then.expression
            if isinstance(values, exp.Tuple):
                # There is no row of the target to insert: bare names are the source's.
                key = next(name for name, each in scope.sources.items() if each is source)
                scope = Scope(
                    sql_lineage=self._sql_lineage,
                    budget=self._budget,
                    parent=None,
                    ctes=scope.ctes,
                    sources={key: source},
                    full_names=scope.full_names,
                )
                if isinstance(columns, exp.Tuple):
                    names = [each.name for each in columns.expressions]
                else:
                    names = list(self._columns(own) or ())
                    if len(names) != len(values.expressions):
                        self._sql_lineage.doubt(f"which columns of {own} a MERGE inserts cannot be determined")
                        return []
                return [(n, _output(n, v, scope, queries)) for n, v in zip(names, values.expressions, strict=False)]
        else:
            return []
        source_columns = source.names()
        if source_columns is None:
            self._sql_lineage.doubt(f"which columns of {own} a MERGE with * writes cannot be determined")
            return []
        own_columns = self._columns(own)
        fits = [name for name in source_columns if own_columns is None or spelled_in(own_columns, name) is not None]
        return [(name, Output(name, _finder(source, name))) for name in fits]

    def update(self, tree: exp.Update, queries: Queries) -> None:
        table = tree.this
        if not isinstance(table, exp.Table):
            self._sql_lineage.doubt("an UPDATE is not read")
            return
        scope = Scope(self._sql_lineage, self._budget, None, queries.ctes(tree, None, {}))
        before = set(self._sql_lineage.inputs)
        queries.from_clause.add(table, scope)
        source = tree.args.get("from_")
        if source is not None:
            queries.from_clause.add(source.this, scope)
            for join in source.this.args.get("joins") or ():
                queries.from_clause.join(join, scope)
        queries.influence(tree.args.get("where"), scope, FILTER)
        own = table_name(table)
        prefixes = {
            tuple(p.name for p in each.this.parts[:-1])
            for each in tree.expressions
            if isinstance(each, exp.EQ) and isinstance(each.this, exp.Column)
        }
        if len(prefixes) > 1:
            self._sql_lineage.doubt("an UPDATE of several tables is not read")
            return
        relations = [scope.source(parts) for parts in prefixes if parts]
        if relations and isinstance(
            relations[0], BaseTable
        ):  # MySQL's, of which any of the joined tables may be the target
            own = relations[0].name
        self._target.emit(queries, own, self._assignments(tree.expressions, scope, queries))
        if own not in before and not any(edge.source.table == own for edge in self._sql_lineage.edges):
            self._sql_lineage.inputs.discard(own)

    def _assignments(self, parts: Iterable[exp.Expression], scope: Scope, queries: Queries) -> list[tuple[str, Output]]:
        assignments = []
        for each in parts:
            if isinstance(each, exp.EQ | exp.PropertyEQ) and isinstance(each.this, exp.Column):
                assignments.append((each.this.name, _output(each.this.name, each.expression, scope, queries)))
            else:
                self._sql_lineage.doubt("an assignment is not read")
        return assignments


def _output(name: str, node: exp.Expression, scope: Scope, queries: Queries) -> Output:
    return Output(name, lambda: queries.expressions.value(node, scope))


def _finder(source: Relation, name: str) -> Callable[[], Value]:
    return lambda: source.find(name) or Value()
