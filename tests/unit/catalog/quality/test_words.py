"""Reasons are sentences a person understands."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from catalog.quality.series import Measure, Series
from catalog.quality.usual import Kind
from catalog.quality.words import reason, title

FRIDAY = datetime(2026, 3, 6, 14, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("series", "figures", "kind", "text"),
    [
        (
            Series(Measure.VOLUME),
            (40, 902, 1104),
            "week",
            "orders: 40 records an hour, usually 902 to 1,100 on Fridays at 14:00 UTC",
        ),
        (
            Series(Measure.VOLUME),
            (0, 12_345, 1_234_567),
            "day",
            "orders: 0 records an hour, usually 12,300 to 1,230,000 at 14:00 UTC",
        ),
        (
            Series(Measure.LATENESS),
            (10_800, 120, 300),
            "week",
            "orders: the newest record is 3 hours old, usually 2 to 5 minutes on Fridays at 14:00 UTC",
        ),
        (
            Series(Measure.NULLS, "value.amount"),
            (0.34, 0, 0.012),
            "level",
            "orders: value.amount is null in 34 % of its occurrences, usually in 0 to 1.2 %",
        ),
        (
            Series(Measure.PRESENCE, "value.id"),
            (0.5, 1, 1),
            "level",
            "orders: value.id is in 50 % of the records, usually in 100 %",
        ),
        (
            Series(Measure.DISTINCT, "value.id"),
            (3, 990, 1000),
            "day",
            "orders: value.id has about 3 different values, usually 990 to 1,000 at 14:00 UTC",
        ),
        (
            Series(Measure.TYPE, "value.amount", "string"),
            (0.4, 0, 0),
            "level",
            "orders: value.amount is string in 40 % of its occurrences, usually in 0 %",
        ),
    ],
)
def test_a_reason_has_the_figure_and_what_is_usual(
    series: Series, figures: tuple[float, float, float], kind: Kind, text: str
) -> None:
    assert reason("orders", series, *figures, kind, FRIDAY) == text
    assert title("orders", series).endswith(" is unusual")
    assert not any(character.isdigit() for character in title("orders", series))
