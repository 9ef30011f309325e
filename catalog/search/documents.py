"""A dataset's record -> the documents that search finds: one for the dataset, one a field. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from catalog.curation.stated import is_certified, property_words
from catalog.datasets.diff import type_names
from catalog.datatypes import leaves, parse_ddl, parse_type
from catalog.entities import is_personal
from catalog.envelopes import payload_of
from catalog.model import DatasetId, FieldProfile, SchemaVersion, schema_description
from catalog.paths import KEY, VALUE, FieldPath, StepKind
from catalog.records import ClassificationRecord, DatasetRecord, FieldNote
from catalog.search.entry_words import (
    MOST_INSIDE,
    registered_words,
    words_of_entities,
    words_of_names,
    words_of_path,
    words_of_text,
)
from catalog.search.facets import counts_as_deprecated, facets, properties_of, rank_of, state_facets
from catalog.search_model import BARE, PLAIN, Entry
from catalog.tokens import name_words, spelled, split, suffixes, text_words

_LABEL = 12  # words of its description that say what a dataset is


def dataset_key(dataset: DatasetId) -> str:
    """Id of the dataset's own document; those of its fields are `KEY.0`, `KEY.1`..."""
    return hashlib.sha256(f"{dataset.namespace}\n{dataset.name}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def field_ids(dataset: DatasetId, start: int, end: int) -> list[str]:
    key = dataset_key(dataset)
    return [f"{key}.{n}" for n in range(start, end)]


def entries(
    record: DatasetRecord,
    schema: SchemaVersion | None,
    classifications: Iterable[ClassificationRecord],
    notes: Iterable[FieldNote],
    term_tags: Mapping[str, Sequence[str]],
) -> list[Entry]:
    """The dataset's entry first, then its fields in order of path."""
    profiles = {f.path: f for f in schema.fields} if schema else {}
    noted = {note.path: note for note in notes}
    tagged: dict[str, dict[str, str]] = {}
    for item in classifications:
        if item.holds:
            tagged.setdefault(item.path, {})[item.entity] = str(item.state)
    for note in noted.values():
        for term in note.terms:
            for tag in term_tags.get(term, ()):
                tagged.setdefault(note.path, {}).setdefault(tag, "term")
    declared = (
        {str(p): str(k.name) for p, k in leaves(parse_ddl(record.declared_ddl), VALUE)} if record.declared_ddl else {}
    )
    if record.declared_key is not None:
        declared |= {str(p): str(k.name) for p, k in leaves(parse_type(record.declared_key), KEY)}
    payload = payload_of(schema.envelopes) if schema else None
    paths = sorted({p for p in profiles if _worth_an_entry(p)} | declared.keys() | tagged.keys() | noted.keys())
    known = [_Known(profiles.get(p), declared.get(p), tagged.get(p, {}), noted.get(p)) for p in paths]
    fields = [_field(record, n, path, each, payload) for n, (path, each) in enumerate(zip(paths, known, strict=True))]
    return [_dataset(record, paths, tagged, term_tags), *fields]


def faces(record: DatasetRecord, schema: SchemaVersion | None, notes: Iterable[FieldNote], written: int) -> list[Entry]:
    """The entries by which those find a dataset who may not know all of it; `written`: fields of the whole one, behind whose
    ids theirs follow."""
    bare = entries(replace(record, declared_ddl=None), None, (), (), {})[:1]
    plain = entries(record, schema, (), notes, {})
    listed = [*((BARE, each) for each in bare), *((PLAIN, each) for each in plain)]
    key = dataset_key(record.id)
    return [replace(each, id=f"{key}.{written + at}", face=face) for at, (face, each) in enumerate(listed)]


def as_broken(entry: Entry) -> Entry:
    """The entry of a dataset with an incident that is not resolved: `is:broken` finds it. Fields stay as they are, and so does
    the entry for those who may know that the dataset exists and nothing more."""
    if entry.source["kind"] != "dataset" or entry.face == BARE:
        return entry
    return replace(entry, facets={**entry.facets, "is": (*entry.facets["is"], "broken")})


def in_products(entry: Entry, products: Sequence[str]) -> Entry:
    """The entry of a dataset, or of a field of one, that belongs to data products: `product:NAME` finds it."""
    words = entry.words
    if entry.source["kind"] == "dataset":
        words = {**words, "text": " ".join((words["text"], words_of_text(" ".join(products)))).strip()}
    return replace(entry, words=words, facets={**entry.facets, "product": tuple(products)})


def _worth_an_entry(path: str) -> bool:
    """`value.items[]` adds nothing to `value.items`."""
    steps = FieldPath.parse(path).steps
    return not steps or steps[-1].kind not in (StepKind.ELEMENTS, StepKind.VALUES)


def _dataset(
    record: DatasetRecord,
    paths: Sequence[str],
    tagged: Mapping[str, Mapping[str, str]],
    term_tags: Mapping[str, Sequence[str]],
) -> Entry:
    inside = {tag for tags in tagged.values() for tag in tags}
    tags = tuple(dict.fromkeys((*record.tags, *(t for term in record.terms for t in term_tags.get(term, ())))))
    entities = tuple(sorted(tag for tag in inside if is_personal(tag)))
    names = (*map(spelled, (record.id.name, record.reference, str(record.id))), *_in_sql(record))
    return Entry(
        id=dataset_key(record.id),
        version=record.revision,
        source={
            **_shared(record),
            "kind": "dataset",
            "tags": list(tags),
            "entities": list(entities),
            "fields": len(paths),
            "reportedTags": _reported(record, "tags", "key"),
            "type": record.reported.get("type"),
            "lifecycle": record.reported.get("lifecycle"),
            "certified": is_certified(record.curation),
            "deprecated": counts_as_deprecated(record),
        },
        words={
            "name": words_of_names([record.id.name]),
            "entity": words_of_entities(entities),
            "tag": words_of_names((*tags, *_reported(record, "tags", "key"), *_reported(record, "tags", "value"))),
            "term": words_of_names(record.terms),
            "owner": name_words((*map(str, record.owners), *_reported(record, "owners", "name"))),
            "text": words_of_text(" ".join((record.known_description, *property_words(properties_of(record))))),
            "inside": words_of_names((FieldPath.parse(p).name for p in paths), MOST_INSIDE),
        },
        exact=tuple(dict.fromkeys(names)),
        suffixes=suffixes(names[0]),
        facets=facets(record, "dataset", {*tags, *inside}, entities)
        | state_facets(record, record.known_description, tags, record.terms, (), properties_of(record)),
        usage=record.usage,
        rank=rank_of(record),
        label=" ".join((*split(record.id.name), *text_words(record.known_description, _LABEL).split())),
        own=len(set(split(record.id.name))),
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of one field. `declared`: its type; `tagged`: the state of each of its tags."""

    profile: FieldProfile | None
    declared: str | None
    tagged: Mapping[str, str]
    note: FieldNote | None

    @property
    def description(self) -> str:
        return (self.note.description if self.note else "") or schema_description(self.profile)

    @property
    def terms(self) -> tuple[str, ...]:
        return self.note.terms if self.note else ()

    @property
    def properties(self) -> Mapping[str, Any]:
        return self.note.properties if self.note else {}

    @property
    def types(self) -> list[str]:
        if self.declared:
            return [self.declared]
        return sorted(type_names(self.profile)) if self.profile else []


def _field(
    record: DatasetRecord,
    number: int,
    path: str,
    known: _Known,
    payload: FieldPath | None,
) -> Entry:
    place = FieldPath.parse(path)
    tags = tuple(sorted(known.tagged))
    entities = tuple(tag for tag in tags if is_personal(tag))
    inner = spelled(path).removeprefix(place.root).lstrip(".")
    described, profile = known.description, known.profile
    shown: dict[str, object] = {
        **_shared(record),
        "kind": "field",
        "path": path,
        "description": described,
        "terms": list(known.terms),
        "tags": list(tags),
        "states": dict(known.tagged),
        "entities": list(entities),
        "types": known.types,
        "presence": round(profile.presence, 4) if profile and profile.count else None,
    }
    return Entry(
        id=f"{dataset_key(record.id)}.{number}",
        version=record.revision,
        source=shown,
        words={
            "name": words_of_names([place.name]),
            "path": words_of_path((place.root, *place.names)),
            "dataset": words_of_names([record.id.name]),
            "entity": words_of_entities(entities),
            "tag": words_of_names(tags),
            "term": words_of_names(known.terms),
            "owner": name_words(str(o) for o in record.owners),
            "text": words_of_text(" ".join((described, *property_words(known.properties), *registered_words(profile)))),
            "about": words_of_text(" ".join((record.known_description, *record.tags, *record.terms))),
        },
        exact=_exact_names(record, path, inner, payload),
        suffixes=suffixes(inner),
        facets=facets(record, "field", {*tags, *record.tags}, entities)
        | state_facets(record, described, tags, known.terms, known.types, known.properties),
        usage=record.usage,
        rank=rank_of(record),
        label=" ".join(word for name in place.names[-2:] for word in split(name)),
        own=len(set(split(place.name))),
    )


def _exact_names(record: DatasetRecord, path: str, inner: str, payload: FieldPath | None) -> tuple[str, ...]:
    """What a field is called as a whole: its path, and `inner`, which lacks the root; alone and behind its dataset's names."""
    names = [inner]
    if payload and payload.contains(FieldPath.parse(path)):
        # A field of a payload is found by its own name first, not by that of a field of the envelope which ends like it.
        names.append(spelled(path.removeprefix(f"{payload}")).lstrip("."))
    datasets = (spelled(record.id.name), *_in_sql(record))
    behind = [each for name in names if name for each in (name, *(f"{dataset}.{name}" for dataset in datasets))]
    full = spelled(path)
    return tuple(dict.fromkeys((full, *behind, *(f"{dataset}.{full}" for dataset in datasets))))


def _shared(record: DatasetRecord) -> dict[str, object]:
    return {
        "namespace": record.id.namespace,
        "name": record.id.name,
        "cluster": record.cluster,
        "reference": record.reference,
        "source": record.source,
        "description": record.known_description,
        "terms": list(record.terms),
        "owners": [str(owner) for owner in record.owners],
        "format": dict(record.format),
    }


def _in_sql(record: DatasetRecord) -> tuple[str, ...]:
    """`prod.orders`, as queries name it."""
    return (f"{spelled(record.cluster)}.{spelled(record.id.name)}",) if record.cluster else ()


def _reported(record: DatasetRecord, what: str, key: str) -> list[str]:
    """Words of producers: they find a dataset, and neither own it nor bind a policy to it."""
    return [str(item[key]) for item in record.reported.get(what, ()) if item.get(key)]
