"""Figures of a scan: volume from offsets, lateness, shares of fields."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from catalog.model import FieldProfile, ScanWindow, SchemaVersion
from catalog.quality.layout import extended, layout
from catalog.quality.measuring import Reach, flow, lateness, measured
from catalog.quality.series import MOST_SERIES, Measure, Series

NOW = datetime(2026, 3, 6, 14, tzinfo=UTC)
HOUR = timedelta(hours=1)


def window(*ends: int, **more: Any) -> ScanWindow:
    partitions = tuple(
        {"partition": n, "begin": 0, "end": end, "last": end - 1 if end else None} for n, end in enumerate(ends)
    )
    return ScanWindow(partitions, **{"records": 10, **more})


def test_volume_is_what_came_between_two_scans() -> None:
    first = flow(window(100, 50), NOW, None, False)
    assert first.rate is None
    second = flow(window(160, 90), NOW + 2 * HOUR, first.reach, False)
    assert second.rate == 50
    assert second.reach.span == 7200


def test_a_partition_that_is_new_or_gone_is_left_out_and_a_topic_made_anew_is_not_compared() -> None:
    before = flow(window(100), NOW, None, False).reach
    assert flow(window(150, 9000), NOW + HOUR, before, False).rate == 50
    assert flow(window(10), NOW + HOUR, before, False).rate is None
    assert flow(window(150), NOW + HOUR, before, True).rate is None  # compacted: offsets do not count what came
    assert flow(window(150), NOW - HOUR, before, False) == (flow(window(150), NOW, before, False))


def test_a_scan_soon_after_another_is_counted_by_the_next_one_and_a_long_pause_by_none() -> None:
    reach = Reach(NOW, {"0": 100}, 3600.0)
    soon = flow(window(110), NOW + timedelta(minutes=10), reach, False)
    assert (soon.rate, soon.reach.at) == (None, NOW)
    after = flow(window(200), NOW + HOUR, soon.reach, False)
    assert after.rate == 100
    pause = flow(window(1000), NOW + 9 * HOUR, reach, False)
    assert (pause.rate, pause.reach.at) == (None, NOW + 9 * HOUR)


@given(
    st.lists(st.integers(0, 10**12), min_size=1, max_size=5), st.lists(st.integers(0, 10**9), min_size=5, max_size=5)
)
def test_volume_is_never_negative_and_sums_to_what_came(ends: list[int], more: list[int]) -> None:
    reach, at, came = flow(window(*ends), NOW, None, False).reach, NOW, 0.0
    for each in more:
        at += HOUR
        ends = [ends[0] + each, *ends[1:]]
        flowed = flow(window(*ends), at, reach, False)
        assert flowed.rate is not None and flowed.rate >= 0
        came, reach = came + flowed.rate, flowed.reach
    assert round(came) == sum(more)


def test_lateness_is_known_where_the_newest_records_were_read() -> None:
    newest = "2026-03-06T13:59:00Z"
    schema = SchemaVersion({}, (), window=window(100, 0))
    assert lateness(schema, newest, NOW) == 60
    assert lateness(schema, None, NOW) is None
    assert lateness(schema, "2026-03-06T15:00:00Z", NOW) is None
    early = ScanWindow(({"partition": 0, "begin": 0, "end": 100, "last": 50},), 10)
    assert lateness(SchemaVersion({}, (), window=early), newest, NOW) is None
    nothing_new = ScanWindow(({"partition": 0, "begin": 0, "end": 100, "last": None},), 0, strategy="since-last")
    assert lateness(SchemaVersion({}, (), window=nothing_new), newest, NOW) == 60


def field(path: str, presence: float = 1.0, distinct: int | None = 5, **types: float) -> FieldProfile:
    return FieldProfile(path, types, 100, presence, types.get("null", 0.0), distinct)


def test_shares_of_types_are_of_what_is_not_null_and_a_field_that_is_gone_has_the_presence_0() -> None:
    schema = SchemaVersion(
        {}, (field("value.a", int64=0.6, null=0.4), field("value.a.b", string=1.0)), window=window(9)
    )
    figures = measured(schema, 10.0, None)
    assert figures[Series(Measure.TYPE, "value.a", "int64")] == 1.0
    assert Series(Measure.LATENESS) not in figures
    keys, left_out = extended((), figures)
    assert left_out == 0
    gone = measured(SchemaVersion({}, (field("value.c", string=1.0),), window=window(9)), 10.0, None)
    keys, _ = extended(keys, gone)
    placed = layout(keys)
    values = dict(zip(placed.series, placed.figures(gone), strict=True))
    assert values[Series(Measure.PRESENCE, "value.a")] == 0.0
    assert (
        values[Series(Measure.PRESENCE, "value.a.b")] != values[Series(Measure.PRESENCE, "value.a.b")]
    )  # NaN: unknown
    changed = measured(SchemaVersion({}, (field("value.a", string=1.0),), window=window(9)), 10.0, None)
    keys, _ = extended(keys, changed)
    placed = layout(keys)
    values = dict(zip(placed.series, placed.figures(changed), strict=True))
    assert values[Series(Measure.TYPE, "value.a", "int64")] == 0.0


def test_series_are_bounded_and_those_left_out_counted() -> None:
    many = measured(
        SchemaVersion({}, tuple(field(f"value.f{n}", string=1.0) for n in range(400)), window=window(9)), 1.0, 1.0
    )
    keys, left_out = extended((), many)
    assert (len(keys), left_out) == (MOST_SERIES, len(many) - MOST_SERIES)
    again, left_out = extended(keys, many)
    assert (again, left_out) == (keys, len(many) - MOST_SERIES)
    assert all(Series.parse(each).key == each for each in keys)
