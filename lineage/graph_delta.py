"""What a batch of events changes in the graph: written in one transaction, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.model import DatasetId
from lineage.model import Edge, Kind
from lineage.names import Link

Info = dict[str, tuple[int, Any]]
"""key -> (time of the report, value); the newest wins."""


@dataclass(frozen=True, slots=True)
class StoredBook:
    """A book as it is stored. Writing it fails when the stored version is not `version`."""

    owner: str
    version: int
    document: bytes


@dataclass(frozen=True, slots=True)
class Context:
    """What the store knows of the names in a batch: links that touch them, when they were dropped,
    emptied or overwritten (clears), and what producers reported of datasets."""

    links: tuple[Link, ...] = ()
    drops: Mapping[DatasetId, tuple[int, ...]] = field(default_factory=dict)
    info: Mapping[DatasetId, Info] = field(default_factory=dict)
    clears: Mapping[DatasetId, tuple[int, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class GraphDelta:
    """Changes, keyed by node id. Empty parts cost nothing.

    datasets    id -> dataset; columns: field id -> (dataset, field); jobs: id -> (namespace, name): nodes to make
    job_info    job id -> what it reports of itself, whole; dataset_info: dataset -> the same, with times, whole
    upserts     edges to make (or to set, where they are); updates: edges that are there, to set
    removed     (kind, id, owner) of edges that are no longer derived
    links       symlinks learned; drops, clears: dataset -> all its times; retired: ids of datasets now known by another
    books       to store, each with the version it replaces
    """

    datasets: dict[str, DatasetId] = field(default_factory=dict)
    columns: dict[str, tuple[DatasetId, str]] = field(default_factory=dict)
    jobs: dict[str, tuple[str, str]] = field(default_factory=dict)
    job_info: dict[str, dict[str, object]] = field(default_factory=dict)
    dataset_info: dict[DatasetId, Info] = field(default_factory=dict)
    upserts: list[Edge] = field(default_factory=list)
    updates: list[Edge] = field(default_factory=list)
    removed: list[tuple[Kind, str, str]] = field(default_factory=list)
    links: set[Link] = field(default_factory=set)
    drops: dict[DatasetId, tuple[int, ...]] = field(default_factory=dict)
    clears: dict[DatasetId, tuple[int, ...]] = field(default_factory=dict)
    retired: set[str] = field(default_factory=set)
    books: list[StoredBook] = field(default_factory=list)

    @property
    def weight(self) -> int:
        """Rows that a transaction of it writes; its memory grows with them."""
        return len(self.upserts) + len(self.updates) + len(self.removed) + len(self.columns) + len(self.datasets)

    @property
    def is_empty(self) -> bool:
        return self == GraphDelta()

    def absorb(self, other: GraphDelta) -> None:
        """Take the changes of another, which come after these."""
        for name in ("datasets", "columns", "jobs", "job_info", "dataset_info", "links", "drops", "clears", "retired"):
            getattr(self, name).update(getattr(other, name))
        for name in ("upserts", "updates", "removed", "books"):
            getattr(self, name).extend(getattr(other, name))

    def portions(self, rows: int) -> Iterator[GraphDelta]:
        """The same changes in parts of about so many rows, to be written in this order; the books come last.

        What is written before a crash is then written once more, to the same effect.
        """
        if self.weight <= rows:
            yield self
            return
        columns, edges = list(self.columns.items()), self.upserts
        for start in range(0, len(columns), rows):
            yield GraphDelta(columns=dict(columns[start : start + rows]))
        yield GraphDelta(datasets=self.datasets, jobs=self.jobs)
        for start in range(0, len(edges), rows):
            yield GraphDelta(upserts=edges[start : start + rows])
        yield replace(self, columns={}, upserts=[], datasets={}, jobs={})
