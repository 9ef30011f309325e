"""Queries -> relations: SELECT, set operations, WITH, and what filters, groups and sorts them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from lineage.sql.aliases import AliasRule, sure_in_group, sure_in_having
from lineage.sql.expressions import Expressions
from lineage.sql.from_clause import FromClause
from lineage.sql.limits import Budget
from lineage.sql.matches import matched
from lineage.sql.model import FILTER, GROUP_BY, SORT, TRANSFORMATION, Columns, Origin, SqlLineage
from lineage.sql.relations import Opaque, Output, QueryTable, Relation, Value, renamed, union
from lineage.sql.scope import WINDOWS, Scope
from lineage.sql.select_list import SelectList

Known = Callable[[str], Columns | None]
"""A table's columns by its name as written; None where they are not known."""


class Queries:
    """Reads queries. `influences` gathers what filters, joins, groups and sorts; `known` returns the columns of a table."""

    def __init__(
        self,
        sql_lineage: SqlLineage,
        known: Known,
        budget: Budget,
        names: AliasRule,
        named: dict[str, list[Relation]] | None = None,
    ) -> None:
        self.sql_lineage, self.known, self.budget, self.names = sql_lineage, known, budget, names
        self.named: dict[str, list[Relation]] = {} if named is None else named
        """Name in lower case -> what WITH, and aliases in FROM, give it, in each place."""
        self.expressions = Expressions(self)
        self.from_clause, self._select_list = FromClause(self), SelectList(self)
        self.influences: dict[Origin, set[str]] = {}
        self._tables: dict[str, Columns | None] = {}

    def influence(self, node: exp.Expression | None, scope: Scope, subtype: str, alias_first: bool = False) -> None:
        if node is None:
            return
        if alias_first and isinstance(node, exp.Column) and len(node.parts) == 1:
            value = scope.column([node.name], alias_first=True)
        else:
            value = self.expressions.value(node, scope)
        for origin in value.ways:
            self.influences.setdefault(origin, set()).add(subtype)

    def columns_of(self, table: str) -> Columns | None:
        if table not in self._tables:
            self._tables[table] = self.known(table)
        return self._tables[table]

    # -- queries ------------------------------------------------------------------------------------------------------

    def table(
        self, node: exp.Expression, name: str, parent: Scope | None, ctes: Mapping[str, Relation] | None = None
    ) -> QueryTable:
        """A query as a relation. Its columns are computed when they are asked for, its conditions now."""
        self.budget.spend(10)
        ctes = self.ctes(node, parent, dict(ctes if ctes is not None else (parent.ctes if parent else {})))
        if isinstance(node, exp.Subquery):
            return self._wrapped(node, name, parent, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, name, parent, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, name, parent, ctes)
        if isinstance(node, exp.Values):
            return QueryTable(name, [Output(n, Value) for n in _values_names(node)])
        if isinstance(node, exp.Table):
            scope = Scope(self.sql_lineage, self.budget, parent, ctes)
            self.from_clause.add(node, scope)
            return QueryTable(name, *self._select_list.star(scope.sources.values(), frozenset()))
        self.sql_lineage.doubt(f"a {type(node).__name__} is not read")
        return QueryTable(name, [], [Opaque(name)])

    def _wrapped(self, node: exp.Subquery, name: str, parent: Scope | None, ctes: dict[str, Relation]) -> QueryTable:
        inner = self.table(node.this, name, parent, ctes)
        scope = Scope(self.sql_lineage, self.budget, parent, ctes, {"": inner})
        self._order(node, scope, inner.outputs)
        return inner

    def ctes(self, node: exp.Expression, parent: Scope | None, ctes: dict[str, Relation]) -> dict[str, Relation]:
        with_clause = node.args.get("with_")
        for cte in with_clause.expressions if with_clause is not None else ():
            name = cte.alias
            column_names = [c.name for c in cte.args["alias"].columns] if cte.args.get("alias") else []
            body = cte.this
            if with_clause.args.get("recursive") and isinstance(body, exp.SetOperation):
                # The name means its own first branch while the second is read.
                first = self.table(body.this, name, parent, ctes)
                ctes[name.lower()] = renamed(first, name, column_names)
            if not isinstance(body, exp.Query | exp.Values):
                ctes[name.lower()] = Opaque(name)
                continue
            ctes[name.lower()] = renamed(self.table(body, name, parent, ctes), name, column_names)
            self.named.setdefault(name.lower(), []).append(ctes[name.lower()])
        return ctes

    def _set_operation(
        self, node: exp.SetOperation, name: str, parent: Scope | None, ctes: dict[str, Relation]
    ) -> QueryTable:
        branches: list[exp.Expression] = []
        todo: list[exp.Expression] = [node]
        while todo:  # left-deep: a thousand unions are no thousand calls
            each = todo.pop()
            if isinstance(each, exp.Union) and not each.args.get("by_name") and (each is node or _plain(each)):
                todo += [each.expression, each.this]
            elif each is node:
                branches = [node.this, node.expression]
            else:
                branches.append(each)
        tables = [self.table(branch, name, parent, ctes) for branch in branches]
        first = tables[0]
        if isinstance(node, exp.Except | exp.Intersect):
            for table in tables[1:]:
                for origin in union([output.get() for output in table.outputs], self.budget).ways:
                    self.influences.setdefault(origin, set()).add(FILTER)
            tables = tables[:1]
        by_name = bool(node.args.get("by_name"))
        if any(table.open for table in tables):
            if len(tables) > 1:
                self.sql_lineage.doubt("a set operation has a star over columns that are not known")
                return QueryTable(name, [], [Opaque(name)])
            return QueryTable(name, first.outputs, first.open)
        more = tables[1].outputs if by_name and len(tables) > 1 else []
        heads = [*first.outputs, *(output for output in more if not first.has(output.name))]
        outputs = [
            Output(output.name, _united(tables, at, output.name, by_name, self.budget))
            for at, output in enumerate(heads)
        ]
        self._order(node, Scope(self.sql_lineage, self.budget, parent, ctes, {"": first}), outputs)
        return QueryTable(name, outputs)

    def _select(self, node: exp.Select, name: str, parent: Scope | None, ctes: dict[str, Relation]) -> QueryTable:
        scope = Scope(self.sql_lineage, self.budget, parent, ctes)
        source = node.args.get("from_")
        if source is not None:
            self.from_clause.add(source.this, scope)
        for lateral in node.args.get("laterals") or ():
            self.from_clause.add(lateral, scope)
        is_matched = node.args.get("match") is not None
        for join in node.args.get("joins") or ():
            if is_matched:  # its condition may name what the pattern gives
                self.from_clause.add(join.this, scope)
            else:
                self.from_clause.join(join, scope)
        if is_matched:
            matched(node, scope, self)
        for window in node.args.get("windows") or ():
            scope.windows[window.name.lower()] = window
        for part in _group_parts(node):
            if isinstance(part, exp.Anonymous) and str(part.this).lower() in WINDOWS and part.expressions:
                time = self.expressions.value(part.expressions[0], scope).then(TRANSFORMATION)
                scope.time_windows[str(part.this).lower()] = time
        outputs, open_relations = self._select_list.outputs(node, scope)
        scope.outputs = outputs
        for at, output in enumerate(outputs):
            scope.aliases.setdefault(output.name.lower(), at)
        for key in ("where", "prewhere"):
            self._clause(node, key, scope)
        parts = _group_parts(node)
        strict = self.names.strict and (parts or node.args.get("having") or node.args.get("qualify")) and scope.open
        scope.visible = len(outputs) if "group" in self.names.clauses else 0
        if strict and parts:
            scope.sure, columns = sure_in_group(node, parts)
            scope.certain |= columns
        for part in parts:
            self._by_place(part, scope, outputs, GROUP_BY, False)
        scope.sure = sure_in_having(node, parts) if strict else set()
        for key in ("having", "qualify"):
            self._clause(node, key, scope)
        scope.visible, scope.sure = len(outputs), set()
        distinct = node.args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            self.influence(distinct.args["on"], scope, GROUP_BY)
        self._order(node, scope, outputs)
        return QueryTable(name, outputs, open_relations)

    def _clause(self, node: exp.Select, key: str, scope: Scope) -> None:
        scope.visible = len(scope.outputs) if key in self.names.clauses else 0
        self.influence(node.args.get(key), scope, FILTER)

    def _order(self, node: exp.Expression, scope: Scope, outputs: list[Output]) -> None:
        for key in ("order", "sort", "cluster", "distribute"):
            clause = node.args.get(key)
            for part in clause.expressions if isinstance(clause, exp.Expression) else ():
                inner = part.this if isinstance(part, exp.Ordered) else part
                self._by_place(inner, scope, outputs, SORT, True)

    def _by_place(
        self, part: exp.Expression, scope: Scope, outputs: list[Output], subtype: str, alias_first: bool
    ) -> None:
        """`ORDER BY 2` means the second output."""
        if isinstance(part, exp.Literal) and part.is_int and 1 <= int(part.name) <= len(outputs):
            for origin in outputs[int(part.name) - 1].get().ways:
                self.influences.setdefault(origin, set()).add(subtype)
        else:
            self.influence(part, scope, subtype, alias_first)


def _group_parts(node: exp.Expression) -> list[exp.Expression]:
    group = node.args.get("group")
    if group is None:
        return []
    parts = list(group.expressions)
    for key in ("grouping_sets", "cube", "rollup"):
        more = group.args.get(key)
        parts += more if isinstance(more, list) else []
    return parts


def _plain(node: exp.SetOperation) -> bool:
    return not any(node.args.get(key) for key in ("with_", "order", "limit"))


def _values_names(node: exp.Values) -> list[str]:
    first = node.expressions[0] if node.expressions else None
    return [f"col{n + 1}" for n in range(len(first.expressions) if first is not None else 0)]


def _united(tables: list[QueryTable], at: int, name: str, by_name: bool, budget: Budget) -> Callable[[], Value]:
    def compute() -> Value:
        if by_name:
            values = [value for table in tables if (value := table.find(name)) is not None]
        else:
            values = [table.outputs[at].get() for table in tables if at < len(table.outputs)]
        return values[0] if len(values) == 1 else union(values, budget)

    return compute
