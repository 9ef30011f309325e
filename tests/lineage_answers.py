"""Answers of lineage as JSON, as callers of the API get them."""

from __future__ import annotations

from typing import Any

from api.edge.answer import Answer
from api.features.lineage.answers.graph import edge_values, lineage_of, node_values
from api.features.lineage.answers.impact import impact_of
from api.features.lineage.answers.jobs import job_of
from lineage.model import Edge, Node
from lineage.questions.answers import Impact, JobDetails, Subgraph


def as_json(answer: Subgraph | Impact | JobDetails | Node | Edge) -> dict[str, Any]:
    """The JSON of an answer, without what the catalog knows."""
    match answer:
        case Subgraph():
            return _json(lineage_of(answer, {}))
        case Impact():
            return _json(impact_of(answer))
        case JobDetails():
            return _json(job_of(answer, {}, []))
        case Node():
            return node_values(answer)
        case _:
            return edge_values(answer)


def _json(answer: Answer) -> dict[str, Any]:
    return answer.model_dump(mode="json", exclude_unset=True)
