"""The Python client: what it sends for odd arguments, and that every failure is one of its own errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import httpx
import pytest
from weir_client import Conflict, InvalidInput, NotFound, NotSignedIn, Weir, WeirError

FOUND = {"namespace": "file", "name": "/data/2024/a.parquet", "cluster": None, "reference": "file//data/2024/a.parquet"}


class Server:
    """In place of a Weir: keeps each request, and answers by its path."""

    def __init__(self, answer: Callable[[httpx.Request], Any] = lambda _: {}) -> None:
        self.requests: list[httpx.Request] = []
        self._answer = answer

    def client(self) -> Weir:
        return Weir("http://weir.example", "t", transport=httpx.MockTransport(self._take))

    def sent(self) -> list[tuple[str, str]]:
        return [(each.method, each.url.raw_path.decode()) for each in self.requests]

    def body(self) -> Any:
        return json.loads(self.requests[-1].content)

    def _take(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answer(request)
        return answer if isinstance(answer, httpx.Response) else httpx.Response(200, json=answer)


def test_a_dataset_is_found_by_the_reference_that_a_search_gives() -> None:
    server = Server(lambda request: FOUND)
    dataset = server.client().dataset("file//data/2024/a.parquet")
    assert dataset.reference == "file//data/2024/a.parquet"
    assert server.sent() == [
        ("GET", "/api/v1/datasets/find?name=file%2F%2Fdata%2F2024%2Fa.parquet"),
        ("GET", "/api/v1/datasets/file/%2Fdata%2F2024%2Fa.parquet"),
    ]


def missing(_: httpx.Request) -> httpx.Response:
    return httpx.Response(404, json={"error": {"code": "dataset_not_found", "message": "There is none."}})


def test_a_dataset_that_is_gone_is_still_read_by_its_name() -> None:
    server = Server(lambda request: missing(request) if "find" in str(request.url) else {"reference": "prod/gone"})
    assert server.client().dataset("prod/gone").reference == "prod/gone"
    assert server.sent()[1] == ("GET", "/api/v1/datasets/prod/gone")


@pytest.mark.parametrize("reference", ["prod/..", "../me", "prod/", "/orders", "./orders"])
def test_a_reference_with_dots_is_no_other_address(reference: str) -> None:
    server = Server(missing)
    with pytest.raises(NotFound, match="There is none"):
        server.client().dataset(reference)
    assert [path.partition("?")[0] for _, path in server.sent()] == ["/api/v1/datasets/find"]


def test_access_for_no_days_is_not_access_without_an_end() -> None:
    server = Server()
    weir = server.client()
    before = datetime.now(timezone.utc)  # noqa: UP017 (as the client)
    weir.request_access("prod/orders", purpose="p", days=0)
    until = datetime.fromisoformat(server.body()["until"])
    assert before <= until < before + timedelta(hours=1)
    weir.request_access("prod/orders", purpose="p")
    assert server.body()["until"] is None


@pytest.mark.parametrize("days", [float("nan"), float("inf"), 1e12, -1e12])
def test_days_that_no_calendar_has_are_refused(days: float) -> None:
    server = Server()
    with pytest.raises(InvalidInput, match=r"^days is a number of days from now"):
        server.client().request_access("prod/orders", purpose="p", days=days)
    assert server.requests == []


def test_one_field_as_a_text_is_one_field() -> None:
    server = Server()
    weir = server.client()
    weir.request_access("prod/orders", "value.email", purpose="p", unmask="value.email")
    assert (server.body()["fields"], server.body()["unmask"]) == (["value.email"], ["value.email"])
    weir.decide("prod/orders", fields="value.email")
    assert server.body()["fields"] == ["value.email"]


def test_requests_are_all_pages() -> None:
    def page(request: httpx.Request) -> Any:
        offset = int(request.url.params.get("offset", 0))
        return {"requests": [{"id": str(at)} for at in range(offset, min(offset + 100, 250))], "total": 250}

    server = Server(page)
    assert [each["id"] for each in server.client().requests(mine=True)] == [str(at) for at in range(250)]
    assert [each.url.params["mine"] for each in server.requests] == ["true"] * 3
    assert len(server.client().requests(limit=100, offset=200)) == 50


def test_requests_end_when_others_end_meanwhile() -> None:
    server = Server(lambda request: {"requests": [{"id": "a"}] if "offset=0" in str(request.url) else [], "total": 9})
    assert len(server.client().requests()) == 1


def test_an_id_is_one_part_of_the_address() -> None:
    server = Server()
    weir = server.client()
    weir.approve("a?x=1")
    weir.deny("a/b")
    weir.cancel("a#b")
    weir.query("SELECT 1", query_id="a/b").cancel()
    assert server.sent() == [
        ("POST", "/api/v1/access-requests/a%3Fx%3D1/approve"),
        ("POST", "/api/v1/access-requests/a%2Fb/deny"),
        ("DELETE", "/api/v1/queries/a%23b"),
        ("DELETE", "/api/v1/queries/a%2Fb"),
    ]


def test_a_query_without_an_end_takes_no_limit() -> None:
    server = Server()
    with pytest.raises(InvalidInput, match="leave out limit"):
        next(server.client().query("SELECT 1 FROM orders EMIT CHANGES", limit=5).stream())
    assert server.requests == []


@pytest.mark.parametrize("url", ["weir.example:8484", "ftp://weir.example", "http://", "http://weir.example:abc"])
def test_an_address_that_is_none_is_named_at_once(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"is not an address of Weir; write it as http://127\.0\.0\.1:8484"):
        Weir(url, "t")


@pytest.mark.parametrize("token", ["wéir_secret", "weir\nsecret", "weir secret", "😀"])
def test_a_token_that_is_none_is_refused_without_repeating_it(token: str) -> None:
    with pytest.raises(NotSignedIn, match="has characters that no token has") as refused:
        Weir("http://weir.example", token)
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None and refused.value.__context__ is None


def test_an_empty_token_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEIR_TOKEN", raising=False)
    monkeypatch.delenv("WEIR_CLIENT_CERTIFICATE", raising=False)
    with pytest.raises(NotSignedIn, match="There is no token"):
        Weir("http://weir.example", " \n")


def test_text_that_is_not_unicode_is_an_error_of_the_client() -> None:
    weir = Server().client()
    asked: tuple[Callable[[], Any], ...] = (
        lambda: weir.search("\ud800"),
        lambda: weir.check("SELECT '\ud800'"),
        lambda: weir.query("SELECT '\ud800'").rows(),
        lambda: weir.dataset("prod/\ud800"),
        lambda: weir.approve("\ud800"),
    )
    for ask in asked:
        with pytest.raises(InvalidInput, match="not valid Unicode"):
            ask()


def test_a_client_that_was_closed_names_that() -> None:
    weir = Server().client()
    weir.close()
    for ask in (weir.me, weir.query("SELECT 1").rows):
        with pytest.raises(Conflict, match="was closed"):
            ask()
    assert issubclass(Conflict, WeirError)
