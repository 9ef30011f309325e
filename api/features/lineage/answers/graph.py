"""Answers of `/lineage`, `/impact`, `/jobs/{namespace}/{name}`, and of who reads a dataset."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, FreeForm, OpenAnswer, Time, about, absent

Basis = Literal["last_run", "contents"]
Origin = Literal["observed", "declared", "permitted"]
NodeType = Literal["dataset", "field", "job"]


class ClockAhead(Answer):
    """Both times of an event that was dated after it arrived; it counts from its arrival."""

    claimed: Time
    arrived: Time


class NodeOwner(Answer):
    """An owner, as a producer names them."""

    name: str
    type: str | None = absent()


class CodeLocation(Answer):
    """Where a job's code is."""

    type: str = absent()
    url: str = absent()
    repoUrl: str = absent()
    path: str = absent()
    version: str = absent("The commit.")
    tag: str = absent()
    branch: str = absent()
    pullRequestNumber: str = absent()


class Engine(Answer):
    """What a job runs on."""

    name: str | None
    version: str | None


class LineageNode(OpenAnswer):
    """A dataset, a field or a job, with what producers report of it."""

    id: str = about("nodeId: dataset:NS:NAME, datasetField:NS:NAME:FIELD or job:NS:NAME.")
    type: NodeType
    namespace: str
    name: str
    field: str = absent("Of a field.")
    owners: list[NodeOwner] = absent()
    description: str = absent()
    tags: dict[str, str] = absent("Key -> value.")
    columnTags: dict[str, dict[str, str]] = absent("Of a dataset: column -> key -> value.")
    datasetType: str = absent("Of a dataset.")
    integration: str = absent("Of a job: SPARK, FLINK, ...")
    jobType: str = absent("Of a job.")
    processingType: str = absent("Of a job: BATCH or STREAMING.")
    location: CodeLocation = absent("Of a job.")
    sql: str = absent("Of a job: its statement, without literals.")
    sqlDialect: str = absent("Of a job.")
    producer: str = absent("Of a job: the URI of what reports it.")
    engine: Engine = absent("Of a job.")
    state: str | None = absent("Of a job: START, RUNNING, COMPLETE, FAIL or ABORT of its newest run.")
    lastRun: str = absent("Of a job: id of its newest run.")
    lastSeen: Time = absent("Of a job: when it was last reported.")
    clockAhead: ClockAhead = absent("Events about it were dated after they arrived.")


class Transformation(Answer):
    """How a column is made of another, in the words of OpenLineage's columnLineage facet."""

    type: str = absent("DIRECT or INDIRECT.")
    subtype: str = absent("IDENTITY, TRANSFORMATION, AGGREGATION, JOIN, ...")
    masking: bool = absent()
    description: str = absent()


class Edge(Answer):
    """A stretch of time in which something was so."""

    source: str = about("nodeId.")
    target: str = about("nodeId.")
    kind: str = about("feeds, derives, influences, reads, writes, ...")
    from_: Time = about("Valid from.", alias="from")
    to: Time | None = about("Valid until, exclusive; null: still.")
    seen: Time = about("Last report, rounded down to the hour; between columns, to the day.")
    how: str = about("What it was concluded from.")
    origin: Origin = about("observed: by runs; declared: by job and dataset events.")
    job: str = absent("nodeId of the job that does it.")
    unfinished: Literal[True] = absent("Only runs that have not completed report it.")
    masked: bool = absent("feeds, derives: a value arrives through masking only.")
    columns: Literal["known", "unknown"] = absent("feeds: whether it is known which columns feed which.")


class LineageEdge(Edge):
    """An edge of a graph that was asked for."""

    stale: bool = about("Nobody has reported it for long.")
    transformations: list[Transformation] = absent("Between columns, where a producer reports them.")


class UnknownColumns(Answer):
    """A flow between two datasets whose job reported no columns."""

    source: str = about("nodeId of a dataset.")
    target: str = about("nodeId of a dataset.")
    job: str | None = about("nodeId of the job; null where a dataset itself declares the flow.")
    way: str = about("How the job can report its columns.")


class Lineage(Answer):
    """What feeds a node, and what it feeds."""

    root: str = about("nodeId of the node asked for, under the name the graph has for it.")
    basis: Basis
    nodes: list[LineageNode]
    edges: list[LineageEdge]
    truncated: bool = about("More nodes than the limit.")
    transformationsTruncated: Literal[True] = absent("Transformations were looked up for a part of the datasets.")
    columnsUnknown: list[UnknownColumns] = absent(
        "Between columns: flows beside what was reached, whose jobs reported no columns; at most 100."
    )


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

    to: None
    reached: list[Arrival] = about("Earliest first.")


class Paths(Answer):
    """The ways from one node to another, shortest first."""

    from_: str = about("nodeId.", alias="from")
    to: str = about("nodeId.")
    paths: list[list[Edge]]
    truncated: bool


class Affected(Answer):
    """Something downstream."""

    id: str = about("nodeId.")
    type: NodeType
    namespace: str
    name: str
    field: str = absent()
    hops: int = about("Counts from 1.")
    raw: bool = about("The raw value may still arrive there.")
    owners: list[str]
    via: str = about("Kind of the last edge: derives, influences, feeds, reads or writes.")
    columns: Literal["unknown"] = absent("No producer reports which columns.")
    effect: Literal["breaks", "may_break", "changes", "loses_input"] = absent("What the change does to it.")
    location: CodeLocation = absent("Of a job.")
    jobType: str = absent("Of a job.")
    integration: str = absent("Of a job.")
    commit: str = absent("Of a job: what it was built from.")


class ImpactSummary(Answer):
    """How many of each."""

    fields: int
    datasets: int
    jobs: int
    consumerGroups: int
    raw: int = about("Fields and datasets that the raw value may reach.")
    owners: list[str]


class Impact(Answer):
    """What is affected downstream, nearest first."""

    root: str = about("nodeId, or the namespace of a cluster that is lost.")
    basis: Basis
    change: str = absent("drop, rename, retype, mask or lose, where it was asked for.")
    affected: list[Affected]
    summary: ImpactSummary
    truncated: bool


class JobRun(Answer):
    """A run of a job."""

    id: str
    state: str = about("START, RUNNING, COMPLETE, FAIL or ABORT.")
    started: Time | None
    updated: Time | None
    ended: Time | None
    processing: str | None = about("BATCH or STREAMING.")
    parent: str | None = about("nodeId of the job that started it.")
    clockAhead: ClockAhead | None = about("Events of it were dated after they arrived.")
    facets: FreeForm = absent("Facets as kept.")


class JobBase(LineageNode):
    """A job with what it reads and writes."""

    state: str | None = about("START, RUNNING, COMPLETE, FAIL or ABORT of its newest run.")
    runs: list[JobRun] = about("Those remembered, newest first.")
    reads: list[str] = about("nodeIds.")
    writes: list[str] = about("nodeIds.")
    parents: list[str] = about("nodeIds of jobs that started it.")


class Job(JobBase):
    """A job."""

    logOnly: list[str] = about("Facets of which nothing but their presence is kept.")


class JobRuns(Answer):
    """A page of a job's runs."""

    runs: list[JobRun]
    total: int
