"""OpenLineage events as this room reads them: three kinds, distinguished by what is present.

`facets` are the producer's own objects (already redacted); what is missing or null there is simply not there.
Times are milliseconds since 1970 UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Facets = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Name:
    """A namespace and a name, of a dataset or a job, as the producer wrote them."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class DatasetRef:
    """A dataset as an event mentions it. `side_facets` are its `inputFacets` or `outputFacets`."""

    id: Name
    facets: Facets = field(default_factory=dict)
    side_facets: Facets = field(default_factory=dict)
    partial: bool = False
    """Only a part of it (a partition) is meant."""
    columns_missing: bool = False
    """Its column lineage has sources that only the job's SQL knows and that could not be followed: not all columns are known."""


@dataclass(frozen=True, slots=True)
class JobRef:
    id: Name
    facets: Facets = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ParentRef:
    """The run that started this one: `run_id` or `job` may be unknown, and the topmost run's job (`root`)."""

    run_id: str | None = None
    job: Name | None = None
    root: Name | None = None


@dataclass(frozen=True, slots=True)
class RunEvent:
    """A report of a run of a job. `type` is START, RUNNING, COMPLETE, ABORT, FAIL, OTHER, or None."""

    time: int
    run_id: str
    job: JobRef
    type: str | None = None
    inputs: tuple[DatasetRef, ...] = ()
    outputs: tuple[DatasetRef, ...] = ()
    parent: ParentRef | None = None
    facets: Facets = field(default_factory=dict)
    producer: str | None = None
    claimed: int | None = None
    """The time in the event, where it is later than the arrival: `time` is the arrival then."""


@dataclass(frozen=True, slots=True)
class JobEvent:
    """What a job is declared to read and write, without a run."""

    time: int
    job: JobRef
    inputs: tuple[DatasetRef, ...] = ()
    outputs: tuple[DatasetRef, ...] = ()
    producer: str | None = None
    claimed: int | None = None


@dataclass(frozen=True, slots=True)
class DatasetEvent:
    """What is declared of a dataset, without a job."""

    time: int
    dataset: DatasetRef
    producer: str | None = None
    claimed: int | None = None


Event = RunEvent | JobEvent | DatasetEvent


def bounded(event: Event, arrived: int | None, allowance: int) -> Event:
    """The event, dated no later than it arrived: a clock that runs ahead by more than `allowance` (ms) is not believed.

    `arrived` is when the log took it (None: not known, and the event stays as it is), so that reading the log again
    gives the same.
    """
    if arrived is None or event.time <= arrived + allowance:
        return event
    return replace(event, time=arrived, claimed=event.time)


def facet(facets: Facets, name: str) -> Mapping[str, Any] | None:
    """A facet that is present, an object, and not marked `_deleted`."""
    content = facets.get(name)
    if isinstance(content, Mapping) and content.get("_deleted") is not True:
        return content
    return None


def message_key(event: Event) -> str:
    """The key under which OpenLineage's own Kafka transports send an event: order holds within a tree of jobs."""
    if isinstance(event, DatasetEvent):
        return f"dataset:{event.dataset.id.namespace}/{event.dataset.id.name}"
    if isinstance(event, JobEvent):
        return f"job:{event.job.id.namespace}/{event.job.id.name}"
    of = event.job.id
    if event.parent is not None:
        of = event.parent.root or event.parent.job or of
    return f"run:{of.namespace}/{of.name}"
