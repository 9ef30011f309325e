"""Two processes of the API on one record store: a query of one is listed, shown and cancelled through the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from policies.model import Subject
from policies.plan.query_board import AllQueries
from policies.query.service import GovernedQuery
from tests.api_world import ApiWorld, world

ANA = Subject("ana")
SQL = "SELECT * FROM orders WHERE region = 'EU'"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[ApiWorld, ApiWorld]]:
    with world(tmp_path) as one, world(tmp_path) as two:
        for each in (one, two):
            each.services[AllQueries].step()
        yield one, two


def test_each_answers_for_the_queries_of_the_other(pair: tuple[ApiWorld, ApiWorld]) -> None:
    one, two = pair
    ana, otto = one.user("ana"), one.user("otto")
    token = ana.headers["authorization"]
    live = two.services[GovernedQuery].running.begin(ANA, SQL, "analysis", "mine")
    two.services[AllQueries].beat()
    two.services[AllQueries].step()
    one.services[AllQueries].beat()
    one.services[AllQueries].step()
    (shown,) = ana.get("/api/v1/queries").json()["queries"]
    assert (shown["id"], shown["mine"], "'EU'" in shown["sql"]) == ("mine", True, False)
    assert ana.get("/api/v1/queries/mine").json()["state"] == "queued"
    assert otto.get("/api/v1/queries").json()["queries"] == []
    assert otto.get("/api/v1/queries/mine").status_code == 404
    assert otto.delete("/api/v1/queries/mine").status_code == 404
    assert not live.stop.stopped
    done = threading.Event()

    def work() -> None:
        while not done.wait(0.02):
            two.services[AllQueries].step()
            if live.stop.stopped:
                two.services[GovernedQuery].running.end(live)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        cancelled = ana.delete("/api/v1/queries/mine")
    finally:
        done.set()
        worker.join()
    assert cancelled.json() == {"id": "mine", "user": "ana", "state": "cancelled"}
    assert ana.get("/api/v1/queries/mine").json()["state"] == "ended"
    assert two._client(token.removeprefix("Bearer ")).get("/api/v1/queries/mine").json()["sql"] == SQL
