"""Views over records that replace one another by key: views with a key, and compacted topics. Pure.

Each change of a row comes as another record. What counts records would count changes; what only chooses and computes
passes the change on, and a row that no longer satisfies WHERE is taken away.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from policies.sql.tables import TableRef
from views.shape.kept import rows_with_kept
from views.shape.places import Places
from views.shape.relations import Relation, is_call, own_nodes
from views.shape.roles import Roles
from views.shape.time_bounds import conditions

_GENERATORS = ("explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer", "stack")


def check(
    reading: Roles,
    folds: frozenset[TableRef],
    replaced: Collection[TableRef],
    compacted: Collection[TableRef],
    places: Places,
) -> None:
    """Raises SqlRefused where records that replace one another would be counted."""
    for ref, node in reading.streams.items():
        if ref in replaced and ref in folds:
            instead = (
                "declare a view of its newest rows with a key and aggregate that when you read it, join the topic as a table, or"
                " write compactedAs: stream to count every record"
                if ref in compacted
                else "follow the topics that it comes from, or join it as a table"
            )
            raise places.refuse(
                node,
                f"The records of {ref.name} replace one another by key, and an aggregate or a join of streams would"
                f" count each change; {instead}.",
                "counts-changes",
            )


def with_kept(tree: Any, reading: Roles, replaced: Collection[TableRef], places: Places) -> bool:
    """Turn the conditions on rows that replace one another into a column; whether there is one now. Changes `tree`."""
    if not any(ref in replaced for ref in reading.streams):
        return False
    for each in reading.selects:
        if each.select.args.get("laterals") or any(is_call(node, *_GENERATORS) for node in own_nodes(each.select)):
            raise places.refuse(
                each.select,
                "Rows that replace one another cannot be exploded, since the rows of the older record could"
                " not be taken back; leave out key to keep all of them.",
                "explodes-changes",
            )
        where = each.select.args.get("where")
        if where is not None and any(isinstance(node, exp.Query) for node in where.walk()):
            raise places.refuse(
                where,
                "A condition on rows that replace one another cannot ask another query; write LEFT JOIN and a"
                " condition on its columns.",
                "condition-query",
            )
        if reading.sets:
            raise places.refuse(
                each.select,
                "Rows that replace one another cannot be taken away through a UNION; leave out UNION, or key to"
                " keep all of them.",
                "union-of-changes",
            )
        for relation in each.relations[1:]:
            if relation.join is not None and not _left(each.select, relation):
                raise places.refuse(
                    relation.node,
                    "This join would keep the older of two rows that replace one another where the newer has no"
                    " partner; write LEFT JOIN and a condition on its columns.",
                    "joins-changes",
                )
    return rows_with_kept(tree, {})


def _left(select: Any, relation: Relation) -> bool:
    """Make an inner join a LEFT JOIN whose WHERE asks for the partner; False for a join for which there is none."""
    join = relation.join
    kind = str(join.args.get("kind") or "").upper()
    if join.side == "LEFT" and kind in ("", "OUTER"):
        return True
    if join.side or kind not in ("", "INNER") or join.args.get("method"):
        return False
    partner = _partner(join, relation)
    if partner is None:
        return False
    join.set("side", "LEFT")
    join.set("kind", None)
    select.where(exp.Not(this=exp.Is(this=partner, expression=exp.Null())), copy=False)
    return True


def _partner(join: Any, relation: Relation) -> Any:
    """A column of the joined table that is not NULL where there is a partner: one that the join compares for equality."""
    for name in join.args.get("using") or ():
        return exp.column(name.name, table=relation.node.alias_or_name, quoted=True)
    for test in conditions(exp.Select(), join):
        sides = (test.this, test.expression) if isinstance(test, exp.EQ) else ()
        for side in sides:
            if isinstance(side, exp.Column) and len(side.parts) > 1 and fold(side.parts[0].name) == relation.alias:
                return side.copy()
    return None
