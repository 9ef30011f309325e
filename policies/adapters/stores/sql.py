"""The stores of documents and tokens in the record store: SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Executable,
    Select,
    func,
    select,
    text,
    true,
    update,
)
from sqlalchemy.orm import Session

from catalog.adapters.sql.database import Database
from policies.adapters.stores.tables import GovernanceRow, TokenRow
from policies.model import Agent
from policies.ports import Change, Document, TokenRecord

# PostgreSQL's advisory locks, the same in every process; SQLite's writers follow one another anyway.
_GOVERNANCE_LOCK = 8_484_002


def _one_at_a_time(database: Database, session: Session, lock: int) -> None:
    if not database.is_sqlite:
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": lock})


@lru_cache(maxsize=32)
def _versions(kinds: frozenset[str]) -> Executable:
    """One maximum a kind, each the end of an index: this is asked before every decision."""
    maxima = [
        select(func.max(GovernanceRow.version)).where(GovernanceRow.kind == kind).scalar_subquery()
        for kind in sorted(kinds)
    ]
    return select(*maxima)


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
        versions = self._database.one(_versions(frozenset(kinds)))
        return max((each for each in versions or () if each), default=0)

    def get(self, kind: str, name: str) -> Document | None:
        with self._database.read() as session:
            row = session.scalar(_newest().where(GovernanceRow.kind == kind, GovernanceRow.name == name))
            return _document(row) if row is not None and not row.deleted else None

    def documents(
        self, kind: str | None = None, *, label: str | None = None, as_of: datetime | None = None
    ) -> list[Document]:
        query = _DOCUMENT.where(_standing(as_of))
        if kind is not None:
            query = query.where(GovernanceRow.kind == kind)
        if label is not None:
            query = query.where(GovernanceRow.label == label)
        with self._database.read() as session:
            rows = session.execute(query.where(GovernanceRow.deleted.is_(False)))
            # Sorted here: databases sort text by different rules.
            return sorted(map(_plain, rows), key=lambda d: (d.kind, d.name))

    def changed(self, kinds: Collection[str], after: int = 0) -> list[Document]:
        there = (_STATES.c.newest, _STATES.c.kind.in_(sorted(kinds)), _STATES.c.version > after)
        with self._database.read() as session:
            return [_plain(row) for row in session.execute(_DOCUMENT.where(*there).order_by(_STATES.c.version))]

    @property
    def is_writing(self) -> bool:
        return self._database.is_writing

    def deleted(self, kind: str, as_of: datetime | None = None) -> frozenset[str]:
        with self._database.read() as session:
            names = select(GovernanceRow.name).where(
                _standing(as_of), GovernanceRow.kind == kind, GovernanceRow.deleted.is_(True)
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
                    version=version,
                    kind=change.kind,
                    name=change.name,
                    deleted=change.spec is None,
                    newest=True,
                    label=change.label,
                    by=change.by,
                    at=at,
                    meta=dict(change.metadata),
                    spec=dict(change.spec) if change.spec is not None else None,
                )
                session.add(row)
                session.flush()
            return version


def _standing(as_of: datetime | None) -> ColumnElement[bool]:
    """The last state of each document, now or at a moment."""
    if as_of is None:
        return GovernanceRow.newest == true()
    last = (
        select(func.max(GovernanceRow.version))
        .where(GovernanceRow.at <= as_of)
        .group_by(GovernanceRow.kind, GovernanceRow.name)
    )
    return GovernanceRow.version.in_(last)


def _newest() -> Select[GovernanceRow]:
    return select(GovernanceRow).where(GovernanceRow.newest)


_STATES: Any = GovernanceRow.__table__
_DOCUMENT = select(
    _STATES.c.kind,
    _STATES.c.name,
    _STATES.c.spec,
    _STATES.c.metadata,
    _STATES.c.version,
    _STATES.c.changed_at,
    _STATES.c.changed_by,
    _STATES.c.label,
)
"""In the order of a Document. Without objects of the mapper: a hundred thousand grants are read at the start."""


def _plain(row: Sequence[Any]) -> Document:
    kind, name, spec, metadata, version, at, by, label = row
    return Document(kind=kind, name=name, spec=spec, metadata=metadata, version=version, at=at, by=by, label=label)


def _document(row: GovernanceRow) -> Document:
    return Document(
        kind=row.kind,
        name=row.name,
        spec=row.spec,
        metadata=row.meta,
        version=row.version,
        at=row.at,
        by=row.by,
        label=row.label,
    )


_TOKEN = select(
    TokenRow.id,
    TokenRow.user,
    TokenRow.name,
    TokenRow.digest,
    TokenRow.created_at,
    TokenRow.expires_at,
    TokenRow.revoked_at,
    TokenRow.scopes,
    TokenRow.used_at,
    TokenRow.rotated,
    TokenRow.agent,
)
"""In the order of a TokenRecord."""


class SqlTokenStore:
    """`TokenStore` on the record store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: TokenRecord) -> None:
        with self._database.begin() as session:
            session.add(_token_row(token))

    def find(self, digest: str) -> TokenRecord | None:
        row = self._database.one(_TOKEN.where(TokenRow.digest == digest))
        return _token(*row) if row is not None else None

    def tokens(self, user: str | None = None) -> list[TokenRecord]:
        query = select(TokenRow) if user is None else select(TokenRow).where(TokenRow.user == user)
        with self._database.read() as session:
            records = [
                _token(
                    row.id,
                    row.user,
                    row.name,
                    row.digest,
                    row.created_at,
                    row.expires_at,
                    row.revoked_at,
                    row.scopes,
                    row.used_at,
                    row.rotated,
                    row.agent,
                )
                for row in session.scalars(query)
            ]
            return sorted(records, key=lambda t: (t.created_at, t.id))

    def revoke(self, token_id: str, at: datetime) -> bool:
        with self._database.begin() as session:
            row = session.get(TokenRow, token_id)
            if row is None:
                return False
            row.revoked_at = row.revoked_at or at
            return True

    def used(self, token_id: str, at: datetime) -> None:
        with self._database.begin() as session:
            session.execute(update(TokenRow).where(TokenRow.id == token_id).values(used_at=at))

    def rotate(self, token_id: str, successor: TokenRecord, expires_at: datetime) -> bool:
        there = (TokenRow.id == token_id, TokenRow.rotated.is_(None), TokenRow.revoked_at.is_(None))
        with self._database.begin() as session:
            values = {"rotated": successor.id, "expires_at": expires_at}
            done: Any = session.execute(
                update(TokenRow).where(*there).values(**values), execution_options={"synchronize_session": "fetch"}
            )
            if done.rowcount != 1:
                return False
            session.add(_token_row(successor))
            return True


def _token_row(token: TokenRecord) -> TokenRow:
    return TokenRow(
        id=token.id,
        user=token.user,
        name=token.name,
        digest=token.digest,
        created_at=token.created_at,
        expires_at=token.expires_at,
        revoked_at=token.revoked_at,
        used_at=token.used_at,
        rotated=token.rotated,
        scopes=list(token.scopes) if token.scopes is not None else None,
        agent=_agent_json(token),
    )


def _token(*values: Any) -> TokenRecord:
    *first, scopes, used_at, rotated, agent = values
    record = TokenRecord(*first)
    limits = None
    if agent is not None:
        limits = Agent(**{**agent, "token": record.id, "datasets": tuple(agent["datasets"])})
    return replace(
        record,
        scopes=tuple(scopes) if scopes is not None else None,
        used_at=used_at,
        rotated=rotated,
        agent=limits,
    )


def _agent_json(token: TokenRecord) -> dict[str, object] | None:
    if token.agent is None:
        return None
    return {name: value for name, value in asdict(token.agent).items() if name != "token"}
