"""Answers of `PATCH /datasets/{namespace}/{name}`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about


class Description(Answer):
    """What is declared of a dataset or a field now."""

    reference: str = about("CLUSTER/TOPIC.")
    field: str | None = about("Path of the field; null: of the dataset.")
    description: str
    tags: list[str]
    action: Literal["create", "update", "unchanged"] = about("What this did to the declared document of the dataset.")
    warnings: list[str] = about("Added tags that nothing has yet, in sentences.")


class DescriptionChange(Answer):
    """A change of a description."""

    field: str | None = about("Path of the field; null: of the dataset.")
    at: Time
    by: str | None = about("Null where no person did it.")
    before: str = about(
        "Empty where there was none. Both are empty where they name a dataset that the caller may not know of."
    )
    after: str
    diff: str = about("Unified, by lines.")


class DescriptionHistory(Answer):
    """Changes of descriptions, the newest first."""

    changes: list[DescriptionChange] = about("Of one description the last 100 are kept.")
