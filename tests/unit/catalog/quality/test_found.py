"""Planted faults are found, and nothing else is: the core of the checks on topics with days and weeks.

`benchmarks/quality.py` asks the same of a hundred seeds.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.quality_world import run


def test_of_fifty_topics_twenty_of_twenty_planted_faults_are_found_in_24_hours_and_no_others() -> None:
    outcome = run(2026)
    assert outcome.missed == []
    assert (outcome.detected, outcome.planted) == (20, 20)
    assert not outcome.false, outcome.false
    assert max(outcome.delays) <= 2


@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**31), sensitivity=st.sampled_from(["low", "normal"]))
def test_nothing_is_reported_of_topics_without_faults(seed: int, sensitivity: str) -> None:
    assert not run(seed, topics=8, faults=0, sensitivity=sensitivity).false


@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**31), weeks=st.integers(1, 8))
def test_faults_are_found_with_any_seed_once_there_is_enough_history(seed: int, weeks: int) -> None:
    outcome = run(seed, topics=8, weeks=weeks, faults=7)
    assert not outcome.false, outcome.false
    assert outcome.detected >= (6 if weeks >= 3 else 0), outcome.missed
