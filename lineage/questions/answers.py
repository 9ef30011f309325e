"""Answers to questions about the graph."""

from __future__ import annotations

from collections import Counter
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


@dataclass(frozen=True, slots=True)
class ImpactCounts:
    """How many of each are affected. `raw`: fields and datasets that the raw value may reach; `owners`: sorted names."""

    fields: int
    datasets: int
    jobs: int
    consumer_groups: int
    raw: int
    owners: list[str]


@dataclass(frozen=True, slots=True)
class Impact:
    """What is affected when `root` changes, nearest first. `change`: drop | retype | mask | lose, where it was named."""

    root: str
    affected: tuple[Affected, ...]
    truncated: bool = False
    change: str | None = None
    basis: Basis = Basis.CONTENTS

    @property
    def counts(self) -> ImpactCounts:
        """Jobs are counted without consumer groups."""
        types = Counter(each.type for each in self.affected)
        groups = sum(each.info.get("jobType") == "CONSUMER_GROUP" for each in self.affected)
        return ImpactCounts(
            fields=types["field"],
            datasets=types["dataset"],
            jobs=types["job"] - groups,
            consumer_groups=groups,
            raw=sum(each.raw and each.type != "job" for each in self.affected),
            owners=sorted({owner for each in self.affected for owner in each.owners}),
        )


@dataclass(frozen=True, slots=True)
class Flow:
    """Where the value of a field arrives, for the where-is report."""

    id: str
    raw: bool
    columns: str | None = None

    def to_json(self) -> dict[str, object]:
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
