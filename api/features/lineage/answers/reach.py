"""Whether data can have come from one place to another, and the ways between two places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from api.edge.answer import Answer, Time, about, absent
from api.features.lineage.answers.graph import Edge, NodeType, edge_values
from lineage.model import Edge as GraphEdge
from lineage.model import parts_of, rfc3339
from lineage.questions import time_reach


class Arrival(Answer):
    """A node that data can have come to."""

    id: str = about("nodeId.")
    type: NodeType
    namespace: str
    name: str
    field: str = absent()
    arrival: Time = about("The earliest.")
    hops: int
    confirmed: bool = about("Each edge of the way was reported again after the data had come to it.")
    raw: bool = about("Nothing on the way masks it.")


class ReachBase(Answer):
    """Whether data can have come from one place to another."""

    from_: str = about("nodeId.", alias="from")
    at: Time
    until: Time | None
    could: bool
    truncated: bool


class Reach(ReachBase):
    """Whether data of one node can have come to another."""

    to: str = about("nodeId.")
    confirmed: bool
    arrival: Time | None
    raw: bool
    path: list[Edge]


class ReachEverywhere(ReachBase):
    """Everywhere that data of one node can have come to."""

    to: str | None
    reached: list[Arrival] = about("Earliest first.")


class Paths(Answer):
    """The ways from one node to another, shortest first."""

    from_: str = about("nodeId.", alias="from")
    to: str = about("nodeId.")
    paths: list[list[Edge]]
    truncated: bool


def reach_of(reach: time_reach.Reach) -> Reach | ReachEverywhere:
    """The answer to whether data can have come to one place, or to which it can have come."""
    values: dict[str, object] = {
        "from": reach.source,
        "to": reach.target,
        "at": rfc3339(reach.at),
        "until": rfc3339(reach.until) if reach.until is not None else None,
        "could": bool(reach.arrivals),
        "truncated": reach.truncated,
    }
    if reach.target is None:
        reached = [_arrival_values(arrival) for arrival in reach.arrivals]
        return ReachEverywhere.model_validate({**values, "reached": reached})
    best = reach.arrivals[0] if reach.arrivals else None
    values["confirmed"] = best.confirmed if best else False
    values["arrival"] = rfc3339(best.time) if best else None
    values["raw"] = best.raw if best else False
    values["path"] = [edge_values(edge) for edge in best.through] if best else []
    return Reach.model_validate(values)


def paths_of(source: str, to: str, paths: Iterable[Sequence[GraphEdge]], truncated: bool) -> Paths:
    """The answer for ways between two nodes."""
    shown = [[edge_values(edge) for edge in path] for path in paths]
    return Paths.model_validate({"from": source, "to": to, "paths": shown, "truncated": truncated})


def _arrival_values(arrival: time_reach.Arrival) -> dict[str, object]:
    node = parts_of(arrival.node)
    return {
        "id": arrival.node,
        "type": node.kind,
        **node.to_json(),
        "arrival": rfc3339(arrival.time),
        "hops": arrival.hops,
        "confirmed": arrival.confirmed,
        "raw": arrival.raw,
    }
