"""The tables of this room. Documents and audit entries are only ever added."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Boolean, Index, Integer, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant, Json


class GovernanceRow(Base):
    """One state of a document. `newest` marks the last one of each, so that the present is read by an index."""

    __tablename__ = "governance"
    __table_args__ = (
        Index("ix_governance_kind_name_version", "kind", "name", "version"),
        Index("ix_governance_kind_version", "kind", "version"),
        Index("ix_governance_newest_kind_label", "newest", "kind", "label"),
    )

    version: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(AnyText)
    name: Mapped[str] = mapped_column(AnyText)
    deleted: Mapped[bool] = mapped_column(Boolean)
    newest: Mapped[bool] = mapped_column(Boolean)
    label: Mapped[str | None] = mapped_column(AnyText)
    by: Mapped[str | None] = mapped_column("changed_by", AnyText)
    at: Mapped[datetime] = mapped_column("changed_at", Instant)
    meta: Mapped[dict[str, object]] = mapped_column("metadata", Json)
    spec: Mapped[dict[str, object] | None] = mapped_column(Json)


class TokenRow(Base):
    __tablename__ = "api_tokens"
    __table_args__ = (UniqueConstraint("digest"), Index("ix_api_tokens_user_name", "user_name"))

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    user: Mapped[str] = mapped_column("user_name", AnyText)
    name: Mapped[str] = mapped_column(AnyText)
    digest: Mapped[str] = mapped_column(AnyText)
    created_at: Mapped[datetime] = mapped_column(Instant)
    expires_at: Mapped[datetime | None] = mapped_column(Instant)
    revoked_at: Mapped[datetime | None] = mapped_column(Instant)
    scopes: Mapped[list[str] | None] = mapped_column(Json)
    used_at: Mapped[datetime | None] = mapped_column(Instant)
    rotated: Mapped[str | None] = mapped_column(AnyText)
    agent: Mapped[dict[str, object] | None] = mapped_column(Json)


class AgentRowsRow(Base):
    """Rows that an agent was given on a day (UTC, `2026-11-27`)."""

    __tablename__ = "agent_rows"

    token_id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    day: Mapped[str] = mapped_column(AnyText, primary_key=True)
    given: Mapped[int] = mapped_column(Integer)


class AuditRow(Base):
    __tablename__ = "audit_entries"
    __table_args__ = (
        Index("ix_audit_entries_actor_seq", "actor", "seq"),
        Index("ix_audit_entries_action_seq", "action", "seq"),
        Index("ix_audit_entries_target_seq", "target", "seq"),
    )

    seq: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column("happened_at", Instant)
    actor: Mapped[str] = mapped_column(AnyText)
    action: Mapped[str] = mapped_column(AnyText)
    target: Mapped[str] = mapped_column(AnyText)
    decision: Mapped[str] = mapped_column(AnyText)
    reasons: Mapped[list[str]] = mapped_column(Json)
    details: Mapped[dict[str, object]] = mapped_column(Json)
    prev: Mapped[str] = mapped_column(AnyText)
    hash: Mapped[str] = mapped_column(AnyText)


class AuditHeadRow(Base):
    """One row: where the chain ends, and which chain it is."""

    __tablename__ = "audit_head"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    chain: Mapped[str] = mapped_column(AnyText)
    seq: Mapped[int] = mapped_column(Integer)
    hash: Mapped[str] = mapped_column(AnyText)


class AuditSegmentRow(Base):
    """A sealed run of audit entries; its row stays when the entries are removed."""

    __tablename__ = "audit_segments"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    chain: Mapped[str] = mapped_column(AnyText)
    first: Mapped[int] = mapped_column("first_seq", Integer)
    last: Mapped[int] = mapped_column("last_seq", Integer)
    begins: Mapped[datetime] = mapped_column(Instant)
    ends: Mapped[datetime] = mapped_column(Instant)
    before: Mapped[str] = mapped_column("hash_before", AnyText)
    head: Mapped[str] = mapped_column("hash_last", AnyText)
    previous: Mapped[str] = mapped_column(AnyText)
    sealed_at: Mapped[datetime] = mapped_column(Instant)
    key: Mapped[str] = mapped_column("public_key", AnyText)
    signature: Mapped[str] = mapped_column(AnyText)
    removed_at: Mapped[datetime | None] = mapped_column(Instant)
    removed_by: Mapped[str | None] = mapped_column(AnyText)
    removed_file: Mapped[str | None] = mapped_column(AnyText)
    removed_key: Mapped[str | None] = mapped_column(AnyText)


class AuditShippingRow(Base):
    """How far the audit was shipped to one place."""

    __tablename__ = "audit_shipping"

    place: Mapped[str] = mapped_column(AnyText, primary_key=True)
    chain: Mapped[str] = mapped_column(AnyText)
    position: Mapped[int] = mapped_column(Integer)
    shipped_at: Mapped[datetime | None] = mapped_column(Instant)
    failures: Mapped[int] = mapped_column(Integer)
    failed_at: Mapped[datetime | None] = mapped_column(Instant)
    problem: Mapped[str | None] = mapped_column(AnyText)
    cut: Mapped[int] = mapped_column(Integer)
    begins: Mapped[int | None] = mapped_column(Integer)
    missed: Mapped[int] = mapped_column(Integer)


class AuditNameRow(Base):
    """What an entry can be found by: a person, a dataset, a field or a grant that it is about."""

    __tablename__ = "audit_names"
    __table_args__ = (Index("ix_audit_names_seq", "seq"),)

    kind: Mapped[str] = mapped_column(AnyText, primary_key=True)
    name: Mapped[str] = mapped_column(AnyText, primary_key=True)
    seq: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)


class AuditNamedRow(Base):
    """One row: entries up to `until` were written before there were names; those up to `done` have them by now."""

    __tablename__ = "audit_named"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    done: Mapped[int] = mapped_column(Integer)
    until: Mapped[int] = mapped_column(Integer)
