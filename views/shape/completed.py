"""Small rewritings that let Spark follow what it could not: the meaning stays. All change the tree."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from views.shape.groups import grouped, grouping
from views.shape.relations import Relation, time_window
from views.shape.roles import Roles


def without_idle_distinct(reading: Roles) -> None:
    """DISTINCT over groups that the result distinguishes takes nothing away; Spark would count it as another aggregate."""
    for each in reading.selects:
        select = each.select
        if select.args.get("distinct") and select.args.get("group"):
            groups = grouped(select, each.names)
            if groups is not None and all(group.best is not None for group in groups.groups):
                select.set("distinct", None)


def sessions_with_a_group(reading: Roles) -> None:
    """Spark follows no session of all records, only sessions of a group: they get one group, the number 0."""
    for each in reading.selects:
        _with_a_group(each.select, each.relations)


def _with_a_group(select: Any, around: list[Relation]) -> None:
    nodes = grouping(select)
    windows = [time_window(node, around) for node in nodes]
    if len(nodes) != 1 or windows[0] is None or not windows[0].session:
        return
    node = nodes[0]
    if isinstance(node, exp.Column):
        parts = [exp.to_identifier("start"), *(part.copy() for part in reversed(node.parts))]
        moment = exp.Column(**dict(zip(("this", "table", "db", "catalog"), parts, strict=False)))
    else:
        moment = windows[0].time.copy()
    zero = exp.Mod(this=exp.Anonymous(this="unix_micros", expressions=[moment]), expression=exp.Literal.number(1))
    group = select.args["group"]
    if group.args.get("all"):
        group.set("all", None)
        group.set("expressions", [node.copy()])
    group.append("expressions", zero)
