"""Processes that answer queries know of one another's, and stop what others ask them to; memory, SQLite and PostgreSQL alike."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from catalog.adapters.sql.leases import SqlBeats
from catalog.errors import NotFound
from catalog.leases.ports import Beats
from policies.adapters.stores.query_board import SqlQueryBoard
from policies.model import Subject
from policies.plan.errors import QueryCancelled
from policies.plan.query_board import BEAT_S, GONE_S, AllQueries, QueryBoard
from policies.plan.registry import RunningQueries
from policies.plan.settings import QuerySettings
from tests.catalog_stores import STORES, own_database
from tests.twins.leases import MemoryBeats
from tests.twins.query_board import MemoryQueryBoard

ANA, OTTO = Subject("ana"), Subject("otto")
SQL = "SELECT * FROM orders WHERE mail = 'anna@example.eu'"
Kept = tuple[QueryBoard, Beats]


@pytest.fixture(params=STORES)
def kept(request: pytest.FixtureRequest) -> Iterator[Kept]:
    if request.param == "memory":
        yield MemoryQueryBoard(), MemoryBeats()
        return
    with own_database(request.param, request) as database:
        board, beats = SqlQueryBoard(database), SqlBeats(database)
        yield board, beats
        board.close()
        beats.close()


class Processes:
    """Two of them, with one clock."""

    def __init__(self, kept: Kept) -> None:
        self.board, self.beats = kept
        self.now = 0.0
        self.over: set[str] = set()
        self.first, self.second = RunningQueries(QuerySettings()), RunningQueries(QuerySettings())
        self.one, self.two = self._of(self.first, "one"), self._of(self.second, "two")

    def _of(self, here: RunningQueries, name: str) -> AllQueries:
        return AllQueries(here, self.board, self.beats, f"api/0/{name}", lambda: self.now, lambda h: h in self.over)

    def meet(self) -> None:
        """Both learn of each other."""
        for each in (self.one, self.two, self.one):
            self.now += BEAT_S
            each.step()

    def wait(self, seconds: float) -> None:
        """The second process alone beats."""
        until = self.now + seconds
        while self.now < until:
            self.now += BEAT_S
            self.two.step()


@pytest.fixture
def processes(kept: Kept) -> Processes:
    return Processes(kept)


def test_a_query_is_listed_and_shown_by_the_other_process_without_its_literals(processes: Processes) -> None:
    processes.meet()
    with processes.first.during(ANA, SQL, "analysis", "mine") as live:
        live.rows, live.datasets = 7, ("prod/orders",)
        processes.one.step()
        (query,) = processes.two.list(ANA)
        assert (query.id, query.state, query.rows, query.datasets, query.purpose) == (
            "mine", "queued", 7, ("prod/orders",), "analysis",
        )  # fmt: skip
        assert query.sql.startswith("SELECT * FROM orders WHERE") and "anna" not in query.sql
        assert processes.two.find(ANA, "mine") == query
        assert processes.two.list(OTTO) == []
        assert [each.id for each in processes.two.list(OTTO, everybody=True)] == ["mine"]
        with pytest.raises(NotFound):
            processes.two.find(OTTO, "mine")
        live.problem, live.message, live.left_out = "limit", "'anna' is too long", ({"kind": "limit", "text": "Cut."},)
    processes.one.step()
    ended = processes.two.find(ANA, "mine")
    assert (ended.state, ended.problem, ended.message, ended.left_out) == ("ended", "limit", None, (("limit", "Cut."),))
    assert processes.two.list(ANA) == []


def test_a_query_is_cancelled_through_the_other_process(processes: Processes) -> None:
    processes.meet()
    live = processes.first.begin(ANA, SQL, None, "mine")
    processes.one.step()
    with pytest.raises(NotFound):
        processes.two.cancel(OTTO, "mine")
    processes.one.step()
    assert not live.stop.stopped
    answers = []
    canceller = threading.Thread(target=lambda: answers.append(processes.two.cancel(ANA, "mine").state))
    canceller.start()
    while canceller.is_alive():
        processes.one.step()
        if live.stop.stopped:
            processes.first.end(live)
        canceller.join(0.02)
    assert answers == ["ended"]
    with pytest.raises(QueryCancelled, match="was cancelled by ana"):
        live.stop.check()
    with pytest.raises(NotFound):
        processes.two.cancel(ANA, "mine")


@pytest.mark.sampled(1)
def test_a_query_that_does_not_stop_yet_is_stopping(processes: Processes) -> None:
    processes.meet()
    live = processes.first.begin(ANA, SQL, None, "mine")
    live.state = "running"
    processes.one.step()
    states = []
    canceller = threading.Thread(target=lambda: states.append(processes.two.cancel(ANA, "mine").state))
    canceller.start()
    while canceller.is_alive():
        processes.one.step()
        canceller.join(0.02)
    assert states == ["stopping"]


def test_a_process_alone_publishes_nothing(processes: Processes) -> None:
    with processes.first.during(ANA, SQL, None, "mine"):
        assert processes.one.step() is False
        assert processes.board.queries(["api/0/one"]) == []
        assert [query.id for query in processes.one.list(ANA)] == ["mine"]
        with pytest.raises(NotFound):
            processes.one.find(ANA, "other")


def test_queries_of_a_process_that_is_silent_are_gone_after_a_while(processes: Processes) -> None:
    processes.meet()
    processes.first.begin(ANA, SQL, None, "mine")
    processes.one.step()
    processes.wait(GONE_S - 2 * BEAT_S)
    assert [query.id for query in processes.two.list(ANA)] == ["mine"], "it may be slow"
    processes.wait(3 * BEAT_S)
    assert processes.two.list(ANA) == []
    assert processes.board.queries(["api/0/one"]) == []


def test_queries_of_a_process_of_this_machine_that_ended_are_gone_with_the_next_beat(processes: Processes) -> None:
    processes.meet()
    processes.first.begin(ANA, SQL, None, "mine")
    processes.one.step()
    processes.over.add("one")
    processes.wait(BEAT_S)
    assert processes.two.list(ANA) == []


def test_what_is_published_is_replaced_and_taken_back(kept: Kept) -> None:
    board, _ = kept
    with RunningQueries(QuerySettings()).during(ANA, SQL, None, "a") as live:
        query = live.seen().to_share()
    board.publish("p", [query, replace(query, id="b")], [])
    board.publish("p", [replace(query, rows=3)], ["b"])
    board.publish("q", [query], [])
    assert board.queries(["p"]) == [("p", replace(query, rows=3))]
    assert len(board.queries(["p", "q"], "a")) == 2
    board.ask_to_stop("p", "a", "was cancelled by ana")
    board.ask_to_stop("p", "a", "was cancelled by otto")
    assert board.take_stops("q") == {}
    assert board.take_stops("p") == {"a": "was cancelled by otto"}
    assert board.take_stops("p") == {}
    board.ask_to_stop("p", "a", "was cancelled by ana")
    board.forget("p")
    assert (board.take_stops("p"), board.queries(["p"])) == ({}, [])
