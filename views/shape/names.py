"""The names of a view's columns: each has one of its own. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean
from policies.sql import trace
from policies.sql.names import fold, nearest
from policies.sql.tables import TableRef
from policies.sql.trace import Visible
from views.shape.places import Places
from views.shape.relations import own_name, written

KEPT = "weir_kept"
GONE = "weir_gone"
"""A BOOLEAN column of topics whose records replace one another: true for a record without a value."""
"""The column that shows whether a row is in the view."""


def first_select(tree: Any) -> Any:
    """The SELECT whose names a query's columns have."""
    while isinstance(tree, exp.SetOperation | exp.Subquery):
        tree = tree.left if isinstance(tree, exp.SetOperation) else tree.this
    return tree


def check(tree: Any, places: Places, columns: Mapping[TableRef, Visible] | None) -> tuple[list[str], bool]:
    """The names of the result's columns, and whether a star gives more: never where the `columns` of the topics are
    known. Raises SqlRefused."""
    items = first_select(tree).expressions
    star = next((item for item in items if item.is_star), None)
    outputs = [each.name for each in trace.outputs(tree, columns)] if columns is not None and star is not None else []
    if outputs:
        return _distinct([(star, name) for name in outputs], places), False
    pairs = [(item, name) for item in items if not item.is_star for name in _names(item, places)]
    return _distinct(pairs, places), star is not None


def _distinct(pairs: list[tuple[Any, str]], places: Places) -> list[str]:
    result: dict[str, str] = {}
    for item, name in pairs:
        if fold(name) in (KEPT, GONE):
            raise places.refuse(item, f"The name {fold(name)} is Weir's own; write another.", "column-name")
        if fold(name) in result:
            raise places.refuse(
                item, f"The result has two columns {name}; name one of them otherwise, as in AS {name}2.", "column-name"
            )
        result[fold(name)] = name
    return list(result.values())


def _names(item: Any, places: Places) -> list[str]:
    if isinstance(item, exp.Aliases):
        return [each.name for each in item.expressions]
    name = own_name(item)
    if name is None:
        text = written(item).sql("spark")[:40]
        raise places.refuse(
            item, f"A column of a view needs a name; write {text} AS and a name behind it.", "column-name"
        )
    return [name]


def of_result(name: str, columns: list[str], starred: bool) -> str:
    """The column that a declared key names. Raises InvalidInput."""
    column_name = next((column for column in columns if fold(column) == fold(name)), None)
    if column_name is None and not starred:
        hint = did_you_mean(nearest(name, columns), f"it has {', '.join(columns)}.")
        raise InvalidInput(
            f"The key {name[:60]} is not a column of the result; {hint}", details={"field": "spec.key", "column": name}
        )
    return column_name or name
