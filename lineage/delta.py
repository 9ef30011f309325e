"""What a batch of events changes in the graph: written in one transaction, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from catalog.model import DatasetId
from lineage.model import Edge, Kind
from lineage.names import Link

Info = dict[str, tuple[int, Any]]
"""key -> (time it was said, value); the newest wins."""


@dataclass(frozen=True, slots=True)
class StoredBook:
    """A book as it lies in the store. Writing it fails when the stored version is not `version`."""

    owner: str
    version: int
    document: bytes


@dataclass(frozen=True, slots=True)
class Context:
    """What the store knows of the names in a batch: links that touch them, drops, and what was said of datasets."""

    links: tuple[Link, ...] = ()
    drops: Mapping[DatasetId, tuple[int, ...]] = field(default_factory=dict)
    info: Mapping[DatasetId, Info] = field(default_factory=dict)


@dataclass(slots=True)
class GraphDelta:
    """Changes, keyed by node id. Empty parts cost nothing.

    datasets    id -> dataset; columns: field id -> (dataset, field); jobs: id -> (namespace, name): nodes to make
    job_info    job id -> what it says of itself, whole; dataset_info: dataset -> the same, with times, whole
    upserts     edges to make (or to set, where they are); updates: edges that are there, to set
    removed     (kind, id) of edges that are no longer derived
    links       symlinks learned; drops: dataset -> all its times; retired: ids of datasets now known by another
    books       to store, each with the version it replaces
    """

    datasets: dict[str, DatasetId] = field(default_factory=dict)
    columns: dict[str, tuple[DatasetId, str]] = field(default_factory=dict)
    jobs: dict[str, tuple[str, str]] = field(default_factory=dict)
    job_info: dict[str, dict[str, Any]] = field(default_factory=dict)
    dataset_info: dict[DatasetId, Info] = field(default_factory=dict)
    upserts: list[Edge] = field(default_factory=list)
    updates: list[Edge] = field(default_factory=list)
    removed: list[tuple[Kind, str]] = field(default_factory=list)
    links: set[Link] = field(default_factory=set)
    drops: dict[DatasetId, tuple[int, ...]] = field(default_factory=dict)
    retired: set[str] = field(default_factory=set)
    books: list[StoredBook] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (
            self.datasets or self.columns or self.jobs or self.job_info or self.dataset_info or self.upserts
            or self.updates or self.removed or self.links or self.drops or self.retired or self.books
        )  # fmt: skip
