"""The audit chain in the record store: SQLite or PostgreSQL."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    event,
    func,
    insert,
    inspect,
    not_,
    or_,
    select,
    text,
    update,
)
from sqlalchemy import false as never
from sqlalchemy.orm import Session

from catalog.adapters.sql.database import Database
from policies.adapters.stores.tables import AuditHeadRow, AuditNamedRow, AuditNameRow, AuditRow
from policies.audit.names import DATASET, Name, names_of, wanted_names
from policies.audit.ports import AuditEntry, AuditFilter, AuditHead, AuditUse

_AUDIT_LOCK = 8_484_003
"""PostgreSQL's advisory lock, the same in every process; SQLite's writers follow one another anyway."""
_NAMING_SECONDS = 3.0
_NAMED_AT_ONCE = 2000

_HEADS: Any = AuditHeadRow.__table__
_ROWS: Any = AuditRow.__table__
_NAMES: Any = AuditNameRow.__table__
_MARKS: Any = AuditNamedRow.__table__
_ENTRY = select(
    _ROWS.c.seq,
    _ROWS.c.happened_at,
    _ROWS.c.actor,
    _ROWS.c.action,
    _ROWS.c.target,
    _ROWS.c.decision,
    _ROWS.c.reasons,
    _ROWS.c.details,
    _ROWS.c.prev,
    _ROWS.c.hash,
)
"""In the order of an AuditEntry."""
_NAMED = select(_MARKS.c.done, _MARKS.c.until).where(_MARKS.c.id == 1)
_ADD_NAME = insert(_NAMES)
_HEAD = select(AuditHeadRow.chain, AuditHeadRow.seq, AuditHeadRow.hash).where(AuditHeadRow.id == 1)
_ADD = insert(_ROWS)
_MOVE = update(_HEADS).where(_HEADS.c.id == 1).values(seq=bindparam("new_seq"), hash=bindparam("new_hash"))
_COLUMNS = {name: column.name for name, column in inspect(AuditRow).columns.items()}
"""An entry comes with every query and every end of one, so it is written by plain statements."""


class SqlAuditStore:
    """`AuditStore` on the record store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(
        self, make: Callable[[int, str], AuditEntry], then: Callable[[AuditHead], None] | None = None
    ) -> AuditEntry:
        with self._database.begin() as session:
            _one_at_a_time(self._database, session)
            # Read behind the lock, and not by objects: what this session read before may be older.
            collected = session.execute(_HEAD).first()
            chain, seq, last = collected if collected is not None else (secrets.token_hex(8), 0, "")
            if collected is None:
                session.execute(insert(_HEADS), {"id": 1, "chain": chain, "seq": seq, "hash": last})
            entry = make(seq + 1, last)
            row = {
                "seq": entry.seq,
                "at": entry.at,
                "actor": entry.actor,
                "action": entry.action,
                "target": entry.target,
                "decision": entry.decision,
                "reasons": list(entry.reasons),
                "details": dict(entry.details),
                "prev": entry.prev,
                "hash": entry.hash,
            }
            session.execute(_ADD, {_COLUMNS[name]: value for name, value in row.items()})
            session.execute(_ADD_NAME, _name_rows(entry))
            session.execute(_MOVE, {"new_seq": entry.seq, "new_hash": entry.hash})
            if then is not None:
                noted, publish = AuditHead(chain, entry.seq, entry.hash), then
                event.listen(session, "after_commit", lambda _: publish(noted), once=True)
            return entry

    def entries(self, where: AuditFilter, before: int | None, limit: int) -> list[AuditEntry]:
        query = _select(where)
        if before is not None:
            query = query.where(_ROWS.c.seq < before)
        return self._read(query.order_by(_ROWS.c.seq.desc()).limit(limit))

    def matching(self, where: AuditFilter, after: int, limit: int) -> list[AuditEntry]:
        return self._read(_select(where).where(_ROWS.c.seq > after).order_by(_ROWS.c.seq).limit(limit))

    def chain(self, after: int, limit: int) -> list[AuditEntry]:
        return self._read(_ENTRY.where(_ROWS.c.seq > after).order_by(_ROWS.c.seq).limit(limit))

    def _read(self, query: Select[Any]) -> list[AuditEntry]:
        with self._database.read() as session:
            return [_entry(row) for row in session.execute(query)]

    def uses(self, kind: str, actions: Collection[str], since: datetime) -> list[AuditUse]:
        query = (
            select(_ROWS.c.actor, _NAMES.c.name, func.max(_ROWS.c.happened_at))
            .join(_NAMES, _NAMES.c.seq == _ROWS.c.seq)
            .where(
                _NAMES.c.kind == kind,
                _ROWS.c.action.in_(sorted(actions)),
                _ROWS.c.decision == "allow",
                _ROWS.c.happened_at >= since,
            )
            .group_by(_ROWS.c.actor, _NAMES.c.name)
        )
        with self._database.read() as session:
            return sorted((AuditUse(*row) for row in session.execute(query)), key=lambda use: (use.actor, use.name))

    def unnamed(self) -> int:
        until = time.monotonic() + _NAMING_SECONDS
        while True:
            collected = self._database.one(_NAMED)
            if collected is None or collected[0] >= collected[1]:
                return 0
            if time.monotonic() > until:
                return int(collected[1] - collected[0])
            self._name_some()

    def _name_some(self) -> None:
        """Index some of the entries that were written before there was an index."""
        with self._database.begin() as session:
            _one_at_a_time(self._database, session)
            collected = session.execute(_NAMED).first()
            if collected is None or collected[0] >= collected[1]:
                return
            done, until = collected
            rows = _ENTRY.where(_ROWS.c.seq > done, _ROWS.c.seq <= until).order_by(_ROWS.c.seq).limit(_NAMED_AT_ONCE)
            entries = [_entry(row) for row in session.execute(rows)]
            names = [row for entry in entries for row in _name_rows(entry)]
            if names:
                session.execute(_ADD_NAME, names)
            reached = entries[-1].seq if len(entries) == _NAMED_AT_ONCE else until
            session.execute(update(_MARKS).where(_MARKS.c.id == 1).values(done=reached))

    def head(self) -> AuditHead:
        collected = self._database.one(_HEAD)
        return AuditHead(*collected) if collected is not None else AuditHead("", 0, "")


def _one_at_a_time(database: Database, session: Session) -> None:
    if not database.is_sqlite:
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _AUDIT_LOCK})


def _select(where: AuditFilter) -> Select[Any]:
    """Entries that fit. Of one wanted name the index of names leads, in the order of the entries."""
    names = wanted_names(where)
    query = _ENTRY
    if names and len(names[0]) == 1:
        (kind, name), *_ = names.pop(0)
        query = query.join(_NAMES, _NAMES.c.seq == _ROWS.c.seq).where(_NAMES.c.kind == kind, _NAMES.c.name == name)
    for alternatives in names:
        query = query.where(_ROWS.c.seq.in_(select(_NAMES.c.seq).where(or_(*map(_named, alternatives)))))
    for column, value in (
        (_ROWS.c.actor, where.actor),
        (_ROWS.c.target, where.target),
        (_ROWS.c.decision, where.decision),
    ):
        if value is not None:
            query = query.where(column == value)
    if where.within is not None:
        begin = (_NAMES.c.name.istartswith(each, autoescape=True) for each in where.within)
        about = select(_NAMES.c.seq).where(_NAMES.c.kind == DATASET, or_(never(), *begin))
        query = query.where(_ROWS.c.seq.in_(about))
    if where.action is not None:
        query = query.where(_is_action(where.action))
    for action in where.without:
        query = query.where(not_(_is_action(action)))
    if where.since is not None:
        query = query.where(_ROWS.c.happened_at >= where.since)
    if where.until is not None:
        query = query.where(_ROWS.c.happened_at < where.until)
    return query


def _is_action(action: str) -> ColumnElement[bool]:
    return or_(_ROWS.c.action == action, _ROWS.c.action.startswith(f"{action}.", autoescape=True))


def _named(name: Name) -> ColumnElement[bool]:
    return and_(_NAMES.c.kind == name[0], _NAMES.c.name == name[1])


def _name_rows(entry: AuditEntry) -> list[dict[str, str | int]]:
    return [{"kind": kind, "name": name, "seq": entry.seq} for kind, name in sorted(names_of(entry))]


def _entry(row: Sequence[Any]) -> AuditEntry:
    seq, at, actor, action, target, decision, reasons, details, prev, hash_ = row
    return AuditEntry(
        seq=seq,
        at=at,
        actor=actor,
        action=action,
        target=target,
        decision=decision,
        reasons=tuple(reasons),
        details=details,
        prev=prev,
        hash=hash_,
    )
