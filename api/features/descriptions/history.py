"""What descriptions of a dataset were before, as one reader may know of it."""

from __future__ import annotations

from difflib import unified_diff

from api.features.descriptions.answers import DescriptionChange, DescriptionHistory
from api.visibility.readers import Reader
from catalog.model import DatasetId
from catalog.paths import FieldPath
from catalog.ports import CatalogStore
from catalog.question_store import DescriptionVersion
from catalog.records import rfc3339
from policies.decision.visibility import Aspect


def history(store: CatalogStore, reader: Reader, dataset: DatasetId, field: str | None) -> DescriptionHistory:
    """Of the dataset and its fields, or of one field. Fields only for who may know the schema. Raises DatasetNotFound."""
    record = reader.datasets.get(dataset)
    if field is not None:
        reader.require(record, Aspect.SCHEMA)
    versions = store.descriptions(record.id, str(FieldPath.parse(field)) if field is not None else None)
    known = reader.known(record).schema
    return DescriptionHistory(changes=[_change(reader, each) for each in versions if known or not each.path])


def _change(reader: Reader, version: DescriptionVersion) -> DescriptionChange:
    before, after = ("" if reader.mentions_hidden(text) else text for text in (version.before, version.after))
    return DescriptionChange(
        field=version.path or None,
        at=rfc3339(version.at),
        by=version.by,
        before=before,
        after=after,
        diff="\n".join(list(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1))[2:]),
    )
