"""What the log has of a request that failed: the route, not the path with the names in it."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.testclient import TestClient
from structlog.testing import capture_logs

from api.edge import errors
from catalog.errors import Unavailable

PATH = "/access/people/ana.lind@example.com"


def _door(failure: Exception) -> TestClient:
    app = FastAPI()
    errors.install(app)

    @app.get("/access/people/{name}")
    def person(name: str) -> None:
        raise failure

    @app.post("/read")
    def read(given: dict[str, object]) -> None:
        raise AssertionError(given)

    app.add_middleware(errors.Unexpected)
    return TestClient(app, raise_server_exceptions=False)


def test_a_server_that_is_away_is_logged_with_the_route() -> None:
    with capture_logs() as lines:
        assert _door(Unavailable("The record store does not answer.")).get(PATH).status_code == 503
    assert [line["route"] for line in lines] == ["/access/people/{name}"]
    assert "ana.lind" not in str(lines)


def test_an_error_that_nobody_foresaw_is_logged_with_the_route() -> None:
    with capture_logs() as lines:
        assert _door(KeyError("x")).get(PATH).status_code == 500
    assert {line["route"] for line in lines} == {"/access/people/{name}"}
    assert "ana.lind" not in str(lines)


def test_a_body_that_is_nested_too_deeply_is_named() -> None:
    headers = {"Content-Type": "application/json"}
    answer = _door(KeyError("x")).post("/read", content="[" * 200_000, headers=headers)
    assert answer.status_code == 400
    assert (
        answer.json()["error"]["code"] == "invalid_input" and "nested too deeply" in answer.json()["error"]["message"]
    )
