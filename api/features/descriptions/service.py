"""Changes the description and the tags in the declared document of a dataset, and leaves everything else of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from api.features.descriptions.answers import Description
from api.joins.dataset_documents import DatasetDocuments, DocumentChanged, with_all_rights
from api.joins.declared import DeclaredService
from api.visibility.readers import Reader, Readers
from catalog.datasets.clusters import Clusters
from catalog.declared.documents import WrittenDocument
from catalog.errors import Conflict, NotFound
from catalog.model import DatasetId
from catalog.near_names import did_you_mean
from catalog.paths import FieldPath
from catalog.records import DatasetRecord
from policies.decision.agents import may_unmask, require_unmasking
from policies.decision.visibility import Aspect
from policies.declared.state import GovernanceState
from policies.model import Subject
from policies.ports import FactsSource

_ATTEMPTS = 5
Spec = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Edit:
    """What to change of a dataset, or of one of its fields.

    field        path of the field; None: the dataset itself
    description  the new one; None: it stays, an empty text: it goes
    add, remove  tags
    """

    field: str | None = None
    description: str | None = None
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


class Descriptions:
    """The service behind `PATCH /datasets/{namespace}/{name}`."""

    def __init__(
        self,
        declared: DeclaredService,
        readers: Readers,
        clusters: Clusters,
        state: GovernanceState,
        facts: FactsSource,
    ) -> None:
        self._declared, self._readers = declared, readers
        self._documents = DatasetDocuments(declared, clusters)
        self._state, self._facts = state, facts

    def edit(
        self,
        subject: Subject,
        later: Callable[[], Subject],
        dataset: DatasetId,
        edit: Edit,
        *,
        allow_unknown: bool = False,
    ) -> Description:
        """Apply an edit, as `weir apply` would apply the changed document. `later`: the subject when it is written.

        Raises DatasetNotFound, NotFound for an unknown field, NotAllowed, InvalidInput for a tag that is none, Conflict where
        others change the document all the time, where the dataset has two documents, or is in no declared cluster.
        """
        reader = self._readers.of(subject)
        record = reader.datasets.get(dataset)
        if edit.field is not None:
            edit = replace(edit, field=self._field(reader, record, edit.field))
        if edit.remove or self._may_unmask(record, edit):
            require_unmasking(subject, "tags")
        for _ in range(_ATTEMPTS):
            try:
                return self._applied(subject, later, record, edit, allow_unknown)
            except DocumentChanged:
                continue
        raise Conflict(f"The declared document of {record.reference} changes all the time; try again.")

    def _may_unmask(self, record: DatasetRecord, edit: Edit) -> bool:
        return may_unmask(edit.add, edit.field, self._facts.facts(record.reference), self._state.view().policies.masks)

    def _field(self, reader: Reader, record: DatasetRecord, path: str) -> str:
        """The path as documents have it. Raises NotFound naming the nearest field."""
        reader.require(record, Aspect.SCHEMA)
        place = str(FieldPath.parse(path))
        known = [each.path for each in reader.datasets.schema(record.id).fields]
        if place in known or not known:
            return place
        near = next(iter(get_close_matches(place, known, 1)), None)
        raise NotFound(
            f"{record.reference} has no field {place[:200]}.{did_you_mean(near, lead=' ')}",
            details={"field": place[:200], "nearest": [near] if near else []},
        )

    def _applied(
        self, subject: Subject, later: Callable[[], Subject], record: DatasetRecord, edit: Edit, allow_unknown: bool
    ) -> Description:
        before = self._documents.of(record)
        after: WrittenDocument = {**before, "spec": edited(before["spec"], edit)}

        def editor() -> Subject:
            if self._documents.of(record) != before:
                raise DocumentChanged("The document changed.")
            return with_all_rights(later())

        applied = self._declared.apply(
            json.dumps(after),
            with_all_rights(subject),
            dry_run=False,
            prune=False,
            allow_unknown=allow_unknown,
            later=editor,
        )
        noted = applied.changes[0]
        part = _part(after["spec"], edit.field)
        return Description(
            reference=record.reference,
            field=edit.field,
            description=part.get("description", ""),
            tags=list(part.get("tags", ())),
            action=noted.change.action,
            warnings=[each.message for each in noted.warnings if each.name in edit.add],
        )


def edited(spec: Spec, edit: Edit) -> dict[str, object]:
    """The spec of a dataset after an edit. A field of which nothing is left is not in it."""
    if edit.field is None:
        return _edited(spec, edit)
    fields = list(spec.get("fields", ()))
    at = next((n for n, each in enumerate(fields) if each["path"] == edit.field), None)
    changed = _edited(fields[at] if at is not None else {"path": edit.field}, edit)
    kept = [changed] if changed.keys() - {"path"} else []
    place = at if at is not None else len(fields)
    fields = [*fields[:place], *kept, *fields[place + 1 :]]
    rest = {key: value for key, value in spec.items() if key != "fields"}
    return {**rest, **({"fields": fields} if fields else {})}


def _edited(part: Spec, edit: Edit) -> dict[str, object]:
    tags = [each for each in part.get("tags", ()) if each not in edit.remove]
    tags += [each for each in dict.fromkeys(edit.add) if each not in tags]
    description = part.get("description", "") if edit.description is None else edit.description
    own = {"description": description, "tags": tags}
    rest = {key: value for key, value in part.items() if key not in own}
    return {**rest, **{key: value for key, value in own.items() if value}}


def _part(spec: Spec, field: str | None) -> Spec:
    if field is None:
        return spec
    return next((each for each in spec.get("fields", ()) if each["path"] == field), {})
