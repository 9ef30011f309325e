"""What producers report of how columns are made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from api.features.lineage.answers.graph import Ways
from api.visibility.producers import Producers
from catalog.model import DatasetId
from lineage.model import Kind
from lineage.questions.answers import Subgraph

MOST_DATASETS = 500
"""Datasets of one answer whose transformations are looked up."""


def ways_within(producers: Producers, subgraph: Subgraph) -> tuple[Ways, bool]:
    """How the columns of a part of the graph are made of each other, and whether only a part of its datasets was looked up."""
    edges = [edge for edge in subgraph.edges if edge.kind in (Kind.DERIVES, Kind.INFLUENCES)]
    if not edges:
        return {}, False
    nodes = {node.id: DatasetId(node.namespace, node.name) for node in subgraph.nodes if node.type != "job"}
    targets = sorted({nodes[edge.target] for edge in edges if edge.target in nodes})
    return transformations(producers, targets[:MOST_DATASETS]), len(targets) > MOST_DATASETS


def transformations(producers: Producers, datasets: Iterable[DatasetId]) -> Ways:
    """How the columns of these datasets are made of others, by node ids; conditions have the dataset as their target."""
    by_edge: dict[tuple[str, str], list[dict[str, object]]] = {}
    by_home = producers.ways_of(datasets)
    sources = {DatasetId(*pair) for facts in by_home.values() for fact in facts for pair in fact.value["sources"]}
    homes = producers.homes_of(sources)
    for home, facts in by_home.items():
        for fact in facts:
            known = [homes[DatasetId(*pair)] for pair in fact.value["sources"]]
            rows = [
                (home.field_node_id(producers.column(home, column)), row)
                for column, entries in fact.value["fields"].items()
                for row in entries
            ]
            for target, (at, field, ways) in [*rows, *((home.node_id, row) for row in fact.value["dataset"])]:
                source = known[at].field_node_id(producers.column(known[at], field))
                shown = by_edge.setdefault((source, target), [])
                shown += [way for each in ways if (way := _way(each)) not in shown]
    return by_edge


def _way(row: list[Any]) -> dict[str, object]:
    kind, subtype, masking, description = row
    shown = {"type": kind, "subtype": subtype, "masking": masking, "description": description}
    return {key: value for key, value in shown.items() if value is not None}
