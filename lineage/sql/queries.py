"""Queries -> relations: SELECT, set operations, WITH, joins, UNNEST and its kin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sqlglot import exp

from lineage.sql.expressions import Expressions, elements
from lineage.sql.limits import MAX_COLUMNS, Budget
from lineage.sql.model import (
    FILTER,
    GROUP_BY,
    IDENTITY,
    JOIN,
    SORT,
    TRANSFORMATION,
    Columns,
    Origin,
    SqlLineage,
    TooComplex,
)  # fmt: skip
from lineage.sql.relations import (
    BaseTable,
    Opaque,
    Output,
    QueryTable,
    Relation,
    Renamed,
    Unfolded,
    Value,
    step,
    union,
)  # fmt: skip
from lineage.sql.scope import Scope

Known = Callable[[str], Columns | None]
"""A table's columns by its name as written; None where they are not known."""


class Queries:
    """Reads queries. `influences` gathers what filters, joins, groups and sorts; `known` tells columns of tables."""

    def __init__(self, said: SqlLineage, known: Known, budget: Budget) -> None:
        self.said, self.known, self.budget = said, known, budget
        self.expressions = Expressions(self)
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
        ctes = self._with(node, parent, dict(ctes if ctes is not None else (parent.ctes if parent else {})))
        if isinstance(node, exp.Subquery):
            return self._wrapped(node, name, parent, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, name, parent, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, name, parent, ctes)
        if isinstance(node, exp.Values):
            return QueryTable(name, [Output(n, Value) for n in _values_names(node)])
        if isinstance(node, exp.Table):
            scope = Scope(self.said, self.budget, parent, ctes)
            self._add(node, scope)
            return QueryTable(name, *self._star(scope.sources.values(), frozenset()))
        self.said.doubt(f"a {type(node).__name__} is not read")
        return QueryTable(name, [], [Opaque(name)])

    def _wrapped(self, node: exp.Subquery, name: str, parent: Scope | None, ctes: dict[str, Relation]) -> QueryTable:
        inner = self.table(node.this, name, parent, ctes)
        scope = Scope(self.said, self.budget, parent, ctes, {"": inner})
        self._order(node, scope, inner.outputs)
        return inner

    def _with(self, node: exp.Expression, parent: Scope | None, ctes: dict[str, Relation]) -> dict[str, Relation]:
        found = node.args.get("with_")
        for cte in found.expressions if found is not None else ():
            name = cte.alias
            given = [c.name for c in cte.args["alias"].columns] if cte.args.get("alias") else []
            body = cte.this
            if found.args.get("recursive") and isinstance(body, exp.SetOperation):
                # The name stands for its own first branch while the second is read.
                first = self.table(body.this, name, parent, ctes)
                ctes[name.lower()] = _renamed(first, name, given)
            if not isinstance(body, exp.Query | exp.Values):
                ctes[name.lower()] = Opaque(name)
                continue
            ctes[name.lower()] = _renamed(self.table(body, name, parent, ctes), name, given)
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
                self.said.doubt("a star over columns that are not known stands in a set operation")
                return QueryTable(name, [], [Opaque(name)])
            return QueryTable(name, first.outputs, first.open)
        more = tables[1].outputs if by_name and len(tables) > 1 else []
        heads = [*first.outputs, *(output for output in more if not first.has(output.name))]
        outputs = [
            Output(output.name, _united(tables, at, output.name, by_name, self.budget))
            for at, output in enumerate(heads)
        ]
        self._order(node, Scope(self.said, self.budget, parent, ctes, {"": first}), outputs)
        return QueryTable(name, outputs)

    def _select(self, node: exp.Select, name: str, parent: Scope | None, ctes: dict[str, Relation]) -> QueryTable:
        scope = Scope(self.said, self.budget, parent, ctes)
        source = node.args.get("from_")
        if source is not None:
            self._add(source.this, scope)
        for lateral in node.args.get("laterals") or ():
            self._add(lateral, scope)
        for join in node.args.get("joins") or ():
            self._join(join, scope)
        for window in node.args.get("windows") or ():
            scope.windows[window.name.lower()] = window
        outputs, open_relations = self._projections(node, scope)
        for output in outputs:
            scope.aliases.setdefault(output.name.lower(), output)
        for key in ("where", "having", "qualify", "prewhere"):
            self.influence(node.args.get(key), scope, FILTER)
        self._group(node, scope, outputs)
        distinct = node.args.get("distinct")
        if distinct is not None and distinct.args.get("on") is not None:
            self.influence(distinct.args["on"], scope, GROUP_BY)
        self._order(node, scope, outputs)
        return QueryTable(name, outputs, open_relations)

    def _group(self, node: exp.Expression, scope: Scope, outputs: list[Output]) -> None:
        group = node.args.get("group")
        if group is None:
            return
        parts = list(group.expressions)
        for key in ("grouping_sets", "cube", "rollup"):
            found = group.args.get(key)
            parts += found if isinstance(found, list) else []
        for part in parts:
            self._by_place(part, scope, outputs, GROUP_BY, False)

    def _order(self, node: exp.Expression, scope: Scope, outputs: list[Output]) -> None:
        for key in ("order", "sort", "cluster", "distribute"):
            found = node.args.get(key)
            for part in found.expressions if isinstance(found, exp.Expression) else ():
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

    # -- what stands in FROM ------------------------------------------------------------------------------------------

    def _join(self, join: exp.Join, scope: Scope) -> None:
        before = dict(scope.sources)
        self._add(join.this, scope)
        using = join.args.get("using") or []
        natural = str(join.args.get("method") or "").upper() == "NATURAL"
        names = [each.name for each in using]
        if natural:
            new = next((s for key, s in scope.sources.items() if key not in before), None)
            known = new.names() if new is not None else None
            if known is None:
                self.said.doubt("a natural join over columns that are not known")
            names = [n for n in known or () if any(source.has(n) for source in before.values())]
        for name in names:
            scope.joined.add(name.lower())
            for origin in scope.column([name]).ways:
                self.influences.setdefault(origin, set()).add(JOIN)
        self.influence(join.args.get("on"), scope, JOIN)
        self.influence(join.args.get("match_condition"), scope, JOIN)
        if str(join.args.get("kind") or "").upper() in ("SEMI", "ANTI"):
            for key in [key for key in scope.sources if key not in before]:
                del scope.sources[key]

    def _add(self, node: exp.Expression, scope: Scope) -> None:
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
            relation = self.table(node, alias, scope)
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            self._add(node.this, scope)
            for join in node.this.args.get("joins") or ():
                self._join(join, scope)
            return
        elif isinstance(node, exp.Query):
            # Only a lateral subquery sees its neighbours; any sees what is around the whole.
            relation = self.table(node, alias, scope.parent, scope.ctes)
        else:
            self.said.doubt(f"a {type(node).__name__} in FROM is not read")
            relation = Opaque(alias)
        if node.args.get("pivots"):
            self.said.doubt("a pivot is not read")
            relation = Opaque(alias)
        given = [c.name for c in node.args["alias"].columns] if _has_columns(node) else []
        if given and not isinstance(relation, Unfolded):
            relation = _renamed(relation, alias, given)
        key = (alias or node.name or f"{len(scope.sources)}").lower()
        if key in scope.sources:  # s1.orders and s2.orders
            key = f"{key} {len(scope.sources)}"
        scope.sources[key] = relation
        if isinstance(node, exp.Table):
            if not alias:
                scope.full_names[key] = table_name(node).lower()
            for lateral in node.args.get("laterals") or ():
                self._add(lateral, scope)
            for join in node.args.get("joins") or ():
                self._join(join, scope)

    def _named(self, node: exp.Table, scope: Scope) -> Relation:
        if not isinstance(node.this, exp.Identifier):
            self.said.doubt("the columns of a table function are not known")
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
        self.said.inputs.add(name)
        return BaseTable(name, self.columns_of(name))

    def _lateral(self, node: exp.Lateral, scope: Scope) -> Relation:
        inner = node.this
        if isinstance(inner, exp.Query):
            return self.table(inner, node.alias, scope, scope.ctes)
        given = [column.name for column in node.args["alias"].columns] if _has_columns(node) else []
        argument = inner.args.get("this")
        if isinstance(argument, exp.Kwarg):
            argument = argument.expression
        if not isinstance(inner, exp.Explode | exp.Posexplode | exp.Inline | exp.ExplodeOuter | exp.PosexplodeOuter):
            value = self.expressions.value(inner, scope).then(TRANSFORMATION)
            return Unfolded(node.alias, dict.fromkeys(given or [node.alias], value))
        whole = self.expressions.value(argument, scope)
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
        parts = [elements(self.expressions.value(each, scope)) for each in node.expressions]
        if len(parts) == 1:
            element = parts[0]
            if len(given) > 1:
                return Unfolded(name, self._spread(element, given))
            return Unfolded(name, {given[0] if given else name: element}, element)
        return Unfolded(name, dict(zip(given, parts, strict=False)))

    def _spread(self, element: Value, given: list[str]) -> dict[str, Value]:
        """The fields of a struct as columns, by place."""
        if element.nested is None:
            self.said.doubt("the fields of an unfolded array are not known")
            return {name: element.then(TRANSFORMATION) for name in given}
        names = list(element.nested)
        return {name: step(element, field) or Value() for name, field in zip(given or names, names, strict=False)}

    # -- SELECT list --------------------------------------------------------------------------------------------------

    def _projections(self, node: exp.Select, scope: Scope) -> tuple[list[Output], list[Relation]]:
        outputs: list[Output] = []
        unknown: list[Relation] = []
        for at, each in enumerate(node.expressions):
            star = each if isinstance(each, exp.Star) else None
            if isinstance(each, exp.Column) and isinstance(each.this, exp.Star):
                star = each.this
                source = scope.source([p.name for p in each.parts[:-1]])
                relations = [source] if source is not None else []
                if not relations and not self._struct_star(each, scope, outputs):
                    self.said.doubt("a star over something that is not known")
                    relations = [Opaque("")]
            elif star is not None:
                relations = list(scope.sources.values())
            else:
                name = each.alias_or_name or f"_c{at}"
                outputs.append(Output(name, _computed(self.expressions, each, scope)))
                continue
            more, open_relations = self._star(relations, scope.joined, star)
            if star is each and scope.joined:
                more = _joined_first(more, scope)
            outputs += self._replaced(more, star, scope)
            unknown += open_relations
            if len(outputs) > MAX_COLUMNS:
                raise TooComplex("its stars stand for too many columns")
        return outputs, unknown

    def _struct_star(self, node: exp.Column, scope: Scope, outputs: list[Output]) -> bool:
        value = scope._look([part.name for part in node.parts[:-1]], False)
        if value is None or (value.nested is None and value.fields is None):
            return False
        for name in value.nested if value.nested is not None else value.fields or ():
            part = step(value, name)
            outputs.append(Output(name, Value, part or Value()))
        return True

    def _star(
        self, relations: Iterable[Relation], joined: Iterable[str], star: exp.Star | None = None
    ) -> tuple[list[Output], list[Relation]]:
        left_out = {
            each.name.lower() for key in ("except_", "except") for each in (star.args.get(key) if star else None) or ()
        }
        once: set[str] = set()
        shared = set(joined)
        outputs: list[Output] = []
        unknown: list[Relation] = []
        for relation in relations:
            names = relation.names()
            if names is None:
                unknown.append(relation)
                if isinstance(relation, QueryTable):
                    names = [output.name for output in relation.outputs]
            self.budget.spend(len(names or ()))
            for name in names or ():
                lowered = name.lower()
                if lowered in left_out or (lowered in shared and lowered in once):
                    continue
                once.add(lowered)
                outputs.append(Output(name, _found(relation, name)))
        return outputs, unknown

    def _replaced(self, outputs: list[Output], star: exp.Star | None, scope: Scope) -> list[Output]:
        """`* REPLACE (e AS c)` and `* RENAME (a AS b)`."""
        for key in ("replace", "rename"):
            for each in (star.args.get(key) if star else None) or ():
                for at, output in enumerate(outputs):
                    if key == "replace" and output.name.lower() == each.alias.lower():
                        outputs[at] = Output(output.name, _computed(self.expressions, each, scope))
                    elif key == "rename" and output.name.lower() == each.this.name.lower():
                        outputs[at] = Output(each.alias, output.get)
        return outputs


def table_name(node: exp.Table) -> str:
    """A table as written, parts joined with dots, without quotes."""
    return ".".join(part.name for part in node.parts)


def _has_columns(node: exp.Expression) -> bool:
    alias = node.args.get("alias")
    return isinstance(alias, exp.TableAlias) and bool(alias.columns)


def _plain(node: exp.SetOperation) -> bool:
    return not any(node.args.get(key) for key in ("with_", "order", "limit"))


def _values_names(node: exp.Values) -> list[str]:
    first = node.expressions[0] if node.expressions else None
    return [f"col{n + 1}" for n in range(len(first.expressions) if first is not None else 0)]


def _renamed(relation: Relation, name: str, given: list[str]) -> Relation:
    if not given:
        return relation
    names = relation.names()
    if names is None:
        return Opaque(name)
    if isinstance(relation, QueryTable):  # by place: two outputs may have one name
        return QueryTable(
            name, [Output(n, o.get) for n, o in zip([*given, *names[len(given) :]], relation.outputs, strict=False)]
        )
    return Renamed(
        name, relation, {new.lower(): old for new, old in zip([*given, *names[len(given) :]], names, strict=False)}
    )


def _computed(expressions: Expressions, node: exp.Expression, scope: Scope) -> Callable[[], Value]:
    return lambda: expressions.value(node, scope)


def _joined_first(outputs: list[Output], scope: Scope) -> list[Output]:
    """What USING or NATURAL joins comes first, once, and is of either side."""
    shared = [output for output in outputs if output.name.lower() in scope.joined]
    rest = [output for output in outputs if output.name.lower() not in scope.joined]
    return [*(Output(output.name, _column(scope, output.name)) for output in shared), *rest]


def _column(scope: Scope, name: str) -> Callable[[], Value]:
    return lambda: scope.column([name])


def _found(relation: Relation, name: str) -> Callable[[], Value]:
    return lambda: relation.find(name) or Value()


def _united(tables: list[QueryTable], at: int, name: str, by_name: bool, budget: Budget) -> Callable[[], Value]:
    def compute() -> Value:
        if by_name:
            found = [value for table in tables if (value := table.find(name)) is not None]
        else:
            found = [table.outputs[at].get() for table in tables if at < len(table.outputs)]
        return found[0] if len(found) == 1 else union(found, budget)

    return compute


__all__ = ["IDENTITY", "Known", "Queries", "table_name"]
