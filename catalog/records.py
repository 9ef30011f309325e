"""What the record store holds. Frozen; times are aware, UTC. None of them holds a value of a record or a secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple, overload

from catalog.model import Classification, DatasetId, Owner, ReviewState, SchemaVersion


@overload
def rfc3339(moment: datetime) -> str: ...


@overload
def rfc3339(moment: None) -> None: ...


@overload
def rfc3339(moment: datetime | None) -> str | None: ...


def rfc3339(moment: datetime | None) -> str | None:
    """`2026-11-21T07:30:00Z`; microseconds only where there are any."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment else None


@dataclass(frozen=True, slots=True)
class ClusterRecord:
    """A Kafka cluster.

    name         the name people use (`prod`)
    namespace    the canonical namespace of its datasets: `kafka://` + its first bootstrap server when first seen
    cluster_id   what the brokers call it; None until a broker has answered
    bootstrap    bootstrap servers, host:port
    settings     the declared spec (security, properties); secrets only as {env: NAME} or {file: PATH}
    """

    name: str
    namespace: str
    bootstrap: tuple[str, ...]
    cluster_id: str | None = None
    registry_url: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DatasetOutline:
    """What of a dataset decides who may know of it. See `DatasetRecord`."""

    id: DatasetId
    cluster: str | None = None
    owners: tuple[Owner, ...] = ()
    tags: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """As `DatasetRecord.reference`."""
        return f"{self.cluster or self.id.namespace}/{self.id.name}"


KEY_TYPE = "key.type"
"""Entry of a record's format that holds the declared type of the key."""


@dataclass(frozen=True, slots=True)
class DatasetRecord:
    """A dataset.

    cluster         name of its cluster; None for a dataset known from lineage only
    tags            declared words on the whole dataset (domain.sales); tags of fields are classifications
    format          {key, value} -> json | avro | ...; declared, else found by the last scan; KEY_TYPE where it is declared
    declared_ddl    the schema as declared, Spark DDL of the value's columns; None when not declared
    topic           what the brokers report, see TopicFacts.to_json: partitions, retentionMs, cleanupPolicy, offsets...
    scan            how the last scan ended: at, records, window, unscanned (paths), problems, error (failed scans only)
    usage           how often it was read; raises it in search
    revision        counts every change; the search index has `indexed_revision`
    last_seen_at    when a listing of the cluster last named it; deleted_at: when a listing first missed it
    source          lineage: only producers of lineage name it; catalog: it was listed, scanned or declared
    reported        what producers report of it in short: description, owners, tags, type, lifecycle (see
                    `catalog.datasets.reported`); whatever people and scans know takes precedence
    curation        certification, deprecation, announcements and properties as declared (`catalog.curation.stated`)
    """

    id: DatasetId
    cluster: str | None = None
    description: str = ""
    owners: tuple[Owner, ...] = ()
    tags: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    format: Mapping[str, str] = field(default_factory=dict)
    declared_ddl: str | None = None
    topic: Mapping[str, Any] = field(default_factory=dict)
    scan: Mapping[str, Any] = field(default_factory=dict)
    usage: int = 0
    revision: int = 0
    indexed_revision: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None
    last_seen_at: datetime | None = None
    scanned_at: datetime | None = None
    deleted_at: datetime | None = None
    source: str = "catalog"
    reported: Mapping[str, Any] = field(default_factory=dict)
    curation: Mapping[str, Any] = field(default_factory=dict)

    @property
    def declared_key(self) -> str | None:
        """The type of the key as declared, Spark DDL; None when not declared."""
        return self.format.get(KEY_TYPE)

    @property
    def known_description(self) -> str:
        """What people wrote, else what a producer reports."""
        return self.description or str(self.reported.get("description") or "")

    @property
    def reference(self) -> str:
        """`prod/orders`: what people write; `namespace/name` for a dataset of no registered cluster."""
        return f"{self.cluster or self.id.namespace}/{self.id.name}"

    @property
    def outline(self) -> DatasetOutline:
        return DatasetOutline(self.id, self.cluster, self.owners, self.tags, self.terms)

    @property
    def unscanned(self) -> tuple[str, ...]:
        return tuple(self.scan.get("unscanned", ()))


@dataclass(frozen=True, slots=True)
class StoredSchema:
    """One schema version: `baseline` as it was when the version began, `current` as the last scan saw it."""

    baseline: SchemaVersion
    current: SchemaVersion
    changes: tuple[Mapping[str, Any], ...] = ()


class Source(StrEnum):
    SCAN = "scan"
    DECLARED = "declared"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class ClassificationRecord:
    """A classification with its review.

    source                who last decided the state: a scan, a declared document, a reviewer
    rejected_recognizers  the recognizers whose finding was rejected; another one brings the suggestion back
    seen_at               when a scan last found it; None when only declared
    """

    path: str
    entity: str
    score: float
    state: ReviewState
    evidence: Mapping[str, Any] = field(default_factory=dict)
    source: Source = Source.SCAN
    rejected_recognizers: tuple[str, ...] = ()
    reviewed_by: str | None = None
    reviewed_at: datetime | None = None
    reason: str | None = None
    first_at: datetime | None = None
    seen_at: datetime | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.path, self.entity

    @property
    def holds(self) -> bool:
        """Counts as a tag of the field: everything that was not rejected."""
        return self.state is not ReviewState.REJECTED

    @property
    def share(self) -> float | None:
        """Share of the looked-at values that matched, 0..1; None when no scan counted."""
        matched, sampled = self.evidence.get("matched"), self.evidence.get("sampled")
        return round(matched / sampled, 4) if matched is not None and sampled else None

    def plain(self) -> Classification:
        return Classification(self.path, self.entity, self.score, self.state, self.evidence)


class FieldTag(NamedTuple):
    """What of a classification is counted over thousands of datasets: without evidence and review."""

    dataset: DatasetId
    path: str
    entity: str
    score: float
    state: ReviewState

    @property
    def holds(self) -> bool:
        """Counts as a tag of the field: everything that was not rejected."""
        return self.state is not ReviewState.REJECTED


@dataclass(frozen=True, slots=True)
class ClassificationEvent:
    """One step in the life of a classification; append-only. `record` is None when it ended there."""

    path: str
    entity: str
    at: datetime
    record: ClassificationRecord | None


@dataclass(frozen=True, slots=True)
class FieldNote:
    """What people wrote about a field."""

    path: str
    description: str = ""
    terms: tuple[str, ...] = ()
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeclaredDocument:
    """A declared document as it was applied. `key` is the name, for a dataset CLUSTER/NAME."""

    kind: str
    key: str
    metadata: Mapping[str, Any]
    spec: Mapping[str, Any]
    applied_at: datetime | None = None
    applied_by: str | None = None


@dataclass(frozen=True, slots=True)
class DatasetFilter:
    """Which datasets to list; None or empty = all. `text` is found anywhere in the name, case does not matter."""

    cluster: str | None = None
    namespace: str | None = None
    owner: str | None = None
    tag: str | None = None
    entity: str | None = None
    text: str | None = None
    scanned: bool | None = None
    deleted: bool | None = False


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list of datasets, ordered by cluster and name; `total` counts all that fit."""

    items: tuple[DatasetRecord, ...]
    total: int
