"""The tree of the glossary as one reader may know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from api.features.declared.known import KnownDocuments
from api.features.glossary.answers import CarryingField, Glossary, Term, TermDetails
from api.visibility.readers import Readers
from catalog.errors import NotFound
from catalog.near_names import did_you_mean, near_names
from policies.model import Subject

KIND = "GlossaryTerm"


@dataclass(slots=True)
class _Carriers:
    datasets: list[str] = field(default_factory=list)
    fields: list[tuple[str, str]] = field(default_factory=list)


class GlossaryTree:
    """Reads terms and what carries them."""

    def __init__(self, known: KnownDocuments, readers: Readers) -> None:
        self._known, self._readers = known, readers

    def all(self, subject: Subject) -> Glossary:
        """Every term that the reader may know of; a parent that they may not know of is left out."""
        terms = self._terms(subject)
        carriers = self._carriers(subject, set(terms))
        return Glossary(terms=[Term(**_term(name, terms, carriers)) for name in sorted(terms, key=str.casefold)])

    def one(self, subject: Subject, name: str) -> TermDetails:
        """Raises NotFound naming the nearest."""
        terms = self._terms(subject)
        if name not in terms:
            near = did_you_mean(near_names(name, terms), otherwise=" GET /api/v1/glossary lists them.", lead=" ")
            raise NotFound(f"There is no term {name[:200]!r}.{near}")
        carriers = self._carriers(subject, {name})
        own = carriers.get(name, _Carriers())
        return TermDetails(
            **_term(name, terms, carriers),
            path=_path(name, terms),
            carrying_datasets=sorted(own.datasets),
            carrying_fields=[CarryingField(dataset=dataset, path=path) for dataset, path in sorted(own.fields)],
        )

    def _terms(self, subject: Subject) -> dict[str, Mapping[str, Any]]:
        return {each["metadata"]["name"]: each["spec"] for each in self._known.of_kind(subject, KIND)}

    def _carriers(self, subject: Subject, terms: set[str]) -> dict[str, _Carriers]:
        reader = self._readers.of(subject)
        carriers: dict[str, _Carriers] = {}
        for dataset in reader.store.term_carriers(terms):
            record = reader.store.dataset(dataset)
            if record is None:
                continue
            for term in terms.intersection(record.terms):
                carriers.setdefault(term, _Carriers()).datasets.append(record.reference)
            if not reader.known(record).evidence:
                continue  # terms of fields give their tags, which are not this reader's to know
            for note in reader.store.notes(dataset):
                for term in terms.intersection(note.terms):
                    carriers.setdefault(term, _Carriers()).fields.append((record.reference, note.path))
        return carriers


def _term(name: str, terms: Mapping[str, Mapping[str, Any]], carriers: Mapping[str, _Carriers]) -> dict[str, object]:
    spec, own = terms[name], carriers.get(name, _Carriers())
    parent = spec.get("parent")
    return {
        "name": name,
        "definition": spec.get("definition", ""),
        "parent": parent if parent in terms else None,
        "synonyms": list(spec.get("synonyms") or ()),
        "tags": list(spec.get("tags") or ()),
        "children": sorted((each for each, of in terms.items() if of.get("parent") == name), key=str.casefold),
        "datasets": len(own.datasets),
        "fields": len(own.fields),
    }


def _path(name: str, terms: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Its parents, the widest first; a circle ends."""
    path: list[str] = []
    at = terms[name].get("parent")
    while at in terms and at not in path and at != name:
        path.insert(0, str(at))
        at = terms[str(at)].get("parent")
    return path
