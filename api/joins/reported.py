"""What producers report of how columns are made, and of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from api.visibility.producers import Producers
from catalog.model import DatasetId
from lineage.names import field_text

Json = dict[str, Any]

MOST_DATASETS = 500
"""Datasets of one answer whose transformations are looked up."""


Made = Mapping[tuple[str, str], list[Json]]
"""(source id, target id) -> [{type, subtype, masking, description}]."""


def transformations(producers: Producers, datasets: Iterable[DatasetId]) -> dict[tuple[str, str], list[Json]]:
    """How the columns of these datasets are made of others, by node ids; conditions have the dataset as their target."""
    by_edge: dict[tuple[str, str], list[Json]] = {}
    by_home = producers.ways_of(datasets)
    sources = {DatasetId(*pair) for facts in by_home.values() for fact in facts for pair in fact.value["sources"]}
    homes = producers.homes_of(sources)
    for home, facts in by_home.items():
        for fact in facts:
            known = [homes[DatasetId(*pair)] for pair in fact.value["sources"]]
            rows = [
                (home.field_node_id(field_text(home, column)), row)
                for column, entries in fact.value["fields"].items()
                for row in entries
            ]
            for target, (at, field, ways) in [*rows, *((home.node_id, row) for row in fact.value["dataset"])]:
                source = known[at].field_node_id(field_text(known[at], field))
                shown = by_edge.setdefault((source, target), [])
                shown += [way for each in ways if (way := _way(each)) not in shown]
    return by_edge


def _way(row: list[Any]) -> Json:
    kind, subtype, masking, description = row
    shown = {"type": kind, "subtype": subtype, "masking": masking, "description": description}
    return {key: value for key, value in shown.items() if value is not None}


def with_transformations(producers: Producers, answer: Json) -> Json:
    """An answer of `/lineage` between columns, each edge with `transformations` where a producer reports them."""
    edges = [edge for edge in answer["edges"] if edge["kind"] in ("derives", "influences")]
    if not edges:
        return answer
    nodes = {
        node["id"]: DatasetId(node["namespace"], node["name"]) for node in answer["nodes"] if node["type"] != "job"
    }
    targets = sorted({nodes[edge["target"]] for edge in edges if edge["target"] in nodes})
    by_edge = transformations(producers, targets[:MOST_DATASETS])
    shown = [
        {**edge, "transformations": ways} if (ways := by_edge.get((edge["source"], edge["target"]))) else edge
        for edge in answer["edges"]
    ]
    cut = {"transformationsTruncated": True} if len(targets) > MOST_DATASETS else {}
    return {**answer, "edges": shown, **cut}


def with_runs(producers: Producers, job: Json) -> Json:
    """A job with `facets` of each of its runs, and `logOnly`, the names of facets that are in the log only."""
    facets = producers.of_runs(job["namespace"], job["name"])
    runs = [{**run, "facets": facets[run["id"]]} if run["id"] in facets else run for run in job["runs"]]
    return {**job, "runs": runs, "logOnly": producers.log_only(job["namespace"], job["name"])}
