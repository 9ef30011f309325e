"""Notices and preferences in the record store: SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, or_, select, update

from catalog.adapters.sql.database import Database
from policies.adapters.stores.notice_tables import NoticePreferenceRow, NoticeRow
from policies.notify.notices import Channel, ChatKind, Count, Digest, Notice, NoticeState, Preference, Topic

_N: Any = NoticeRow.__table__
_FIELDS = tuple(Notice.__dataclass_fields__)
_NAMES = 500
"""Names in one question: databases bound the number of parameters."""
WAITING = str(NoticeState.WAITING)


class SqlNoticeStore:
    """`NoticeStore` on the record store."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database, self._clock = database, clock

    def add(self, notices: Sequence[Notice]) -> int:
        if not notices:
            return 0
        new = {notice.id: notice for notice in notices}
        with self._database.begin() as session:
            for names in _parts(new):
                for stored in session.scalars(select(NoticeRow.id).where(NoticeRow.id.in_(names))):
                    del new[stored]
            now = self._clock()
            session.add_all(_row(notice, now) for notice in new.values())
        return len(new)

    def claim(
        self, worker: str, now: datetime, until: datetime, batches: int, but: Collection[Channel] = ()
    ) -> list[list[Notice]]:
        free = (
            _N.c.state == WAITING,
            _N.c.due_at <= now,
            or_(_N.c.next_try_at.is_(None), _N.c.next_try_at <= now),
            or_(_N.c.leased_until.is_(None), _N.c.leased_until <= now),
            _N.c.channel.not_in([str(c) for c in but]),
        )
        first = func.min(_N.c.due_at)
        due = select(_N.c.batch).where(*free).group_by(_N.c.batch).order_by(first, _N.c.batch).limit(batches)
        with self._database.read() as session:  # mostly in vain: look without the writers' lock first
            if session.scalar(due) is None:
                return []
        with self._database.begin() as session:
            claimed = []
            for batch in list(session.scalars(due)):
                rows = list(session.scalars(select(NoticeRow).where(_N.c.batch == batch, *free)))
                for row in rows:
                    row.worker, row.leased_until = worker, until
                claimed.append(sorted(map(_notice, rows), key=lambda n: (n.at, n.id)))
            return [batch for batch in claimed if batch]

    def finish(
        self, ids: Sequence[str], worker: str, state: NoticeState, at: datetime, problem: str | None = None
    ) -> None:
        self._change(
            ids,
            worker,
            state=str(state),
            done_at=at,
            problem=problem,
            attempts=_N.c.attempts + 1,
            worker=None,
            leased_until=None,
            next_try_at=None,
        )

    def postpone(self, ids: Sequence[str], worker: str, next_try_at: datetime, problem: str) -> None:
        self._change(ids, worker, next_try_at=next_try_at, problem=problem, attempts=_N.c.attempts + 1, worker_=None)

    def defer(self, user: str, channel: Channel, until: datetime) -> None:
        where = (
            _N.c.user_name == user,
            _N.c.channel == str(channel),
            _N.c.state == WAITING,
            or_(_N.c.next_try_at.is_(None), _N.c.next_try_at < until),
        )
        with self._database.begin() as session:
            session.execute(update(_N).where(*where).values(next_try_at=until))

    def release(self, ids: Sequence[str], worker: str) -> None:
        self._change(ids, worker, worker_=None)

    def _change(self, ids: Sequence[str], of: str, **values: Any) -> None:
        if "worker_" in values:
            values.pop("worker_")
            values |= {"worker": None, "leased_until": None}
        with self._database.begin() as session:
            for names in _parts(ids):
                session.execute(update(_N).where(_N.c.id.in_(names), _N.c.worker == of).values(**values))

    def sent_since(self, user: str, channel: Channel, since: datetime) -> int:
        counted = select(func.count()).where(
            _N.c.user_name == user, _N.c.channel == str(channel), _N.c.created_at >= since, _N.c.batch == _N.c.id
        )
        with self._database.read() as session:
            return int(session.scalar(counted) or 0)

    def counts(self) -> list[Count]:
        query = select(_N.c.channel, _N.c.state, func.count(), func.min(_N.c.due_at)).group_by(_N.c.channel, _N.c.state)
        with self._database.read() as session:
            matches = [Count(Channel(c), NoticeState(s), int(n), oldest) for c, s, n, oldest in session.execute(query)]
        return sorted(matches, key=lambda c: (c.channel, c.state))

    def problems(self, most: int) -> list[tuple[Channel, str, int]]:
        number = func.count()
        query = (
            select(_N.c.channel, _N.c.problem, number)
            .where(_N.c.problem.is_not(None), _N.c.state.in_([WAITING, str(NoticeState.FAILED)]))
            .group_by(_N.c.channel, _N.c.problem)
            .order_by(number.desc(), _N.c.problem)
            .limit(most)
        )
        with self._database.read() as session:
            return [(Channel(c), problem, int(n)) for c, problem, n in session.execute(query)]

    def unaddressed(self, most: int) -> tuple[int, list[str]]:
        of = _N.c.state == str(NoticeState.UNADDRESSED)
        with self._database.read() as session:
            number = session.scalar(select(func.count(func.distinct(_N.c.user_name))).where(of))
            names = session.scalars(select(_N.c.user_name).where(of).distinct().order_by(_N.c.user_name).limit(most))
            return int(number or 0), sorted(names)

    def notices(self, user: str, limit: int) -> list[Notice]:
        query = select(NoticeRow).where(_N.c.user_name == user).order_by(_N.c.at.desc(), _N.c.id).limit(limit)
        with self._database.read() as session:
            return [_notice(row) for row in session.scalars(query)]

    def prune(self, before: datetime) -> int:
        with self._database.begin() as session:
            done: Any = session.execute(delete(_N).where(_N.c.done_at.is_not(None), _N.c.done_at < before))
            return int(done.rowcount)

    def preference(self, user: str) -> Preference | None:
        return self.preferences([user]).get(user)

    def preferences(self, users: Collection[str]) -> dict[str, Preference]:
        with self._database.read() as session:
            return {
                row.user: _preference(row)
                for names in _parts(users)
                for row in session.scalars(select(NoticePreferenceRow).where(NoticePreferenceRow.user.in_(names)))
            }

    def put_preference(self, preference: Preference) -> None:
        with self._database.begin() as session:
            session.merge(_preference_row(preference))


def _parts(names: Collection[str]) -> Iterator[list[str]]:
    every = list(names)
    return (every[at : at + _NAMES] for at in range(0, len(every), _NAMES))


def _row(notice: Notice, now: datetime) -> NoticeRow:
    values = {name: getattr(notice, name) for name in _FIELDS}
    values |= {name: str(values[name]) for name in ("channel", "topic", "state")} | {"data": dict(notice.data)}
    return NoticeRow(**values, created_at=now)


def _notice(row: NoticeRow) -> Notice:
    values = {name: getattr(row, name) for name in _FIELDS}
    values |= {"channel": Channel(row.channel), "topic": Topic(row.topic), "state": NoticeState(row.state)}
    return Notice(**values)


def _preference(row: NoticePreferenceRow) -> Preference:
    return Preference(
        user=row.user,
        channels=frozenset(map(Channel, row.channels)),
        off=frozenset(map(Topic, row.off)),
        digest=Digest(row.digest),
        at=row.at,
        zone=row.zone,
        chat_kind=ChatKind(row.chat_kind) if row.chat_kind else None,
        chat_sealed=row.chat_sealed,
        chat_host=row.chat_host,
        changed_at=row.changed_at,
    )


def _preference_row(of: Preference) -> NoticePreferenceRow:
    return NoticePreferenceRow(
        user=of.user,
        channels=sorted(map(str, of.channels)),
        off=sorted(map(str, of.off)),
        digest=str(of.digest),
        at=of.at,
        zone=of.zone,
        chat_kind=str(of.chat_kind) if of.chat_kind else None,
        chat_sealed=of.chat_sealed,
        chat_host=of.chat_host,
        changed_at=of.changed_at,
    )
