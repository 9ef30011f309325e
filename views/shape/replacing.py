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
from views.shape.partners import may_be_several, with_conditions_in_joins, with_partner
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


def joins_with_conditions(reading: Roles, replaced: Collection[TableRef]) -> tuple[str, ...]:
    """Put conditions on joined tables into their joins; notes about the rest. Changes the tree."""
    if not any(ref in replaced for ref in reading.streams):
        return ()
    for each in reading.selects:
        with_conditions_in_joins(each.select, each.relations)
    return tuple(
        f"Several rows of {alias} may fit one record, since ON does not name its _key, and a condition is asked of each: where"
        f" the last of them does not meet it, the view has no row of that record. Join {alias} by its _key to end that."
        for each in reading.selects
        for alias in may_be_several(each.select, each.relations)
    )


def _no_partner(relation: Relation) -> str:
    name, kind = relation.alias, str(relation.join.args.get("kind") or "").upper()
    if kind in ("SEMI", "ANTI"):
        there = (
            f"JOIN and a comparison with a column of {name}"
            if kind == "SEMI"
            else f"LEFT JOIN and WHERE {name}._key IS NULL"
        )
        return (
            f"A LEFT {kind} JOIN sends nothing for a newer record that leaves the result, so the older row would stay; write"
            f" {there}."
        )
    return (
        "This join would keep the older of two rows that replace one another where the newer has no partner, since"
        f" nothing of {name} shows whether there is one: an inner join needs a comparison in ON with a column of {name}, with"
        f" {name} before it, as it is, in CAST, in arithmetic or in functions of texts, as in ON CAST({name}._key AS BIGINT) ="
        f" other.id. Write such an ON, or LEFT JOIN and a condition on the columns of {name}."
    )
