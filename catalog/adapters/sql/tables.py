"""The catalog's tables. A change here needs a migration; a test compares the two."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Double, ForeignKey, Index, Integer, PrimaryKeyConstraint, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant, Json


class ClusterRow(Base):
    __tablename__ = "clusters"

    name: Mapped[str] = mapped_column(AnyText, primary_key=True)
    namespace: Mapped[str] = mapped_column(AnyText, index=True)
    cluster_id: Mapped[str | None] = mapped_column(AnyText)
    bootstrap: Mapped[list[str]] = mapped_column(Json)
    registry_url: Mapped[str | None] = mapped_column(AnyText)
    settings: Mapped[dict[str, object]] = mapped_column(Json)
    created_at: Mapped[datetime | None] = mapped_column(Instant)
    updated_at: Mapped[datetime | None] = mapped_column(Instant)


class AliasRow(Base):
    __tablename__ = "namespace_aliases"

    alias: Mapped[str] = mapped_column(AnyText, primary_key=True)
    namespace: Mapped[str] = mapped_column(AnyText)


class DatasetRow(Base):
    __tablename__ = "datasets"
    __table_args__ = (UniqueConstraint("namespace", "name"), Index("ix_datasets_name", "name"))

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    namespace: Mapped[str] = mapped_column(AnyText)
    name: Mapped[str] = mapped_column(AnyText)
    cluster: Mapped[str | None] = mapped_column(AnyText, index=True)
    description: Mapped[str] = mapped_column(AnyText)
    format: Mapped[dict[str, str]] = mapped_column(Json)
    declared_ddl: Mapped[str | None] = mapped_column(AnyText)
    topic: Mapped[dict[str, object]] = mapped_column(Json)
    scan: Mapped[dict[str, object]] = mapped_column(Json)
    usage: Mapped[int]
    revision: Mapped[int]
    indexed_revision: Mapped[int]
    indexed_documents: Mapped[int]
    created_at: Mapped[datetime | None] = mapped_column(Instant)
    updated_at: Mapped[datetime | None] = mapped_column(Instant)
    last_seen_at: Mapped[datetime | None] = mapped_column(Instant)
    scanned_at: Mapped[datetime | None] = mapped_column(Instant)
    deleted_at: Mapped[datetime | None] = mapped_column(Instant)
    source: Mapped[str] = mapped_column(AnyText, server_default="catalog")
    reported: Mapped[dict[str, object]] = mapped_column(Json, server_default="{}")
    curation: Mapped[dict[str, object]] = mapped_column(Json, server_default="{}")


class LabelRow(Base):
    """Owners, tags and terms of a dataset, one a row so that they can be filtered by.

    `kind`: user, group (owners), business, technical (as what an owner answers for it: NAME or group:NAME), tag, term.
    """

    __tablename__ = "dataset_labels"
    __table_args__ = (
        PrimaryKeyConstraint("dataset_id", "kind", "label"),
        Index("ix_dataset_labels_kind_label", "kind", "label"),
    )

    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(AnyText)
    label: Mapped[str] = mapped_column(AnyText)
    position: Mapped[int]


class SchemaRow(Base):
    __tablename__ = "schema_versions"
    __table_args__ = (PrimaryKeyConstraint("dataset_id", "version"),)

    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    version: Mapped[int]
    baseline: Mapped[dict[str, object]] = mapped_column(Json)
    current: Mapped[dict[str, object]] = mapped_column(Json)
    changes: Mapped[list[dict[str, object]]] = mapped_column(Json)


class NoteRow(Base):
    __tablename__ = "field_notes"
    __table_args__ = (PrimaryKeyConstraint("dataset_id", "path"),)

    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    path: Mapped[str] = mapped_column(AnyText)
    description: Mapped[str] = mapped_column(AnyText)
    terms: Mapped[list[str]] = mapped_column(Json)
    properties: Mapped[dict[str, object]] = mapped_column(Json, server_default="{}")


class ClassificationRow(Base):
    __tablename__ = "classifications"
    __table_args__ = (
        PrimaryKeyConstraint("dataset_id", "path", "entity"),
        Index("ix_classifications_entity", "entity"),
    )

    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    path: Mapped[str] = mapped_column(AnyText)
    entity: Mapped[str] = mapped_column(AnyText)
    score: Mapped[float] = mapped_column(Double)
    state: Mapped[str] = mapped_column(AnyText)
    evidence: Mapped[dict[str, object]] = mapped_column(Json)
    source: Mapped[str] = mapped_column(AnyText)
    rejected_recognizers: Mapped[list[str]] = mapped_column(Json)
    reviewed_by: Mapped[str | None] = mapped_column(AnyText)
    reviewed_at: Mapped[datetime | None] = mapped_column(Instant)
    reason: Mapped[str | None] = mapped_column(AnyText)
    first_at: Mapped[datetime | None] = mapped_column(Instant)
    seen_at: Mapped[datetime | None] = mapped_column(Instant)


class ClassificationEventRow(Base):
    """Append-only. `record` is null where the classification ended."""

    __tablename__ = "classification_events"
    __table_args__ = (Index("ix_classification_events_dataset_id_at", "dataset_id", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    path: Mapped[str] = mapped_column(AnyText)
    entity: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    record: Mapped[dict[str, object] | None] = mapped_column(Json)


class DocumentRow(Base):
    __tablename__ = "declared_documents"
    __table_args__ = (PrimaryKeyConstraint("kind", "key"),)

    kind: Mapped[str] = mapped_column(AnyText)
    key: Mapped[str] = mapped_column(AnyText)
    document_metadata: Mapped[dict[str, object]] = mapped_column("metadata", Json)
    spec: Mapped[dict[str, object]] = mapped_column(Json)
    applied_at: Mapped[datetime | None] = mapped_column(Instant)
    applied_by: Mapped[str | None] = mapped_column(AnyText)


class CatalogChangesRow(Base):
    """One row. Triggers, made by the migration, raise `number` with every change of the tables above."""

    __tablename__ = "catalog_changes"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(BigInteger)


class ScanRow(Base):
    __tablename__ = "scans"
    __table_args__ = (Index("ix_scans_state_created_at", "state", "created_at"),)

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    state: Mapped[str] = mapped_column(AnyText)
    request: Mapped[dict[str, object]] = mapped_column(Json)
    requested_by: Mapped[str | None] = mapped_column(AnyText)
    progress: Mapped[float] = mapped_column(Double)
    datasets: Mapped[list[dict[str, object]]] = mapped_column(Json)
    problems: Mapped[list[dict[str, object]]] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(Instant)
    started_at: Mapped[datetime | None] = mapped_column(Instant)
    finished_at: Mapped[datetime | None] = mapped_column(Instant)
    heartbeat_at: Mapped[datetime | None] = mapped_column(Instant)
    worker: Mapped[str | None] = mapped_column(AnyText)
    cancel_requested: Mapped[bool]


class PositionRow(Base):
    __tablename__ = "scan_positions"
    __table_args__ = (PrimaryKeyConstraint("dataset_id", "partition"),)

    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    partition: Mapped[int]
    next_offset: Mapped[int] = mapped_column(BigInteger)
    details: Mapped[dict[str, object]] = mapped_column(Json)


class EventRow(Base):
    """The outbox. SQLite needs an option never to give a seq twice, also when the newest rows were pruned."""

    __tablename__ = "events"
    __table_args__ = (Index("ix_events_at", "at"), {"sqlite_autoincrement": True})

    seq: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(AnyText)
    type: Mapped[str] = mapped_column(AnyText)
    subject: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    data: Mapped[dict[str, object]] = mapped_column(Json)


class DeliveryRow(Base):
    __tablename__ = "event_deliveries"

    name: Mapped[str] = mapped_column(AnyText, primary_key=True)
    position: Mapped[int] = mapped_column(BigInteger)
    failures: Mapped[int]
    failed_at: Mapped[datetime | None] = mapped_column(Instant)
    next_try_at: Mapped[datetime | None] = mapped_column(Instant)
    problem: Mapped[str | None] = mapped_column(AnyText)
    delivered_at: Mapped[datetime | None] = mapped_column(Instant)
    dropped: Mapped[int] = mapped_column(BigInteger)
    worker: Mapped[str | None] = mapped_column(AnyText)
    leased_until: Mapped[datetime | None] = mapped_column(Instant)
