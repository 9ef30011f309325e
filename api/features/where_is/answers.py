"""Answers of `/reports`."""

from __future__ import annotations

from api.edge.answer import Answer, Time, about, absent
from api.features.detections.answers import Evidence
from api.features.lineage.answers.graph import NodeType, Origin
from api.formats.readable_places import Access


class WhereIsAsked(Answer):
    """What was looked for: one of the first three."""

    field: str = absent()
    entity: str = absent()
    term: str = absent()
    as_of: Time = absent("Where a moment was asked for.")


class PlaceFlow(Answer):
    """Where a value goes."""

    id: str = about("nodeId.")
    type: NodeType
    namespace: str
    name: str
    field: str = absent()
    raw: bool = about("The raw value may arrive there.")
    columns: str = absent("unknown: no producer reports which columns.")


class PlaceReader(Answer):
    """Who reads the dataset."""

    kind: str = about("job or consumer_group.")
    origin: Origin
    name: str = about("NAMESPACE/NAME.")
    id: str = about("nodeId.")
    last_seen: Time
    owners: list[str]


class PlaceAccess(Access):
    """Who may see the place; named by the kind as well."""

    user: str = absent()
    group: str = absent()
    role: str = absent()


class Place(Answer):
    """One place."""

    namespace: str
    name: str
    reference: str = about("CLUSTER/TOPIC.")
    path: str
    entity: str | None = about("Null where a field without a tag was asked for.")
    state: str | None = about("suggested or confirmed.")
    share: float | None = about("Share of the values looked at that matched, 0 to 1.")
    evidence: Evidence
    owners: list[str]
    retention_ms: int | None = about("Milliseconds; -1: for ever.")
    cleanup_policy: str | None
    flows: list[PlaceFlow]
    readers: list[PlaceReader]
    access: list[PlaceAccess] | None = about("Null where access=false left it out.")


class Gap(Answer):
    """What is not known."""

    kind: str = about("never_scanned, scan_failed, partial_window, lineage_only, ...")
    message: str
    namespace: str = absent()
    name: str = absent()
    path: str = absent()
    datasets: list[str] = absent("lineage_only: CLUSTER/TOPIC of each.")


class WhereIs(Answer):
    """Every place of a field, a kind of personal data or a term."""

    asked: WhereIsAsked
    places: list[Place]
    gaps: list[Gap]
    generated_at: Time
    inputs_hash: str = about("The same while nothing changed that the report rests on.")
