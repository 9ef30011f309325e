"""A part of the graph as Marquez draws it: between datasets and jobs, and between fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from api.features.marquez.answers import ColumnInput, ColumnMadeOf
from api.features.marquez.graph_answers import (
    ColumnLineage,
    ColumnNode,
    ColumnNodeData,
    ColumnNodeInput,
    MarquezEdge,
    MarquezNode,
)
from api.features.marquez.runs import job
from api.features.marquez.shapes import dataset
from lineage.model import Edge, Kind, Node
from lineage.questions.answers import Subgraph


def graph_of(subgraph: Subgraph) -> list[MarquezNode]:
    """The datasets and jobs of a part of the graph."""
    nodes = {node.id: node for node in subgraph.nodes if node.type in ("dataset", "job")}
    pairs = {pair for edge in subgraph.edges for pair in _steps(edge) if pair[0] in nodes and pair[1] in nodes}
    into, out = _sides(pairs)
    return [
        MarquezNode(
            id=key,
            type="JOB" if node.type == "job" else "DATASET",
            data=job(node, into.get(key, ()), out.get(key, ())) if node.type == "job" else dataset(node),
            inEdges=[MarquezEdge(origin=origin, destination=key) for origin in into.get(key, ())],
            outEdges=[MarquezEdge(origin=key, destination=end) for end in out.get(key, ())],
        )
        for key, node in sorted(nodes.items())
    ]


def column_graph(subgraphs: Iterable[Subgraph]) -> ColumnLineage:
    """Parts of the graph between fields, as `/column-lineage` gives them."""
    parts = list(subgraphs)
    nodes = {node.id: node for part in parts for node in part.nodes if node.type == "field"}
    masked = {
        (edge.source, edge.target): not edge.raw
        for part in parts
        for edge in part.edges
        if edge.kind is Kind.DERIVES and edge.source in nodes and edge.target in nodes
    }
    into, out = _sides(masked)
    return ColumnLineage(
        graph=[
            _column_node(node, [_input(nodes[origin], masked[origin, key]) for origin in into.get(key, ())], into, out)
            for key, node in sorted(nodes.items())
        ]
    )


def made_of(subgraph: Subgraph, of: Node) -> list[ColumnMadeOf] | None:
    """A part of the graph between fields, one step up, as the `columnLineage` of one dataset."""
    shown = [
        ColumnMadeOf(
            name=node.data.field,
            inputFields=[
                ColumnInput(
                    namespace=each.namespace,
                    dataset=each.dataset,
                    field=each.field,
                    transformationDescription=None,
                    transformationType=each.transformationType,
                )
                for each in node.data.inputFields
            ],
            transformationDescription=None,
            transformationType=node.data.transformationType,
        )
        for node in column_graph([subgraph]).graph
        if (node.data.namespace, node.data.dataset) == (of.namespace, of.name) and node.data.inputFields
    ]
    return shown or None


def _column_node(
    node: Node, inputs: list[ColumnNodeInput], into: Mapping[str, list[str]], out: Mapping[str, list[str]]
) -> ColumnNode:
    return ColumnNode(
        id=node.id,
        type="DATASET_FIELD",
        data=ColumnNodeData(
            namespace=node.namespace,
            dataset=node.name,
            datasetVersion=None,
            field=node.field or "",
            fieldType=None,
            transformationDescription=None,
            transformationType=inputs[0].transformationType if inputs else None,
            inputFields=inputs,
        ),
        inEdges=[MarquezEdge(origin=node.id, destination=origin) for origin in into.get(node.id, ())],
        outEdges=[MarquezEdge(origin=node.id, destination=end) for end in out.get(node.id, ())],
    )


def _input(node: Node, masked: bool) -> ColumnNodeInput:
    way: Literal["MASKED", "IDENTITY"] = "MASKED" if masked else "IDENTITY"
    return ColumnNodeInput(
        namespace=node.namespace,
        dataset=node.name,
        datasetVersion=None,
        field=node.field or "",
        transformationDescription=None,
        transformationType=way,
    )


def _steps(edge: Edge) -> Iterable[tuple[str, str]]:
    """An edge as Marquez draws it: from a dataset to a job and on to a dataset."""
    match edge.kind:
        case Kind.FEEDS:
            pairs = ((edge.source, edge.job), (edge.job, edge.target)) if edge.job else ((edge.source, edge.target),)
            yield from pairs
        case Kind.READS:
            yield edge.target, edge.source
        case Kind.WRITES | Kind.HANDS_TO:
            yield edge.source, edge.target


def _sides(pairs: Iterable[tuple[str, str]]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    into: dict[str, list[str]] = {}
    out: dict[str, list[str]] = {}
    for origin, end in sorted(pairs):
        into.setdefault(end, []).append(origin)
        out.setdefault(origin, []).append(end)
    return into, out
