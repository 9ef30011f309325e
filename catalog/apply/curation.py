"""`kind: DataProduct` and `kind: Property` under `weir apply`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from catalog.apply.apply import Action, Change
from catalog.apply.kept import KeptDocuments
from catalog.curation.products import KIND, identified, namespaces
from catalog.curation.properties import Kinds, misfits
from catalog.declared.documents import Document
from catalog.errors import Conflict, InvalidInput
from catalog.ports import CatalogStore, Clock, DocumentStore
from catalog.search.service import Search

PROPERTY = "Property"
_INDEXED_AT_ONCE = 50


class DataProductHandler(KeptDocuments):
    """Datasets of a product that changed are indexed again, so that a search by product has them."""

    kind = KIND

    def __init__(self, store: CatalogStore, clock: Clock, search: Search | None = None) -> None:
        super().__init__(store, clock)
        self._search = search

    def notes(self, document: Document) -> Sequence[str]:
        """Datasets and contracts that are not there yet."""
        spaces = namespaces(self._store)
        listed = document.spec.get("datasets") or ()
        absent = [each for each in listed if self._store.dataset(identified(each, spaces)) is None]
        contracts = {each.key for each in self._store.documents("Contract")}
        unknown = [each for each in document.spec.get("contracts") or () if each not in contracts]
        return [
            *(f"{each} is not in the catalog yet." for each in absent),
            *(f"Contract {each} is not declared yet." for each in unknown),
        ]

    def settle(self, changes: Sequence[Change]) -> None:
        if self._search is None:
            return
        spaces = namespaces(self._store)
        touched = {
            identified(each, spaces)
            for change in changes
            if change.action is not Action.UNCHANGED
            for spec in (change.before, change.after)
            for each in (spec or {}).get("datasets") or ()
        }
        known = []
        with self._store.transaction():
            for dataset in sorted(touched):
                record = self._store.dataset(dataset)
                if record is not None:
                    known.append(self._store.put_dataset(record).id)
        self._search.changed(known[:_INDEXED_AT_ONCE])


class PropertyHandler(KeptDocuments):
    """A property changes and goes only as far as what datasets have of it still fits."""

    kind = PROPERTY

    def check(self, document: Document, all_documents: Sequence[Document]) -> None:
        kinds = property_kinds(self._store, all_documents)
        beside = {each.key for each in all_documents if each.kind == "Dataset"}
        for each in self._store.documents("Dataset"):
            if each.key not in beside and (problem := _unfit(kinds, each.spec, document.name)):
                raise InvalidInput(f"{each.key} would not fit: {problem} Change the dataset first.")

    def delete(self, key: str, by: str | None) -> None:
        for each in self._store.documents("Dataset"):
            if key in _names(each.spec):
                raise Conflict(f"Property {key!r} is used by {each.key}; take it from there first.")
        super().delete(key, by)


def property_kinds(store: DocumentStore, beside: Sequence[Document] = ()) -> Kinds:
    """The declared properties; those that are applied at the same time take their place."""
    stored = {each.key: each.spec for each in store.documents(PROPERTY)}
    return stored | {each.key: each.spec for each in beside if each.kind == PROPERTY}


def require_fitting(store: DocumentStore, document: Document, beside: Sequence[Document]) -> None:
    """Raises InvalidInput for a property of a Dataset document that does not fit."""
    if _names(document.spec):
        for problem in misfits(property_kinds(store, beside), document.spec):
            raise InvalidInput(problem)


def _unfit(kinds: Kinds, spec: Mapping[str, Any], name: str) -> str | None:
    of_one = {
        "properties": {k: v for k, v in (spec.get("properties") or {}).items() if k == name},
        "fields": [
            {"path": each["path"], "properties": {k: v for k, v in (each.get("properties") or {}).items() if k == name}}
            for each in spec.get("fields") or ()
        ],
    }
    return next(misfits(kinds, of_one), None)


def _names(spec: Mapping[str, Any]) -> set[str]:
    """Names of the properties that a Dataset document has."""
    fields = spec.get("fields") or ()
    return {name for part in (spec, *fields) for name in part.get("properties") or {}}
