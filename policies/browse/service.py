"""A page of records of one topic, for one subject: read next to a place by offsets, never from the beginning.

    table -> decision -> ranges of offsets (or of times, where positions are withheld) -> SQL -> `GovernedQuery.run` -> page

Nothing here shows a value that the query did not: filters are conditions of that query, on what the asker sees.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from cachetools import TTLCache

from catalog.errors import InvalidInput
from policies.browse import pages, statements
from policies.browse.asking import Ask
from policies.browse.conditions import Filters, system
from policies.browse.cursors import NEWER, OLDER, Cursor, read_cursor
from policies.browse.needles import needle
from policies.browse.ranges import clamped, left_over, page_ranges
from policies.browse.skipping import Skipped, Skipping, TextScan, no_scan
from policies.decision.agents import most_rows, stated_purpose
from policies.model import Effect, Subject
from policies.plan.cancellation import Stop
from policies.plan.model import Range
from policies.plan.ports import Offsets, QueryTable
from policies.plan.views import GovernedTable
from policies.query.result import QueryAnswer
from policies.query.service import GovernedQuery
from policies.sql.names import name_sql
from policies.sql.windows import NEWEST, AsOf

EVERYTHING = 1 << 62
MOST_RECORDS = 500
_READ_RECORDS = 5_000
"""Offsets of a page without filters: as many as Weir reads itself, see `QuerySettings.small_window_records`."""
_READ_BYTES = 32 << 20
_ANSWER_BYTES = 16 << 20
_SEARCH_BYTES = 512 << 20
_SIZES_KEPT_S = 300.0
_TIES = 4
"""A page by time holds every record of its last millisecond, up to so many times the limit."""


Sizes = Callable[[Mapping[str, str], str, Sequence[Range], Stop], int | None]
"""Bytes of the largest of the records in a few ranges of a topic, given a client's settings; None where it is not known."""


def no_sizes(kafka: Mapping[str, str], topic: str, ranges: Sequence[Range], stop: Stop) -> int | None:
    """Where records cannot be looked at beforehand."""
    return None


@dataclass(frozen=True, slots=True)
class RecordsQuery:
    """order      newest | oldest: which records come first
    partition  only this one
    offset, time  where to begin: at the offset of each partition, or at the first record stamped so or later
    cursor     `older` or `newer` of a page; it goes before offset and time
    whole      records uncut, with the value as it was sent for those who may see all of it
    """

    order: str = "newest"
    partition: int | None = None
    offset: int | None = None
    time: datetime | None = None
    cursor: str | None = None
    filters: Filters = field(default_factory=Filters)
    limit: int = 50
    whole: bool = False


class Browser:
    """The service behind `GET /datasets/{namespace}/{name}/records`. Safe for threads."""

    def __init__(
        self,
        query: GovernedQuery,
        offsets: Offsets,
        sizes: Sizes = no_sizes,
        scan: TextScan = no_scan,
    ) -> None:
        self._query, self._offsets, self._sizes, self._scan = query, offsets, sizes, scan
        self._known: TTLCache[str, int] = TTLCache(10_000, _SIZES_KEPT_S)
        self._lock = threading.Lock()

    def page(
        self,
        subject: Subject,
        reference: str,
        asked: RecordsQuery,
        purpose: str | None = None,
        stop: Stop | None = None,
        signed_in: Callable[[], Subject] | None = None,
    ) -> pages.RecordsPage:
        """`reference`: CLUSTER/TOPIC.

        Raises NotAllowed (details: reasons), DatasetNotFound, InvalidInput, and what queries raise.
        """
        stop, purpose = stop or Stop(), stated_purpose(subject, purpose)
        most = most_rows(subject, asked.limit * _TIES)
        asked = replace(asked, limit=min(asked.limit, most))
        ask = Ask(self._query, subject, purpose, stop, signed_in)
        self._query.trail.purpose(subject, purpose, "query")
        name = _table_name(reference)
        table = self._query.preparer.table(name, subject)
        decision = self._query.preparer.decide(subject, table, purpose)
        sql_name = ".".join(name_sql(part) for part in reference.split("/", 1))
        if decision.effect is not Effect.ALLOW:
            ask.run(f"SELECT * FROM {sql_name} LIMIT 1", 1)  # raises what the decision is, and leaves it in the audit
        view = self._query.preparer.view(table, decision)
        if system(view, "_timestamp") is None:
            raise InvalidInput(
                f"{reference} has a field of its own that is named _timestamp, so its records cannot be put in order here;"
                " query it with SQL.",
                details={"dataset": reference},
            )
        words = statements.Words(sql_name, view, asked.filters)
        by_offsets = view.positions and all(system(view, each) is not None for each in ("_partition", "_offset"))
        if not by_offsets:
            return self._by_time(ask, words, view, asked, most)
        return self._by_offsets(ask, words, view, asked)

    def _by_offsets(
        self, ask: Ask, words: statements.Words, view: GovernedTable, asked: RecordsQuery
    ) -> pages.RecordsPage:
        table = view.table
        edges = self._edges(table, asked.partition)
        direction, bounds = self._begin(table, edges, asked)
        size = self._size(table, edges, ask.stop)
        limit = max(1, min(asked.limit, _ANSWER_BYTES // size))
        skipped = self._skipped(view, asked, bounds, edges, direction, limit, size, ask.stop)
        bounds = skipped.bounds
        ranges, answer = self._read(ask, words, asked, bounds, edges, direction, limit, size, skipped.known)
        page = pages.read(answer, words.parts(asked.whole), view, asked.whole)
        after, before = pages.bounds_after(
            page, bounds, ranges, direction, len(page.records) < limit and not answer.partial
        )
        behind = left_over(after, edges, direction)
        cursors = {
            direction: Cursor(direction, after).text() if behind else None,
            _other(direction): Cursor(_other(direction), before).text()
            if left_over(before, edges, _other(direction))
            else None,
        }
        if (direction == NEWER) == (asked.order == "newest"):
            page.records.reverse()
        return pages.page_json(
            page,
            answer,
            view,
            asked.order,
            cursors,
            searched={"records": skipped.records + sum(r.count for r in ranges), "left": behind},
            edges=edges,
            sql=words.as_query(asked.limit),
            follow=words.followed(),
        )

    def _read(
        self,
        ask: Ask,
        words: statements.Words,
        asked: RecordsQuery,
        bounds: Mapping[int, int],
        edges: Sequence[Range],
        direction: str,
        limit: int,
        size: int,
        known: bool,
    ) -> tuple[tuple[Range, ...], QueryAnswer]:
        """The records of a page, and the offsets that were read for it. With filters first as few as Weir reads itself, and
        the rest only where these do not fill the page, and it is not `known` that these are the ones to read."""
        settings = self._query.settings
        stages = [(max(1, min(_READ_RECORDS, limit * len(edges), _READ_BYTES // size)), limit)]
        if asked.filters:
            whole = max(limit, min(settings.window_records, _SEARCH_BYTES // size))
            few = self._few(limit, size)
            stages = [(each, each) for each in ({few} if known else sorted({min(few, whole), whole}))]
        ranges: tuple[Range, ...] = ()
        answer: QueryAnswer | None = None
        for budget, most in stages:
            before, ranges = ranges, page_ranges(bounds, edges, direction, budget, most)
            if answer is not None and ranges == before:
                break
            answer = ask.run(words.page_by_offsets(ranges, edges, direction, len(edges) == 1, asked.whole), limit)
            if len(answer.rows) >= limit or answer.truncated:
                break
        assert answer is not None
        return ranges, answer

    def _few(self, limit: int, size: int) -> int:
        """Offsets that Weir reads itself, see `QuerySettings.small_window_records`; a page at least."""
        settings = self._query.settings
        return max(limit, min(settings.small_window_records, settings.small_window_bytes // size))

    def _skipped(
        self,
        view: GovernedTable,
        asked: RecordsQuery,
        bounds: dict[int, int],
        edges: Sequence[Range],
        direction: str,
        limit: int,
        size: int,
        stop: Stop,
    ) -> Skipped:
        """Where a search for a text begins to read: behind the records that cannot hold it, where that can be known."""
        sought = needle(asked.filters, view)
        if sought is None:
            return Skipped(bounds)
        skipping = Skipping(self._scan, view.table, edges, direction, self._few(limit, size), stop)
        return skipping.skipped(bounds, sought)

    def _by_time(
        self, ask: Ask, words: statements.Words, view: GovernedTable, asked: RecordsQuery, most: int
    ) -> pages.RecordsPage:
        """For who sees some of the rows: which offsets are read, and how many, would count the others."""
        if asked.partition is not None or asked.offset is not None:
            raise InvalidInput(
                f"You see some rows of {view.table.reference} only, so it cannot be read by partition or offset, which"
                " would count the others; choose a time.",
                details={"field": "partition" if asked.partition is not None else "offset"},
            )
        cursor = read_cursor(asked.cursor) if asked.cursor else None
        if cursor is not None and cursor.bounds is not None:
            raise _foreign_cursor()
        direction = cursor.direction if cursor else OLDER if asked.order == "newest" else NEWER
        at = cursor.at if cursor else asked.time
        sql = words.page_by_time(at, direction, asked.limit, asked.whole)
        answer = ask.run(sql, most)
        page = pages.read(answer, words.parts(asked.whole), view, asked.whole)
        complete = all(each["complete"] for each in answer.window["tables"])
        more = len(page.records) >= asked.limit or not complete
        last = page.records[-1]["timestamp"] if page.records else None
        cursors = pages.cursors_by_time(direction, at, last, more)
        if answer.truncated and last is not None:
            answer.notes.append(f"More records are stamped {last} than a page holds; ask for more with a higher limit.")
        if (direction == NEWER) == (asked.order == "newest"):
            page.records.reverse()
        return pages.page_json(
            page,
            answer,
            view,
            asked.order,
            cursors,
            searched=None,
            edges=None,
            sql=words.as_query(asked.limit),
            follow=words.followed(),
        )

    def _edges(self, table: QueryTable, partition: int | None) -> tuple[Range, ...]:
        """First and last offsets of the partitions that are read."""
        results = self._offsets.window(table.kafka, table.topic, NEWEST, EVERYTHING).ranges
        if partition is None:
            return results
        chosen = tuple(each for each in results if each.partition == partition)
        if not chosen:
            raise InvalidInput(
                f"{table.reference} has no partition {partition}; its partitions are 0 to {len(results) - 1}.",
                details={"field": "partition"},
            )
        return chosen

    def _begin(self, table: QueryTable, edges: Sequence[Range], asked: RecordsQuery) -> tuple[str, dict[int, int]]:
        if asked.cursor:
            cursor = read_cursor(asked.cursor)
            if cursor.bounds is None:
                raise _foreign_cursor()
            return cursor.direction, clamped(cursor.bounds, edges, cursor.direction)
        direction = OLDER if asked.order == "newest" else NEWER
        bounds: dict[int, int] = {}
        if asked.offset is not None:
            at = asked.offset + (1 if direction == OLDER else 0)
            bounds = {e.partition: at for e in edges}
        elif asked.time is not None:
            results = self._offsets.window(table.kafka, table.topic, AsOf(since=asked.time), EVERYTHING)
            bounds = {r.partition: r.start for r in results.ranges}
        return direction, clamped(bounds, edges, direction)

    def _size(self, table: QueryTable, edges: Sequence[Range], stop: Stop) -> int:
        """Bytes of a large record of the topic: how many are read at once depends on it."""
        with self._lock:
            size = self._known.get(table.reference)
        if size is None:
            newest = [Range(e.partition, e.end - 1, e.end) for e in edges if e.count][:16]
            size = self._sizes(table.kafka, table.topic, newest, stop) if newest else None
            if size is None:
                return 1
            with self._lock:
                self._known[table.reference] = size
        return rounded(size)


def rounded(size: int) -> int:
    """The next power of two: how many records are read at once shows no more of their sizes."""
    return 1 << max(0, size - 1).bit_length()


def _table_name(reference: str) -> str:
    cluster, _, topic = reference.partition("/")
    return f"{cluster}.{topic}"


def _other(direction: str) -> str:
    return NEWER if direction == OLDER else OLDER


def _foreign_cursor() -> InvalidInput:
    return InvalidInput(
        "What you may see of these records is not what it was when the cursor was given; begin at the newest record.",
        details={"field": "cursor"},
    )
