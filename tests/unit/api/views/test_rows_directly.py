"""Rows by key, asked the quick way: the same answers as the general way, and an end of a right within a moment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.http.app import create_app
from api.http.callers.auth import LATELY_S
from api.http.routes import direct
from tests.query_door import until
from tests.served_view import ServedView, served_view

ASKED = (
    "",
    "?key=a@x.org", "?key=a@x.org&key=b@x.org", "?keys=a@x.org,b@x.org", "?prefix=a", "?from=a&to=b", "?where=total%20%3E%3D%202",
    "?limit=1", "?limit=0", "?limit=x", "?cursor=wrong", "?atLeast=nothing", "?purpose=billing", "?key=" + "k" * 5000, "?unknown=1",
    "?key=%F0%9F%98%80", "?key=%FF", "?key=a%00b", "?key=",
)  # fmt: skip


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedView]:
    with served_view(tmp_path) as view:
        view.serve(view.generation())
        view.write({"a@x.org": 1, "b@x.org": 2})
        yield view


def answer(response: Any) -> Any:
    """Its body; a cursor is another text each time."""
    body = response.json()
    return body | {"next": bool(body["next"])} if "next" in body else body


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("user", ["ana", "otto"])
def test_both_ways_answer_alike(served: ServedView, user: str, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = served.world.user(user)
    quick = client.get(f"/api/v1/views/spend/rows{asked}")
    monkeypatch.setattr(direct, "_plain_token", lambda request: None)
    general = client.get(f"/api/v1/views/spend/rows{asked}")
    assert (quick.status_code, answer(quick)) == (general.status_code, answer(general))
    assert quick.headers.keys() == general.headers.keys()


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


def test_a_revoked_token_ends_within_a_moment(served: ServedView) -> None:
    token = served.world.services.identity.create_token("ana")
    client = served.world.user("ana")
    headers = {"Authorization": f"Bearer {token.text}"}
    assert client.get("/api/v1/views/spend/rows", headers=headers).status_code == 200
    served.world.services.identity.revoke(token.id)
    begun = time.monotonic()
    until(lambda: client.get("/api/v1/views/spend/rows", headers=headers).status_code == 401)
    assert time.monotonic() - begun < LATELY_S + 1


@pytest.mark.parametrize("name", ["spend", "sp%65nd", "nothing", "a%2Fb"])
def test_names_are_read_alike(served: ServedView, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = served.world.user("ana")
    quick = client.get(f"/api/v1/views/{name}/rows")
    monkeypatch.setattr(direct, "_plain_token", lambda request: None)
    general = client.get(f"/api/v1/views/{name}/rows")
    assert (quick.status_code, quick.json()) == (general.status_code, general.json())


def test_a_token_that_read_rows_passes_whatever_came_before_it(served: ServedView) -> None:
    services = served.world.services
    services.settings.api.rate_failed = 1.0
    app = create_app(services)

    def status(token: str, path: str = "/api/v1/views/spend/rows?key=a@x.org") -> int:
        client = TestClient(app, client=("203.0.113.9", 1), headers={"Authorization": f"Bearer {token}"})
        return int(client.get(path).status_code)

    good = services.identity.create_token("ana").text
    assert status(good) == 200
    assert [status(f"weir_bad{number}") for number in range(12)] == [401] * 10 + [429] * 2
    assert [status(good) for _ in range(12)] == [200] * 12


def test_an_application_reads_more_often_than_a_person_asks(served: ServedView) -> None:
    """The burst of the common rate is 10 requests here; rows have a rate of their own."""
    services = served.world.services
    services.settings.api.rate_requests, services.settings.api.rate_rows = 1.0, 100.0
    client = TestClient(create_app(services), headers=served.world.user("ana").headers)
    statuses = [client.get("/api/v1/views/spend/rows", params={"key": "a@x.org"}).status_code for _ in range(30)]
    assert statuses == [200] * 30
    assert 429 in [client.get("/api/v1/views/spend").status_code for _ in range(30)]


def test_a_key_that_is_missing_is_an_empty_answer_and_a_dropped_generation_is_none(served: ServedView) -> None:
    client = served.world.user("ana")
    assert client.get("/api/v1/views/spend/rows?key=nobody").json()["rows"] == []
    served.serving.drop("spend", served.generation().id)
    for key in ("nobody", "a@x.org"):
        assert client.get(f"/api/v1/views/spend/rows?key={key}").status_code == 503
