"""What several processes know of one another's queries: each publishes its own, and stops those that others ask it to stop.

A process alone publishes nothing. While none of its queries runs it only beats.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

import structlog

from catalog.errors import NotFound, Unavailable
from catalog.leases.holder import is_over, this_process
from catalog.leases.ports import Beats
from policies.model import Subject
from policies.plan.registry import RunningQueries
from policies.plan.seen_query import ENDED, SeenQuery

_log = structlog.get_logger("weir.queries")

BEAT_S = 10.0
"""Between two beats of a process, and two looks at those of others."""
LOOK_S = 0.5
"""Between two looks at what others ask to stop, and two publications, while a query runs."""
GONE_S = 35.0
"""A process without a beat for so long is gone, and its queries with it."""
_PREFIX = "api/"
_PATIENCE_S = 2 * LOOK_S
"""How long a query that another process began a moment ago may be unknown here."""
_STOP_HERE_S = 2.0
_STOP_S = 3.0
"""How long who cancels waits for the end of a query, of this process and of another."""
_STEP_S = 0.1
_ENDED_SHARED = 200


class QueryBoard(Protocol):
    """Queries of all processes, by (process, id), and requests to stop them. Each call raises Unavailable."""

    def publish(self, process: str, queries: Sequence[SeenQuery], gone: Collection[str]) -> None:
        """Add or replace queries of a process, and remove those with the ids `gone`."""
        ...

    def queries(self, processes: Collection[str], query_id: str | None = None) -> Sequence[tuple[str, SeenQuery]]:
        """(process, query) of such processes, or of them those with one id."""
        ...

    def ask_to_stop(self, process: str, query_id: str, why: str) -> None:
        """Have a process stop a query. `why` as in "was cancelled by ana"."""
        ...

    def take_stops(self, process: str) -> Mapping[str, str]:
        """Query id -> why, of what the process is asked to stop; each is given once."""
        ...

    def forget(self, process: str) -> None:
        """Remove all that is known of a process that ended."""
        ...


class AllQueries:
    """The queries of this process and of the others that answer requests. Safe for threads."""

    def __init__(
        self,
        here: RunningQueries,
        board: QueryBoard,
        beats: Beats,
        process: str | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        over: Callable[[str], bool] = is_over,
    ) -> None:
        """`over`: whether a process of this machine has ended."""
        self._here, self._board, self._beats = here, board, beats
        self._process = process or f"{_PREFIX}{secrets.token_hex(4)}/{this_process()}"
        self._monotonic, self._over = monotonic, over
        self._others: frozenset[str] = frozenset()
        self._seen: dict[str, tuple[int, float]] = {}
        self._published: dict[str, SeenQuery] = {}
        self._beaten = float("-inf")
        self._changed = threading.Event()
        self._ending = threading.Event()
        self._stepping = threading.Lock()
        self._thread: threading.Thread | None = None
        here.on_change = self._changed.set

    def start(self) -> None:
        """Publish and look in a thread until `close`."""
        self._thread = threading.Thread(target=self._run, name="weir-query-board", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread and take back what was published."""
        self._ending.set()
        self._changed.set()
        if self._thread is not None:
            self._thread.join(5)
            try:
                self._board.forget(self._process)
                self._beats.end(self._process)
            except Unavailable:
                _log.warning("queries_not_taken_back")

    def _run(self) -> None:
        away = False
        while not self._ending.is_set():
            try:
                active = self.step()
                away = False
            except Unavailable as error:
                active = False
                if not away:
                    _log.warning("queries_not_shared", message=error.message)
                away = True
            if active or away:
                self._ending.wait(LOOK_S)
            else:
                self._changed.wait(BEAT_S)

    def step(self) -> bool:
        """Beat where it is time, publish what changed, stop what others ask to stop. Whether there is more to do soon."""
        with self._stepping:
            self._changed.clear()
            if self._monotonic() - self._beaten >= BEAT_S:
                self.beat()
            if not self._others:
                return False
            self._publish()
            for query_id, why in self._board.take_stops(self._process).items():
                self._here.stop(query_id, why)
            return any(query.state != ENDED for query in self._published.values())

    def beat(self) -> None:
        """Show the others that this process lives, and look which of them do. Raises Unavailable."""
        now = self._monotonic()
        self._beats.beat(self._process)
        known = {name: n for name, n in self._beats.all().items() if name.startswith(_PREFIX) and name != self._process}
        self._seen = {
            name: before if (before := self._seen.get(name)) is not None and before[0] == number else (number, now)
            for name, number in known.items()
        }
        gone = {name for name, (_, at) in self._seen.items() if now - at >= GONE_S or self._over(_holder(name))}
        for name in gone:
            self._board.forget(name)
            self._beats.end(name)
        self._others = frozenset(self._seen.keys() - gone)
        self._beaten = now

    def _publish(self) -> None:
        known = [query.seen().to_share() for query in self._here.known()]
        ended = [query for query in known if query.state == ENDED][-_ENDED_SHARED:]
        present = {query.id: query for query in [*ended, *(q for q in known if q.state != ENDED)]}
        changed = [query for key, query in present.items() if self._published.get(key) != query]
        gone = self._published.keys() - present.keys()
        if changed or gone:
            self._board.publish(self._process, changed, gone)
        self._published = present

    def list(self, subject: Subject, everybody: bool = False) -> list[SeenQuery]:
        """The subject's own queries, or with `everybody` all, that wait, run or stream; the longest running first."""
        mine = [query.seen() for query in self._here.list(subject, everybody)]
        others = [query for _, query in self._elsewhere() if query.state != ENDED]
        theirs = [query for query in others if everybody or query.is_of(subject)]
        return sorted([*mine, *theirs], key=lambda query: query.since)

    def find(self, subject: Subject, query_id: str, everybody: bool = False) -> SeenQuery:
        """One's own query, or with `everybody` any, that lives or ended lately. Raises NotFound, Unavailable."""
        here = self._here.find(subject, query_id, everybody)
        if here is not None:
            return here.seen()
        match = self._awaited(subject, query_id, everybody)
        if match is None:
            raise NotFound(
                f"No query {query_id[:80]!r} of yours runs or ended lately; the audit knows older ones.",
                details={"id": query_id[:80]},
            )
        return match[1]

    def cancel(self, subject: Subject, query_id: str, everybody: bool = False) -> SeenQuery:
        """Stop one's own query, or with `everybody` any, and wait a little for its end; its state is how far that came.

        Raises NotFound for one that does not run (any more), Unavailable.
        """
        why = f"was cancelled by {subject.user}"
        if self._here.find(subject, query_id, everybody) is not None:
            stopped = self._here.stop(query_id, why)
            if stopped is not None:
                stopped.over.wait(_STOP_HERE_S)
                return stopped.seen()
        elif (match := self._awaited(subject, query_id, everybody)) is not None and match[1].state != ENDED:
            process, query = match
            self._board.ask_to_stop(process, query_id, why)
            return self._until_ended(process, query)
        raise NotFound(
            f"No query {query_id[:80]!r} of yours runs; GET /api/v1/queries lists those that do.",
            details={"id": query_id[:80]},
        )

    def _elsewhere(self, query_id: str | None = None) -> Sequence[tuple[str, SeenQuery]]:
        others = self._others
        return self._board.queries(others, query_id) if others else ()

    def _awaited(self, subject: Subject, query_id: str, everybody: bool) -> tuple[str, SeenQuery] | None:
        """A query of another process, which may be about to publish it."""
        until = time.monotonic() + _PATIENCE_S
        while True:
            match = [each for each in self._elsewhere(query_id) if everybody or each[1].is_of(subject)]
            if match:
                return min(match, key=lambda each: each[1].state == ENDED)
            if not self._others or time.monotonic() >= until:
                return None
            self._ending.wait(_STEP_S)

    def _until_ended(self, process: str, query: SeenQuery) -> SeenQuery:
        until = time.monotonic() + _STOP_S
        while query.state != ENDED and time.monotonic() < until:
            self._ending.wait(_STEP_S)
            query = next((each for _, each in self._board.queries([process], query.id)), query)
        return query


def _holder(name: str) -> str:
    """The process in the form of `catalog.leases.holder`, behind the prefix and the number of the register."""
    return name.split("/", 2)[-1]
