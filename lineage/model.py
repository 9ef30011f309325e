"""The terms of lineage: nodes, and edges that are valid for a time. Answers are in `lineage.questions.answers`.

Ids are the texts of node ids (`catalog.model.NodeId`), whose parts `parts_of` gives back exactly. Times are
milliseconds since 1970 UTC; `FOREVER` as an end means "still so".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from catalog.model import NodeId

FOREVER = 2**63 - 1
"""The end of an edge that is still open (the largest integer Neo4j holds)."""


NOW = FOREVER - 1
"""As a time: what is open. Not the clock, so that producers whose clocks run ahead a little are seen."""


class Kind(StrEnum):
    """The relation that an edge states. Source and target are in the comments."""

    FEEDS = "feeds"  # dataset -> dataset: data flows
    DERIVES = "derives"  # field -> field: a value is made of it
    INFLUENCES = "influences"  # field -> dataset: filters, joins, sorts or groups it
    READS = "reads"  # job -> dataset
    WRITES = "writes"  # job -> dataset
    CHILD_OF = "child_of"  # job -> the job that started it
    HANDS_TO = "hands_to"  # job -> job: data passed without a dataset


KINDS = {str(kind): kind for kind in Kind}
"""Its text -> the kind, at a fifth of what asking `Kind` takes."""


class How(StrEnum):
    """What an edge was concluded from, strongest first."""

    EXPLICIT = "explicit"  # a lineage facet
    COLUMNS = "columns"  # a columnLineage facet
    SQL = "sql"  # the job's SQL, read against known columns
    INPUTS_OUTPUTS = "inputs_outputs"  # one run read this and wrote that
    PARENT_RUN = "parent_run"  # two halves of one micro-batch, joined by the run that started both
    RENAME = "rename"  # a dataset was given another name


class Basis(StrEnum):
    """Which of two questions an answer is for."""

    LAST_RUN = "last_run"  # what does the last finished run read and write
    CONTENTS = "contents"  # what does the data come from, of all runs since it was last overwritten


class Direction(StrEnum):
    UPSTREAM = "upstream"
    DOWNSTREAM = "downstream"
    BOTH = "both"


class Level(StrEnum):
    DATASET = "dataset"
    COLUMN = "column"


class Edge(NamedTuple):
    """One stretch of time in which something was so. A tuple: a graph has very many, and a data class takes four times as long.

    id        stable for (kind, ends, owner, vf)
    owner     node id of the job, or of the dataset, that reports it
    job       node id of the job that does it; None where it is declared of a dataset
    vf, vt    valid from, valid to (exclusive; FOREVER = open): for the question what the last run does
    ct        the same end for the question where the contents come from; None where it is `vt`
    seen      last report of it, rounded down (to the hour; between columns, to the day)
    raw       FEEDS, DERIVES: a value may arrive as it was; False = reached only through masking
    columns   FEEDS: it is known which columns feed which
    unfinished  only runs that have not completed report it: whether data came is not known
    origin    observed (by runs) | declared (by job and dataset events)
    """

    id: str
    kind: Kind
    source: str
    target: str
    owner: str
    job: str | None
    vf: int
    vt: int
    seen: int
    raw: bool = True
    columns: bool = False
    how: How = How.INPUTS_OUTPUTS
    origin: str = "observed"
    ends: tuple[str, ...] = ()
    """Namespace, name and field ("" for none) of source and target; only on edges that are about to be written."""

    ct: int | None = None
    unfinished: bool = False

    def until(self, basis: Basis = Basis.LAST_RUN) -> int:
        """The end of its validity for a question, exclusive."""
        return self.vt if self.ct is None or basis is Basis.LAST_RUN else self.ct

    def valid_at(self, time: int, basis: Basis = Basis.LAST_RUN) -> bool:
        return self.vf <= time < self.until(basis)


@dataclass(frozen=True, slots=True)
class Node:
    """A dataset, a field or a job. `info` has what producers reported of it (owners, description, location...)."""

    id: str
    type: str  # dataset | field | job
    namespace: str
    name: str
    field: str | None = None
    info: Mapping[str, Any] = attribute(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Counts:
    datasets: int = 0
    columns: int = 0
    jobs: int = 0
    edges: Mapping[str, int] = attribute(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What became of a batch of events, in the shape of OpenLineage's batch API."""

    received: int
    failed: Sequence[tuple[int, str]] = ()

    @property
    def status(self) -> str:
        if not self.failed:
            return "success"
        return "failure" if len(self.failed) == self.received else "partial_success"


@lru_cache(maxsize=65536)
def parts_of(node_id: str) -> NodeId:
    """The parts of an id that this room wrote. Raises InvalidInput for a text that is none."""
    return NodeId.parse(node_id)


def holder_of(node_id: str) -> str:
    """The id of the dataset that a field is of; a dataset and a job are their own."""
    node = parts_of(node_id)
    return node.dataset.node_id if node.kind == "field" else node_id


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def rfc3339(time: int) -> str | None:
    """A time in RFC 3339, UTC, to the millisecond; None for one no calendar holds."""
    try:
        moment = _EPOCH + timedelta(milliseconds=time)
    except OverflowError:
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
