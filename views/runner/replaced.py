"""Views over views: a followed view with a key sends each change of a row, and a record without a value for one that goes.
A view without a key is not followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from catalog.datatypes import StructType
from catalog.errors import Conflict, InvalidInput
from policies.plan.ports import QueryTable
from policies.plan.prepare import PreparedQuery
from policies.plan.value_columns import kind_of
from policies.plan.views import Column, GovernedTable
from policies.sql.names import fold
from policies.sql.tables import TableRef
from policies.sql.untraceable import followed_outputs
from views.runner.key_columns import KeyColumn, has_text, how_masked, key_columns
from views.shape.names import GONE
from views.shape.shape import Shape

Keys = Mapping[TableRef, Sequence[str]]
"""The key of each table whose records replace one another."""


def check_once(tables: Mapping[TableRef, QueryTable]) -> None:
    """A batch that is run again after a failure writes its rows again, and a stream cannot distinguish them.

    Raises InvalidInput for a view without a key, followed or joined.
    """
    for ref, table in tables.items():
        if table.rows is not None and not table.rows.newest:
            raise InvalidInput(
                f"{ref.name} is a view without a key, whose topic may hold rows twice after a failure; give {ref.name} a key,"
                " or read the topics that it comes from.",
                details={"field": "spec.sql", "dataset": table.reference},
            )


def own_key(prepared: PreparedQuery, replaced: Keys, declared: list[str] | None) -> list[str] | None:
    """The declared key; else that of the one view that the query reads, where its columns are in the result as they are."""
    if declared is not None or len(prepared.tables) != 1:
        return declared
    ((ref, key),) = replaced.items()
    outputs = followed_outputs(prepared.gated.tree, prepared.columns())
    own: list[str] = []
    for column in key:
        same = next(
            (
                each.name
                for each in outputs
                if each.direct
                and [(r, [fold(n) for n in names]) for r, names in each.sources] == [(ref, [fold(column)])]
            ),
            None,
        )
        if same is None:
            return None
        own.append(same)
    return own or None


def check_replaced(prepared: PreparedQuery, streamed: Shape, replaced: Keys) -> None:
    """A row that goes is known by its key alone, so the key of a view over it must be the whole of that, in a form that keeps keys
    apart.

    Raises InvalidInput for a key that is not, Conflict where a row filter of the subject's chooses among the rows.
    """
    followed = {ref: key for ref, key in replaced.items() if ref in streamed.follows}
    if not followed or streamed.mode != "append":
        return
    columns = key_columns(prepared.gated.tree, prepared.columns())
    for ref, key in followed.items():
        if prepared.tables[ref].filters:
            raise Conflict(
                f"The view runs for somebody who sees some rows of {ref.name} only, and its rows replace one another; a row"
                " that they may not see any more could not be taken away. Follow the topics that it comes from.",
                details={"dataset": prepared.tables[ref].table.reference},
            )
        missing = {fold(name): name for name in key}
        missing_columns = {name: each for each in prepared.tables[ref].columns if (name := fold(each.name)) in missing}
        for column in streamed.key:
            one = columns.get(fold(column))
            below = missing_columns.get(fold(one.path[0])) if one is not None and one.ref == ref else None
            if one is None or below is None or not _keeps_apart(prepared.tables[ref], below, one):
                raise InvalidInput(
                    f"{column} is not the key of {ref.name} ({', '.join(key) or 'one row'}), so a row that goes there could not be"
                    " taken away here, or would take away others; use that key as it is or with texts around it, or follow the"
                    " topics that it comes from.",
                    details={"field": "spec.key"},
                )
            missing.pop(fold(below.name), None)
        if missing and streamed.key:
            raise InvalidInput(
                f"The key of {ref.name} is {', '.join(key)}, and with a part of it as the key several rows would be one here; add"
                f" {', '.join(missing.values())} to the key, or follow the topics that it comes from.",
                details={"field": "spec.key"},
            )


def _keeps_apart(governed: GovernedTable, below: Column, one: KeyColumn) -> bool:
    """Whether a column is a key column of a view, no two values of which are one here. The start of a window identifies it."""
    kind = kind_of(governed.table, below.name, below.path)
    if kind is None or below.path is None or (one.computed and not has_text(kind)):
        return False
    is_start = isinstance(kind, StructType) and fold(one.path[-1]) == "start" and kind.get("end") is not None
    if len(one.path) != 1 and not (is_start and len(one.path) == 2):
        return False
    return how_masked(governed, kind, below.path) is None


def with_gone(table: GovernedTable) -> GovernedTable:
    """The table with the column that shows whether a record takes its row away."""
    return replace(table, columns=(*table.columns, Column(GONE, None, "weir_raw IS NULL", system=True)))
