"""A graph of lineage, as `/lineage` answers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from api.edge.answer import Answer, OpenAnswer, Time, about, absent
from api.features.marquez.graph_answers import MarquezNode
from lineage.model import FOREVER, Kind, Node, rfc3339
from lineage.model import Edge as GraphEdge
from lineage.questions.answers import Subgraph
from lineage.questions.unknown_columns import UnknownColumns as UnknownFlow

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


class LineageOfBoth(Lineage):
    """What feeds a node, and what it feeds; asked as Marquez's clients ask, with the same in their shape."""

    graph: list[MarquezNode] = absent("Where no more than `nodeId` and `depth` was given.")


Ways = Mapping[tuple[str, str], list[dict[str, object]]]
"""(id of the source, id of the target) -> how the one is made of the other: {type, subtype, masking, description}."""


def lineage_of(
    subgraph: Subgraph, ways: Ways, ways_cut: bool = False, graph: list[MarquezNode] | None = None
) -> LineageOfBoth:
    """The answer for a part of the graph. `ways_cut`: `ways` were looked up for a part of its datasets.

    The whole is validated at once: a model made for each node by itself takes three times as long.
    """
    unknown = subgraph.columns_unknown
    return LineageOfBoth.model_validate(
        {
            "root": subgraph.root,
            "basis": str(subgraph.basis),
            "nodes": [node_values(node) for node in subgraph.nodes],
            "edges": [
                {**edge_values(edge), "stale": edge.id in subgraph.stale, **_transformations(edge, ways)}
                for edge in subgraph.edges
            ],
            "truncated": subgraph.truncated,
            **({"transformationsTruncated": True} if ways_cut else {}),
            **({"columnsUnknown": [_unknown_values(each) for each in unknown]} if unknown is not None else {}),
            **({"graph": graph} if graph is not None else {}),
        }
    )


def node_values(node: Node) -> dict[str, object]:
    """The values of a `LineageNode`."""
    values = {"id": node.id, "type": node.type, "namespace": node.namespace, "name": node.name}
    if node.field is not None:
        values["field"] = node.field
    return {**node.info, **values}


def edge_values(edge: GraphEdge) -> dict[str, object]:
    """The values of an `Edge`."""
    values: dict[str, object] = {
        "source": edge.source,
        "target": edge.target,
        "kind": str(edge.kind),
        "from": rfc3339(edge.vf),
        "to": None if edge.vt == FOREVER else rfc3339(edge.vt),
        "seen": rfc3339(edge.seen),
        "how": str(edge.how),
        "origin": edge.origin,
    }
    if edge.job is not None:
        values["job"] = edge.job
    if edge.unfinished:
        values["unfinished"] = True
    if edge.kind in (Kind.FEEDS, Kind.DERIVES):
        values["masked"] = not edge.raw
    if edge.kind is Kind.FEEDS:
        values["columns"] = "known" if edge.columns else "unknown"
    return values


def _transformations(edge: GraphEdge, ways: Ways) -> dict[str, object]:
    of_edge = ways.get((edge.source, edge.target)) if edge.kind in (Kind.DERIVES, Kind.INFLUENCES) else None
    return {"transformations": of_edge} if of_edge else {}


def _unknown_values(flow: UnknownFlow) -> dict[str, object]:
    return {"source": flow.source, "target": flow.target, "job": flow.job, "way": flow.way}
