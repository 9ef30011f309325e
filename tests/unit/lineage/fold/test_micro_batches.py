"""Halves of micro-batches: uniting reports is free of order and repetition, and what is stored comes back."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import orjson
from hypothesis import given
from hypothesis import strategies as st

from lineage.fold.micro_batches import Half, Halves, Report, add_report, halves_of_json, halves_to_json

NAMES = st.frozensets(st.tuples(st.sampled_from(["kafka://a", "s3://b"]), st.text(max_size=3)), max_size=3)
TIMES = st.integers(0, 10**13)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    time = draw(TIMES)
    return Report(
        run=draw(st.sampled_from("abcde")),
        time=time,
        minute=time - time % 60_000,
        ends=draw(st.booleans()),
        streaming=draw(st.booleans()),
        reads=draw(NAMES),
        writes=draw(NAMES),
    )


def united(given_reports: Sequence[Report]) -> Half:
    halves: Halves = {}
    for report in given_reports:
        add_report(halves, "parent", "job", report, limit=10)
    return halves["parent"]["job"]


@given(st.lists(reports(), min_size=1, max_size=8), st.randoms(use_true_random=False), st.data())
def test_the_half_is_the_same_for_any_order_and_repetition(
    many: list[Report], dice: Random, data: st.DataObject
) -> None:
    mixed = many + data.draw(st.lists(st.sampled_from(many), max_size=4))
    dice.shuffle(mixed)
    assert united(mixed) == united(many)


@given(st.lists(reports(), min_size=1, max_size=8))
def test_a_repeated_report_changes_nothing(many: list[Report]) -> None:
    halves: Halves = {}
    for report in many:
        add_report(halves, "parent", "job", report, limit=10)
    assert not any(add_report(halves, "parent", "job", report, limit=10) for report in many)


@given(st.lists(reports(), min_size=1, max_size=8))
def test_what_is_stored_comes_back(many: list[Report]) -> None:
    halves: Halves = {"parent": {"job": united(many)}}
    assert halves_of_json(orjson.loads(orjson.dumps(halves_to_json(halves)))) == halves


def test_ledgers_of_earlier_versions_have_no_runs() -> None:
    stored = {"first": 1, "last": 2, "streaming": True, "in": [["n", "a"]], "out": []}
    half = Half.of_json(stored)
    assert (half.reads, half.writes, half.runs) == (frozenset({("n", "a")}), frozenset(), {})


def test_the_oldest_parents_are_forgotten() -> None:
    halves: Halves = {}
    for number in range(5):
        report = Report("r", number, 0, False, False, frozenset(), frozenset())
        assert add_report(halves, f"p{number}", "job", report, limit=3)
    assert sorted(halves) == ["p2", "p3", "p4"]
