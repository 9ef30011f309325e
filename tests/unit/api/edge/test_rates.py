"""Buckets of requests: what passes in any time is the burst and the rate, and the wait that is named is enough."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from api.app import create_app
from api.config.settings import Settings
from api.edge.client_address import client_address, networks
from api.edge.rates import Buckets, PersonRates, RateLimit, Rates, class_of, refuse
from catalog.errors import LimitExceeded
from tests.api_world import world


@given(st.floats(0.1, 100), st.lists(st.floats(0, 5), max_size=200))
def test_never_more_than_the_burst_and_the_rate(rate: float, pauses: list[float]) -> None:
    now = 0.0
    buckets, passed = Buckets(lambda: now), 0
    for pause in pauses:
        now += pause
        passed += buckets.take(("other", "a"), rate) == 0
    assert passed <= max(1.0, rate * 10) + rate * now + 1e-6


@given(st.floats(0.1, 100))
def test_who_waits_as_long_as_told_passes(rate: float) -> None:
    now = 0.0
    buckets = Buckets(lambda: now)
    while (wait := buckets.take(("other", "a"), rate)) == 0:
        pass
    assert buckets.take(("other", "b"), rate) == 0
    now += wait + 1e-6
    assert buckets.take(("other", "a"), rate) == 0


def ask(limit: RateLimit, token: str | None, host: str, path: str = "/api/v1/search") -> tuple[int, dict[str, str]]:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"authorization", token.encode())] if token else []
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers, "client": (host, 1)}
    asyncio.run(limit(scope, receive, send))
    return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0].get("headers", [])}


async def ok(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def test_one_token_is_limited_and_another_is_not() -> None:
    now = 0.0
    limit = RateLimit(ok, Rates(1, 1, 1, 100), Buckets(lambda: now))
    assert [ask(limit, "Bearer a", "10.0.0.1")[0] for _ in range(11)] == [200] * 10 + [429]
    status, headers = ask(limit, "Bearer a", "10.0.0.1")
    assert status == 429 and headers["retry-after"] == "1"
    assert ask(limit, "Bearer b", "10.0.0.1")[0] == 200
    assert ask(limit, "Bearer a", "10.0.0.1", "/api/v1/query")[0] == 200  # of another class
    assert ask(limit, "Bearer a", "10.0.0.1", "/healthz")[0] == 200


def test_tokens_made_up_are_limited_by_their_address_and_this_machine_is_not() -> None:
    now = 0.0
    limit = RateLimit(ok, Rates(100, 100, 100, 2), Buckets(lambda: now))
    assert [ask(limit, f"Bearer {n}", "10.0.0.1")[0] for n in range(21)] == [200] * 20 + [429]
    assert ask(limit, "Bearer x", "10.0.0.2")[0] == 200
    assert {ask(limit, f"Bearer {n}", "127.0.0.1")[0] for n in range(100)} == {200}


def test_classes_of_routes() -> None:
    assert class_of("POST", "/api/v1/lineage/batch") == "ingest" and class_of("POST", "/api/v1/lineage/sql") == "other"
    assert (
        class_of("GET", "/api/v1/views/shop.vans/rows") == "rows" and class_of("GET", "/api/v1/views/rows") == "other"
    )
    assert class_of("GET", "/api/v1/query/stream") == "query" and class_of("GET", "/api/v1/queries") == "other"


def test_signing_in_is_limited_by_address_and_by_nothing_else() -> None:
    limit = RateLimit(ok, Rates(100, 100, 100, 1000, 1), Buckets(lambda: 0.0))
    tries = ("/api/v1/auth/login/company", "/api/v1/auth/callback/company", "/api/v1/auth/device/BBBB-CCCC")
    assert [ask(limit, None, "10.0.0.1", tries[n % 3])[0] for n in range(11)] == [200] * 10 + [429]
    status, headers = ask(limit, f"Bearer {'x' * 40}", "10.0.0.1", tries[0])
    assert status == 429 and headers["retry-after"] == "1"
    assert ask(limit, None, "10.0.0.2", tries[0])[0] == 200  # nobody is kept out by another
    for path in ("/api/v1/auth/session", "/api/v1/auth/sessions", "/api/v1/search"):
        assert ask(limit, None, "10.0.0.1", path)[0] == 200


def test_a_session_has_a_rate_of_its_own() -> None:
    limit = RateLimit(ok, Rates(1, 1, 1, 1000), Buckets(lambda: 0.0))

    def of(cookie: str) -> int:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"cookie", cookie.encode())]
        scope = {"type": "http", "method": "GET", "path": "/api/v1/me", "headers": headers, "client": ("10.0.0.1", 1)}
        asyncio.run(limit(scope, None, send))  # type: ignore[arg-type]
        return int(sent[0]["status"])

    assert [of("theme=dark; weir_session=a") for _ in range(11)] == [200] * 10 + [429]
    assert of("weir_session=a; other=1") == 429
    assert of("weir_session=b") == 200


class Answers:
    """An application that answers 401 but to one token and its spellings, and 200 without a look at one path."""

    def __init__(self) -> None:
        self.looked: list[bytes] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        given = dict(scope["headers"]).get(b"authorization", b"")
        good = given.partition(b" ")[2].strip() == b"good"
        if good:
            scope["state"]["authenticated"] = True
        good = good or scope["path"] == "/api/v1/health"
        self.looked.append(given)
        await send({"type": "http.response.start", "status": 200 if good else 401, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def test_failures_limit_their_address_and_no_token_that_is_known() -> None:
    now = 0.0
    limit = RateLimit(Answers(), Rates(1000, 1000, 1000, 10000, failed=1), Buckets(lambda: now))
    assert ask(limit, "Bearer good", "10.0.0.1")[0] == 200
    assert [ask(limit, f"Bearer {n}", "10.0.0.1")[0] for n in range(12)] == [401] * 10 + [429] * 2
    status, headers = ask(limit, "Bearer other", "10.0.0.1")
    assert status == 429 and headers["retry-after"] == "1"
    assert ask(limit, "Bearer good", "10.0.0.1")[0] == 200  # nobody is locked out by another at the same address
    assert ask(limit, "Bearer x", "10.0.0.2")[0] == 401
    now = 1.0
    assert ask(limit, "Bearer y", "10.0.0.1")[0] == 401


def test_no_failure_locks_out_a_token_that_nobody_saw_yet() -> None:
    """As of a process that has just started, behind an address from which others send bad tokens."""
    limit = RateLimit(Answers(), Rates(1000, 1000, 1000, 10000, failed=1), Buckets(lambda: 0.0))
    assert [ask(limit, f"Bearer {n}", "10.0.0.1")[0] for n in range(30)][-1] == 429
    assert ask(limit, "Bearer good", "10.0.0.1")[0] == 200
    status, headers = ask(limit, "Bearer x", "10.0.0.1")
    assert status == 429 and headers["retry-after"] == "1"


def test_a_bad_token_is_looked_at_once_while_its_address_has_to_wait() -> None:
    app = Answers()
    limit = RateLimit(app, Rates(1000, 1000, 1000, 10000, failed=1), Buckets(lambda: 0.0))
    for number in range(11):
        ask(limit, f"Bearer {number}", "10.0.0.1")
    looked = len(app.looked)
    assert {ask(limit, "Bearer again", "10.0.0.1")[0] for _ in range(50)} == {429}
    assert len(app.looked) == looked + 1


def test_sign_in_and_cookies_are_outside_the_limit_on_bad_tokens() -> None:
    limit = RateLimit(Answers(), Rates(1000, 1000, 1000, 10000, failed=1), Buckets(lambda: 0.0))
    for number in range(30):
        ask(limit, f"Bearer {number}", "10.0.0.1")

    def of_cookie(secret: str, path: str) -> int:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"cookie", f"weir_session={secret}".encode())]
        scope = {"type": "http", "method": "GET", "path": path, "headers": headers, "client": ("10.0.0.1", 1)}
        asyncio.run(limit(scope, None, send))  # type: ignore[arg-type]
        return int(sent[0]["status"])

    assert ask(limit, "Bearer dead", "10.0.0.1", "/api/v1/auth/session")[0] == 401
    assert {of_cookie("dead", path) for path in ("/api/v1/auth/session", "/api/v1/me")} == {401}
    fresh = RateLimit(Answers(), Rates(1000, 1000, 1000, 10000, failed=1), Buckets(lambda: 0.0))
    limit = fresh
    assert {of_cookie(f"{n}", "/api/v1/me") for n in range(50)} == {401}  # pages with a dead cookie ask again and again
    assert ask(fresh, "Bearer bad", "10.0.0.1")[0] == 401


def test_a_token_is_good_once_somebody_signed_in_with_it_and_not_before() -> None:
    limit = RateLimit(Answers(), Rates(1000, 1000, 1000, 10000, failed=1), Buckets(lambda: 0.0))
    for number in range(500):
        assert ask(limit, f"Bearer {number}", "10.0.0.1", "/api/v1/health")[0] == 200
    assert len(limit._good) == 0
    ask(limit, "Bearer good", "10.0.0.1")
    assert len(limit._good) == 1


def test_spellings_of_the_scheme_are_one_token() -> None:
    limit = RateLimit(ok, Rates(1, 1, 1, 1000), Buckets(lambda: 0.0))
    spellings = ("Bearer a", "bEARER a", "BEARER  a", "bearer a ")
    assert [ask(limit, spellings[n % 4], "10.0.0.1")[0] for n in range(11)] == [200] * 10 + [429]


def test_addresses_of_one_network_of_version_6_are_one() -> None:
    limit = RateLimit(ok, Rates(100, 100, 100, 2), Buckets(lambda: 0.0))
    passed = [ask(limit, None, f"2001:db8:1:2::{n:x}")[0] for n in range(21)]
    assert passed == [200] * 20 + [429]
    assert ask(limit, None, "2001:db8:1:3::1")[0] == 200
    for last in range(1, 100):  # addresses of version 4 in the form of version 6 are not one network
        assert ask(limit, None, f"::ffff:198.51.100.{last}")[0] == 200
    assert [ask(limit, None, "::ffff:192.0.2.1")[0] for _ in range(21)][-1] == 429
    assert ask(limit, None, "192.0.2.1")[0] == 429


def test_a_person_is_limited_over_all_their_tokens() -> None:
    limit = PersonRates(Rates(1, 1, 1, 1000, search=2, tokens=0.5), Buckets(lambda: 0.0))
    for _ in range(20):
        limit.require("ana", "GET", "/api/v1/search")
    with pytest.raises(LimitExceeded) as refused:
        limit.require("ana", "GET", "/api/v1/search/suggest")
    assert refused.value.details["retryAfter"] == 1
    limit.require("otto", "GET", "/api/v1/search")
    limit.require("ana", "POST", "/api/v1/query")
    for _ in range(5):
        limit.require("ana", "POST", "/api/v1/tokens")
    with pytest.raises(LimitExceeded) as refused:
        limit.require("ana", "POST", "/api/v1/tokens")
    assert refused.value.details["retryAfter"] == 2


def test_a_browser_gets_a_page_in_plain_words() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"path": "/api/v1/auth/login/company", "headers": [(b"accept", b"text/html,*/*")], "type": "http"}
    asyncio.run(refuse(1.2, "this address", scope, None, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 429 and (b"retry-after", b"2") in sent[0]["headers"]
    assert b"Wait 2 s" in sent[1]["body"] and b"{" not in sent[1]["body"].split(b"</style>")[1]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),  # not a declared proxy
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["1.2.3.4, 198.51.100.1"], "198.51.100.1"),  # the left was written by the client
        ("10.0.0.1", ["1.2.3.4", "198.51.100.1, 10.2.0.1"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
        ("10.0.0.1", ["[2001:db8::1]:80"], "2001:db8::1"),
        ("::ffff:10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("10.0.0.1", ["nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["127.0.0.1"], "10.0.0.1"),
        ("10.0.0.1", ["::1, 10.0.0.7"], "10.0.0.7"),
    ],
)
def test_the_address_of_a_client_behind_proxies(peer: str, forwarded: list[str], client: str) -> None:
    assert client_address(peer, forwarded, networks(["10.0.0.0/8"])) == client


@pytest.mark.parametrize(
    ("proxies", "wide"),
    [
        (["10.0.3.7", "10.0.3.0/24", "2001:db8::1"], []),
        (["10.0.0.0/8", "10.0.3.0/23", "2001:db8::/64"], ["10.0.0.0/8", "10.0.3.0/23", "2001:db8::/64"]),
    ],
)
def test_a_start_warns_of_networks_of_proxies_that_hold_more_than_proxies(
    tmp_path: Path, proxies: list[str], wide: list[str]
) -> None:
    with world(tmp_path) as weir, capture_logs() as logs:
        weir.services[Settings].api.trusted_proxies = proxies
        create_app(weir.services)
    assert [each["network"] for each in logs if each["event"] == "proxies_too_wide"] == wide


def test_a_token_that_signed_in_passes_whatever_came_before_it(tmp_path: Path) -> None:
    """The whole application: routes that look at the caller name a good token, open ones do not."""
    with world(tmp_path) as weir:
        weir.services[Settings].api.rate_failed = 1.0
        app = create_app(weir.services)

        def status(token: str, path: str = "/api/v1/search?q=x") -> int:
            client = TestClient(app, client=("203.0.113.9", 1), headers={"Authorization": f"Bearer {token}"})
            return int(client.get(path).status_code)

        good = weir.admin.post("/api/v1/tokens", json={"user": "ana"}).json()["token"]
        for number in range(10):
            assert status(f"bad{number}", "/api/v1/auth/session") != 429
        assert [status(f"weir_bad{number}") for number in range(12)] == [401] * 10 + [429] * 2
        assert status(good) == 200
