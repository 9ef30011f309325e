"""How Spark reads the records of a window."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from policies.adapters.spark.records import poll_records
from policies.plan.model import Range, Window


@given(st.lists(st.integers(0, 10_000_000), max_size=8))
def test_a_large_window_is_read_in_few_polls_and_a_small_one_keeps_little(counts: list[int]) -> None:
    window = Window(tuple(Range(p, 5, 5 + count) for p, count in enumerate(counts)))
    polled, most = poll_records(window), max(counts, default=0)
    assert 100 <= polled <= 2_000, "what stays in the heap is bounded"
    assert polled == 100 or polled * 100 <= most, "of a small window little stays"
    if most >= 200_000:
        assert polled == 2_000
