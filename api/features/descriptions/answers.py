"""Answers of `PATCH /datasets/{namespace}/{name}`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, about


class Description(Answer):
    """What is declared of a dataset or a field now."""

    reference: str = about("CLUSTER/TOPIC.")
    field: str | None = about("Path of the field; null: of the dataset.")
    description: str
    tags: list[str]
    action: Literal["create", "update", "unchanged"] = about("What this did to the declared document of the dataset.")
    warnings: list[str] = about("Added tags that nothing has yet, in sentences.")
