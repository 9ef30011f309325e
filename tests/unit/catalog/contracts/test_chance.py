"""Shares that are below a promise, and shares that only seem so."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.contracts.chance import is_above, is_below, least_share


def _at_most(count: int, tries: int, share: float) -> float:
    """Probability of at most so many of so many records, exactly."""
    return math.fsum(math.comb(tries, k) * share**k * (1 - share) ** (tries - k) for k in range(count + 1))


@given(st.integers(1, 200), st.integers(1, 99), st.data())
def test_chance_alone_breaks_a_promise_in_one_of_a_million_looks_at_most(
    tries: int, percent: int, data: st.DataObject
) -> None:
    count, promised = data.draw(st.integers(0, tries)), percent / 100
    if is_below(count / tries, tries, promised):
        assert _at_most(count, tries, promised) <= 1e-6
        assert is_above(1 - count / tries, tries, 1 - promised)


@pytest.mark.parametrize(
    ("share", "tries", "promised", "broken"),
    [
        (0.0, 1, 0.99, False),
        (0.0, 5, 0.99, True),
        (0.9, 20, 0.91, False),
        (0.5, 1000, 0.9, True),
        (0.89, 1_000_000, 0.9, True),
        (0.0, 100, 1.0, True),
        (1.0, 10, 0.5, False),
    ],
)
def test_a_share_is_below_what_is_promised_beyond_chance(
    share: float, tries: int, promised: float, broken: bool
) -> None:
    assert is_below(share, tries, promised) is broken


@given(st.integers(1, 100_000), st.floats(0, 1))
def test_a_draft_promises_less_than_was_seen_and_more_with_more_records(tries: int, share: float) -> None:
    least = least_share(share, tries)
    assert 0 <= least <= share
    assert least <= least_share(share, tries * 10)
    assert not is_below(share, tries, least)


def test_a_promise_of_many_records_is_close_to_what_they_show() -> None:
    assert least_share(0.919, 1000) == 0.87
    assert least_share(0.919, 100_000) == 0.91
    assert least_share(0.5, 3) == 0.0
