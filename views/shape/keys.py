"""The key of a view whose rows are groups: the columns that distinguish one group from another. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from policies.sql.tables import TableRef
from policies.sql.trace import Visible
from views.shape.groups import Group, Grouped, doubtful, grouped
from views.shape.kept import conditions
from views.shape.names import first_select
from views.shape.places import Places
from views.shape.roles import Roles


def of_groups(
    tree: Any, declared: list[str], columns: list[str], starred: bool, places: Places
) -> tuple[tuple[str, ...], bool]:
    """The key, and whether the result is one row without a key. `declared`: as declared, completed by the bounds of
    windows; empty for the query's own. Raises SqlRefused."""
    groups = grouped(tree, {})
    assert groups is not None
    if groups.starred and not starred:  # DISTINCT *, and the columns are known
        groups = Grouped((), frozenset(columns))
        missing = [name for name in columns if name not in declared] if declared else []
        if missing:
            raise places.refuse(first_select(tree), _too_short(missing[0]), "key-too-short")
        return tuple(declared or columns), False
    if not groups.groups and not groups.starred:
        if declared:
            raise places.refuse(
                first_select(tree), "Without GROUP BY the result is one row; leave out key.", "key-of-one-row"
            )
        return (), True
    return _key(tree, groups, declared, columns, places), False


def _key(tree: Any, groups: Grouped, declared: list[str], columns: list[str], places: Places) -> tuple[str, ...]:
    select = first_select(tree)
    names = {fold(name) for name in declared}
    added: list[str] = []
    for group in groups.groups:
        if any(fold(name) in names for name in group.columns):
            continue
        at = group.node if group.node.parent is not None else select
        if group.best is None:
            text = _shown(group)
            raise places.refuse(
                at,
                f"The result does not distinguish its groups: add {text} to SELECT, by a name of its own.",
                "group-not-shown",
            )
        if declared and group.window is None:
            raise places.refuse(at, _too_short(group.best), "key-too-short")
        added.append(group.best)
    constant = {fold(name) for name in groups.constant}
    for name in declared:
        if fold(name) not in constant and not groups.starred:
            raise places.refuse(
                select,
                f"{name} changes while records come, so it cannot be a part of the key; name columns of GROUP BY.",
                "key-changes",
            )
    if declared:
        return tuple(dict.fromkeys([*declared, *added]))
    order = {fold(name): n for n, name in enumerate(columns)}
    return tuple(sorted(dict.fromkeys(added), key=lambda name: order.get(fold(name), len(order))))


def _shown(group: Group) -> str:
    """What is added to SELECT for a group; of a window its start is enough."""
    if group.window is not None:
        return f"{'session_window' if group.session else 'window'}.start"
    return str(group.node.sql("spark", comments=False))[:60]


def _too_short(name: str) -> str:
    return f"The key does not distinguish all groups, so that their rows would replace one another: add {name} to it."


def check_names(reading: Roles, columns: Mapping[TableRef, Visible], places: Places) -> None:
    """Raises SqlRefused for a GROUP BY whose name means another thing than it seems to."""
    for each in reading.selects:
        node = doubtful(each.select, each.relations, columns)
        if node is not None:
            raise places.refuse(
                node,
                f"GROUP BY {node.name} means the topic's column, not the result's; give the result's another name, or"
                " repeat its expression in GROUP BY.",
                "group-name",
            )


def check_conditions(tree: Any, mode: str, places: Places) -> None:
    """Raises SqlRefused for a condition on groups that cannot become a column."""
    for test in conditions(tree, {}) if mode == "update" else ():
        if test.find(exp.Exists) is not None or any(each.args.get("query") for each in test.find_all(exp.In)):
            raise places.refuse(
                test, "A condition on groups cannot ask another query; join the table before GROUP BY.", "having-query"
            )
