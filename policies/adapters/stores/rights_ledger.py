"""ACLs in the care of Weir and applies in the record store: SQLite or PostgreSQL."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, insert, select, text, union, update

from catalog.adapters.sql.database import Database
from catalog.broker_acls import BrokerAcl, acl_of
from catalog.errors import Conflict
from policies.adapters.stores.rights_tables import RightsAclRow, RightsApplyRow
from policies.broker_rights.changes import change_of
from policies.broker_rights.ledger import OWNED, WATCH, AclState, Apply, ApplyState, LedgerEntry

_A: Any = RightsAclRow.__table__
_P: Any = RightsApplyRow.__table__
_ROW = (_P.c.id, _P.c.cluster, _P.c.state, _P.c.at, _P.c.body, _P.c.changes)
_AT_ONCE = 500
_ANY_LEASE = timedelta(minutes=10)
"""Longer than any lease: one that ends later was written before the clock was put back."""
# PostgreSQL's advisory lock of those who begin an apply, the same in every process; SQLite's writers follow one another.
_BEGIN_LOCK = 8_484_019


class SqlRightsLedger:
    """`RightsLedger` on the record store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def transaction(self) -> AbstractContextManager[object]:
        return self._database.begin()

    def entries(self, cluster: str, states: Collection[AclState] | None = None) -> Mapping[BrokerAcl, LedgerEntry]:
        query = select(_A.c.acl, _A.c.state, _A.c.at, _A.c.made_by).where(_A.c.cluster == cluster)
        if states is not None:
            query = query.where(_A.c.state.in_(sorted(map(str, states))))
        with self._database.read() as session:
            rows = session.execute(query).all()
        entries = (LedgerEntry(acl_of(acl), AclState(state), at, by) for acl, state, at, by in rows)
        return {entry.acl: entry for entry in entries}

    def clusters(self) -> frozenset[str]:
        owned = select(_A.c.cluster).where(_A.c.state.in_(sorted(map(str, OWNED))))
        running = select(_P.c.cluster).where(_P.c.state == str(ApplyState.RUNNING))
        with self._database.read() as session:
            return frozenset(session.execute(union(owned, running)).scalars())

    def put(self, cluster: str, entries: Sequence[LedgerEntry]) -> None:
        rows = [
            {
                "cluster": cluster,
                "acl_key": _key(entry.acl),
                "state": str(entry.state),
                "at": entry.at,
                "made_by": entry.by,
                "acl": entry.acl.as_json(),
            }
            for entry in entries
        ]
        with self._database.begin() as session:
            self.forget(cluster, [entry.acl for entry in entries])
            for start in range(0, len(rows), _AT_ONCE):
                session.execute(insert(_A), rows[start : start + _AT_ONCE])

    def forget(self, cluster: str, acls: Collection[BrokerAcl]) -> None:
        keys = [_key(acl) for acl in acls]
        with self._database.begin() as session:
            for start in range(0, len(keys), _AT_ONCE):
                here = _A.c.acl_key.in_(keys[start : start + _AT_ONCE])
                session.execute(delete(_A).where(_A.c.cluster == cluster, here))

    def applies(self, cluster: str, states: Collection[ApplyState] | None = None, limit: int = 100) -> Sequence[Apply]:
        query = select(*_ROW).where(_P.c.cluster == cluster)
        if states is not None:
            query = query.where(_P.c.state.in_(sorted(map(str, states))))
        with self._database.read() as session:
            rows = session.execute(query.order_by(_P.c.at.desc(), _P.c.id.desc()).limit(limit)).all()
        return [_apply(row) for row in rows]

    def get(self, apply_id: str) -> Apply | None:
        with self._database.read() as session:
            row = session.execute(select(*_ROW).where(_P.c.id == apply_id)).one_or_none()
        return _apply(row) if row is not None else None

    def last_of_person(self, cluster: str) -> Apply | None:
        done = _P.c.state.in_([str(ApplyState.DONE), str(ApplyState.UNDONE)])
        query = select(_P.c.id, _P.c.body).where(_P.c.cluster == cluster, done)
        with self._database.read() as session:
            rows = session.execute(query.order_by(_P.c.at.desc(), _P.c.id.desc()).execution_options(yield_per=100))
            own = (key for key, body in rows if body["undoOf"] is None and body["plan"] != WATCH)
            last = next(own, None)
        return self.get(last) if last is not None else None

    def begun(self, cluster: str) -> int:
        states = [str(each) for each in (ApplyState.RUNNING, ApplyState.DONE, ApplyState.UNDONE)]
        query = select(func.count()).select_from(_P).where(_P.c.cluster == cluster, _P.c.state.in_(states))
        with self._database.read() as session:
            return int(session.execute(query).scalar_one())

    def add(self, apply: Apply) -> None:
        with self._database.begin() as session:
            if not self._database.is_sqlite:
                session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _BEGIN_LOCK})
            if apply.state is ApplyState.RUNNING:
                self._none_runs(apply)
            session.execute(
                insert(_P).values(id=apply.id, changes=[c.as_json() for c in apply.changes], **_values(apply))
            )

    def change(self, apply: Apply) -> None:
        with self._database.begin() as session:
            if not self._database.is_sqlite:
                session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _BEGIN_LOCK})
            if apply.state is ApplyState.RUNNING:
                self._none_runs(apply)
            session.execute(update(_P).where(_P.c.id == apply.id).values(**_values(apply)))

    def _none_runs(self, apply: Apply) -> None:
        for other in self.applies(apply.cluster, [ApplyState.RUNNING]):
            if other.id != apply.id:
                raise Conflict(
                    f"The apply {other.id} by {other.by} is under way at {apply.name}; look at the plan again when it is done.",
                    details={"apply": other.id},
                )

    def claim(self, apply_id: str, runner: str, now: datetime, until: datetime) -> bool:
        over = (_P.c.lease_until <= now) | (_P.c.lease_until > now + _ANY_LEASE)
        free = (_P.c.lease_until.is_(None)) | over | (_P.c.runner == runner)
        mine = update(_P).where(_P.c.id == apply_id, _P.c.state == str(ApplyState.RUNNING), free)
        with self._database.begin() as session:
            done: Any = session.execute(mine.values(runner=runner, lease_until=until))
            return bool(done.rowcount == 1)


def _key(acl: BrokerAcl) -> str:
    return hashlib.sha256(json.dumps(acl.as_json()).encode()).hexdigest()[:40]


def _values(apply: Apply) -> dict[str, object]:
    body = {
        "name": apply.name,
        "plan": apply.plan,
        "by": apply.by,
        "approvedBy": apply.approved_by,
        "undoOf": apply.undo_of,
        "done": apply.done,
        "problems": list(apply.problems),
        "finishedAt": apply.finished_at.isoformat() if apply.finished_at is not None else None,
    }
    return {"cluster": apply.cluster, "state": str(apply.state), "at": apply.at, "body": body}


def _apply(row: Any) -> Apply:
    body = row.body
    return Apply(
        id=row.id,
        cluster=row.cluster,
        name=body["name"],
        plan=body["plan"],
        state=ApplyState(row.state),
        by=body["by"],
        at=row.at,
        changes=tuple(change_of(each) for each in row.changes),
        approved_by=body["approvedBy"],
        undo_of=body["undoOf"],
        done=body["done"],
        problems=tuple(body["problems"]),
        finished_at=datetime.fromisoformat(body["finishedAt"]) if body["finishedAt"] else None,
    )
