"""The names of a view's columns: each has one of its own. Pure."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from catalog.errors import InvalidInput
from policies.sql.names import fold, nearest
from views.shape.places import Places
from views.shape.relations import own_name, written

KEPT = "weir_kept"
"""The column that tells whether a row is in the view."""


def first_select(tree: Any) -> Any:
    """The SELECT whose names a query's columns have."""
    while isinstance(tree, exp.SetOperation | exp.Subquery):
        tree = tree.left if isinstance(tree, exp.SetOperation) else tree.this
    return tree


def check(tree: Any, places: Places) -> tuple[list[str], bool]:
    """The names of the result's columns, and whether a star gives more. Raises SqlRefused."""
    result: dict[str, str] = {}
    starred = False
    for item in first_select(tree).expressions:
        if item.is_star:
            starred = True
            continue
        for name in _names(item, places):
            if fold(name) == KEPT:
                raise places.refuse(item, f"The name {KEPT} is Weir's own; write another.", "column-name")
            if fold(name) in result:
                raise places.refuse(
                    item,
                    f"The result has two columns {name}; name one of them otherwise, as in AS {name}2.",
                    "column-name",
                )
            result[fold(name)] = name
    return list(result.values()), starred


def _names(item: Any, places: Places) -> list[str]:
    if isinstance(item, exp.Aliases):
        return [each.name for each in item.expressions]
    name = own_name(item)
    if name is None:
        shown = written(item).sql("spark")[:40]
        raise places.refuse(
            item, f"A column of a view needs a name; write {shown} AS and a name behind it.", "column-name"
        )
    return [name]


def of_result(name: str, columns: list[str], starred: bool) -> str:
    """The column that a declared key names. Raises InvalidInput."""
    known = next((column for column in columns if fold(column) == fold(name)), None)
    if known is None and not starred:
        near = nearest(name, columns)
        hint = f"did you mean {near}?" if near else f"it has {', '.join(columns)}."
        raise InvalidInput(
            f"The key {name[:60]} is no column of the result; {hint}", details={"field": "key", "column": name}
        )
    return known or name
