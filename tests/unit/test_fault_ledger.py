"""The fault benchmark's judge: what is lost, replaced or doubled is named, and nothing else is."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.faults.calls import HANG_S, Journal
from benchmarks.faults.deliveries import MOST, shuffled
from benchmarks.faults.event_world import events
from benchmarks.faults.ledger import Ledger, Tally, compare
from benchmarks.faults.report import Outcome


def filled(**acknowledged: str) -> Ledger:
    ledger = Ledger()
    for key, value in acknowledged.items():
        ledger.acknowledged(key, value)
    return ledger


def test_all_present_is_neither_lost_nor_doubled() -> None:
    tally = filled(a="", b="approved").compare({"a": ["there"], "b": ["approved"]})
    assert tally == Tally(2, 2, 2)


def test_a_planted_loss_is_named() -> None:
    tally = filled(a="", b="").compare({"a": ["there"]})
    assert (tally.present, tally.lost) == (1, ("b: nothing, not there",))


def test_a_state_that_fell_back_is_a_loss() -> None:
    tally = filled(request="approved").compare({"request": ["pending"]})
    assert tally.present == 0 and tally.lost == ("request: pending, not approved",)


def test_a_planted_double_is_named_also_where_nothing_was_acknowledged() -> None:
    ledger = filled(a="")
    ledger.tried("b")
    tally = ledger.compare({"a": ["x", "x"], "b": ["x", "x", "x"]})
    assert tally.lost == () and tally.doubled == ("a: 2 times", "b: 3 times")


def test_what_was_tried_only_may_be_there_or_not() -> None:
    ledger = Ledger()
    ledger.tried("a")
    ledger.tried("b")
    assert ledger.compare({"a": ["x"]}) == Tally(2, 0, 0)


def test_the_last_acknowledged_value_counts() -> None:
    ledger = filled(topic="n1")
    ledger.acknowledged("topic", "n2")
    assert ledger.compare({"topic": ["n1"]}).lost and not ledger.compare({"topic": ["n2"]}).lost


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(st.text(min_size=1), st.sampled_from(["", "v", "w"])), st.data())
def test_every_loss_and_every_double_is_counted(acknowledged: dict[str, str], data: st.DataObject) -> None:
    keys = st.sampled_from(sorted(acknowledged)) if acknowledged else st.nothing()
    gone = data.draw(st.sets(keys)) if acknowledged else set()
    twice = data.draw(st.sets(keys)) if acknowledged else set()
    present = {
        key: [value or "x"] * (2 if key in twice else 1) for key, value in acknowledged.items() if key not in gone
    }
    tally = compare(set(acknowledged), acknowledged, present)
    assert len(tally.lost) == len(gone) and tally.present == len(acknowledged) - len(gone)
    assert len(tally.doubled) == len(twice - gone)


def answer(status: int, body: object) -> httpx.Response:
    return httpx.Response(status, json=body)


@pytest.mark.parametrize(
    ("response", "unavailable", "unclean"),
    [
        (answer(503, {"error": {"code": "unavailable", "message": "Neo4j does not answer.", "details": {}}}), 1, 0),
        (answer(503, {"detail": "no error body"}), 0, 1),
        (answer(503, {"error": {"code": "x", "message": "Traceback (most recent call last)"}}), 0, 1),
        (answer(500, {"error": {"code": "internal", "message": "Something went wrong."}}), 0, 1),
        (httpx.Response(503, text="upstream"), 0, 1),
    ],
)
def test_only_a_clean_503_is_no_error(response: httpx.Response, unavailable: int, unclean: int) -> None:
    journal = Journal()
    journal.note("call", response, 0.1, False)
    assert (journal.unavailable, sum(journal.unclean.values())) == (unavailable, unclean)


def test_faults_name_hangs_losses_and_calls_without_connection() -> None:
    journal = Journal()
    journal.note("read", answer(200, {}), HANG_S + 1, True)
    journal.note("query", answer(200, {}), HANG_S + 1, True)  # a query has a limit of its own
    journal.note("query", None, 0.1, False)
    outcome = Outcome("kill", 1, {"runs": Tally(1, 1, 0, ("r",))}, journal=journal)
    wrong = outcome.faults()
    assert len(wrong) == 3 and "runs lost: r" in wrong
    outcome.connection_expected = True
    assert len(outcome.faults()) == 2
    assert outcome.as_json()["lost"] == 1


def test_deliveries_are_the_same_events_again_in_another_order() -> None:
    once = events(200, 3)
    assert once == events(200, 3) and len({str(event) for event in once}) == 200
    mixed = shuffled(once, "seed")
    counts = [sum(each is event for each in mixed) for event in once]
    assert min(counts) >= 1 and max(counts) <= MOST and len(mixed) == sum(counts)
    assert mixed[:50] != once[:50]
