"""What runs for an agent ends with its token; rows of views are counted and narrowed as rows of queries are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.features.views.changes import ViewChanges
from catalog.errors import WeirError
from policies.access.identity import Identity
from policies.query.service import GovernedQuery
from tests.api_world import ApiWorld, orders, world
from tests.features.agents.test_agents_http import made
from tests.features.queries.test_rights_while_running import BASE, DOORS, Running, SlowEngine
from tests.served_view import ServedView, served_view

API = "/api/v1"


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ApiWorld, SlowEngine]]:
    engine = SlowEngine()
    with world(tmp_path_factory.mktemp("home"), {"orders": orders(20)}, engine=engine, window=engine) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        weir.apply(BASE)
        yield weir, engine


@pytest.mark.parametrize("door", DOORS)
def test_what_runs_ends_within_a_second_of_the_end_of_the_token(slow: tuple[ApiWorld, SlowEngine], door: str) -> None:
    weir, engine = slow
    engine.go.clear()
    query = Running(weir, engine)
    new = made(weir.user("ana"))
    query.token = new
    done = query.begin(door)
    time.sleep(0.2)
    begun = time.monotonic()
    weir.services[Identity].revoke(new["id"])  # as another process does: nothing is told to this one
    try:
        answer = done.result(10)
        assert answer["type"] == "end"
        assert answer["code"] == "not_signed_in"
    except WeirError as error:
        assert error.code in ("not_signed_in", "query_cancelled")
    assert time.monotonic() - begun < 1.5
    engine.go.set()


def test_the_button_ends_what_runs_in_this_process_at_once(slow: tuple[ApiWorld, SlowEngine]) -> None:
    weir, engine = slow
    engine.go.clear()
    query = Running(weir, engine)
    ana = weir.user("ana")
    query.token = made(ana)
    done = query.begin("run")
    ended = ana.delete(f"{API}/agents/{query.token['id']}")
    assert ended.json()["stopped"] == 1
    with pytest.raises(WeirError, match="was ended"):
        done.result(1)
    engine.go.set()


def test_rows_of_a_push_query_are_one_answer(slow: tuple[ApiWorld, SlowEngine]) -> None:
    weir, engine = slow
    engine.go.set()
    new = made(weir.user("ana"), rows=2, rowsADay=10)
    identity, queries = weir.services[Identity], weir.services[GovernedQuery]
    subject = identity.authenticate(new["token"])
    live = queries.running.begin(subject, "SELECT order_id FROM prod.orders EMIT CHANGES", None, streaming=True)
    try:
        events = list(queries.stream(subject, live.sql, None, live))
    finally:
        queries.running.end(live)
    assert sum(len(each["rows"]) for each in events if each["type"] == "rows") == 2
    assert events[-1]["type"] == "end"
    assert "may have 2 rows in one answer" in events[-1]["message"]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedView]:
    with served_view(tmp_path) as served:
        made_of = [["value.email", "prod/orders", "value.customer.email", None]]
        served.serve(served.generation(made_of=made_of))
        served.write({f"{name}@x.org": number for number, name in enumerate("abcdef")})
        yield served


def agent(served: ServedView, **more: Any) -> Any:
    new = made(served.world.user("ana"), **{"datasets": ["prod/*"], **more})
    return served.world._client(new["token"]), new


def test_rows_of_a_view_are_counted_and_cut(served: ServedView) -> None:
    client, _ = agent(served, rows=2, rowsADay=5)
    at = f"{API}/views/spend/rows"
    first = client.get(at)
    assert first.status_code == 200, first.text
    assert len(first.json()["rows"]) == 2
    assert client.get(at, params={"limit": 3}).status_code == 400
    cursor = first.json()["next"]
    hers = served.world.user("ana").get(at, params={"limit": 4}).json()
    assert len(hers["rows"]) == 4
    second = client.get(at, params={"cursor": cursor})
    assert len(second.json()["rows"]) == 2
    over = client.get(at)
    assert over.status_code == 429, over.text
    assert "has 1 of them left" in over.text


def test_a_cursor_of_a_person_gives_an_agent_its_own_rows(served: ServedView) -> None:
    at = f"{API}/views/spend/rows"
    hers = served.world.user("ana").get(at, params={"limit": 2}).json()
    outside, _ = agent(served, name="outside", datasets=["prod/orders"])
    for parameters in ({"cursor": hers["next"]}, {"key": "a@x.org"}, {}):
        answer = outside.get(at, params=parameters)
        assert answer.status_code == 404, answer.text
    masked, _ = agent(served, name="masked", maskedOnly=True)
    text = masked.get(at, params={"cursor": hers["next"], "limit": 2}).text
    assert "@x.org" not in text


def test_a_cursor_opens_no_more_than_the_token_it_is_sent_with(served: ServedView) -> None:
    """Rows, masks and the count are those of who sends it."""
    at = f"{API}/views/spend/rows"
    wide, _ = agent(served, name="wide", rows=5)
    masked, _ = agent(served, name="masked", maskedOnly=True)
    outside, _ = agent(served, name="outside", datasets=["prod/orders"])
    cursors = [client.get(at, params={"limit": 2}).json()["next"] for client in (wide, masked)]
    hers = served.world.user("ana").get(at, params={"cursor": cursors[0], "limit": 2}).json()["rows"]
    assert [row[0] for row in hers] == ["c@x.org", "d@x.org"]
    for cursor in cursors:
        assert outside.get(at, params={"cursor": cursor}).status_code == 404
        assert "@x.org" not in masked.get(at, params={"cursor": cursor, "limit": 2}).text
    assert wide.get(at, params={"cursor": cursors[0], "limit": 6}).status_code == 400, "more rows than an answer has"
    new = made(served.world.user("ana"), name="ended", datasets=["prod/*"])
    ended = served.world._client(new["token"])
    cursor = ended.get(at, params={"limit": 2}).json()["next"]
    gone = served.world.user("ana").delete(f"{API}/agents/{new['id']}")
    assert gone.status_code == 200, gone.text
    assert ended.get(at, params={"cursor": cursor}).status_code == 401


def test_another_purpose_is_refused_at_views_too(served: ServedView) -> None:
    client, _ = agent(served)
    answer = client.get(f"{API}/views/spend/rows", params={"purpose": "marketing"})
    assert answer.status_code == 403
    assert "for the purpose 'support' alone" in answer.text


def test_following_a_view_ends_with_the_token_and_with_its_rows(served: ServedView) -> None:
    services = served.world.services
    identity, queries = services[Identity], services[GovernedQuery]
    _, new = agent(served, rows=4, rowsADay=100)
    subject = identity.authenticate(new["token"])
    live = queries.running.begin(subject, "a view", None, streaming=True)
    few = [each for some in services[ViewChanges].follow(subject, "spend", None, live) for each in some]
    queries.running.end(live)
    assert [each.type for each in few] == ["end"]
    assert "may have 4 rows" in few[0].data["message"]
    _, new = agent(served, name="wide", rows=50, rowsADay=100)
    subject = identity.authenticate(new["token"])
    live = queries.running.begin(subject, "a view", None, streaming=True)
    live.signed_in = identity.session(new["token"])
    taken: list[str] = []
    begun = 0.0
    for some in services[ViewChanges].follow(subject, "spend", None, live):
        taken += [each.type for each in some]
        if not begun:
            begun = time.monotonic()
            identity.revoke(new["id"])
    queries.running.end(live)
    assert taken == ["snapshot", "end"]
    assert time.monotonic() - begun < 1.5
