"""Answers of `/datasets/{namespace}/{name}/related`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, about, absent
from catalog.search.related import RelatedAnswer


class RelatedReason(Answer):
    """Why two datasets belong together; the keys beside `kind` are those of its kind."""

    kind: Literal["shared_key", "read_together", "lineage"]
    field: str = absent("shared_key: the field of the dataset asked for.")
    other: str = absent("shared_key: the field of the other.")
    type: str = absent("shared_key: the type of both.")
    tags: list[str] = absent("shared_key: kinds of personal data of both.")
    queries: int = absent("read_together: in how many queries both were read.")
    direction: Literal["upstream", "downstream"] = absent("lineage: where the other is.")
    distance: int = absent("lineage: datasets away, 1 or 2.")


class RelatedDataset(Answer):
    """A dataset that belongs with another."""

    dataset: str = about("CLUSTER/TOPIC.")
    namespace: str
    name: str
    cluster: str | None
    description: str
    score: float
    reasons: list[RelatedReason]


class MissingReason(Answer):
    """A kind of reasons that could not be looked for."""

    kind: str
    message: str


class RelatedDatasets(Answer):
    """Datasets that belong with one."""

    dataset: str = about("CLUSTER/TOPIC.")
    related: list[RelatedDataset]
    total: int
    missing: list[MissingReason]

    @classmethod
    def of(cls, reference: str, answer: RelatedAnswer) -> RelatedDatasets:
        return cls(
            dataset=reference,
            related=[
                RelatedDataset(
                    dataset=each.record.reference,
                    namespace=each.record.id.namespace,
                    name=each.record.id.name,
                    cluster=each.record.cluster,
                    description=each.record.known_description,
                    score=round(each.score, 4),
                    reasons=[RelatedReason.model_validate(reason) for reason in each.reasons],
                )
                for each in answer.datasets
            ],
            total=answer.total,
            missing=[MissingReason.model_validate(each) for each in answer.missing],
        )
