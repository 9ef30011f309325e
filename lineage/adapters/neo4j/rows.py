"""Rows of Neo4j's answers -> nodes and edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from lineage.fold.derive import OBSERVED
from lineage.model import Edge, How, Kind, Node

_USUAL_HOW = dict.fromkeys(Kind, How.INPUTS_OUTPUTS)


def usual_left_out(edge: Edge) -> dict[str, object]:
    """Properties that most edges have alike, as None where this one has them too: four of ten."""
    return {
        "raw": None if edge.raw else False,
        "how": None if edge.how is _USUAL_HOW[edge.kind] else str(edge.how),
        "unfinished": edge.unfinished or None,
        "origin": None if edge.origin == OBSERVED else edge.origin,
    }


def edge_of(row: list[Any], kind: Kind, cut_at: int) -> Edge:
    key, a, b, owner, job, vf, vt, seen, raw, columns, how, origin, ct, unfinished = row
    source, target = a[cut_at:], b[cut_at:]
    return Edge(
        id=key[cut_at:],
        kind=kind,
        source=source,
        target=target,
        owner=owner or job,
        job=job,
        vf=vf,
        vt=vt,
        seen=seen,
        raw=raw is not False,
        columns=columns is True,
        how=How(how or _USUAL_HOW[kind]),
        origin=origin or OBSERVED,
        ends=(),
        ct=ct,
        unfinished=unfinished is True,
    )


def node_of(row: Mapping[str, Any], kind: str, prefix: str) -> Node:
    extra = row["extra"]
    info: Mapping[str, Any] = {}
    if kind == "dataset" and extra:
        info = {key: value for key, (_, value) in orjson.loads(extra).items() if value}
    elif kind == "job" and extra:
        info = orjson.loads(extra)
    return Node(
        id=row["key"][len(prefix) :], type=kind, namespace=row["namespace"], name=row["name"], field=None, info=info
    )
