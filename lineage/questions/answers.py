"""Answers to questions about the graph, as the HTTP API sends them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any

from lineage.model import Basis, Edge, Node, parts_of
from lineage.questions.unknown_columns import UnknownColumns


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Nodes and the edges among them. `root` is the node that was asked for, under the name the graph has for it;
    `truncated`: the node budget cut it; `stale` are the ids of edges that no report confirmed for long."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    truncated: bool = False
    stale: frozenset[str] = frozenset()
    root: str = ""
    basis: Basis = Basis.LAST_RUN
    columns_unknown: tuple[UnknownColumns, ...] | None = None
    """Between columns: flows next to what was reached, whose jobs reported no columns. None between datasets."""

    def to_json(self) -> dict[str, Any]:
        unknown = self.columns_unknown
        return {
            **({"columnsUnknown": [each.to_json() for each in unknown]} if unknown is not None else {}),
            "root": self.root,
            "basis": str(self.basis),
            "nodes": [node.to_json() for node in self.nodes],
            "edges": [{**edge.to_json(), "stale": edge.id in self.stale} for edge in self.edges],
            "truncated": self.truncated,
        }


@dataclass(frozen=True, slots=True)
class Affected:
    """Something downstream. `hops` counts from 1.

    raw       the raw value may still arrive there (a job: may be read by it); False: only through masking, or only as
              a condition
    via       derives | influences | feeds | reads | writes: the kind of the last edge
    columns   "unknown" where a dataset is downstream but no producer reported which columns
    effect    what a change does to it: breaks | may_break | changes | loses_input; None where no change was named
    """

    id: str
    type: str
    hops: int
    raw: bool
    via: str = "feeds"
    columns: str | None = None
    owners: tuple[str, ...] = ()
    info: Mapping[str, Any] = attribute(default_factory=dict)
    effect: str | None = None

    def to_json(self) -> dict[str, Any]:
        values: dict[str, Any] = {
            "id": self.id,
            "type": self.type,
            "hops": self.hops,
            "raw": self.raw,
            "owners": list(self.owners),
            "via": self.via,
        }
        if self.columns is not None:
            values["columns"] = self.columns
        if self.effect is not None:
            values["effect"] = self.effect
        return {**parts_of(self.id).to_json(), **self.info, **values}


@dataclass(frozen=True, slots=True)
class Impact:
    """What is affected when `root` changes, nearest first. `change`: drop | retype | mask | lose, where it was named."""

    root: str
    affected: tuple[Affected, ...]
    truncated: bool = False
    change: str | None = None
    basis: Basis = Basis.CONTENTS

    def to_json(self) -> dict[str, Any]:
        counts = {kind: sum(a.type == kind for a in self.affected) for kind in ("field", "dataset", "job")}
        groups = sum(a.info.get("jobType") == "CONSUMER_GROUP" for a in self.affected)
        return {
            "root": self.root,
            "basis": str(self.basis),
            **({"change": self.change} if self.change else {}),
            "affected": [a.to_json() for a in self.affected],
            "summary": {
                "fields": counts["field"],
                "datasets": counts["dataset"],
                "jobs": counts["job"] - groups,
                "consumerGroups": groups,
                "raw": sum(a.raw and a.type != "job" for a in self.affected),
                "owners": sorted({owner for a in self.affected for owner in a.owners}),
            },
            "truncated": self.truncated,
        }


@dataclass(frozen=True, slots=True)
class Flow:
    """Where the value of a field arrives, for the where-is report."""

    id: str
    raw: bool
    columns: str | None = None

    def to_json(self) -> dict[str, Any]:
        node = parts_of(self.id)
        values = {"id": self.id, "type": node.kind, **node.to_json(), "raw": self.raw}
        return {**values, "columns": self.columns} if self.columns else values


@dataclass(frozen=True, slots=True)
class JobDetails:
    """A job with the newest of its runs.

    info   what it reports of itself: type, integration, processing, description, owners, tags, sql, location {url,
           repoUrl, path, version, branch...}
    runs   newest first: {id, state, started, updated, ended, parent}
    """

    node: Node
    state: str | None
    runs: tuple[Mapping[str, Any], ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    parents: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            **self.node.to_json(),
            "state": self.state,
            "runs": [dict(run) for run in self.runs],
            "reads": list(self.reads),
            "writes": list(self.writes),
            "parents": list(self.parents),
        }


@dataclass(frozen=True, slots=True)
class Reader:
    """A job that reads a dataset, and the last report of that."""

    job: str
    namespace: str
    name: str
    seen: str
    owners: tuple[str, ...] = ()
    kind: str = "job"
    """job | consumer_group"""
    origin: str = "observed"
    """observed (by runs or brokers) | declared (by a job event)"""

    def to_json(self) -> dict[str, Any]:
        return {
            "job": self.job,
            "namespace": self.namespace,
            "name": self.name,
            "seen": self.seen,
            "owners": list(self.owners),
            "kind": self.kind,
            "origin": self.origin,
        }
