"""Flows between datasets whose jobs reported no columns, and the way to have them report some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lineage.model import Edge, Node

MOST = 100
"""Flows that one answer lists."""

_ANY = "send a `columnLineage` facet with the job's outputs, or its statement in the `sql` facet"
_BY_INTEGRATION = {
    "SPARK": "batch queries report columns through openlineage-spark, but not of what from_json reads out of a record's value; "
    "wrap those and streaming queries in `weir_lineage.observe`",
    "FLINK": "Flink reports no columns by itself; send the job's statement in its `sql` facet",
    "KAFKA_CONNECT": "connectors report no columns; send a JobEvent with a `columnLineage` facet for the connector's job",
}


@dataclass(frozen=True, slots=True)
class UnknownColumns:
    """A flow between two datasets of which no columns are known. `job` is None where a dataset itself declares it."""

    source: str
    target: str
    job: str | None
    way: str


def unknown_columns(flows: Iterable[Edge], nodes: Mapping[str, Node]) -> tuple[UnknownColumns, ...]:
    """Those of the flows without columns, by name; `nodes` has their jobs."""
    unknown = {
        UnknownColumns(edge.source, edge.target, edge.job, _way(nodes.get(edge.job or "")))
        for edge in flows
        if not edge.columns
    }
    return tuple(sorted(unknown, key=lambda row: (row.source, row.target, row.job or ""))[:MOST])


def _way(job: Node | None) -> str:
    integration = str(job.info.get("integration")).upper() if job is not None else ""
    return _BY_INTEGRATION.get(integration, _ANY)
