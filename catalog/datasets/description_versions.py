"""What changed of the descriptions of a dataset and of its fields. Pure, but for the ids."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from catalog.model import DatasetId
from catalog.question_store import DescriptionVersion
from catalog.records import DatasetRecord, FieldNote


def described(record: DatasetRecord, notes: Iterable[FieldNote]) -> dict[str, str]:
    """Path -> its description; "" -> that of the dataset. Without those that are empty."""
    texts = {"": record.description, **{each.path: each.description for each in notes}}
    return {path: text for path, text in texts.items() if text}


def versions(
    dataset: DatasetId, before: Mapping[str, str], after: Mapping[str, str], by: str | None, at: datetime
) -> Iterator[DescriptionVersion]:
    """One for each description that is another one now."""
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path, ""), after.get(path, "")
        if old != new:
            yield DescriptionVersion(uuid.uuid4().hex, dataset, path, at, by, old, new)
