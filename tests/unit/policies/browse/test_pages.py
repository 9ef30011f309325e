"""Paging through a topic: every record once, each partition in its order, newest first, whatever its times are."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from catalog.errors import DatasetNotFound, InvalidInput, NotAllowed
from catalog.paths import FieldPath
from policies.browse.conditions import Filters, read_field
from policies.browse.cursors import NEWER, OLDER, Cursor, read_cursor
from policies.browse.previews import PREVIEW_BYTES, json_bytes
from policies.browse.service import Browser, RecordsQuery, rounded
from policies.gate import gate
from policies.model import DatasetFacts, Decision, Effect, Mask, Reason, RowFilter, Subject
from policies.plan.model import Batches, QueryPlan, Range, Result, ResultColumn, Window
from policies.plan.ports import QueryRecord, QueryTable
from policies.plan.settings import QuerySettings
from policies.query.service import GovernedQuery
from policies.sql.windows import AsOf
from tests.unit.policies.query.test_query import ANA, FACTS, ID, KEYS, TABLE, decided

PARTS = ("_partition", "_offset", "_timestamp", "_key", "_headers", "octet_length(_value)")
FIELDS = ("id", "amount", "note", "who", "user")


def moment(millis: int) -> str:
    return datetime.fromtimestamp(millis / 1000, UTC).isoformat()


@dataclass
class Topic:
    """A topic whose partitions begin at an offset and hold records with these times; also its query service's parts."""

    partitions: list[tuple[int, list[int]]]
    decision: Decision = field(default_factory=decided)
    value: object = "v"
    raw: bool = False
    audit: list[QueryRecord] = field(default_factory=list)
    plans: list[QueryPlan] = field(default_factory=list)

    def browser(self, sizes: int | None = None) -> Browser:
        query = GovernedQuery(self, self.decide, self, self, self, KEYS, QuerySettings())
        return Browser(query, self, lambda *_: sizes)

    def find(self, name: str) -> QueryTable:
        if name != "prod.orders":
            raise DatasetNotFound(name)
        return TABLE

    def facts(self, reference: str) -> DatasetFacts:
        return FACTS

    def decide(self, subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
        return self.decision

    def record(self, entry: QueryRecord) -> None:
        self.audit.append(entry)

    def window(self, kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
        if as_of.offsets:
            return Window(tuple(Range(p, a, a if b is None else b) for p, a, b in as_of.offsets))
        since = int(as_of.since.timestamp() * 1000) if as_of.since else None
        ranges = []
        for p, (begin, times) in enumerate(self.partitions):
            first = 0 if since is None else next((n for n, t in enumerate(times) if t >= since), len(times))
            ranges.append(Range(p, begin + first, begin + len(times)))
        return Window(tuple(ranges))

    def run(self, plan: QueryPlan) -> Result:
        """The records of the window, in the order that the statement asks for."""
        self.plans.append(plan)
        down = "DESC" in plan.sql
        placed: list[tuple[int, int, int, int]] = []
        for each in plan.tables[0].window.ranges:
            begin, times = self.partitions[each.partition]
            offsets = range(each.start, each.end)
            best: int | None = None
            for offset in reversed(offsets) if down else offsets:
                time = times[offset - begin]
                best = time if best is None else min(best, time) if down else max(best, time)
                placed.append((-best if down else best, each.partition, -offset if down else offset, time))
        raw = ["_value"] if self.raw else []
        names = [*PARTS, *raw, *FIELDS, "weir_placed_at"]
        if "weir_placed_at" not in plan.sql:
            names.pop()
        rows: list[list[Any]] = [
            [p, abs(offset), moment(time), "k", None, 7, *raw, self.value, 1, None, None, None, moment(time)][
                : len(names)
            ]
            for _, p, offset, time in sorted(placed)
        ]
        return Result(tuple(ResultColumn(n, "string") for n in names), rows[: plan.limit], len(rows) > plan.limit)

    def open(self, plan: QueryPlan) -> AbstractContextManager[Batches]:
        raise AssertionError("a page is one answer")

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        raise AssertionError("a page needs no analysis of its own")


def records(*partitions: list[int], begin: int = 5) -> Topic:
    return Topic([(begin, times) for times in partitions])


TIMES = st.lists(st.integers(1, 50), max_size=12)


@given(st.lists(TIMES, min_size=1, max_size=4), st.integers(1, 7), st.sampled_from(["newest", "oldest"]))
def test_pages_hold_every_record_once_and_keep_the_order_of_each_partition(
    partitions: list[list[int]], limit: int, order: str
) -> None:
    browser, cursor, seen = records(*partitions).browser(), None, []
    onward, back = ("older", "newer") if order == "newest" else ("newer", "older")
    for n in range(100):
        page: Any = browser.page(ANA, "prod/orders", RecordsQuery(order, limit=limit, cursor=cursor))
        assert len(page["records"]) <= limit
        assert (page[back] is None) == (n == 0)
        seen += [(r["partition"], r["offset"]) for r in page["records"]]
        cursor = page[onward]
        if cursor is None:
            break
    everything = {(p, 5 + n) for p, times in enumerate(partitions) for n in range(len(times))}
    assert len(seen) == len(set(seen)) and set(seen) == everything
    for p in range(len(partitions)):
        offsets = [o for q, o in seen if q == p]
        assert offsets == sorted(offsets, reverse=order == "newest")


@given(st.lists(TIMES.map(sorted), min_size=1, max_size=4), st.integers(1, 7))
def test_where_times_rise_pages_are_in_their_order_and_back_leads_back(partitions: list[list[int]], limit: int) -> None:
    browser = records(*partitions).browser()
    first = browser.page(ANA, "prod/orders", RecordsQuery(limit=limit))
    newest = sorted((t for times in partitions for t in times), reverse=True)
    assert [r["timestamp"] for r in first["records"]] == [moment(t) for t in newest[:limit]]
    if first["older"]:
        second = browser.page(ANA, "prod/orders", RecordsQuery(limit=limit, cursor=first["older"]))
        assert second["records"] and second["newer"]
        again = browser.page(ANA, "prod/orders", RecordsQuery(limit=limit, cursor=second["newer"]))
        assert {(r["partition"], r["offset"]) for r in again["records"]} <= {
            (r["partition"], r["offset"]) for r in first["records"]
        }


def test_places_to_begin_at() -> None:
    browser = records([10, 20, 30, 40], [15, 25, 35]).browser()

    def seen(**asked: Any) -> list[tuple[int, int]]:
        page: Any = browser.page(ANA, "prod/orders", RecordsQuery(**asked))
        return [(r["partition"], r["offset"]) for r in page["records"]]

    assert seen(order="oldest", offset=7, partition=0) == [(0, 7), (0, 8)]
    assert seen(offset=6, partition=0) == [(0, 6), (0, 5)]
    assert seen(order="oldest", time=datetime.fromtimestamp(0.025, UTC)) == [(1, 6), (0, 7), (1, 7), (0, 8)]
    assert seen(time=datetime.fromtimestamp(0.025, UTC)) == [(0, 6), (1, 5), (0, 5)]
    with pytest.raises(InvalidInput, match="no partition 9"):
        seen(partition=9)


def test_what_is_read_is_near_the_end_however_many_records_there_are() -> None:
    topic = records(list(range(200_000)), [])
    page = topic.browser().page(ANA, "prod/orders", RecordsQuery(limit=50))
    assert len(page["records"]) == 50
    assert topic.plans[0].tables[0].window.records <= 100
    assert page["searched"] == {"records": 50, "left": 199_950}


def test_large_records_are_read_a_few_at_a_time() -> None:
    topic = records(list(range(500)), list(range(500)))
    page = topic.browser(sizes=5 << 20).page(ANA, "prod/orders", RecordsQuery(limit=50))
    assert topic.plans[0].tables[0].window.records <= 6 and 1 <= len(page["records"]) <= 3


def test_a_large_record_comes_cut_and_marked_and_whole_where_it_is_asked_for() -> None:
    topic = records([1])
    topic.value = "x" * 5_000_000
    page = topic.browser().page(ANA, "prod/orders", RecordsQuery())
    (record,) = page["records"]
    assert record["cut"] and json_bytes(record["value"]) < PREVIEW_BYTES and record["shownBytes"] > 5_000_000
    topic.raw = True
    page = topic.browser().page(ANA, "prod/orders", RecordsQuery(whole=True, limit=1, offset=5, partition=0))
    whole: Any = page["records"][0]
    assert not whole["cut"] and len(whole["value"]["id"]) == 5_000_000 and whole["raw"] == "_value"


def test_who_may_not_read_gets_the_reasons_and_it_is_in_the_audit() -> None:
    topic = records([1, 2])
    topic.decision = Decision(ID, "prod/orders", Effect.DENY, reasons=(Reason("default", "deny", "request access"),))
    with pytest.raises(NotAllowed):
        topic.browser().page(ANA, "prod/orders", RecordsQuery())
    assert [(e.action, e.outcome) for e in topic.audit] == [("query", "deny")] and not topic.plans


def test_each_page_is_in_the_audit() -> None:
    topic = records([1, 2])
    topic.browser().page(ANA, "prod/orders", RecordsQuery())
    assert [(e.action, e.outcome) for e in topic.audit] == [("query", "allow"), ("query.end", "done")]


def test_a_mask_leaves_out_sizes_and_raw_values() -> None:
    topic = records([1])
    topic.decision = decided({"value.who.mail": Mask("MASK_HASH")})
    topic.browser().page(ANA, "prod/orders", RecordsQuery(whole=True))
    assert "octet_length" not in topic.plans[0].sql and "_value" not in topic.plans[0].sql.replace("weir_value", "")


def test_beside_a_row_filter_no_position_is_read_or_shown() -> None:
    topic = records([1, 2])
    topic.decision = decided(filters=(RowFilter("prod/orders", "amount > 1"),))
    for asked in (RecordsQuery(partition=0), RecordsQuery(offset=3), RecordsQuery(cursor=Cursor(OLDER, {0: 3}).text())):
        with pytest.raises(InvalidInput):
            topic.browser().page(ANA, "prod/orders", asked)
    assert not topic.plans
    page = topic.browser().page(ANA, "prod/orders", RecordsQuery())
    assert "OFFSETS" not in page["sql"] and page["searched"] is None and page["partitions"] is None
    assert "_offset" not in page["select"] and page["records"][0]["offset"] is None


@given(st.sampled_from([OLDER, NEWER]), st.dictionaries(st.integers(0, 1 << 30), st.integers(0, 1 << 61), max_size=50))
def test_cursors_come_back_as_they_were(direction: str, bounds: dict[int, int]) -> None:
    assert read_cursor(Cursor(direction, bounds).text()) == Cursor(direction, bounds)
    at = datetime(2026, 3, 1, 12, 0, 0, 123_000, UTC)
    assert read_cursor(Cursor(direction, at=at).text()) == Cursor(direction, at=at)


@given(st.text(max_size=60))
def test_any_other_cursor_is_refused(text: str) -> None:
    try:
        read_cursor(text)
    except InvalidInput as error:
        assert "cursor" in error.message


QUOTED = st.text(st.sampled_from("ab'\"\\`;-/*%\n ünß🙂"), min_size=1, max_size=12)


@given(QUOTED, QUOTED)
def test_filters_pass_the_gate_whatever_is_looked_for(text: str, value: str) -> None:
    topic = records([1])
    filters = Filters(text, key=value, fields=(read_field(f"value.who.name={value}"), read_field("value.amount!=1")))
    page = topic.browser().page(ANA, "prod/orders", RecordsQuery(filters=filters))
    literals = [str(each.this) for each in gate.check(page["sql"]).tree.find_all(exp.Literal) if each.is_string]
    assert value in literals and text.lower() in literals
    gate.check(page["follow"])


@pytest.mark.parametrize(
    ("text", "path", "value", "equal"),
    [
        ("value.a=b", "value.a", "b", True),
        ("value.a!=b", "value.a", "b", False),
        ("value.`x=y`=b=c", "value.`x=y`", "b=c", True),
        ("headers.trace=", "headers.trace", None, True),
        ('key=""', "key", "", True),
    ],
)
def test_filters_are_read(text: str, path: str, value: str | None, equal: bool) -> None:
    results = read_field(text)
    assert (results.path, results.value, results.equal) == (FieldPath.parse(path), value, equal)


@pytest.mark.parametrize("text", ["value.a", "=1", "nothing=1", ""])
def test_what_is_no_filter_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="PATH=VALUE"):
        read_field(text)


def test_fields_that_are_not_shown_or_not_there_are_refused() -> None:
    topic = records([1])
    topic.decision = decided(deny=("value.note",))
    for text in ("value.note=x", "value.nothing=x", "value.who=x", "value.amount.more=1"):
        with pytest.raises(InvalidInput):
            topic.browser().page(ANA, "prod/orders", RecordsQuery(filters=Filters(fields=(read_field(text),))))
    assert not topic.plans


@pytest.mark.parametrize("order", ["newest", "oldest"])
@pytest.mark.parametrize(
    "time",
    [
        datetime.max.replace(tzinfo=UTC),
        datetime(9995, 1, 1, tzinfo=UTC),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-5))),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=5))),
    ],
)
def test_a_page_by_time_begins_at_any_time_there_is(order: str, time: datetime) -> None:
    topic = Topic([(0, [1_000, 2_000])], decided(filters=(RowFilter("prod/orders", "amount > 0"),)))
    browser = topic.browser()
    page = browser.page(ANA, "prod/orders", RecordsQuery(order=order, time=time))
    assert isinstance(page["records"], list)
    if time.year == 9995:
        cursor = Cursor(NEWER, at=time).text()
        assert isinstance(browser.page(ANA, "prod/orders", RecordsQuery(cursor=cursor))["records"], list)


@given(st.integers(1, 1 << 24))
def test_the_size_of_records_is_rounded_before_it_counts(size: int) -> None:
    assert size <= rounded(size) < 2 * size and rounded(size).bit_count() == 1


def test_how_much_is_searched_does_not_show_the_largest_record() -> None:
    searched: list[Any] = [
        Topic([(0, list(range(400)))]).browser(size).page(ANA, "prod/orders", RecordsQuery(limit=500))["searched"]
        for size in (140_000, 200_000, 262_144)
    ]
    assert searched[0] == searched[1] == searched[2] and searched[0]["records"] < 400


def test_a_search_reads_few_records_first_and_the_rest_only_where_these_do_not_fill_the_page() -> None:
    topic = Topic([(0, list(range(20_000)))])
    page: Any = topic.browser(1).page(ANA, "prod/orders", RecordsQuery(filters=Filters(text="v"), limit=20))
    assert page["searched"]["records"] == 5_000 and [each.limit for each in topic.plans] == [20]


def test_a_search_that_finds_little_reads_the_whole_window() -> None:
    class Silent(Topic):
        def run(self, plan: QueryPlan) -> Result:
            result = super().run(plan)
            return Result(result.columns, [], False)

    topic = Silent([(0, list(range(20_000)))])
    page = topic.browser(1).page(ANA, "prod/orders", RecordsQuery(filters=Filters(text="zzz"), limit=20))
    assert page["searched"] == {"records": 20_000, "left": 0}
    assert [plan.tables[0].window.records for plan in topic.plans] == [5_000, 20_000]
    few = Silent([(0, list(range(900)))])
    few.browser(1).page(ANA, "prod/orders", RecordsQuery(filters=Filters(text="zzz"), limit=20))
    assert [plan.tables[0].window.records for plan in few.plans] == [900]
