"""Rows that leave an aggregate's result.

Spark sends a group again when it changes and sends nothing for one that no longer satisfies HAVING. So the condition
becomes a column of the result (`weir_kept`), and a row where it is not true takes its key out of the view.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from views.shape.groups import has_aggregate
from views.shape.names import GONE, KEPT
from views.shape.relations import NamedQuery, Relation, own_name, relations, with_names, written


def with_kept(query: Any, names: Mapping[str, NamedQuery]) -> bool:
    """Turn the conditions on a query's groups into a column; whether it has that column now. Changes `query`, whose
    rows are groups: a SELECT that aggregates, or one over such a SELECT."""
    names = with_names(query, names)
    if isinstance(query, exp.Subquery):
        return with_kept(query.this, names)
    if not isinstance(query, exp.Select):
        return False
    if query.args.get("group") or query.args.get("having") or has_aggregate(query):
        having = query.args.get("having")
        if having is None:
            return False
        query.set("having", None)
        _add(query, _with_meanings(having.this, query.expressions))
        return True
    below = relations(query, names)
    if query.args.get("distinct") or not below or below[0].query is None or not _groups(below[0].query):
        return False
    return _moved(query, below[0], with_kept(below[0].query, below[0].names))


def _moved(query: Any, below: Relation, inner: bool, replaced: bool = False) -> bool:
    """Turn WHERE, and the column that the query below has by now (`inner`), into the column. `replaced`: the topic below
    has the column `GONE`."""
    where = query.args.get("where")
    if where is None and not inner and not replaced:
        return False
    tests = [where.this] if where is not None else []
    query.set("where", None)
    if inner:
        for star in [item for item in query.expressions if item.is_star and _of(item, below)]:
            node = star if isinstance(star, exp.Star) else star.this
            node.set("except_", [*(node.args.get("except_") or ()), exp.to_identifier(KEPT)])
        tests.insert(0, exp.column(KEPT, table=below.node.alias_or_name or None))
    if replaced:
        tests.insert(0, exp.not_(exp.column(GONE, table=below.alias or None, quoted=True)))
    _add(query, exp.and_(*tests))
    return True


def rows_with_kept(query: Any, names: Mapping[str, NamedQuery]) -> bool:
    """The same for rows that replace one another by key: one that is gone, and a newer one that does not satisfy WHERE, take
    the older away. Changes `query`, which is a SELECT of one topic, or one over such a SELECT."""
    names = with_names(query, names)
    if isinstance(query, exp.Subquery):
        return rows_with_kept(query.this, names)
    if not isinstance(query, exp.Select):
        return False
    below = relations(query, names)
    inner = below[0].query is not None and rows_with_kept(below[0].query, below[0].names)
    return _moved(query, below[0], inner, below[0].table is not None)


def conditions(query: Any, names: Mapping[str, NamedQuery]) -> list[Any]:
    """The conditions on a query's groups, as `with_kept` would move them."""
    names = with_names(query, names)
    if isinstance(query, exp.Subquery):
        return conditions(query.this, names)
    if not isinstance(query, exp.Select):
        return []
    if query.args.get("group") or query.args.get("having") or has_aggregate(query):
        return [query.args["having"]] if query.args.get("having") else []
    below = relations(query, names)
    if query.args.get("distinct") or not below or below[0].query is None or not _groups(below[0].query):
        return []
    own = [query.args["where"]] if query.args.get("where") else []
    return [*own, *conditions(below[0].query, below[0].names)]


def _groups(query: Any) -> bool:
    while isinstance(query, exp.Subquery):
        query = query.this
    return isinstance(query, exp.Select)


def _of(star: Any, relation: Relation) -> bool:
    """Whether a star is of a whole row, not of a struct in it."""
    return isinstance(star, exp.Star) or [fold(part.name) for part in star.parts[:-1]] == [relation.alias]


def _add(select: Any, condition: Any) -> None:
    true = exp.Anonymous(this="coalesce", expressions=[exp.paren(condition.copy()), exp.false()])
    select.append("expressions", exp.alias_(true, KEPT, quoted=True))


def _with_meanings(condition: Any, items: list[Any]) -> Any:
    """HAVING total > 3, with what SELECT calls total: a column of SELECT does not see the names of others."""
    condition = condition.copy()
    by_name = {fold(own_name(item) or ""): item for item in items if isinstance(item, exp.Alias)}
    for column in [condition] if isinstance(condition, exp.Column) else list(condition.find_all(exp.Column)):
        item = by_name.get(fold(column.name)) if len(column.parts) == 1 else None
        if item is None or _in_aggregate(column, condition):
            continue
        meaning = exp.paren(written(item).copy())
        if column is condition:
            return meaning
        column.replace(meaning)
    return condition


def _in_aggregate(node: Any, end: Any) -> bool:
    while node is not None and node is not end:
        node = node.parent
        if node is not None and has_aggregate(node) and isinstance(node, exp.Anonymous | exp.AggFunc):
            return True
    return False
