"""The FROM clause -> the relations of a scope: tables, joins, subqueries, UNNEST, LATERAL VIEW and their kin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.expressions import elements, function_name
from lineage.sql.generators import stacked
from lineage.sql.model import JOIN, TRANSFORMATION
from lineage.sql.pivots import pivoted
from lineage.sql.relations import BaseTable, Opaque, Relation, Unfolded, Value, renamed, step
from lineage.sql.scope import Scope

if TYPE_CHECKING:
    from lineage.sql.queries import Queries


class FromClause:
    """Puts what a query reads among the relations of its scope. Subqueries are read by `queries`."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self._sql_lineage, self._expressions = queries.sql_lineage, queries.expressions

    def join(self, join: exp.Join, scope: Scope) -> None:
        before = dict(scope.sources)
        self.add(join.this, scope)
        using = join.args.get("using") or []
        natural = str(join.args.get("method") or "").upper() == "NATURAL"
        names = [each.name for each in using]
        if natural:
            new = next((s for key, s in scope.sources.items() if key not in before), None)
            new_columns = new.names() if new is not None else None
            if new_columns is None:
                self._sql_lineage.doubt("a natural join over columns that are not known")
            names = [n for n in new_columns or () if any(source.has(n) for source in before.values())]
        for name in names:
            scope.joined.add(name.lower())
            for origin in scope.column([name]).ways:
                self._queries.influences.setdefault(origin, set()).add(JOIN)
        self._queries.influence(join.args.get("on"), scope, JOIN)
        self._queries.influence(join.args.get("match_condition"), scope, JOIN)
        if str(join.args.get("kind") or "").upper() in ("SEMI", "ANTI"):
            for key in [key for key in scope.sources if key not in before]:
                del scope.sources[key]

    def add(self, node: exp.Expression, scope: Scope) -> None:
        """Put a table, subquery or table function among the relations of a scope."""
        alias = node.alias if not isinstance(node, exp.Lateral | exp.Unnest) else ""
        relation: Relation
        if isinstance(node, exp.Table):
            relation = self._named(node, scope)
        elif isinstance(node, exp.Lateral):
            relation, alias = self._lateral(node, scope), node.alias
        elif isinstance(node, exp.Unnest):
            relation, alias = self._unnest(node, scope), node.alias
        elif isinstance(node, exp.Values):
            relation = self._queries.table(node, alias, scope)
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table) and not node.args.get("pivots"):
            self.add(node.this, scope)
            for join in node.this.args.get("joins") or ():
                self.join(join, scope)
            return
        elif isinstance(node, exp.Query):
            # Only a lateral subquery sees its neighbours; any sees what is around the whole.
            relation = self._queries.table(node, alias, scope.parent, scope.ctes)
        else:
            self._sql_lineage.doubt(f"a {type(node).__name__} in FROM is not read")
            relation = Opaque(alias)
        column_names = [c.name for c in node.args["alias"].columns] if _has_columns(node) else []
        if column_names and not isinstance(relation, Unfolded):
            relation = renamed(relation, alias, column_names)
        for pivot in node.args.get("pivots") or ():
            relation = pivoted(pivot, relation, alias or node.name or "pivot", scope, self._queries)
            alias = pivot.alias or alias
        key = (alias or node.name or f"{len(scope.sources)}").lower()
        if key in scope.sources:  # s1.orders and s2.orders
            key = f"{key} {len(scope.sources)}"
        scope.sources[key] = relation
        if alias:
            self._queries.named.setdefault(alias.lower(), []).append(relation)
        if isinstance(node, exp.Table):
            if not alias:
                scope.full_names[key] = table_name(node).lower()
            for lateral in node.args.get("laterals") or ():
                self.add(lateral, scope)
            for join in node.args.get("joins") or ():
                self.join(join, scope)

    def _named(self, node: exp.Table, scope: Scope) -> Relation:
        if not isinstance(node.this, exp.Identifier):
            self._sql_lineage.doubt("the columns of a table function are not known")
            return Opaque(node.alias)
        name = table_name(node)
        if not node.db and node.name.lower() in scope.ctes:
            return scope.ctes[node.name.lower()]
        if node.db and "." not in node.db:  # BigQuery and Trino unnest `FROM t, t.items`
            source = scope.sources.get(node.db.lower())
            if source is not None and not node.catalog:
                value = source.find(node.name)
                if value is not None:
                    element = elements(value)
                    return Unfolded(node.alias_or_name, {node.alias_or_name: element}, element)
        self._sql_lineage.inputs.add(name)
        return BaseTable(name, self._queries.columns_of(name))

    def _lateral(self, node: exp.Lateral, scope: Scope) -> Relation:
        inner = node.this
        if isinstance(inner, exp.Query):
            return self._queries.table(inner, node.alias, scope, scope.ctes)
        column_names = [column.name for column in node.args["alias"].columns] if _has_columns(node) else []
        if isinstance(inner, exp.Stack):
            stack_columns = stacked(
                inner, lambda each: self._expressions.value(each, scope), self._sql_lineage, self._queries.budget
            )
            names = column_names if len(column_names) == len(stack_columns) else [name for name, _ in stack_columns]
            return Unfolded(node.alias, dict(zip(names, (value for _, value in stack_columns), strict=True)))
        argument = inner.args.get("this")
        if isinstance(argument, exp.Kwarg):
            argument = argument.expression
        if not isinstance(inner, exp.Explode | exp.Posexplode | exp.Inline | exp.ExplodeOuter | exp.PosexplodeOuter):
            value = self._expressions.value(inner, scope).then(TRANSFORMATION)
            if not column_names and function_name(inner).lower() == "table":  # its name does not show its columns
                self._sql_lineage.doubt("the columns of a table function are not known")
                return Opaque(node.alias)
            return Unfolded(node.alias, dict.fromkeys(column_names or [node.alias], value))
        whole = self._expressions.value(argument, scope)
        element = elements(whole)
        lowered = {name.lower() for name in column_names}
        if {"value", "this", "index"} <= lowered:  # Snowflake's FLATTEN
            parts = {name: whole.then(TRANSFORMATION) for name in column_names}
            return Unfolded(node.alias, parts | {n: element for n in column_names if n.lower() == "value"}, element)
        if isinstance(inner, exp.Inline):
            return Unfolded(node.alias, self._spread(element, column_names), element)
        if len(column_names) == 2:  # position or key, and element
            return Unfolded(
                node.alias,
                {
                    column_names[0]: Value() if "pos" in type(inner).__name__.lower() else whole.then(TRANSFORMATION),
                    column_names[1]: element,
                },
            )
        return Unfolded(node.alias, {column_names[0] if column_names else "col": element}, element)

    def _unnest(self, node: exp.Unnest, scope: Scope) -> Relation:
        column_names = [column.name for column in node.args["alias"].columns] if _has_columns(node) else []
        name = node.alias or (column_names[0] if column_names else "")
        parts = [elements(self._expressions.value(each, scope)) for each in node.expressions]
        if len(parts) == 1:
            element = parts[0]
            if len(column_names) > 1:
                return Unfolded(name, self._spread(element, column_names))
            return Unfolded(name, {column_names[0] if column_names else name: element}, element)
        return Unfolded(name, dict(zip(column_names, parts, strict=False)))

    def _spread(self, element: Value, column_names: list[str]) -> dict[str, Value]:
        """The fields of a struct as columns, by place."""
        if element.nested is None:
            self._sql_lineage.doubt("the fields of an unfolded array are not known")
            return {name: element.then(TRANSFORMATION) for name in column_names}
        names = list(element.nested)
        return {
            name: step(element, field) or Value() for name, field in zip(column_names or names, names, strict=False)
        }


def table_name(node: exp.Table) -> str:
    """A table as written, parts joined with dots, without quotes."""
    return ".".join(part.name for part in node.parts)


def _has_columns(node: exp.Expression) -> bool:
    alias = node.args.get("alias")
    return isinstance(alias, exp.TableAlias) and bool(alias.columns)
