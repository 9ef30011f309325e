"""The route of rows answers as FastAPI would solve its endpoint, and a right ends within a moment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from api.app import create_app
from api.config.settings import Settings
from api.features.views.rows_route import RowsRoute
from api.guard.credentials import LATELY_S
from policies.access.identity import Identity
from tests.query_door import until
from tests.served_view import ServedView, served_view

ASKED = (
    "",
    "?key=a@x.org",
    "?key=a@x.org&key=b@x.org",
    "?keys=a@x.org,b@x.org",
    "?prefix=a",
    "?from=a&to=b",
    "?where=total%20%3E%3D%202",
    "?limit=1",
    "?limit=0",
    "?limit=x",
    "?cursor=wrong",
    "?atLeast=nothing",
    "?purpose=billing",
    "?key=" + "k" * 5000,
    "?unknown=1",
    "?key=%F0%9F%98%80",
    "?key=%FF",
    "?key=a%00b",
    "?key=",
    "?key=a%40x.org",
    "?key=a+x",
    "?key=a%2Bx",
    "?key=a%26b",
    "?key=[%22a@x.org%22]",
    "?key=a=b",
    "?key",
    "?k%65y=a@x.org",
    "?key=a@x.org&",
    "?key=a@x.org;b",
    "?key=%E2%82%AC&purpose=x",
    "?key=%5B%22a%22,1%5D",
    "?key=%",
    "?key=%zz",
    "?key=\u00e9",
    "?key=a@x.org#b",
    "?Key=a@x.org",
    "?key=a&limit=1",
    "?limit=1&limit=2",
    "?purpose=billing&purpose=ads",
    "?atLeast=0:1&atLeast=0:2",
)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedView]:
    with served_view(tmp_path) as view:
        view.serve(view.generation())
        view.write({"a@x.org": 1, "b@x.org": 2})
        yield view


def by_general_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests from here on go by FastAPI's own parameters and dependencies."""

    async def general(route: RowsRoute, request: Request) -> Response:
        return await APIRoute.get_route_handler(route)(request)

    monkeypatch.setattr(RowsRoute, "respond", general)


def headers(response: Any) -> dict[str, str]:
    """All of them; the length differs with the cursor's."""
    return {**response.headers, "content-length": ""}


def answer(response: Any) -> Any:
    """Its body; a cursor is another text each time."""
    body = response.json()
    return body | {"next": bool(body["next"])} if "next" in body else body


@pytest.mark.parametrize("user", ["ana", "otto"])
def test_both_ways_answer_alike(served: ServedView, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = served.world.user(user)
    quick = [client.get(f"/api/v1/views/spend/rows{asked}") for asked in ASKED]
    by_general_way(monkeypatch)
    for asked, one in zip(ASKED, quick, strict=True):
        general = client.get(f"/api/v1/views/spend/rows{asked}")
        assert (one.status_code, answer(one)) == (general.status_code, answer(general)), asked
        assert headers(one) == headers(general), asked


@pytest.mark.parametrize(
    ("asked", "hint"), [("wher=total+%3D+1", "did you mean where?"), ("q=1", "the parameters are key, keys")]
)
def test_a_misspelt_parameter_is_refused(served: ServedView, asked: str, hint: str) -> None:
    for door in ("rows", "changes"):
        refused = served.world.user("ana").get(f"/api/v1/views/spend/{door}?{asked}")
        assert refused.status_code == 400, door
        error = refused.json()["error"]
        assert error["details"]["field"] == asked.split("=")[0] and "is not a parameter here" in error["message"]
        assert door == "changes" or hint in error["message"]


@pytest.mark.parametrize(
    "header", ["Basic abc", "Bearer", "Bearer  two", "Bearer a b", "bearer weir_wrong", "Bearer weir_wrong"]
)
def test_what_is_no_good_token_is_refused(served: ServedView, header: str) -> None:
    refused = served.world.user("ana").get("/api/v1/views/spend/rows", headers={"Authorization": header})
    assert refused.status_code == 401 and refused.json()["error"]["code"] == "not_signed_in"


@pytest.mark.parametrize("asked", ["", "?key=a@x.org"])
def test_a_right_that_ends_shows_within_a_moment(served: ServedView, asked: str) -> None:
    token = served.world.services[Identity].create_token("ana")
    client, address = served.world.user("ana"), f"/api/v1/views/spend/rows{asked}"
    headers = {"Authorization": f"Bearer {token.text}"}
    assert client.get(address, headers=headers).status_code == 200
    served.world.services[Identity].revoke(token.id)
    begun = time.monotonic()
    until(lambda: client.get(address, headers=headers).status_code == 401)
    assert time.monotonic() - begun < LATELY_S + 1
    assert client.get(address).status_code == 200
    served.world.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {roles: []}\n")
    begun = time.monotonic()
    until(lambda: client.get(address).status_code == 403)
    assert time.monotonic() - begun < LATELY_S + 1


NAMES = (
    "spend",
    "sp%65nd",
    "nothing",
    "a%2Fb",
    "spend/",
    "spend%00",
    "..",
    "spend%20",
    "%E2%82%AC",
    "%FF",
    "n" * 5000,
    "SPEND",
)


def test_names_are_read_alike(served: ServedView, monkeypatch: pytest.MonkeyPatch) -> None:
    client = served.world.user("ana")
    asked = [f"/api/v1/views/{name}/rows{query}" for name in NAMES for query in ("", "?key=a@x.org")]
    quick = [client.get(each) for each in asked]
    by_general_way(monkeypatch)
    for address, one in zip(asked, quick, strict=True):
        general = client.get(address)
        assert (one.status_code, answer(one), headers(one)) == (
            general.status_code,
            answer(general),
            headers(general),
        ), address


def test_every_layer_is_passed_by_both_ways(served: ServedView, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other methods, other credentials, limited tokens, bodies that are too large, compression, and the figures."""
    services = served.world.services
    token = services[Identity].create_token("ana").text
    limited = {scope: services[Identity].create_token("ana", scopes=[scope]).text for scope in ("query", "read")}
    served.write({"long@x.org": 10**15})
    client = TestClient(served.world.app, raise_server_exceptions=False)
    address = "/api/v1/views/spend/rows?key=a@x.org"
    requests: list[tuple[str, dict[str, str]]] = [
        ("GET", {}),
        *(("GET", {"Authorization": f"Bearer {each}"}) for each in (token, *limited.values(), "weir_wrong", "a b", "")),
        ("GET", {"Authorization": f"Basic {token}"}),
        ("GET", {"Authorization": f"bearer {token}"}),
        ("GET", {"Authorization": f"Bearer {token}", "Accept": "text/html"}),
        ("GET", {"Authorization": f"Bearer {token}", "Accept-Encoding": "gzip"}),
        ("GET", {"Authorization": f"Bearer {token}", "Content-Length": "99999999999"}),
        ("GET", {"Authorization": f"Bearer {token}", "Cookie": "weir_session=x", "Origin": "https://other.example"}),
        *((method, {"Authorization": f"Bearer {token}"}) for method in ("HEAD", "POST", "OPTIONS", "DELETE")),
    ]

    def answers() -> list[tuple[int, bytes, dict[str, str]]]:
        return [
            (each.status_code, each.content, dict(each.headers))
            for each in (client.request(method, address, headers=given) for method, given in requests)
        ]

    def figures() -> dict[tuple[str, ...], float]:
        samples = served.world.app.state.metrics.requests.collect()[0].samples
        return {
            (s.labels["method"], s.labels["route"], s.labels["status"]): s.value
            for s in samples
            if s.name.endswith("_total") and "rows" in s.labels["route"]
        }

    quick, counted = answers(), figures()
    assert {status for status, _, _ in quick} == {200, 401, 403, 405, 413}
    assert sum(counted.values()) and {route for _, route, _ in counted} == {"/api/v1/views/{name}/rows"}
    by_general_way(monkeypatch)
    assert answers() == quick
    assert figures() == {key: 2 * number for key, number in counted.items()}


def test_a_token_that_read_rows_passes_whatever_came_before_it(served: ServedView) -> None:
    services = served.world.services
    services[Settings].api.rate_failed = 1.0
    app = create_app(services)

    def status(token: str, path: str = "/api/v1/views/spend/rows?key=a@x.org") -> int:
        client = TestClient(app, client=("203.0.113.9", 1), headers={"Authorization": f"Bearer {token}"})
        return int(client.get(path).status_code)

    good = services[Identity].create_token("ana").text
    assert status(good) == 200
    assert [status(f"weir_bad{number}") for number in range(12)] == [401] * 10 + [429] * 2
    assert [status(good) for _ in range(12)] == [200] * 12


def test_an_application_reads_more_often_than_a_person_asks(served: ServedView) -> None:
    """The burst of the common rate is 10 requests here; rows have a rate of their own."""
    services = served.world.services
    services[Settings].api.rate_requests, services[Settings].api.rate_rows = 1.0, 100.0
    client = TestClient(create_app(services), headers=dict(served.world.user("ana").headers))
    statuses = [client.get("/api/v1/views/spend/rows", params={"key": "a@x.org"}).status_code for _ in range(30)]
    assert statuses == [200] * 30
    assert 429 in [client.get("/api/v1/views/spend").status_code for _ in range(30)]


def test_a_key_that_is_missing_is_an_empty_answer_and_a_dropped_generation_is_none(served: ServedView) -> None:
    client = served.world.user("ana")
    assert client.get("/api/v1/views/spend/rows?key=nobody").json()["rows"] == []
    served.serving.drop("spend", served.generation().id)
    for key in ("nobody", "a@x.org"):
        assert client.get(f"/api/v1/views/spend/rows?key={key}").status_code == 503


@pytest.mark.parametrize("name", ["purpose", "atLeast", "limit"])
def test_what_is_given_twice_is_refused(served: ServedView, name: str) -> None:
    """The last one alone would count: rows for a purpose that is not the one that was stated first."""
    refused = served.world.user("ana").get(f"/api/v1/views/spend/rows?{name}=1&{name}=2")
    assert refused.status_code == 400 and "is given 2 times; give it once" in refused.text
