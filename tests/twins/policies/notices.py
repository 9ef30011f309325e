"""Notices and preferences in memory, for fast tests: every promise of `NoticeStore` but durability."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from policies.notify.notices import Channel, Count, Notice, NoticeState, Preference


class MemoryNoticeStore:
    """`NoticeStore`."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._notices: dict[str, Notice] = {}
        self._created: dict[str, datetime] = {}
        self._leases: dict[str, tuple[str, datetime]] = {}
        self._preferences: dict[str, Preference] = {}
        self._lock = threading.RLock()

    def add(self, notices: Sequence[Notice]) -> int:
        with self._lock:
            new = {n.id: n for n in notices if n.id not in self._notices}
            self._notices |= new
            self._created |= dict.fromkeys(new, self._clock())
            return len(new)

    def claim(
        self, worker: str, now: datetime, until: datetime, batches: int, but: Collection[Channel] = ()
    ) -> list[list[Notice]]:
        with self._lock:
            free: dict[str, list[Notice]] = defaultdict(list)
            for n in self._notices.values():
                lease = self._leases.get(n.id)
                due = n.state is NoticeState.WAITING and n.due_at <= now and (n.next_try_at or now) <= now
                if due and n.channel not in but and (lease is None or lease[1] <= now):
                    free[n.batch].append(n)
            order = sorted(free, key=lambda batch: (min(n.due_at for n in free[batch]), batch))[:batches]
            for batch in order:
                self._leases |= {n.id: (worker, until) for n in free[batch]}
            return [sorted(free[batch], key=lambda n: (n.at, n.id)) for batch in order]

    def finish(
        self, ids: Sequence[str], worker: str, state: NoticeState, at: datetime, problem: str | None = None
    ) -> None:
        self._change(ids, worker, 1, state=state, done_at=at, problem=problem, next_try_at=None)

    def postpone(self, ids: Sequence[str], worker: str, next_try_at: datetime, problem: str) -> None:
        self._change(ids, worker, 1, next_try_at=next_try_at, problem=problem)

    def defer(self, user: str, channel: Channel, until: datetime) -> None:
        with self._lock:
            for n in list(self._notices.values()):
                waits = n.user == user and n.channel is channel and n.state is NoticeState.WAITING
                if waits and (n.next_try_at is None or n.next_try_at < until):
                    self._notices[n.id] = replace(n, next_try_at=until)

    def release(self, ids: Sequence[str], worker: str) -> None:
        self._change(ids, worker, 0)

    def _change(self, ids: Sequence[str], worker: str, attempts: int, **values: Any) -> None:
        with self._lock:
            for each in ids:
                if self._leases.get(each, ("",))[0] == worker:
                    del self._leases[each]
                    notice = self._notices[each]
                    self._notices[each] = replace(notice, attempts=notice.attempts + attempts, **values)

    def sent_since(self, user: str, channel: Channel, since: datetime) -> int:
        return sum(
            n.user == user and n.channel is channel and self._created[n.id] >= since and n.batch == n.id
            for n in self._notices.values()
        )

    def counts(self) -> list[Count]:
        of: dict[tuple[Channel, NoticeState], list[datetime]] = defaultdict(list)
        for n in self._notices.values():
            of[n.channel, n.state].append(n.due_at)
        return [Count(*key, len(times), min(times)) for key, times in sorted(of.items())]

    def problems(self, most: int) -> list[tuple[Channel, str, int]]:
        ends = (NoticeState.WAITING, NoticeState.FAILED)
        counts = Counter((n.channel, n.problem) for n in self._notices.values() if n.problem and n.state in ends)
        matches = [(channel, str(problem), number) for (channel, problem), number in counts.items()]
        return sorted(matches, key=lambda each: (-each[2], each[1]))[:most]

    def unaddressed(self, most: int) -> tuple[int, list[str]]:
        users = sorted({n.user for n in self._notices.values() if n.state is NoticeState.UNADDRESSED})
        return len(users), users[:most]

    def notices(self, user: str, limit: int) -> list[Notice]:
        own = sorted((n for n in self._notices.values() if n.user == user), key=lambda n: n.id)
        return sorted(own, key=lambda n: n.at, reverse=True)[:limit]

    def prune(self, before: datetime) -> int:
        with self._lock:
            ids = [n.id for n in self._notices.values() if n.done_at is not None and n.done_at < before]
            for each in ids:
                del self._notices[each]
            return len(ids)

    def preference(self, user: str) -> Preference | None:
        return self._preferences.get(user)

    def preferences(self, users: Collection[str]) -> dict[str, Preference]:
        return {user: self._preferences[user] for user in users if user in self._preferences}

    def put_preference(self, preference: Preference) -> None:
        self._preferences[preference.user] = preference
