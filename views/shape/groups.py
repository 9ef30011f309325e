"""What a query aggregates, and by which columns of its result a group is known. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from policies.sql.live import AGGREGATES
from policies.sql.names import fold
from policies.sql.tables import TableRef
from policies.sql.trace import Visible
from views.shape.relations import (
    NamedQuery,
    Relation,
    TimeWindow,
    is_call,
    own_name,
    own_nodes,
    relations,
    time_window,
    with_names,
    written,
)

WHOLE, START, END = "whole", "start", "end"
_AGGREGATES = AGGREGATES - {"session_window", "grouping", "grouping_id"}


@dataclass(frozen=True, slots=True)
class Group:
    """One expression of GROUP BY, or one column of DISTINCT.

    columns  names of result columns that identify it: WHOLE for itself, START and END for the bounds of a window
    window   the window of time that it is
    """

    node: Any
    window: TimeWindow | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def best(self) -> str | None:
        """The column that represents it in a key: the start of a window, where there is one."""
        for part_wanted in (START, WHOLE, END) if self.window is not None else (WHOLE,):
            for name, part in self.columns.items():
                if part == part_wanted:
                    return name
        return None

    @property
    def session(self) -> bool:
        return self.window is not None and self.window.session


@dataclass(frozen=True, slots=True)
class Grouped:
    """The groups behind a query's rows.

    constant  names of result columns that are the same in every row of a group
    starred   some of its columns come by a star, so their names are not known here
    """

    groups: tuple[Group, ...]
    constant: frozenset[str]
    starred: bool = False


def aggregates(select: Any) -> bool:
    """Whether a SELECT puts several records into one row."""
    return bool(select.args.get("group") or select.args.get("having") or select.args.get("distinct")) or has_aggregate(
        select
    )


def has_aggregate(node: Any) -> bool:
    """Whether an expression or a SELECT itself calls an aggregate."""
    return _is_aggregate(node) or any(map(_is_aggregate, own_nodes(node)))


def _is_aggregate(node: Any) -> bool:
    return is_call(node, *_AGGREGATES) or isinstance(node, exp.AggFunc)


def grouping(select: Any) -> list[Any]:
    """The expressions of GROUP BY, numbers and names of result columns replaced by what they are."""
    clause = select.args.get("group")
    if clause is None:
        return []
    items = select.expressions
    if clause.args.get("all"):
        return [written(item) for item in items if not has_aggregate(item)]
    return [_meant(each, items) for each in clause.expressions]


def without_brackets(tree: Any) -> None:
    """`GROUP BY (a, b)` as `GROUP BY a, b`, where the result does not show the pair itself."""
    for clause in tree.find_all(exp.Group):
        items = [written(item) for item in getattr(clause.parent, "expressions", ())]
        clause.set("expressions", [part for each in clause.expressions for part in _parts(each, items)])


def _parts(node: Any, items: list[Any]) -> Iterator[Any]:
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Tuple) and node not in items:
        for each in node.expressions:
            yield from _parts(each, items)
    else:
        yield node


def _meant(each: Any, items: list[Any]) -> Any:
    if isinstance(each, exp.Literal) and each.is_int and 0 < int(each.name) <= len(items):
        return written(items[int(each.name) - 1])
    if isinstance(each, exp.Column) and len(each.parts) == 1:
        item = next((i for i in items if isinstance(i, exp.Alias) and fold(i.alias) == fold(each.name)), None)
        # The name of a topic's column goes before that of a result's: upper(a) AS a GROUP BY a groups by the topic's a.
        if item is not None and not any(fold(c.name) == fold(each.name) for c in item.this.find_all(exp.Column)):
            return written(item)
    return each


def doubtful(select: Any, around: list[Relation], columns: Mapping[TableRef, Visible]) -> Any:
    """A name of GROUP BY that is both an expression of SELECT and a column of a topic, which goes before it; or None."""
    clause = select.args.get("group")
    known = {
        fold(name) for each in around if each.table is not None for name in columns.get(each.table, Visible(())).names
    }
    aliases = {fold(item.alias) for item in select.expressions if isinstance(item, exp.Alias)}
    for node, meant in zip(clause.expressions if clause is not None else (), grouping(select), strict=False):
        bare = isinstance(node, exp.Column) and len(node.parts) == 1
        if bare and meant is not node and fold(node.name) in known & aliases and not same(node, meant, around):
            return node
    return None


def grouped(query: Any, names: Mapping[str, NamedQuery]) -> Grouped | None:
    """The groups of a query, through SELECTs that only pass them on; None for a query that does not aggregate."""
    names = with_names(query, names)
    if isinstance(query, exp.Subquery):
        return grouped(query.this, names)
    if isinstance(query, exp.SetOperation):
        left = query
        while isinstance(left, exp.SetOperation | exp.Subquery):
            left = left.left if isinstance(left, exp.SetOperation) else left.this
        return _distinct(left) if query.args.get("distinct") and isinstance(left, exp.Select) else None
    if not isinstance(query, exp.Select):
        return None
    around = relations(query, names)
    if query.args.get("group") or query.args.get("having") or has_aggregate(query):
        return _aggregated(query, around)
    if query.args.get("distinct"):
        return _distinct(query)
    inner = grouped(around[0].query, around[0].names) if around and around[0].query is not None else None
    return _passed_on(query, around, inner) if inner is not None else None


def _aggregated(select: Any, around: list[Relation]) -> Grouped:
    groups = []
    for node in grouping(select):
        whole = Group(node, time_window(node, around))
        columns = {own_name(item) or "": _tells(item, whole, around) for item in select.expressions}
        groups.append(Group(node, whole.window, {name: part for name, part in columns.items() if name and part}))
    constant = {own_name(item) or "" for item in select.expressions if not has_aggregate(item)}
    return Grouped(tuple(groups), frozenset(constant - {""}))


def _distinct(select: Any) -> Grouped:
    starred = any(item.is_star for item in select.expressions)
    around: list[Relation] = []
    result = [
        Group(written(item), time_window(written(item), around), {name: WHOLE})
        for item in select.expressions
        if (name := own_name(item)) is not None and not item.is_star
    ]
    return Grouped(tuple(result), frozenset(name for group in result for name in group.columns), starred)


def _passed_on(select: Any, around: list[Relation], inner: Grouped) -> Grouped:
    starred = any(item.is_star for item in select.expressions)
    groups = []
    for group in inner.groups:
        columns = dict(group.columns) if starred else {}
        for item in select.expressions:
            name, part = own_name(item), _taken(written(item), group, around)
            if name is not None and part is not None:
                columns[name] = part
        groups.append(Group(group.node, group.window, columns))
    constant = set(inner.constant) if starred else set()
    constants = {fold(name) for name in inner.constant}
    for item in select.expressions:
        used = list(item.find_all(exp.Column))
        name = own_name(item)
        if name is not None and not item.is_star and all(_first(column, around) in constants for column in used):
            constant.add(name)
    return Grouped(tuple(groups), frozenset(constant), starred and inner.starred)


def _tells(item: Any, group: Group, around: list[Relation]) -> str | None:
    """Which part of a group a column of its own SELECT is."""
    node = written(item)
    if same(node, group.node, around):
        return WHOLE
    if group.window is None:
        return None
    call = str(group.window.call.this).lower()
    if is_call(group.node, call) and isinstance(node, exp.Column) and [fold(p.name) for p in node.parts] == [call]:
        return WHOLE
    if is_call(node, "window_time"):
        return END
    field_name = _field(node)
    if field_name is None:
        return None
    holder = _holder(node)
    if same(holder, group.node, around):
        return field_name
    return field_name if is_call(group.node, call) and [fold(p.name) for p in holder.parts] == [call] else None


def _field(node: Any) -> str | None:
    name = node.expression.name if isinstance(node, exp.Dot) else node.name if isinstance(node, exp.Column) else ""
    inside = isinstance(node, exp.Dot) or (isinstance(node, exp.Column) and len(node.parts) > 1)
    return fold(name) if inside and fold(name) in (START, END) else None


def _holder(node: Any) -> Any:
    """`w` of `w.start`."""
    if isinstance(node, exp.Dot):
        return node.this
    parts = [part.copy() for part in node.parts[:-1]]
    return exp.Column(**dict(zip(("this", "table", "db", "catalog"), reversed(parts), strict=False)))


def _taken(node: Any, group: Group, around: list[Relation]) -> str | None:
    """Which part of a group of the query below a column is."""
    if not isinstance(node, exp.Column | exp.Dot):
        return None
    parts_of = {fold(name): part for name, part in group.columns.items()}
    if isinstance(node, exp.Column) and _first(node, around) in parts_of and _rest(node, around) == 0:
        return parts_of[_first(node, around) or ""]
    field_name = _field(node)
    if field_name is not None and isinstance(node, exp.Column) and _rest(node, around) == 1:
        first = _first(node, around)
        return field_name if group.window is not None and first is not None and parts_of.get(first) == WHOLE else None
    return None


def _first(column: Any, around: list[Relation]) -> str | None:
    """The column that a name begins with, without its table."""
    parts = [fold(part.name) for part in column.parts]
    return parts[1] if len(parts) > 1 and any(r.alias == parts[0] for r in around) else parts[0]


def _rest(column: Any, around: list[Relation]) -> int:
    """How many fields of a struct a name goes down."""
    parts = [fold(part.name) for part in column.parts]
    return len(parts) - (2 if len(parts) > 1 and any(r.alias == parts[0] for r in around) else 1)


def same(one: Any, other: Any, around: list[Relation]) -> bool:
    """Whether two expressions of a SELECT are the same, however much of the names is written."""
    if one is None or other is None:
        return False
    first, second = _plain(one, around), _plain(other, around)
    if first.sql("spark") != second.sql("spark"):
        return False
    pairs = zip(_tables(one, around), _tables(other, around), strict=True)
    return all(not a or not b or a == b for a, b in pairs)


def _plain(node: Any, around: list[Relation]) -> Any:
    copy = node.copy()
    aliases = {relation.alias for relation in around}
    for column in [copy] if isinstance(copy, exp.Column) else list(copy.find_all(exp.Column)):
        parts = [fold(part.name) for part in column.parts]
        names = parts[1:] if len(parts) > 1 and parts[0] in aliases else parts
        new = exp.column(".".join(names), quoted=True)
        if column is copy:
            copy = new
        else:
            column.replace(new)
    return copy


def _tables(node: Any, around: list[Relation]) -> Iterator[str]:
    aliases = {relation.alias for relation in around}
    for column in node.find_all(exp.Column):
        first = fold(column.parts[0].name)
        yield first if len(column.parts) > 1 and first in aliases else ""


__all__ = [
    "END",
    "START",
    "WHOLE",
    "Group",
    "Grouped",
    "aggregates",
    "grouped",
    "grouping",
    "has_aggregate",
    "same",
    "without_brackets",
]
