"""Changes certification, deprecation, announcements and properties in the declared document of a dataset."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from api.features.curation.answers import CurationChanged
from api.joins.dataset_documents import DatasetDocuments, DocumentChanged, with_all_rights
from api.joins.declared import DeclaredService
from api.visibility.readers import Readers
from catalog.curation.stated import KEYS
from catalog.declared.documents import WrittenDocument
from catalog.errors import Conflict
from catalog.model import DatasetId
from policies.model import Subject

_ATTEMPTS = 5


class CurationEdits:
    """The service behind `PATCH /datasets/{namespace}/{name}/curation`."""

    def __init__(self, declared: DeclaredService, documents: DatasetDocuments, readers: Readers) -> None:
        self._declared, self._documents, self._readers = declared, documents, readers

    def edit(
        self, subject: Subject, later: Callable[[], Subject], dataset: DatasetId, parts: Mapping[str, Any]
    ) -> CurationChanged:
        """Set these parts, and take away those that are None. Raises DatasetNotFound, NotAllowed, InvalidInput, Conflict."""
        record = self._readers.of(subject).datasets.get(dataset)
        for _ in range(_ATTEMPTS):
            before = self._documents.of(record)
            after: WrittenDocument = {**before, "spec": changed(before["spec"], parts)}

            def editor(before: Mapping[str, Any] = before) -> Subject:
                if self._documents.of(record) != before:
                    raise DocumentChanged("The document changed.")
                return with_all_rights(later())

            try:
                applied = self._declared.apply(
                    json.dumps(after), with_all_rights(subject), dry_run=False, prune=False, later=editor
                )
            except DocumentChanged:
                continue
            kept = {key: after["spec"][key] for key in (*KEYS, "owners") if key in after["spec"]}
            action = applied.changes[0].change.action
            return CurationChanged(reference=record.reference, curation=kept, action=action)
        raise Conflict(f"The declared document of {record.reference} changes all the time; try again.")


def changed(spec: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, object]:
    """The spec with these parts; without those that are None. Of properties each name is set or taken away alone."""
    after = dict(spec)
    for key, value in parts.items():
        if key == "properties" and value is not None:
            merged = {**(spec.get("properties") or {}), **value}
            value = {name: each for name, each in merged.items() if each is not None} or None
        if value is None or value == []:
            after.pop(key, None)
        else:
            after[key] = value
    return after
