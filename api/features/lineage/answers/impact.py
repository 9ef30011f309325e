"""What a change affects downstream."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, about, absent
from api.features.lineage.answers.graph import Basis, CodeLocation, NodeType
from lineage.model import parts_of
from lineage.questions import answers


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


def impact_of(impact: answers.Impact) -> Impact:
    """The answer for what is affected; validated at once."""
    counts = impact.counts
    return Impact.model_validate(
        {
            "root": impact.root,
            "basis": str(impact.basis),
            **({"change": impact.change} if impact.change else {}),
            "affected": [_affected_values(row) for row in impact.affected],
            "summary": {
                "fields": counts.fields,
                "datasets": counts.datasets,
                "jobs": counts.jobs,
                "consumerGroups": counts.consumer_groups,
                "raw": counts.raw,
                "owners": counts.owners,
            },
            "truncated": impact.truncated,
        }
    )


def _affected_values(row: answers.Affected) -> dict[str, object]:
    values: dict[str, object] = {
        "id": row.id,
        "type": row.type,
        "hops": row.hops,
        "raw": row.raw,
        "owners": list(row.owners),
        "via": row.via,
    }
    if row.columns is not None:
        values["columns"] = row.columns
    if row.effect is not None:
        values["effect"] = row.effect
    return {**parts_of(row.id).to_json(), **row.info, **values}
