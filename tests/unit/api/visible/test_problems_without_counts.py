"""Sentences about what a scan found wrong, for a reader from whom rows are hidden: no number and no place."""

from __future__ import annotations

from typing import Any

import pytest

from api.visibility.figures import problems
from api.visibility.sight import Sight
from catalog.datasets.departures import Departure

FIRST = {"partition": 2, "offset": 17}
DEPARTURE = Departure("value.id", "declared", "type", 103, "INT", FIRST).to_json()


@pytest.mark.parametrize(
    ("problem", "whole", "cut"),
    [
        (
            DEPARTURE,
            "value.id has another type (expected INT) in 103 records: departs from the declared schema, first in"
            " partition 2 at offset 17.",
            "value.id has another type (expected INT) in some records: departs from the declared schema.",
        ),
        (
            {"reason": "duplicate_key", "part": "value", "count": 4, "first": FIRST},
            "4 times a key occurs twice in an object of the value; the last one counts, first in partition 2 at offset 17.",
            "Sometimes a key occurs twice in an object of the value; the last one counts.",
        ),
        (
            {"reason": "bad_json", "part": "value", "count": 1, "first": FIRST},
            "Once the value cannot be read (bad json), first in partition 2 at offset 17. Scan with --dead-letter to copy"
            " such records to a topic.",
            "Sometimes the value cannot be read (bad json). Scan with --dead-letter to copy such records to a topic.",
        ),
    ],
)
def test_a_sentence_counts_only_for_who_may_count(problem: dict[str, Any], whole: str, cut: str) -> None:
    assert problems([problem], Sight(rows=True))[0]["message"] == whole
    (shown,) = problems([problem], Sight())
    assert shown["message"] == cut
    assert "17" not in str(shown) and "103" not in str(shown)
