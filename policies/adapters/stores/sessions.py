"""Sessions in the record store: SQLite or PostgreSQL."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, or_, select, update
from sqlalchemy.orm import Session

from catalog.adapters.sql.database import Database
from policies.access.provider_rights import Claims
from policies.access.session_ports import DeviceLogin, SessionRecord
from policies.adapters.stores.session_tables import DeviceLoginRow, LinkedAccountRow, MarkRow, SessionRow

_S: Any = SessionRow.__table__
_D: Any = DeviceLoginRow.__table__
_FIELDS = [name for name in SessionRecord.__dataclass_fields__ if name != "claims"]
_ONE = select(*(getattr(SessionRow, name) for name in _FIELDS), SessionRow.claims)
_DEVICE = select(*(getattr(DeviceLoginRow, name) for name in DeviceLogin.__dataclass_fields__))
_OVER = {"sealed": None}
"""What an end takes away besides."""


class SqlSessionStore:
    """`SessionStore` on the record store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, session: SessionRecord) -> None:
        values = {name: getattr(session, name) for name in _FIELDS}
        with self._database.begin() as open_session:
            open_session.add(SessionRow(**values, claims=_json(session.claims)))

    def find(self, digest: str) -> SessionRecord | None:
        row = self._database.one(_ONE.where(SessionRow.digest == digest))
        return _record(row) if row is not None else None

    def sessions(self, user: str | None = None) -> list[SessionRecord]:
        query = _ONE.where(SessionRow.ended_at.is_(None))
        if user is not None:
            query = query.where(SessionRow.user == user)
        with self._database.read() as session:
            sessions = [_record(row) for row in session.execute(query)]
        return sorted(sessions, key=lambda s: (s.created_at, s.id))

    def used(self, session_id: str, at: datetime) -> None:
        self._change(SessionRow.id == session_id, used_at=at)

    def claim(self, session_id: str, now: datetime, until: datetime) -> bool:
        free = or_(SessionRow.claimed_until.is_(None), SessionRow.claimed_until <= now)
        return self._change(SessionRow.id == session_id, SessionRow.ended_at.is_(None), free, claimed_until=until) == 1

    def confirm(self, session_id: str, at: datetime, claims: Claims, sealed: str | None) -> None:
        self._change(
            SessionRow.id == session_id,
            SessionRow.ended_at.is_(None),
            confirmed_at=at,
            claims=_json(claims),
            sealed=sealed,
            claimed_until=None,
        )

    def release(self, session_id: str) -> None:
        self._change(SessionRow.id == session_id, claimed_until=None)

    def renew(self, session_id: str, digest: str) -> None:
        self._change(SessionRow.id == session_id, digest=digest)

    def end(self, session_id: str, at: datetime, because: str) -> bool:
        open_one = (SessionRow.id == session_id, SessionRow.ended_at.is_(None))
        return self._change(*open_one, ended_at=at, ended_because=because, **_OVER) == 1

    def end_of_account(
        self, provider: str, subject: str | None, provider_session: str | None, at: datetime, because: str
    ) -> list[SessionRecord]:
        which = [SessionRow.provider == provider, SessionRow.ended_at.is_(None)]
        if subject is not None:
            which.append(SessionRow.subject == subject)
        if provider_session is not None:
            which.append(SessionRow.provider_session == provider_session)
        if subject is None and provider_session is None:
            return []
        with self._database.begin() as session:
            sessions = [_record(row) for row in session.execute(_ONE.where(*which))]
            ids = [each.id for each in sessions]
            session.execute(update(_S).where(_S.c.id.in_(ids)).values(ended_at=at, ended_because=because, **_OVER))
        return sessions

    def forget(self, before: datetime) -> int:
        with self._database.begin() as session:
            session.execute(delete(MarkRow).where(MarkRow.until <= before))
            session.execute(delete(DeviceLoginRow).where(DeviceLoginRow.expires_at <= before))
            return _count(session, delete(_S).where(or_(_S.c.ends_at <= before, _S.c.ended_at <= before)))

    def once(self, mark: str, until: datetime) -> bool:
        with self._database.begin() as session:
            if session.get(MarkRow, mark) is not None:
                return False
            session.add(MarkRow(mark=mark, until=until))
            return True

    def linked(self, issuer: str, subject: str) -> str | None:
        row = self._database.one(
            select(LinkedAccountRow.user).where(LinkedAccountRow.issuer == issuer, LinkedAccountRow.subject == subject)
        )
        return str(row[0]) if row is not None else None

    def link(self, issuer: str, subject: str, user: str, at: datetime) -> bool:
        with self._database.begin() as session:
            account = session.get(LinkedAccountRow, (issuer, subject))
            if account is not None:
                return account.user == user
            if session.scalar(select(LinkedAccountRow.user).where(LinkedAccountRow.user == user)) is not None:
                return False
            session.add(LinkedAccountRow(issuer=issuer, subject=subject, user=user, at=at))
            return True

    def unlink(self, user: str) -> bool:
        with self._database.begin() as session:
            table: Any = LinkedAccountRow.__table__
            return _count(session, delete(table).where(table.c.user_name == user)) > 0

    def wait(self, login: DeviceLogin) -> bool:
        with self._database.begin() as session:
            if session.scalar(select(DeviceLoginRow.code).where(DeviceLoginRow.code == login.code)) is not None:
                return False
            values = {_D.c[_column(name)].name: getattr(login, name) for name in DeviceLogin.__dataclass_fields__}
            session.execute(insert(_D), values)
            return True

    def waiting_count(self, now: datetime) -> int:
        with self._database.begin() as session:
            session.execute(delete(DeviceLoginRow).where(DeviceLoginRow.expires_at <= now))
            return int(session.scalar(select(func.count()).select_from(DeviceLoginRow)) or 0)

    def waiting(self, *, digest: str | None = None, code: str | None = None) -> DeviceLogin | None:
        which = DeviceLoginRow.digest == digest if digest is not None else DeviceLoginRow.code == code
        row = self._database.one(_DEVICE.where(which))
        return DeviceLogin(*row) if row is not None else None

    def decide(self, code: str, session: str | None) -> bool:
        open_one = (_D.c.code == code, _D.c.session_id.is_(None), _D.c.refused.is_(False))
        with self._database.begin() as writing:
            change = update(_D).where(*open_one).values(session_id=session, refused=session is None)
            return _count(writing, change) == 1

    def done(self, digest: str) -> bool:
        with self._database.begin() as session:
            return _count(session, delete(_D).where(_D.c.digest == digest)) == 1

    def _change(self, *which: Any, **values: Any) -> int:
        with self._database.begin() as session:
            return _count(session, update(_S).where(*which).values(values))


def _count(session: Session, change: Any) -> int:
    """How many rows a statement changed."""
    done: Any = session.execute(change)
    return int(done.rowcount)


def _column(name: str) -> str:
    return "session_id" if name == "session" else name


def _json(claims: Claims) -> dict[str, list[str]]:
    return {name: list(texts) for name, texts in claims.items()}


def _record(row: Any) -> SessionRecord:
    *values, claims = row
    return SessionRecord(**dict(zip(_FIELDS, values, strict=True)), claims={k: tuple(v) for k, v in claims.items()})
