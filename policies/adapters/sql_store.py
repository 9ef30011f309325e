"""The stores in the record store: SQLite or PostgreSQL."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Select, event, func, select, text, update
from sqlalchemy.orm import Session

from catalog.adapters.database import Database
from policies.adapters.tables import AuditHeadRow, AuditRow, GovernanceRow, TokenRow
from policies.ports import AuditEntry, AuditFilter, AuditHead, Change, Document, TokenRecord

# PostgreSQL's advisory locks, the same in every process; SQLite's writers follow one another anyway.
_GOVERNANCE_LOCK = 8_484_002
_AUDIT_LOCK = 8_484_003


def _one_at_a_time(database: Database, session: Session, lock: int) -> None:
    if not database.is_sqlite:
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": lock})


class SqlPolicyStore:
    """`PolicyStore` on the record store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._database.begin() as session:
            _one_at_a_time(self._database, session, _GOVERNANCE_LOCK)
            yield

    def version(self, kinds: Collection[str]) -> int:
        # One maximum a kind, each the end of an index: this is asked before every decision.
        maxima = [
            select(func.max(GovernanceRow.version)).where(GovernanceRow.kind == kind).scalar_subquery()
            for kind in sorted(kinds)
        ]
        with self._database.read() as session:
            return max((found for found in session.execute(select(*maxima)).one() if found), default=0)

    def get(self, kind: str, name: str) -> Document | None:
        with self._database.read() as session:
            row = session.scalar(_newest().where(GovernanceRow.kind == kind, GovernanceRow.name == name))
            return _document(row) if row is not None and not row.deleted else None

    def documents(
        self, kind: str | None = None, *, label: str | None = None, as_of: datetime | None = None
    ) -> list[Document]:
        if as_of is None:
            query = _newest()
        else:
            last = (
                select(func.max(GovernanceRow.version))
                .where(GovernanceRow.at <= as_of)
                .group_by(GovernanceRow.kind, GovernanceRow.name)
            )
            query = select(GovernanceRow).where(GovernanceRow.version.in_(last))
        if kind is not None:
            query = query.where(GovernanceRow.kind == kind)
        if label is not None:
            query = query.where(GovernanceRow.label == label)
        with self._database.read() as session:
            rows = session.scalars(query.where(GovernanceRow.deleted.is_(False)))
            # Sorted here: databases sort text by different rules.
            return sorted(map(_document, rows), key=lambda d: (d.kind, d.name))

    def deleted(self, kind: str) -> frozenset[str]:
        with self._database.read() as session:
            names = select(GovernanceRow.name).where(
                GovernanceRow.newest, GovernanceRow.kind == kind, GovernanceRow.deleted.is_(True)
            )
            return frozenset(session.scalars(names))

    def history(self, kind: str, name: str) -> list[Document]:
        query = select(GovernanceRow).where(GovernanceRow.kind == kind, GovernanceRow.name == name)
        with self._database.read() as session:
            return [_document(row) for row in session.scalars(query.order_by(GovernanceRow.version))]

    def apply(self, changes: Sequence[Change], at: datetime) -> int:
        with self._database.begin() as session:
            _one_at_a_time(self._database, session, _GOVERNANCE_LOCK)
            version = session.scalar(select(func.max(GovernanceRow.version))) or 0
            for change in changes:
                version += 1
                change.check(self.get(change.kind, change.name))
                before = (GovernanceRow.kind == change.kind, GovernanceRow.name == change.name)
                session.execute(
                    update(GovernanceRow).where(*before, GovernanceRow.newest).values(newest=False),
                    execution_options={"synchronize_session": "fetch"},
                )
                row = GovernanceRow(
                    version=version, kind=change.kind, name=change.name, deleted=change.spec is None, newest=True,
                    label=change.label, by=change.by, at=at, meta=dict(change.metadata),
                    spec=dict(change.spec) if change.spec is not None else None,
                )  # fmt: skip
                session.add(row)
                session.flush()
            return version


def _newest() -> Select[GovernanceRow]:
    return select(GovernanceRow).where(GovernanceRow.newest)


def _document(row: GovernanceRow) -> Document:
    return Document(row.kind, row.name, row.spec, row.meta, row.version, row.at, row.by, row.label)


class SqlTokenStore:
    """`TokenStore` on the record store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: TokenRecord) -> None:
        with self._database.begin() as session:
            session.add(
                TokenRow(
                    id=token.id,
                    user=token.user,
                    name=token.name,
                    digest=token.digest,
                    created_at=token.created_at,
                    expires_at=token.expires_at,
                    revoked_at=token.revoked_at,
                )
            )

    def find(self, digest: str) -> TokenRecord | None:
        with self._database.read() as session:
            row = session.scalar(select(TokenRow).where(TokenRow.digest == digest))
            return _token(row) if row is not None else None

    def tokens(self, user: str | None = None) -> list[TokenRecord]:
        query = select(TokenRow) if user is None else select(TokenRow).where(TokenRow.user == user)
        with self._database.read() as session:
            return sorted(map(_token, session.scalars(query)), key=lambda t: (t.created_at, t.id))

    def revoke(self, token_id: str, at: datetime) -> bool:
        with self._database.begin() as session:
            row = session.get(TokenRow, token_id)
            if row is None:
                return False
            row.revoked_at = row.revoked_at or at
            return True


def _token(row: TokenRow) -> TokenRecord:
    return TokenRecord(row.id, row.user, row.name, row.digest, row.created_at, row.expires_at, row.revoked_at)


class SqlAuditStore:
    """`AuditStore` on the record store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(
        self, make: Callable[[int, str], AuditEntry], then: Callable[[AuditHead], None] | None = None
    ) -> AuditEntry:
        with self._database.begin() as session:
            _one_at_a_time(self._database, session, _AUDIT_LOCK)
            # Read behind the lock: what this session read before may be older.
            head = session.get(AuditHeadRow, 1, populate_existing=True)
            if head is None:
                head = AuditHeadRow(id=1, chain=secrets.token_hex(8), seq=0, hash="")
                session.add(head)
            entry = make(head.seq + 1, head.hash)
            session.add(
                AuditRow(
                    seq=entry.seq,
                    at=entry.at,
                    actor=entry.actor,
                    action=entry.action,
                    target=entry.target,
                    decision=entry.decision,
                    reasons=list(entry.reasons),
                    details=dict(entry.details),
                    prev=entry.prev,
                    hash=entry.hash,
                )
            )
            head.seq, head.hash = entry.seq, entry.hash
            session.flush()
            if then is not None:
                noted, publish = AuditHead(head.chain, head.seq, head.hash), then
                event.listen(session, "after_commit", lambda _: publish(noted), once=True)
            return entry

    def entries(self, where: AuditFilter, before: int | None, limit: int) -> list[AuditEntry]:
        query = select(AuditRow)
        wanted: list[tuple[Any, Any]] = [
            (AuditRow.actor, where.actor),
            (AuditRow.action, where.action),
            (AuditRow.target, where.target),
            (AuditRow.decision, where.decision),
        ]
        for column, value in wanted:
            if value is not None:
                query = query.where(column == value)
        if where.since is not None:
            query = query.where(AuditRow.at >= where.since)
        if where.until is not None:
            query = query.where(AuditRow.at < where.until)
        if before is not None:
            query = query.where(AuditRow.seq < before)
        with self._database.read() as session:
            return [_entry(row) for row in session.scalars(query.order_by(AuditRow.seq.desc()).limit(limit))]

    def chain(self, after: int, limit: int) -> list[AuditEntry]:
        query = select(AuditRow).where(AuditRow.seq > after).order_by(AuditRow.seq).limit(limit)
        with self._database.read() as session:
            return [_entry(row) for row in session.scalars(query)]

    def head(self) -> AuditHead:
        with self._database.read() as session:
            row = session.get(AuditHeadRow, 1)
            return AuditHead(row.chain, row.seq, row.hash) if row is not None else AuditHead("", 0, "")


def _entry(row: AuditRow) -> AuditEntry:
    return AuditEntry(
        row.seq, row.at, row.actor, row.action, row.target, row.decision, tuple(row.reasons), row.details,
        row.prev, row.hash,
    )  # fmt: skip
