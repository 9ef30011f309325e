"""The register of running queries: who sees what of it, and who may stop what."""

from __future__ import annotations

import pytest

from catalog.errors import Conflict, InvalidInput, LimitExceeded
from policies.model import Subject
from policies.plan.registry import RunningQueries
from policies.plan.settings import QuerySettings

ANA, OTTO = Subject("ana"), Subject("otto")
SQL = "SELECT * FROM orders WHERE mail = 'anna@example.eu' AND n > 77"


def register(**settings: int) -> RunningQueries:
    return RunningQueries(QuerySettings(**settings))


def test_others_see_no_literals() -> None:
    running = register()
    with running.during(ANA, SQL, "analysis") as live:
        (own,) = running.list(ANA)
        assert own.seen().sql_for("ana") == SQL and own.shown == "queued" and own.id == live.id
        (other,) = running.list(OTTO, everybody=True)
        assert other is own
        for text in (own.seen().sql_for("otto"), own.seen().to_share().sql_for("ana")):
            assert "FROM orders" in text and "anna" not in text and "77" not in text
        assert running.list(OTTO) == []
    assert running.list(ANA) == []


def test_a_query_is_stopped_by_its_id() -> None:
    running = register()
    with running.during(ANA, SQL, None, "mine-1") as live:
        assert running.find(OTTO, "mine-1") is None
        assert running.stop("mine-1", "was cancelled by otto") is live
        assert live.stop.error().message == "The query mine-1 was cancelled by otto."
    assert running.stop("mine-1", "was cancelled by ana") is None
    assert running.find(ANA, "mine-1") is live


def test_the_seconds_of_a_query_end_with_it() -> None:
    running = register()
    with running.during(ANA, SQL, None) as live:
        live.begun -= 5
    ended = live.seconds
    live.begun -= 1
    assert live.seconds == pytest.approx(ended + 1, abs=0.001), "counted to its end, not to now"


def test_an_id_is_one_query_at_a_time() -> None:
    running = register()
    with running.during(ANA, SQL, None, "a:1"), pytest.raises(Conflict), running.during(OTTO, SQL, None, "a:1"):
        pass
    with running.during(OTTO, SQL, None, "a:1"):
        pass
    for bad in ("", "x" * 65, "a b", "ä", "../x", "a\nb"):
        with pytest.raises(InvalidInput):
            running.begin(ANA, SQL, None, bad)


def test_streams_have_their_own_limit() -> None:
    running = register(streams_per_subject=1, streams=2)
    first = running.begin(ANA, SQL, None, streaming=True)
    with pytest.raises(LimitExceeded):
        running.begin(ANA, SQL, None, streaming=True)
    running.begin(OTTO, SQL, None, streaming=True)
    with pytest.raises(LimitExceeded):
        running.begin(Subject("petra"), SQL, None, streaming=True)
    running.end(first)
    assert running.begin(ANA, SQL, None, streaming=True).state == "streaming"
