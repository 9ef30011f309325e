"""Push queries: the governed view over each batch of new records, decided again before each batch.

A query that aggregates is answered over all records since it began, see `query_changes`; other topics of a query are
read as they are at the time of each batch.

What was read goes out on a beat that does not depend on it: batches are computed on a thread of their own, and the
events are handed on at the next beat. Else the gaps between events would count the records that a row filter hides.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from catalog.errors import WeirError
from policies.plan import explain
from policies.plan.answer_parts import AnswerColumn
from policies.plan.cancellation import Stop
from policies.plan.model import Range, Result, Unreadable, Window
from policies.plan.ports import Offsets
from policies.plan.prepare import PreparedQuery, Preparer
from policies.plan.settings import QuerySettings
from policies.plan.unreadable import UnreadableReport
from policies.query.running_access import Access
from policies.query.stream_events import StreamEvent, ended
from policies.query.stream_state import StreamRecords
from policies.sql import live
from policies.sql.tables import TableRef
from policies.sql.windows import NEWEST

_EVERYTHING = 1 << 62
_LOOK_SECONDS = 0.2
_BEAT_SECONDS = 0.5
_IDLE_BEATS = 2
"""Beats without news after which `idle` is given."""
_AHEAD = 16
"""Events that are computed ahead of who takes them."""


@dataclass(slots=True)
class Beat:
    """Waits for the next of evenly spaced moments. One that was missed is left out, not made up for."""

    seconds: float = _BEAT_SECONDS
    _next: float = field(default_factory=time.monotonic)

    def wait(self) -> None:
        now = time.monotonic()
        self._next += self.seconds * max(1, 1 + (now - self._next) // self.seconds)
        time.sleep(max(0.0, self._next - now))


@dataclass(slots=True)
class Stream:
    """One push query of one subject."""

    access: Access
    preparer: Preparer
    offsets: Offsets
    run: Callable[[PreparedQuery, int], Result]
    header: Callable[[PreparedQuery, Result], list[AnswerColumn]]
    settings: QuerySettings
    report: Callable[[PreparedQuery, Unreadable | None], UnreadableReport]
    stop: Stop = field(default_factory=Stop)
    columns: list[AnswerColumn] | None = None
    """The columns that the follower has been given already."""
    beat: Beat = field(default_factory=Beat)
    _unfit: dict[str, Counter[str]] = field(default_factory=dict)
    _closed: threading.Event = field(default_factory=threading.Event)

    def follow(self, prepared: PreparedQuery) -> Iterator[StreamEvent]:
        """Events, at beats only, until access ends, the engine fails, or the caller closes the iterator."""
        news: queue.Queue[StreamEvent | BaseException] = queue.Queue(_AHEAD)
        threading.Thread(target=self._work, args=(prepared, news), name="weir-stream", daemon=True).start()
        silent = 0
        try:
            while True:
                self.beat.wait()
                messages = _taken(news)
                if self.stop.stopped:  # what was computed before access ended is not shown after
                    yield ended(self.stop.error())
                    return
                for each in messages:
                    if isinstance(each, BaseException):
                        raise each
                    yield each
                    if each["type"] == "end":
                        return
                silent = 0 if messages else silent + 1
                if silent == _IDLE_BEATS:
                    silent = 0
                    yield {"type": "idle"}
        except GeneratorExit:
            self.stop.stop("was ended, since nobody follows it any more")
            raise
        finally:
            self._closed.set()

    def _work(self, prepared: PreparedQuery, news: queue.Queue[StreamEvent | BaseException]) -> None:
        """Computes the events, and waits while too many of them are not taken."""
        try:
            for event in self._follow(prepared):
                self._hand(news, event)
        except WeirError as error:
            self._hand(news, ended(error))
        except BaseException as error:  # it is raised where the events are taken
            self._hand(news, error)

    def _hand(self, news: queue.Queue[StreamEvent | BaseException], event: StreamEvent | BaseException) -> None:
        while not self._closed.is_set():
            with contextlib.suppress(queue.Full):
                news.put(event, timeout=_LOOK_SECONDS)
                return

    def _follow(self, prepared: PreparedQuery) -> Iterator[StreamEvent]:
        shape = live.shape(prepared.gated.tree)
        ref = shape.source
        at = {r.partition: r.end for r in prepared.windows[ref].ranges}
        state = StreamRecords(shape, dict(at), self.settings) if shape.stateful else None
        sent = self.columns
        counted: Mapping[str, int] = {}
        decided = time.monotonic()
        while not self._closed.is_set():
            ranges = self._new(prepared, ref, at)
            if not ranges:
                if time.monotonic() - decided >= self.settings.recheck_seconds:
                    prepared, decided = self.access.again(prepared), time.monotonic()
                self._closed.wait(_LOOK_SECONDS)
                continue
            # What was revoked a moment ago is not read any more.
            prepared, decided = self.access.again(prepared), time.monotonic()
            if len(prepared.tables) > 1:
                self.preparer.look(prepared)
            ends = at | {r.partition: r.end for r in ranges}
            prepared.windows[ref] = Window(ranges) if state is None else state.window(ends)
            governed = prepared if state is None else state.governed(prepared)
            result = self.run(governed, self.settings.batch_records)
            if time.monotonic() - decided >= self.settings.recheck_seconds:
                now, decided = self.access.again(prepared), time.monotonic()
                if now.decisions != prepared.decisions:
                    prepared = now
                    continue  # what was computed under the old decision is not shown
            at = ends
            rows = result.rows if state is None else state.changed(result.rows)
            if state is not None:
                state.let_go(governed, self.offsets, self.run)
            header = self.header(prepared, result)
            if header != sent:
                sent = header
                yield {"type": "columns", "columns": header, "decision": explain.decision_json(prepared.decisions)}
            unfit = self._counted(governed, result, state is not None)
            if unfit.text is not None and unfit.counts != counted:
                counted = unfit.counts or {}
                yield {"type": "unreadable", "unreadable": counted, "text": unfit.text}
            if rows:
                yield {"type": "rows", "rows": rows, "truncated": result.truncated, "unreadable": counted}

    def _counted(self, prepared: PreparedQuery, result: Result, whole: bool) -> UnreadableReport:
        """Values that do not fit since the query began; `whole` = each answer is over all records anyway."""
        if whole:
            self._unfit.clear()
        for view, counts in (result.unreadable or {}).items():
            self._unfit.setdefault(view, Counter()).update(counts)
        return self.report(prepared, self._unfit)

    def _new(self, prepared: PreparedQuery, ref: TableRef, at: dict[int, int]) -> tuple[Range, ...]:
        """What arrived since, at most one batch; () when nothing did."""
        governed = prepared.tables[ref]
        latest = self.offsets.window(governed.table.kafka, governed.table.topic, NEWEST, _EVERYTHING)
        share = max(1, self.settings.batch_records // max(1, len(latest.ranges)))
        ranges = []
        for each in latest.ranges:
            # A partition that is new since the query began is read from its start.
            start = max(at.get(each.partition, each.start), each.start)
            ranges.append(Range(each.partition, start, max(start, min(each.end, start + share))))
        return tuple(r for r in ranges if r.count)


def _taken(news: queue.Queue[StreamEvent | BaseException]) -> list[StreamEvent | BaseException]:
    """What is there now."""
    messages = []
    with contextlib.suppress(queue.Empty):
        while True:
            messages.append(news.get_nowait())
    return messages
