"""The words of the where-is report, and what one dataset adds to it. Pure."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from catalog.entities import tag_matches
from catalog.errors import InvalidInput
from catalog.model import DatasetId, ReviewState, SchemaVersion
from catalog.near_names import did_you_mean
from catalog.paths import FieldPath
from catalog.problems import unread
from catalog.records import ClassificationRecord, DatasetRecord, FieldNote, rfc3339
from catalog.tokens import spelled, split


@dataclass(frozen=True, slots=True)
class PlaceQuestion:
    """Exactly one of the three."""

    field: str | None = None
    entity: str | None = None
    term: str | None = None

    def __post_init__(self) -> None:
        if sum(bool(part) for part in (self.field, self.entity, self.term)) != 1:
            raise InvalidInput(
                "Name what to look for by exactly one of field=, entity= or term=, as in entity=EMAIL_ADDRESS."
            )

    def to_json(self) -> dict[str, str]:
        return {name: value for name in ("field", "entity", "term") if (value := getattr(self, name))}

    def __str__(self) -> str:
        return next(f"{name} {value}" for name, value in self.to_json().items())


@dataclass(frozen=True, slots=True)
class Place:
    """One place. `entity`, `state`, `share` are None where a field was asked for that carries no tag, `access` where who may
    see it was not asked for."""

    dataset: DatasetRecord
    path: str
    entity: str | None = None
    state: str | None = None
    share: float | None = None
    evidence: Mapping[str, Any] | None = None
    flows: tuple[Mapping[str, Any], ...] = ()
    readers: tuple[Mapping[str, Any], ...] = ()
    access: tuple[Mapping[str, Any], ...] | None = ()

    def to_json(self) -> dict[str, object]:
        topic = self.dataset.topic
        return {
            "namespace": self.dataset.id.namespace,
            "name": self.dataset.id.name,
            "reference": self.dataset.reference,
            "path": self.path,
            "entity": self.entity,
            "state": self.state,
            "share": self.share,
            "evidence": dict(self.evidence or {}),
            "owners": [str(owner) for owner in self.dataset.owners],
            "retentionMs": topic.get("retentionMs"),
            "cleanupPolicy": topic.get("cleanupPolicy"),
            "flows": [dict(flow) for flow in self.flows],
            "readers": [dict(reader) for reader in self.readers],
            "access": None if self.access is None else [dict(entry) for entry in self.access],
        }


@dataclass(frozen=True, slots=True)
class Gap:
    """What is not known: of the catalog, of a dataset, of a field of it, or of `datasets` by their references."""

    kind: str
    message: str
    dataset: DatasetId | None = None
    path: str | None = None
    datasets: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        answer: dict[str, object] = {"kind": self.kind, "message": self.message}
        if self.dataset is not None:
            answer |= {"namespace": self.dataset.namespace, "name": self.dataset.name}
        if self.path is not None:
            answer["path"] = self.path
        return answer | ({"datasets": list(self.datasets)} if self.datasets else {})


@dataclass(frozen=True, slots=True)
class Report:
    """`inputs_hash`: the same while nothing changed that the report rests on; `as_of` None = now."""

    asked: PlaceQuestion
    as_of: datetime | None
    places: tuple[Place, ...]
    gaps: tuple[Gap, ...]
    generated_at: datetime
    inputs_hash: str

    def question(self) -> dict[str, str]:
        """What was asked, by name."""
        return self.asked.to_json() | ({"asOf": as_of} if (as_of := rfc3339(self.as_of)) else {})

    def to_json(self) -> dict[str, Any]:
        return {
            "asked": self.question(),
            "places": [place.to_json() for place in self.places],
            "gaps": [gap.to_json() for gap in self.gaps],
            "generatedAt": rfc3339(self.generated_at),
            "inputsHash": self.inputs_hash,
        }


def places_in(
    record: DatasetRecord,
    schema: SchemaVersion | None,
    tags: Sequence[ClassificationRecord],
    notes: Sequence[FieldNote],
    terms: Mapping[str, Sequence[str]],
    wanted_terms: frozenset[str],
    asked: PlaceQuestion,
) -> list[Place]:
    holding = [tag for tag in tags if tag.holds]
    if asked.entity:
        places = [_place(record, tag) for tag in holding if tag_matches(asked.entity, tag.entity)]
        known = {(place.path, place.entity) for place in places}
        for note in notes:
            for term in note.terms:
                for tag_name in terms.get(term, ()):
                    if tag_matches(asked.entity, tag_name) and (note.path, tag_name) not in known:
                        known.add((note.path, tag_name))
                        confirmed = str(ReviewState.CONFIRMED)
                        places.append(
                            Place(
                                dataset=record,
                                path=note.path,
                                entity=tag_name,
                                state=confirmed,
                                share=None,
                                evidence={"term": term},
                            )
                        )
        return sorted(places, key=lambda p: (p.path, p.entity or ""))
    if asked.term:
        paths = {note.path for note in notes if wanted_terms & set(note.terms)}
    else:
        paths = {path for path in paths_of(schema, tags, notes) if field_matches(asked.field or "", path)}
    places = []
    for path in sorted(paths):
        own = [_place(record, tag) for tag in holding if tag.path == path]
        places += own or [Place(record, path)]
    return places


def paths_of(
    schema: SchemaVersion | None, tags: Sequence[ClassificationRecord], notes: Sequence[FieldNote]
) -> set[str]:
    """The paths of all fields of a dataset that are known."""
    every = {f.path for f in schema.fields} if schema else set()
    return every | {tag.path for tag in tags} | {note.path for note in notes}


def no_field(asked: str, paths: Collection[str]) -> str:
    """That no field is called so, which for a misspelt name must not read as "it is nowhere"."""
    steps = asked.count(".") + 1
    ends = {".".join(path.split(".")[-steps:]) for path in paths}  # one asks for `customer.email`, too
    near = get_close_matches(asked, sorted(ends), 1, 0.7)
    return f"No field in the catalog is called {asked!r}{did_you_mean(near, '.', '; ')}"


def _place(record: DatasetRecord, tag: ClassificationRecord) -> Place:
    return Place(
        dataset=record, path=tag.path, entity=tag.entity, state=str(tag.state), share=tag.share, evidence=tag.evidence
    )


def field_matches(pattern: str, path: str) -> bool:
    """True when `pattern` is the path, its end, its last name (however written: customerEmail, customer_email), or a
    pattern with `*` of the path or of its end."""
    ask, full = spelled(pattern), spelled(path)
    if not ask:
        return False
    if ask == full or full.endswith("." + ask):
        return True
    if "*" in ask:
        return fnmatch.fnmatchcase(full, ask) or fnmatch.fnmatchcase(full, "*." + ask)
    return "." not in ask and split(pattern) == split(FieldPath.parse(path).name)


def gaps_of(record: DatasetRecord, schema: SchemaVersion | None, as_of: datetime | None) -> list[Gap]:
    """What is not known of a dataset."""
    name = record.reference
    error = record.scan.get("error")
    gaps: list[Gap] = []
    if error and _before(error.get("at"), as_of):
        gaps.append(Gap("scan_failed", f"The last scan of {name} failed: {error['message']}", record.id))
    if record.source == "lineage":
        return gaps  # named together, see `catalog.where_is.report`
    if record.scanned_at is None or (as_of is not None and schema is None and record.declared_ddl is None):
        when = "" if as_of is None else " by then"
        gaps.append(Gap("never_scanned", f"{name} was never scanned{when}.", record.id))
        return gaps
    if as_of is not None:
        return gaps
    for path in record.unscanned:
        gaps.append(
            Gap("unscanned_field", f"{path} of {name} could not be looked through to the end.", record.id, path)
        )
    if not record.scan.get("complete"):
        read, retained = record.scan.get("records"), record.topic.get("retained")
        of = f" of about {retained:,}" if retained else ""
        if read or retained:
            gaps.append(Gap("partial_window", f"{read or 0:,}{of} records of {name} were read.", record.id))
    if lost := unread(record.scan.get("problems", ())):
        gaps.append(Gap("undecoded", f"{lost:,} keys, values or headers of {name} could not be read.", record.id))
    return gaps


def _before(moment: str | None, as_of: datetime | None) -> bool:
    return as_of is None or (moment is not None and datetime.fromisoformat(moment) <= as_of)
