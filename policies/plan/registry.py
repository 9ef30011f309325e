"""The queries that wait, run or stream just now in this process.

Entries live as long as their query; what ended is in the audit.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from cachetools import LRUCache

from catalog.errors import Conflict, InvalidInput, LimitExceeded, WeirError
from policies.decision.agents import stated_purpose
from policies.model import OnUnreadable, RecordWindow, Subject
from policies.plan.cancellation import Stop
from policies.plan.seen_query import ENDED, QUEUED, RUNNING, STOPPING, STREAMING, SeenQuery, is_of
from policies.plan.settings import QuerySettings
from policies.plan.unreadable import UnreadableReport

_ENDED_KEPT = 1000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}\Z")
GONE = "was stopped, because the one who asked went away"


@dataclass(slots=True)
class Running:
    """One query while it lives.

    state    queued | running | streaming | ended; `shown` is stopping from when it was stopped until the engine has ended it
    rows, bytes  what has gone out so far
    partial      a limit cut the answer; problem: the code of the error that ended it
    progress     share of the engine's work that is done, 0..1; None before the engine reported it, some two seconds
    on_unreadable  what the one who asked wants of values that do not fit; None: what the settings name
    left_out     {kind, text} of what the answer leaves out, once it is over
    window       which records of a topic are read where the query names no window
    report       what was counted of such values
    whole        False while an answer is being sent, until its last byte was made
    signed_in    gives who asks as they are now: groups, roles; raises NotSignedIn when the token or the user is gone
    message      the sentence of the error that ended it
    agent        id of the token of the agent that asked
    """

    id: str
    user: str
    sql: str
    purpose: str | None
    stop: Stop
    state: str = QUEUED
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    begun: float = field(default_factory=time.monotonic)
    finished: float | None = None
    rows: int = 0
    bytes: int = 0
    datasets: tuple[str, ...] = ()
    progress: float | None = None
    partial: bool = False
    whole: bool = True
    problem: str | None = None
    on_unreadable: OnUnreadable | None = None
    window: RecordWindow = RecordWindow.NEWEST
    left_out: Sequence[Mapping[str, Any]] = ()
    report: UnreadableReport = field(default_factory=UnreadableReport)
    signed_in: Callable[[], Subject] | None = None
    message: str | None = None
    over: threading.Event = field(default_factory=threading.Event)
    agent: str | None = None

    def is_of(self, subject: Subject) -> bool:
        """Whether the subject asked."""
        return is_of(self.user, self.agent, subject)

    def now(self, subject: Subject) -> Subject:
        """Who asks, as they are now; `subject` where that is not known. Raises NotSignedIn."""
        return self.signed_in() if self.signed_in is not None else subject

    def ended_by(self, error: WeirError) -> None:
        """Note what ended it before its time."""
        self.problem, self.message = error.code, error.message

    @property
    def seconds(self) -> float:
        """How long it has lasted, or lasted until it ended."""
        return round((self.finished or time.monotonic()) - self.begun, 3)

    @property
    def shown(self) -> str:
        """The state as it is for who looks."""
        return STOPPING if self.stop.stopped and self.state in (RUNNING, STREAMING) else self.state

    def advance(self, share: float) -> None:
        """Note which share of its work is done, 0..1; what was reached is not taken back."""
        self.progress = max(self.progress or 0.0, round(min(share, 1.0), 3))

    def seen(self) -> SeenQuery:
        """The query as it is now."""
        return SeenQuery(
            id=self.id,
            user=self.user,
            agent=self.agent,
            sql=self.sql,
            purpose=self.purpose,
            state=self.shown,
            since=self.since,
            seconds=self.seconds,
            rows=self.rows,
            bytes=self.bytes,
            datasets=self.datasets,
            progress=self.progress,
            partial=self.partial,
            whole=self.whole,
            problem=self.problem,
            message=self.message,
            left_out=tuple((str(each["kind"]), str(each["text"])) for each in self.left_out),
            unreadable=None if self.report.counts is None else dict(self.report.counts),
            unreadable_text=self.report.text,
        )


class RunningQueries:
    """The register. Safe for threads."""

    def __init__(self, settings: QuerySettings) -> None:
        self._settings = settings
        self._all: dict[str, Running] = {}
        self._ended: LRUCache[str, Running] = LRUCache(_ENDED_KEPT)
        self._lock = threading.Lock()
        self.on_change: Callable[[], None] = lambda: None
        """Called, on any thread, after a query began or ended."""

    def begin(
        self, subject: Subject, sql: str, purpose: str | None, query_id: str | None = None, *, streaming: bool = False
    ) -> Running:
        """A new entry; the caller must `end` it.

        Raises InvalidInput for an id that cannot be one, Conflict for one that runs already, LimitExceeded for one
        stream too many.
        """
        if query_id is not None and not _ID.match(query_id):
            raise InvalidInput(
                f"The query id {query_id[:80]!r} cannot be used; take up to 64 letters, digits and . _ : -",
                details={"field": "queryId"},
            )
        chosen = query_id or "q-" + secrets.token_hex(8)
        running = Running(
            id=chosen,
            user=subject.user,
            sql=sql,
            purpose=stated_purpose(subject, purpose),
            agent=subject.agent.token if subject.agent is not None else None,
            stop=Stop(chosen),
            state=STREAMING if streaming else QUEUED,
        )
        with self._lock:
            if chosen in self._all:
                raise Conflict(
                    f"A query with the id {chosen} runs already; choose another id, or none.", details={"id": chosen}
                )
            if streaming:
                self._room_for_a_stream(subject.user)
            self._all[chosen] = running
        self.on_change()
        return running

    def _room_for_a_stream(self, user: str) -> None:
        streams = [each for each in self._all.values() if each.state == STREAMING]
        mine = sum(1 for each in streams if each.user == user)
        if mine >= self._settings.streams_per_subject:
            raise LimitExceeded(
                f"{mine} of your push queries run already; end one first.", details={"limit": "streams_per_subject"}
            )
        if len(streams) >= self._settings.streams:
            raise LimitExceeded("All places for push queries are taken.", details={"limit": "streams"})

    def stop_all(self, user: str, why: str, error: WeirError | None = None) -> int:
        """Stop every query of a user, whatever the capitals of the name; how many. `why` as in "was cancelled by ana"."""
        with self._lock:
            theirs = [each for each in self._all.values() if each.user.casefold() == user.casefold()]
        return sum(each.stop.stop(why, error) for each in theirs)

    def stop_agent(self, token: str, why: str, error: WeirError | None = None) -> int:
        """Stop every query of an agent, by the id of its token; how many."""
        with self._lock:
            theirs = [each for each in self._all.values() if each.agent == token]
        return sum(each.stop.stop(why, error) for each in theirs)

    def counts(self) -> tuple[int, int]:
        """(queries that wait for their answer, push queries that are open)."""
        with self._lock:
            streams = sum(each.state == STREAMING for each in self._all.values())
            return len(self._all) - streams, streams

    def busy(self) -> bool:
        """Whether a query waits for its answer; push queries do not count."""
        with self._lock:
            return any(each.state != STREAMING for each in self._all.values())

    def following(self, sql: str) -> int:
        """How many push queries with this text run."""
        with self._lock:
            return sum(each.state == STREAMING and each.sql == sql for each in self._all.values())

    def end(self, running: Running) -> None:
        with self._lock:
            if self._all.pop(running.id, None) is None:
                return
            running.state, running.finished = ENDED, time.monotonic()
            running.over.set()
            self._ended[running.id] = running
        self.on_change()

    @contextlib.contextmanager
    def during(self, subject: Subject, sql: str, purpose: str | None, query_id: str | None = None) -> Iterator[Running]:
        """An entry for as long as the block lasts. Raises as `begin`."""
        running = self.begin(subject, sql, purpose, query_id)
        try:
            yield running
        finally:
            self.end(running)

    def list(self, subject: Subject, everybody: bool = False) -> list[Running]:
        """The subject's own queries, or with `everybody` all, the longest running first."""
        with self._lock:
            queries = [each for each in self._all.values() if everybody or each.is_of(subject)]
        return sorted(queries, key=lambda each: each.begun)

    def known(self) -> Sequence[Running]:
        """Every query that lives or ended lately."""
        with self._lock:
            return [*self._ended.values(), *self._all.values()]

    def find(self, subject: Subject, query_id: str, everybody: bool = False) -> Running | None:
        """One's own query, or with `everybody` any, that lives or ended lately."""
        with self._lock:
            query = self._all.get(query_id) or self._ended.get(query_id)
        return query if query is not None and (everybody or query.is_of(subject)) else None

    def stop(self, query_id: str, why: str) -> Running | None:
        """Stop a query; it ends a little later. None for one that does not run (any more). `why` as in "was cancelled by
        ana"."""
        with self._lock:
            query = self._all.get(query_id)
        if query is not None:
            query.stop.stop(why)
        return query
