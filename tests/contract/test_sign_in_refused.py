"""What a sign-in does not take, each by an answer of a provider or a browser that is wrong in one way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import example, given
from hypothesis import strategies as st

from api.config.home import Home
from api.wiring.clock import now
from policies.access.sessions import Sessions
from policies.access.sign_in import SignIn, safe_path
from tests.api_world import ApiWorld, world
from tests.openid_world import BASE, LOGOUT, Issuer, begin, browser, csrf, declared, issuer, sign_in

RIGHTS = "[{claim: groups, value: weir-stewards, roles: [steward]}]"


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture
def at(weir: ApiWorld) -> Iterator[Issuer]:
    with issuer() as running:
        weir.apply(declared("one", running.url, RIGHTS))
        weir.services[Sessions]._confirming._away.clear()  # of a test whose clock was ahead
        running.people["s-ana"] = {"preferred_username": f"ana-{running.server.server_port}"}
        yield running


def refused(weir: ApiWorld, at: Issuer, **query: str) -> str:
    """The message; nobody is signed in after it."""
    client = browser(weir)
    answer = client.get(at.answer(begin(client, "one"), **query))
    assert answer.status_code == 401, answer.text
    assert client.get("/api/v1/me").status_code == 401
    return str(answer.json()["error"]["message"])


def test_the_provider_is_asked_as_it_should_be(weir: ApiWorld, at: Issuer) -> None:
    client = browser(weir)
    address = begin(client, "one")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert asked["response_type"] == "code" and asked["code_challenge_method"] == "S256"
    assert min(len(asked[name]) for name in ("state", "nonce", "code_challenge")) >= 43
    assert asked["redirect_uri"] == f"{BASE}/api/v1/auth/callback/one"
    assert client.get(at.answer(address)).status_code == 303
    exchanged = next(form for path, form in at.asked if path == "/authorization_code")
    verifier = exchanged["code_verifier"]
    assert len(verifier) >= 43 and verifier not in address


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"nonce": "another"}, "InvalidClaimError"),
        ({"nonce": None}, "MissingClaimError"),
        ({"aud": "another"}, "InvalidAudienceError"),
        ({"aud": ["weir", "another"]}, "MissingClaimError"),
        ({"aud": ["weir", "another"], "azp": "another"}, "InvalidClaimError"),
        ({"aud": None}, "MissingRequiredClaimError"),
        ({"iss": "https://elsewhere.example"}, "InvalidIssuerError"),
        ({"iss": None}, "MissingRequiredClaimError"),
        ({"exp": 1}, "ExpiredSignatureError"),
        ({"exp": None}, "MissingRequiredClaimError"),
        ({"iat": None}, "MissingRequiredClaimError"),
        ({"nbf": time.time() + 3600}, "ImmatureSignatureError"),
        ({"at_hash": "x" * 22}, "InvalidClaimError"),
        ({"sub": None}, "MissingRequiredClaimError"),
        ({"sub": ""}, "subject"),
    ],
)
def test_an_id_token_with_a_wrong_claim(weir: ApiWorld, at: Issuer, change: dict[str, Any], why: str) -> None:
    at.change = change
    assert why in refused(weir, at)


def test_id_tokens_with_a_wrong_signature(weir: ApiWorld, at: Issuer) -> None:
    at.key = rsa.generate_private_key(65537, 2048)
    assert "InvalidSignatureError" in refused(weir, at)
    at.key, at.algorithm = "x" * 64, "HS256"
    assert "InvalidAlgorithmError" in refused(weir, at)
    at.key, at.algorithm = None, "none"
    assert "InvalidAlgorithmError" in refused(weir, at)
    at.key, at.algorithm, at.header = rsa.generate_private_key(65537, 2048), "RS256", {"kid": "unknown"}
    assert "PyJWKClientError" in refused(weir, at)


def test_a_state_of_another_browser_or_none(weir: ApiWorld, at: Issuer) -> None:
    mine, theirs = browser(weir), browser(weir)
    answer = at.answer(begin(theirs, "one"))
    assert mine.get(answer).status_code == 401  # nobody began here
    begin(mine, "one")
    assert mine.get(answer).status_code == 401  # another was begun here
    assert mine.get("/api/v1/me").status_code == 401
    for query in ("", "?code=x", "?state=x", "?state=&code=x", "?code=x&state=%00%F0"):
        assert mine.get(f"/api/v1/auth/callback/one{query}").status_code == 401
    assert theirs.get(answer).status_code == 303


def test_a_state_is_good_once_and_a_code_too(weir: ApiWorld, at: Issuer) -> None:
    client = browser(weir)
    address = begin(client, "one")
    kept = {c.name: c.value for c in client.cookies.jar}
    answer = at.answer(address)
    assert client.get(answer).status_code == 303
    assert not any(c.name in kept for c in client.cookies.jar)  # taken away with its use
    again = browser(weir)
    header = {"Cookie": "; ".join(f"{name}={value}" for name, value in kept.items())}
    assert "finished before" in again.get(answer, headers=header).json()["error"]["message"]
    used = parse_qs(urlsplit(answer).query)["code"][0]
    assert "used before" in refused(weir, at, code=used)


def test_an_old_sign_in(weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    client = browser(weir)
    answer = at.answer(begin(client, "one"))
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 601)
    assert "ten minutes" in client.get(answer).json()["error"]["message"]


def test_the_answer_of_another_provider(weir: ApiWorld, at: Issuer) -> None:
    with issuer() as evil:
        weir.apply(declared("one", at.url, RIGHTS) + "---\n" + declared("evil", evil.url))
        client = browser(weir)
        answer = at.answer(begin(client, "one"))
        # The code of the one is brought to the callback of the other, which would send it there.
        mixed = answer.replace("/callback/one", "/callback/evil")
        assert client.get(mixed).status_code == 401
        assert not any(path == "/authorization_code" for path, _ in evil.asked)
    assert "another issuer" in refused(weir, at, iss=evil.url)
    at.document = {"authorization_response_iss_parameter_supported": True}
    weir.services[SignIn]._client._documents._kept.clear()  # type: ignore[attr-defined]
    assert "another issuer" in refused(weir, at)
    client = browser(weir)
    assert client.get(at.answer(begin(client, "one"), iss=at.url)).status_code == 303


def test_parameters_twice(weir: ApiWorld, at: Issuer) -> None:
    client = browser(weir)
    answer = at.answer(begin(client, "one"))
    assert client.get(answer + "&code=other").status_code == 400
    assert client.get("/api/v1/me").status_code == 401


def test_userinfo_of_another_person(weir: ApiWorld, at: Issuer) -> None:
    at.userinfo = {"sub": "s-petra", "preferred_username": "petra"}
    assert "another person" in refused(weir, at)


def test_a_discovery_document_of_another(weir: ApiWorld, at: Issuer) -> None:
    at.document = {"issuer": "https://elsewhere.example"}
    answer = browser(weir).get("/api/v1/auth/login/one")
    assert answer.status_code == 500 and "not the document" in answer.text
    at.document = {"token_endpoint": "http://10.0.0.1/token"}
    answer = browser(weir).get("/api/v1/auth/login/one")
    assert answer.status_code == 500 and "token_endpoint" in answer.text


def test_a_provider_that_is_away(weir: ApiWorld, at: Issuer) -> None:
    at.down = True
    answer = browser(weir).get("/api/v1/auth/login/one", headers={"Accept": "text/html"})
    assert answer.status_code == 503 and "does not answer" in answer.text
    assert answer.headers["content-type"].startswith("text/html")


def test_another_host_than_this_machine_without_a_setting(weir: ApiWorld, at: Issuer) -> None:
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[", ""):
        answer = browser(weir).get("/api/v1/auth/login/one", headers={"Host": host})
        assert answer.status_code == 409 and "public_url" in answer.text, host


# --- what the browser is sent to ------------------------------------------------------------------------------------


@given(st.text(max_size=60) | st.from_regex(r"[/\\]{0,3}[a-z:@.%0-9/\\]{0,30}", fullmatch=True))
@example("//evil.example")
@example("/\\evil.example")
@example("https://evil.example")
@example("/api/v1/auth/login/one")
@example("/\t/evil.example")
@example("javascript:alert(1)")
def test_a_return_path_stays_here(text: str) -> None:
    path = safe_path(text)
    joined = httpx2.URL(BASE).join(path)
    assert (joined.scheme, joined.host, joined.port) == ("http", "localhost", 8484)
    assert path.startswith("/") and not path.startswith(("//", "/\\")) and "\\" not in path
    assert path in (text, "/")


def test_a_foreign_return_path_is_left_out(weir: ApiWorld, at: Issuer) -> None:
    for path in ("https://evil.example/", "//evil.example", "/\\evil.example", "/api/v1/auth/login/one"):
        done = sign_in(browser(weir), "one", at, "s-ana", path)
        assert (done.status_code, done.headers["location"]) == (303, "/")


# --- back-channel logout --------------------------------------------------------------------------------------------


def back(weir: ApiWorld, token: str) -> httpx2.Response:
    answer: httpx2.Response = browser(weir).post(
        "/api/v1/auth/backchannel/one",
        content=f"logout_token={token}",
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )
    return answer


def test_a_logout_at_the_provider_ends_the_session_here(weir: ApiWorld, at: Issuer) -> None:
    at.people["s-ben"] = {"preferred_username": f"ben-{at.server.server_port}"}
    ana, ben = browser(weir), browser(weir)
    sign_in(ana, "one", at, "s-ana")
    sign_in(ben, "one", at, "s-ben")
    token = at.logout_token()
    assert back(weir, token).status_code == 200
    gone = ana.get("/api/v1/me")
    assert gone.status_code == 401 and "signed out at the sign-in service" in gone.json()["error"]["message"]
    assert ben.get("/api/v1/me").status_code == 200
    assert back(weir, token).status_code == 400  # once
    assert back(weir, at.logout_token(sub=None, sid="sid-s-ben")).status_code == 200
    assert ben.get("/api/v1/me").status_code == 401


def test_forged_logouts_end_nothing(weir: ApiWorld, at: Issuer) -> None:
    ana = browser(weir)
    sign_in(ana, "one", at, "s-ana")
    good: dict[str, Any] = {
        "iss": at.url,
        "aud": "weir",
        "iat": time.time(),
        "jti": "1",
        "sub": "s-ana",
        "events": {LOGOUT: {}},
    }
    stranger = rsa.generate_private_key(65537, 2048)
    tokens = {
        "stranger's key": jwt.encode(good, stranger, "RS256", headers={"kid": "one"}),
        "no signature": jwt.encode(good, "", "none", headers={"kid": "one"}),
        "shared secret": jwt.encode(good, "x" * 64, "HS256", headers={"kid": "one"}),
        "another audience": at.logout_token(aud="another"),
        "another issuer": at.logout_token(iss="https://elsewhere.example"),
        "old": at.logout_token(iat=time.time() - 3600),
        "of the future": at.logout_token(iat=time.time() + 3600),
        "a nonce, so an ID token": at.logout_token(nonce="x"),
        "no event": at.logout_token(events={}),
        "events no object": at.logout_token(events=[LOGOUT]),
        "nobody": at.logout_token(sub=None, sid=None),
        "no jti": at.logout_token(jti=None),
        "an ID token": at.token({"sub": "s-ana"}),
        "another type": at.token({"sub": "s-ana", "events": {LOGOUT: {}}, "jti": "2"}, typ="at+jwt"),
        "no token": "x.y.z",
        "empty": "",
    }
    for why, token in tokens.items():
        assert back(weir, token).status_code == 400, why
    assert back(weir, good["jti"] + "&logout_token=x").status_code == 400
    assert ana.get("/api/v1/me").status_code == 200


# --- rights that end at the provider --------------------------------------------------------------------------------


def test_rights_end_here_when_they_end_there(weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    at.people["s-ana"] |= {"groups": ["weir-stewards"]}
    client = browser(weir)
    sign_in(client, "one", at, "s-ana")
    assert client.get("/api/v1/me").json()["roles"] == ["steward"]
    at.people["s-ana"] |= {"groups": []}
    assert client.get("/api/v1/me").json()["roles"] == ["steward"]  # the provider was asked a moment ago
    monkeypatch.setattr(weir.services[Sessions], "_clock", lambda: now() + timedelta(seconds=30))
    assert client.get("/api/v1/me").json()["roles"] == []
    audited = weir.admin.get("/api/v1/audit", params={"action": "sign-in.rights"}).json()["entries"]
    assert audited[0]["reasons"] == ["lost role steward"]


def test_an_account_that_is_closed_there_is_out_here(
    weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser(weir)
    sign_in(client, "one", at, "s-ana")
    del at.people["s-ana"]
    monkeypatch.setattr(weir.services[Sessions], "_clock", lambda: now() + timedelta(seconds=30))
    gone = client.get("/api/v1/me")
    assert gone.status_code == 401 and "sign-in service ended it" in gone.json()["error"]["message"]


def test_a_provider_that_does_not_answer_gives_no_rights(
    weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser(weir)
    sign_in(client, "one", at, "s-ana")
    at.down = True
    for seconds, status in ((30, 200), (44, 200), (46, 503), (52, 503)):
        monkeypatch.setattr(weir.services[Sessions], "_clock", lambda by=seconds: now() + timedelta(seconds=by))
        assert client.get("/api/v1/me").status_code == status, seconds
    at.down = False
    monkeypatch.setattr(weir.services[Sessions], "_clock", lambda: now() + timedelta(seconds=60))
    assert client.get("/api/v1/me").status_code == 200


def test_sessions_end_by_themselves(weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    client = browser(weir)
    sign_in(client, "one", at, "s-ana")

    def later(**by: float) -> int:
        monkeypatch.setattr(weir.services[Sessions], "_clock", lambda: now() + timedelta(**by))
        return int(client.get("/api/v1/me").status_code)

    assert [later(hours=hour) for hour in (1.9, 3.8, 5.7)] == [200, 200, 200]
    assert later(hours=7.8) == 401  # two hours and more without use
    sign_in(client, "one", at, "s-ana")
    monkeypatch.setattr(weir.services[Sessions], "_clock", now)
    sign_in(client, "one", at, "s-ana")
    assert [later(hours=hour) for hour in range(1, 24)] == [200] * 23
    assert later(hours=24) == 401


def test_no_secret_is_kept_or_shown(weir: ApiWorld, at: Issuer, tmp_path_factory: pytest.TempPathFactory) -> None:
    client = browser(weir)
    sign_in(client, "one", at, "s-ana")
    secret = next(c.value or "" for c in client.cookies.jar if c.name == "weir_session")
    kept = b"".join(path.read_bytes() for path in weir.services[Home].root.glob("weir.db*"))
    assert b"s-ana" in kept
    for each in (secret, csrf(client)["X-Weir-CSRF"], "at-s-ana", "rt-s-ana"):
        assert each and each.encode() not in kept
    listed = weir.admin.get("/api/v1/auth/sessions", params={"all": True}).text
    assert "rt-s-ana" not in listed and secret not in listed


def test_a_refresh_token_that_is_used_up_is_replaced(
    weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The provider gives another refresh token each time, and then its userinfo does not answer once."""
    client = browser(weir)
    sign_in(client, "one", at, "s-ana")
    good, at.document = at.get, {}
    monkeypatch.setattr(at, "get", lambda path, headers: (503, {}) if "userinfo" in path else good(path, headers))
    monkeypatch.setattr(weir.services[Sessions], "_clock", lambda: now() + timedelta(seconds=30))
    given = at.tokens
    monkeypatch.setattr(at, "tokens", lambda *who: {**given(*who), "refresh_token": "second"})
    assert client.get("/api/v1/me").status_code == 200
    monkeypatch.setattr(at, "get", good)
    asked = len(at.asked)

    def post(form: dict[str, str]) -> tuple[int, Any]:
        at.asked.append(("/r", form))
        return 200, given("s-ana", None)

    monkeypatch.setattr(at, "post", post)
    monkeypatch.setattr(weir.services[Sessions], "_clock", lambda: now() + timedelta(seconds=40))
    assert client.get("/api/v1/me").status_code == 200
    assert [form["refresh_token"] for path, form in at.asked[asked:] if path == "/r"] == ["second"]


@pytest.mark.parametrize("seconds", [0, 5, 60])
def test_tokens_that_do_not_last_long(
    weir: ApiWorld, at: Issuer, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    at.lasts = seconds
    client = browser(weir)
    assert sign_in(client, "one", at, "s-ana").status_code == 303
    monkeypatch.setattr(weir.services[Sessions], "_clock", lambda: now() + timedelta(seconds=30))
    assert client.get("/api/v1/me").status_code == 200
