"""The parts of a gated query: what each FROM reads, and where a column comes from. Names only; no schema is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from policies.sql.tables import TableRef

Origin = tuple[TableRef, str]
"""A column of a topic."""


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query of WITH, and the names that it sees itself."""

    query: Any
    names: Mapping[str, NamedQuery]


@dataclass(frozen=True, slots=True)
class Relation:
    """What FROM or JOIN names.

    alias  how columns name it
    table  set for a topic
    query  set for a subquery or a name of WITH; both are None for a function, VALUES or LATERAL VIEW
    join   None for the one behind FROM
    names  what WITH defines for `query`
    """

    node: Any
    alias: str
    table: TableRef | None
    query: Any
    join: Any
    names: Mapping[str, NamedQuery]


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A call of window or session_window, and what the SELECT reads that it is written in."""

    call: Any
    around: list[Relation]

    @property
    def session(self) -> bool:
        return is_call(self.call, "session_window")

    @property
    def time(self) -> Any:
        """The expression that it is over; None for a call without one."""
        return self.call.expressions[0] if self.call.expressions else None


def with_names(node: Any, names: Mapping[str, NamedQuery]) -> Mapping[str, NamedQuery]:
    """The names of WITH that a query sees."""
    clause = node.args.get("with_")
    for cte in clause.expressions if clause is not None else ():
        names = {**names, fold(cte.alias): NamedQuery(cte.this, names)}
    return names


def relations(select: Any, names: Mapping[str, NamedQuery]) -> list[Relation]:
    """What a SELECT reads, in order; `names` with its own WITH."""
    start = select.args.get("from_")
    if start is None:
        return []
    result = list(_with_joins(start.this, None, names))
    for join in select.args.get("joins") or ():
        result += _with_joins(join.this, join, names)
    return result


def _with_joins(node: Any, join: Any, names: Mapping[str, NamedQuery]) -> Iterator[Relation]:
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table | exp.Subquery):
        yield from _with_joins(node.this, join, names)  # FROM (orders), FROM (a JOIN b)
    else:
        yield _relation(node, join, names)
    for inner in node.args.get("joins") or ():
        yield from _with_joins(inner.this, inner, names)


def _relation(node: Any, join: Any, names: Mapping[str, NamedQuery]) -> Relation:
    alias = fold(node.alias_or_name)
    if isinstance(node, exp.Table):
        ref = node.meta.get("weir")
        if ref is not None:
            return Relation(
                node=node, alias=fold(node.alias or ref.parts[-1]), table=ref, query=None, join=join, names=names
            )
        query_named = names.get(fold(node.name)) if isinstance(node.this, exp.Identifier) else None
        if query_named is not None:
            return Relation(
                node=node, alias=alias, table=None, query=query_named.query, join=join, names=query_named.names
            )
    if isinstance(node, exp.Subquery):
        return Relation(node=node, alias=alias, table=None, query=node.this, join=join, names=with_names(node, names))
    return Relation(node=node, alias=alias, table=None, query=None, join=join, names=names)


def own_nodes(node: Any) -> Iterator[Any]:
    """The nodes of a query that are in no query inside it."""
    for child in node.iter_expressions():
        if not isinstance(child, exp.Query):
            yield child
            yield from own_nodes(child)


def selects(query: Any, names: Mapping[str, NamedQuery]) -> Iterator[tuple[Any, Mapping[str, NamedQuery]]]:
    """The SELECTs whose rows a query consists of, each with the names it sees."""
    names = with_names(query, names)
    if isinstance(query, exp.SetOperation):
        yield from selects(query.left, names)
        yield from selects(query.right, names)
    elif isinstance(query, exp.Subquery):
        yield from selects(query.this, names)
    elif isinstance(query, exp.Select):
        yield query, names


def own_name(item: Any) -> str | None:
    """The name of a column of SELECT; None where Spark would make one up."""
    if isinstance(item, exp.Alias):
        return str(item.alias)
    if isinstance(item, exp.Paren):
        return own_name(item.this)
    if isinstance(item, exp.Column | exp.Dot):
        name = item.expression.name if isinstance(item, exp.Dot) else item.name
        return str(name) or None
    if isinstance(item, exp.Anonymous) and str(item.this).lower() in ("window", "session_window"):
        return str(item.this).lower()
    return None


def written(item: Any) -> Any:
    """The expression of a column of SELECT, without its alias and brackets."""
    while isinstance(item, exp.Alias | exp.Paren):
        item = item.this
    return item


def values_of(name: str, query: Any, names: Mapping[str, NamedQuery]) -> Iterator[tuple[Any, list[Relation]]]:
    """The expressions that a query's column consists of, one for each of its SELECTs, with what they read. A column that
    comes by a star is a column of that name."""
    for select, visible in selects(query, names):
        around = relations(select, visible)
        item = next((each for each in select.expressions if fold(own_name(each) or "") == fold(name)), None)
        if item is not None:
            yield _grouped_by(written(item), select), around
        elif any(_is_star(each) for each in select.expressions):
            yield exp.column(name), around


def _grouped_by(node: Any, select: Any) -> Any:
    """The call of GROUP BY that the names `window` and `session_window` are of."""
    group = select.args.get("group")
    if group is None or not isinstance(node, exp.Column) or len(node.parts) > 1:
        return node
    calls = (call for call in group.find_all(exp.Anonymous) if is_call(call, "window", "session_window"))
    return next((call for call in calls if str(call.this).lower() == fold(node.name)), node)


def origins(node: Any, around: list[Relation]) -> set[Origin]:
    """The topics' columns that an expression is, through queries that only pass it on; empty where it is computed."""
    if not isinstance(node, exp.Column):
        return set()
    result: set[Origin] = set()
    for value, inner, ref in steps(node, around):
        result |= {(ref, node.name)} if ref is not None else origins(value, inner)
    return result


def steps(column: Any, around: list[Relation]) -> Iterator[tuple[Any, list[Relation], TableRef | None]]:
    """One step towards the source of a column: the expression in the query it comes from, or its topic."""
    parts = [fold(part.name) for part in column.parts]
    if len(parts) > 1:
        fitting = [r for r in around if r.alias == ".".join(parts[:-1]) or r.alias == parts[-2]]
    else:
        fitting = around if len(around) == 1 else [r for r in around if r.query is not None and _gives(r, column.name)]
    for relation in fitting:
        if relation.table is not None:
            yield column, [], relation.table
        elif relation.query is not None:
            for value, inner in values_of(_inner_name(relation, column.name), relation.query, relation.names):
                yield value, inner, None


def _gives(relation: Relation, name: str) -> bool:
    return any(
        fold(own_name(item) or "") == fold(name)
        for select, _ in selects(relation.query, relation.names)
        for item in select.expressions
    )


def _inner_name(relation: Relation, name: str) -> str:
    """The name in the query of a column of `(query) AS t(a, b)`."""
    alias = relation.node.args.get("alias")
    columns = [fold(c.name) for c in (alias.args.get("columns") or ())] if alias is not None else []
    if fold(name) in columns:
        for select, _ in selects(relation.query, relation.names):
            place = columns.index(fold(name))
            if place < len(select.expressions):
                return own_name(select.expressions[place]) or name
    return name


def _is_star(item: Any) -> bool:
    return isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star))


def is_call(node: Any, *names: str) -> bool:
    """Whether a node calls one of these functions."""
    return isinstance(node, exp.Anonymous) and str(node.this).lower() in names


def time_window(node: Any, around: list[Relation]) -> TimeWindow | None:
    """The call of window or session_window that an expression is, through queries that pass it on."""
    if is_call(node, "window", "session_window"):
        return TimeWindow(node, around)
    if isinstance(node, exp.Column):
        for value, inner, ref in steps(node, around):
            passed = time_window(value, inner) if ref is None else None
            if passed is not None:
                return passed
    return None
