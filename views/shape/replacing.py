"""Views over records that replace one another by key: views with a key, and compacted topics. Pure.

Each change of a row comes as another record. What counts records would count changes; what only chooses and computes
passes the change on, and a row that no longer satisfies WHERE is taken away.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlglot import exp

from policies.sql.tables import TableRef
from views.shape.kept import rows_with_kept
from views.shape.places import Places
from views.shape.relations import is_call, own_nodes
from views.shape.roles import Roles

_GENERATORS = ("explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer", "stack")


def check(reading: Roles, folds: frozenset[TableRef], replaced: Collection[TableRef], places: Places) -> None:
    """Raises SqlRefused where records that replace one another would be counted."""
    for ref, node in reading.streams.items():
        if ref in replaced and ref in folds:
            raise places.refuse(
                node, f"The records of {ref.name} replace one another by key, and an aggregate or a join of streams would"
                " count each change; follow the topics that it comes from, or join it as a table.",
                "counts-changes",
            )  # fmt: skip


def with_kept(tree: Any, reading: Roles, replaced: Collection[TableRef], places: Places) -> bool:
    """Turn the conditions on rows that replace one another into a column; whether there is one now. Changes `tree`."""
    if not any(ref in replaced for ref in reading.streams):
        return False
    for each in reading.selects:
        if each.select.args.get("laterals") or any(is_call(node, *_GENERATORS) for node in own_nodes(each.select)):
            raise places.refuse(
                each.select, "Rows that replace one another cannot be exploded, since the rows of the older record could"
                " not be taken back; leave out key to keep all of them.",
                "explodes-changes",
            )  # fmt: skip
        where = each.select.args.get("where")
        if where is not None and any(isinstance(node, exp.Query) for node in where.walk()):
            raise places.refuse(
                where, "A condition on rows that replace one another cannot ask another query; write LEFT JOIN and a"
                " condition on its columns.",
                "condition-query",
            )  # fmt: skip
        if where is not None and reading.sets:
            raise places.refuse(
                where, "A condition on rows that replace one another in a UNION would not take rows away; leave out UNION.",
                "condition-in-union",
            )  # fmt: skip
        inner = next((r for r in each.relations[1:] if r.join is not None and _drops(r.join)), None)
        if inner is not None:
            raise places.refuse(
                inner.node, "A JOIN would keep the older of two rows that replace one another where the newer has no"
                " partner; write LEFT JOIN and a condition on its columns.",
                "joins-changes",
            )  # fmt: skip
    return rows_with_kept(tree, {})


def _drops(join: Any) -> bool:
    """Whether a row without a partner (or with one) is left out."""
    return not join.side or str(join.args.get("kind") or "").upper() in ("SEMI", "ANTI")
