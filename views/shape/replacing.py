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
from views.shape.partners import with_partner
from views.shape.places import Places
from views.shape.relations import Relation, is_call, own_nodes
from views.shape.roles import Roles
from views.shape.two_statements import two_statements

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
            raise places.refuse(
                node,
                f"The records of {ref.name} replace one another by key, and an aggregate or a join of streams would"
                f" count each change; {_instead(reading, ref, ref in compacted)}.",
                "counts-changes",
            )


def _instead(reading: Roles, ref: TableRef, is_topic: bool) -> str:
    if not is_topic:
        return (
            "run the same SQL as a query, which reads the rows of now, follow the topics that it comes from, or join it as a"
            " table"
        )
    others = "join the topic as a table, or write compactedAs: stream to count every record"
    statements = two_statements(reading, ref)
    if statements is None:
        return f"declare a view of its newest rows with a key and aggregate that when you read it, {others}"
    create, read = statements
    return (
        f"declare a view of its newest rows: {create}; and aggregate that when you read it, which counts the rows of now: {read};"
        f" or {others}"
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
            if relation.join is not None and not with_partner(each.select, relation):
                raise places.refuse(relation.node, _no_partner(relation), "joins-changes")
    return rows_with_kept(tree, {})


def _no_partner(relation: Relation) -> str:
    name = relation.alias
    return (
        "This join would keep the older of two rows that replace one another where the newer has no partner, since"
        f" nothing of {name} shows whether there is one: an inner join needs an equality in ON with a column of {name}, as it"
        f" is, in CAST, in arithmetic or in functions of texts, as in ON CAST({name}._key AS BIGINT) = other.id. Write such"
        f" an ON, or LEFT JOIN and a condition on the columns of {name}."
    )
