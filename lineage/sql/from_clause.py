"""What stands in FROM -> the relations of a scope: tables, joins, subqueries, UNNEST, LATERAL VIEW and their kin."""

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
        self._said, self._expressions = queries.said, queries.expressions

    def join(self, join: exp.Join, scope: Scope) -> None:
        before = dict(scope.sources)
        self.add(join.this, scope)
        using = join.args.get("using") or []
        natural = str(join.args.get("method") or "").upper() == "NATURAL"
        names = [each.name for each in using]
        if natural:
            new = next((s for key, s in scope.sources.items() if key not in before), None)
            known = new.names() if new is not None else None
            if known is None:
                self._said.doubt("a natural join over columns that are not known")
            names = [n for n in known or () if any(source.has(n) for source in before.values())]
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
            self._said.doubt(f"a {type(node).__name__} in FROM is not read")
            relation = Opaque(alias)
        given = [c.name for c in node.args["alias"].columns] if _has_columns(node) else []
        if given and not isinstance(relation, Unfolded):
            relation = renamed(relation, alias, given)
        for pivot in node.args.get("pivots") or ():
            relation = pivoted(pivot, relation, alias or node.name or "pivot", scope, self._queries)
            alias = pivot.alias or alias
        key = (alias or node.name or f"{len(scope.sources)}").lower()
        if key in scope.sources:  # s1.orders and s2.orders
            key = f"{key} {len(scope.sources)}"
        scope.sources[key] = relation
        if isinstance(node, exp.Table):
            if not alias:
                scope.full_names[key] = table_name(node).lower()
            for lateral in node.args.get("laterals") or ():
                self.add(lateral, scope)
            for join in node.args.get("joins") or ():
                self.join(join, scope)

    def _named(self, node: exp.Table, scope: Scope) -> Relation:
        if not isinstance(node.this, exp.Identifier):
            self._said.doubt("the columns of a table function are not known")
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
        self._said.inputs.add(name)
        return BaseTable(name, self._queries.columns_of(name))

    def _lateral(self, node: exp.Lateral, scope: Scope) -> Relation:
        inner = node.this
        if isinstance(inner, exp.Query):
            return self._queries.table(inner, node.alias, scope, scope.ctes)
        given = [column.name for column in node.args["alias"].columns] if _has_columns(node) else []
        if isinstance(inner, exp.Stack):
            made = stacked(inner, lambda each: self._expressions.value(each, scope), self._said, self._queries.budget)
            named = given if len(given) == len(made) else [name for name, _ in made]
            return Unfolded(node.alias, dict(zip(named, (value for _, value in made), strict=True)))
        argument = inner.args.get("this")
        if isinstance(argument, exp.Kwarg):
            argument = argument.expression
        if not isinstance(inner, exp.Explode | exp.Posexplode | exp.Inline | exp.ExplodeOuter | exp.PosexplodeOuter):
            value = self._expressions.value(inner, scope).then(TRANSFORMATION)
            if not given and function_name(inner).lower() == "table":  # what it is called says nothing of its columns
                self._said.doubt("the columns of a table function are not known")
                return Opaque(node.alias)
            return Unfolded(node.alias, dict.fromkeys(given or [node.alias], value))
        whole = self._expressions.value(argument, scope)
        element = elements(whole)
        lowered = {name.lower() for name in given}
        if {"value", "this", "index"} <= lowered:  # Snowflake's FLATTEN
            parts = {name: whole.then(TRANSFORMATION) for name in given}
            return Unfolded(node.alias, parts | {n: element for n in given if n.lower() == "value"}, element)
        if isinstance(inner, exp.Inline):
            return Unfolded(node.alias, self._spread(element, given), element)
        if len(given) == 2:  # position or key, and element
            return Unfolded(node.alias, {given[0]: Value() if "pos" in type(inner).__name__.lower() else
                                         whole.then(TRANSFORMATION), given[1]: element})  # fmt: skip
        return Unfolded(node.alias, {given[0] if given else "col": element}, element)

    def _unnest(self, node: exp.Unnest, scope: Scope) -> Relation:
        given = [column.name for column in node.args["alias"].columns] if _has_columns(node) else []
        name = node.alias or (given[0] if given else "")
        parts = [elements(self._expressions.value(each, scope)) for each in node.expressions]
        if len(parts) == 1:
            element = parts[0]
            if len(given) > 1:
                return Unfolded(name, self._spread(element, given))
            return Unfolded(name, {given[0] if given else name: element}, element)
        return Unfolded(name, dict(zip(given, parts, strict=False)))

    def _spread(self, element: Value, given: list[str]) -> dict[str, Value]:
        """The fields of a struct as columns, by place."""
        if element.nested is None:
            self._said.doubt("the fields of an unfolded array are not known")
            return {name: element.then(TRANSFORMATION) for name in given}
        names = list(element.nested)
        return {name: step(element, field) or Value() for name, field in zip(given or names, names, strict=False)}


def table_name(node: exp.Table) -> str:
    """A table as written, parts joined with dots, without quotes."""
    return ".".join(part.name for part in node.parts)


def _has_columns(node: exp.Expression) -> bool:
    alias = node.args.get("alias")
    return isinstance(alias, exp.TableAlias) and bool(alias.columns)
