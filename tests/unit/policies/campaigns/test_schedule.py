"""When a declared review is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import islice, pairwise

from hypothesis import given
from hypothesis import strategies as st

from policies.campaigns.schedule import due, occurrences

EVERY = st.one_of(
    st.sampled_from(["once", "monthly", "quarterly", "yearly"]), st.integers(1, 9999).map(lambda n: f"{n}d")
)
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)).map(lambda at: at.replace(tzinfo=UTC))


def test_months_keep_the_day_as_far_as_it_is_there() -> None:
    start = datetime(2026, 1, 31, 8, tzinfo=UTC)
    days = [each.date().isoformat() for each in islice(occurrences("monthly", start), 5)]
    assert days == ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]
    leap = datetime(2024, 2, 29, tzinfo=UTC)
    assert [each.day for each in islice(occurrences("yearly", leap), 5)] == [29, 28, 28, 28, 29]
    assert [each.month for each in islice(occurrences("quarterly", start), 4)] == [1, 4, 7, 10]


def test_what_was_missed_is_one_and_what_was_before_the_declaration_never_begins() -> None:
    start, declared = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 15, tzinfo=UTC)
    assert due("monthly", start, declared, datetime(2026, 2, 20, tzinfo=UTC)) is None
    assert due("monthly", start, declared, datetime(2026, 6, 2, tzinfo=UTC)) == datetime(2026, 6, 1, tzinfo=UTC)
    assert due("once", start, declared, declared) == start
    assert due("once", start, declared, start - timedelta(days=1)) is None


def test_the_calendar_ends() -> None:
    last = datetime(9999, 12, 31, tzinfo=timezone(timedelta(hours=2)))
    assert list(occurrences("yearly", last)) == [last]
    assert list(occurrences("9999d", last)) == [last]


@given(EVERY, MOMENTS, MOMENTS, MOMENTS)
def test_due_is_the_latest_time_that_has_come(every: str, start: datetime, declared: datetime, now: datetime) -> None:
    if every.endswith("d") and now - start > timedelta(days=4000) * int(every[:-1]):
        return
    come = [each for each in occurrences_until(every, start, now) if every == "once" or each >= declared]
    assert due(every, start, declared, now) in (now, come[-1] if come else None)


def occurrences_until(every: str, start: datetime, end: datetime) -> list[datetime]:
    collected = []
    for each in occurrences(every, start):
        if each >= end:
            break
        collected.append(each)
    assert all(a < b for a, b in pairwise(collected))
    return collected
