"""Windows beside a row filter: what is read does not depend on the records that are hidden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import SqlRefused
from policies.adapters.kafka.offsets import allot
from policies.gate import gate
from policies.masks.keys import MaskKeys
from policies.model import RowFilter
from policies.plan.hidden_rows import HiddenRows, times
from policies.plan.model import Range, Window
from policies.plan.settings import QuerySettings
from policies.query.check import QueryCheck
from policies.query.service import GovernedQuery
from policies.sql.windows import AsOf
from tests.unit.policies.query.test_query import ANA, KEYS, World, decided

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
EVERY = "AS OF OFFSETS '0:0-1'"


def at(seconds: int) -> datetime:
    return EPOCH + timedelta(seconds=seconds)


@dataclass(frozen=True)
class Record:
    """A record that shows has a name, one that is hidden has none."""

    time: int
    name: int | None = None


@dataclass
class Topic:
    """`Offsets` over partitions, as Kafka answers: a time is the first record stamped then or later."""

    partitions: list[list[Record]]

    def window(self, kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
        def first(records: list[Record], moment: datetime | None, otherwise: int) -> int:
            if moment is None:
                return otherwise
            return next((n for n, each in enumerate(records) if at(each.time) >= moment), len(records))

        full = {
            p: (first(records, as_of.since, 0), first(records, as_of.until, len(records)))
            for p, records in enumerate(self.partitions)
        }
        full = {p: (start, max(start, end)) for p, (start, end) in full.items()}
        taken = allot({p: end - start for p, (start, end) in full.items()}, limit)
        ranges = tuple(
            Range(p, start, start + taken[p]) if as_of.earliest else Range(p, end - taken[p], end)
            for p, (start, end) in full.items()
        )
        return Window(ranges, all(taken[p] == end - start for p, (start, end) in full.items()))

    def read(self, window: Window, as_of: AsOf) -> list[int]:
        """The names of what a query would show of a window."""
        stored = [each for r in window.ranges for each in self.partitions[r.partition][r.start : r.end]]
        return sorted(each.name for each in stored if each.name is not None and _in(at(each.time), as_of))


def _in(moment: datetime, as_of: AsOf) -> bool:
    return (as_of.since is None or moment >= as_of.since) and (as_of.until is None or moment < as_of.until)


SECONDS = st.integers(0, 20)
WINDOWS = st.builds(
    lambda a, b, form: {
        "until": AsOf(until=at(a)),
        "both": AsOf(at(min(a, b)), at(max(a, b))),
        "earliest": AsOf(earliest=True),
        "newest": AsOf(),
    }[form],
    SECONDS,
    SECONDS,
    st.sampled_from(["until", "both", "both", "earliest", "newest"]),
)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.lists(SECONDS, max_size=10), WINDOWS)
def test_hidden_records_move_no_window(data: st.DataObject, stamps: list[int], as_of: AsOf) -> None:
    shown = [Record(time, name) for name, time in enumerate(stamps)]
    stores = []
    for store in ("a", "b"):
        records = list(shown)
        for time in data.draw(st.lists(SECONDS, max_size=12), label=store):
            records.insert(data.draw(st.integers(0, len(records))), Record(time))
        stores.append(Topic([records, [Record(3)] * data.draw(st.integers(0, 3))]))
    windows = [HiddenRows(topic, KEYS).window({}, "orders", as_of, 100) for topic in stores]
    first, second = (topic.read(window, as_of) for topic, window in zip(stores, windows, strict=True))
    assert first == second == sorted(r.name for r in shown if r.name is not None and _in(at(r.time), as_of))
    heads = [(window.complete, window.since, window.until) for window in windows]
    assert heads[0] == heads[1]


def test_positions_alone_would_tell() -> None:
    """What the property above rests on: a hidden record that came too early moves the end of a time."""
    alone, beside = (Topic([[Record(1, 0), *hidden, Record(2, 1)]]) for hidden in ([], [Record(9)]))
    asked = AsOf(until=at(5))
    assert alone.read(alone.window({}, "t", asked, 10), asked) != beside.read(beside.window({}, "t", asked, 10), asked)


@pytest.mark.parametrize("earliest", [False, True])
def test_one_more_hidden_record_moves_no_cut_window(earliest: bool) -> None:
    """At a cut the places are drawn: most new records move nothing, and a place shows no count."""
    asked, limit = AsOf(earliest=earliest), 1000
    ends = []
    for count in range(5000, 5400):
        topic = Topic([[Record(0)] * count])
        (window,) = HiddenRows(topic, KEYS).window({}, "t", asked, limit).ranges
        (exact,) = topic.window({}, "t", asked, limit).ranges
        assert window.start <= exact.start and window.end >= exact.end, "nothing that was asked for is left out"
        assert window.count <= limit + 2 * limit // 20
        ends.append(window.end if earliest else window.start)
    assert ends == sorted(ends)
    moved = [n for n in range(1, len(ends)) if ends[n] != ends[n - 1]]
    assert len(moved) <= 400 // 25 and (earliest or len(moved) >= 4)
    assert len({b - a for a, b in pairwise(moved)}) > 3 or earliest, "not by one step"
    other = HiddenRows(Topic([[Record(0)] * 5399]), MaskKeys(b"another secret of this installation"))
    assert earliest or other.window({}, "t", asked, limit).ranges[0].start != ends[-1]


def test_times_as_the_engine_reads_them() -> None:
    assert times(AsOf()) is None and times(AsOf(earliest=True)) is None
    assert times(AsOf(until=datetime(2026, 1, 2, 3, 4, 5, 678_901, UTC))) == (
        "coalesce(weir_timestamp < TIMESTAMP '2026-01-02 03:04:05.678', FALSE)"
    )
    assert times(AsOf(datetime(1, 1, 1, tzinfo=UTC), at(0))) == (
        "coalesce(weir_timestamp >= TIMESTAMP '0001-01-01 00:00:00.000'"
        " AND weir_timestamp < TIMESTAMP '2026-01-01 00:00:00.000', FALSE)"
    )


def service(world: World, **more: bool) -> GovernedQuery:
    world.settings = QuerySettings(**more)
    return world.service()


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT * FROM orders {EVERY}",
        f"SELECT (SELECT count(*) FROM prod.orders {EVERY}) AS n",
        f"WITH c AS (SELECT * FROM orders {EVERY}) SELECT * FROM c",
        f"SELECT o.id FROM orders o JOIN orders {EVERY} p ON o.id = p.id",
    ],
)
def test_offsets_are_refused_at_every_door_and_recorded(sql: str) -> None:
    world = World(decided(filters=(RowFilter("eu", "amount > 1"),)))
    query = service(world)
    check = QueryCheck(query.preparer, query.trail, world, query.settings)
    for door in (query.run, query.explain):
        with pytest.raises(SqlRefused, match="cannot be read by OFFSETS") as caught:
            door(ANA, sql)
        assert caught.value.details["reasons"] == ["positions"]
        assert world.entries[-1].outcome == "refused"
    with pytest.raises(SqlRefused, match="cannot be read by OFFSETS"), query.open(ANA, sql):
        pass
    (problem,) = check.check(ANA, sql).problems
    assert "cannot be read by OFFSETS" in problem.message


def test_offsets_where_nothing_is_hidden_or_the_setting_shows_them() -> None:
    assert service(World(decided())).run(ANA, f"SELECT * FROM orders {EVERY}").rows
    world = World(decided(filters=(RowFilter("eu", "amount > 1"),)))
    world.check = lambda plan: [("id", "string")]  # type: ignore[method-assign]
    shown = service(world, positions_beside_row_filters=True)
    window: Any = shown.explain(ANA, f"SELECT id FROM orders {EVERY}")["window"]
    assert window["tables"][0]["records"] == 5


def test_a_query_that_is_followed_ends_when_its_offsets_may_not_be_used_any_more() -> None:
    query = service(World())
    gated = gate.check(f"SELECT o.id FROM orders o JOIN prod.orders {EVERY} p ON o.id = p.id EMIT CHANGES")
    decisions = [decided()]
    preparer = query.preparer.deciding(lambda *_: decisions[-1])
    prepared = preparer.govern(gated, preparer.find(ANA, gated, None))
    assert preparer.again(ANA, None, prepared)
    decisions.append(decided(filters=(RowFilter("eu", "amount > 1"),)))
    with pytest.raises(SqlRefused, match="cannot be read by OFFSETS"):
        preparer.again(ANA, None, prepared)
