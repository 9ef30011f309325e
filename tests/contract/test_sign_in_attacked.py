"""Sign-ins that somebody else began, and providers that answer badly: nobody is let in, and nobody is thrown out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.config.settings import Settings
from api.wiring.clock import now
from policies.access.sessions import Sessions
from policies.access.sign_in import SignIn
from tests.api_world import ApiWorld, world
from tests.openid_world import Issuer, begin, browser, csrf, declared, form_of, issuer, sign_in

HTTPS = "https://weir.example.com"
PAGE = {"X-Weir-CSRF": "page"}


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture
def at(weir: ApiWorld) -> Iterator[Issuer]:
    with issuer() as running:
        weir.apply(declared("one", running.url))
        weir.services[Sessions]._confirming._away.clear()  # of a test whose clock was ahead
        running.people["s-ana"] = {"preferred_username": f"ana-{running.server.server_port}"}
        yield running


def later(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(weir.services[Sessions], "_clock", lambda: now() + timedelta(seconds=seconds))


# --- a sign-in that was begun in another browser ---------------------------------------------------------------------


def test_the_cookie_of_an_attempt_is_of_this_host_only(
    weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weir.services[Settings].api, "public_url", HTTPS)
    attacker = browser(weir, HTTPS)
    answer = at.answer(begin(attacker, "one"))
    (kept,) = attacker.cookies.jar
    assert kept.name.startswith("__Host-") and kept.path == "/" and kept.secure
    # A host beside this one can set any cookie for the domain, but none with this prefix.
    planted = {"Cookie": f"{kept.name.removeprefix('__Host-')}={kept.value}"}
    assert browser(weir, HTTPS).get(answer, headers=planted).status_code == 401
    assert attacker.get(answer).status_code == 303
    assert [each.name for each in attacker.cookies.jar] == ["__Host-weir_session"]


def asked_for(weir: ApiWorld, at: Issuer) -> tuple[dict[str, Any], httpx2.Response]:
    """A command line that waits, and the page after somebody signed in at the provider for it."""
    given = browser(weir).post("/api/v1/auth/device", json={"label": "weir on <x>"}).json()
    client = browser(weir)
    address = f"/api/v1/auth/device/{given['userCode']}/continue"
    going = client.post(address, json={"provider": "one"}, headers=PAGE)
    return given, client.get(at.answer(going.json()["address"]))


def state_of(weir: ApiWorld, given: dict[str, Any]) -> str:
    poll = {"deviceCode": given["deviceCode"]}
    return str(browser(weir).post("/api/v1/auth/device/poll", json=poll).json()["state"])


def test_a_command_line_is_let_in_by_a_click_after_the_sign_in(weir: ApiWorld, at: Issuer) -> None:
    given, page = asked_for(weir, at)
    assert page.status_code == 200 and given["userCode"] in page.text
    assert "weir on &lt;x&gt;" in page.text and f"ana-{at.server.server_port}" in page.text
    # Without these two a browser would not send the form, or would send it without where it is from.
    assert "form-action 'self'" in page.headers["content-security-policy"]
    assert page.headers["referrer-policy"] == "same-origin"
    assert state_of(weir, given) == "pending" and weir.services[Sessions].listed(f"ana-{at.server.server_port}") == []
    action, form = form_of(page)
    browsers = {"Origin": "http://localhost:8484", "Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
    done = browser(weir).post(action, data={**form, "decision": "let-in"}, headers=browsers)
    assert done.status_code == 200 and "is signed in as" in done.text
    assert browser(weir).post(action, data={**form, "decision": "let-in"}).status_code == 400  # once
    assert state_of(weir, given) == "done"


def test_a_command_line_is_refused_by_the_other_button(weir: ApiWorld, at: Issuer) -> None:
    given, page = asked_for(weir, at)
    action, form = form_of(page)
    assert browser(weir).post(action, data={**form, "decision": "refuse"}).status_code == 200
    assert state_of(weir, given) == "refused"


def test_only_the_form_of_that_page_lets_a_command_line_in(weir: ApiWorld, at: Issuer) -> None:
    given, page = asked_for(weir, at)
    action, form = form_of(page)
    other, other_page = asked_for(weir, at)
    attempt = weir.services[SignIn]._sealer.seal('{"device": "' + given["userCode"].replace("-", "") + '"}')
    for wrong in ({}, {"ticket": "x"}, {"ticket": attempt}, form_of(other_page)[1], {"ticket": form["ticket"][:-4]}):
        assert browser(weir).post(action, data={**wrong, "decision": "let-in"}).status_code == 403, wrong
    full = {**form, "decision": "let-in"}
    for foreign in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "same-site"}):
        assert browser(weir).post(action, data=full, headers=foreign).status_code == 403
    assert browser(weir).post(action, data=form).status_code == 400  # neither of the two decisions
    assert state_of(weir, given) == state_of(weir, other) == "pending"


# --- out, whatever the provider does ---------------------------------------------------------------------------------


def test_signing_out_needs_no_provider(weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    client = browser(weir)
    sign_in(client, "one", at, "s-ana")
    header = csrf(client)
    at.down = True
    later(weir, monkeypatch, 60)
    assert client.get("/api/v1/me").status_code == 503
    assert client.post("/api/v1/auth/logout").status_code == 403  # not without the header of a page
    cookie = {"Cookie": "; ".join(f"{each.name}={each.value}" for each in client.cookies.jar)}
    assert client.post("/api/v1/auth/logout", headers=header).status_code == 200
    gone = browser(weir).get("/api/v1/me", headers=cookie)
    assert gone.status_code == 401 and "signed out" in gone.json()["error"]["message"]
    again = browser(weir).post("/api/v1/auth/logout", headers={**cookie, **header})
    assert again.status_code == 401
    assert weir.admin.post("/api/v1/auth/logout").status_code == 400  # an API token is no session
    wrong = weir.anonymous().post("/api/v1/auth/logout", headers={"Authorization": "Bearer weir_nothing"})
    assert wrong.status_code == 401


# --- a provider that answers badly -----------------------------------------------------------------------------------

BAD = [
    (429, {"error": "too_many_requests"}),
    (400, {"error": "temporarily_unavailable"}),
    (400, {"error": "invalid_request"}),
    (400, {"error": "server_error"}),
    (429, {}),
    (403, {"message": "blocked"}),
    (200, {}),
    (200, []),
    (200, 7),
    (200, "error"),
    (200, {"access_token": 5, "token_type": "Bearer"}),
    (200, b"<html>maintenance</html>"),
    (503, {}),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("status", "body"), BAD)
def test_an_error_of_the_provider_is_not_the_end_of_a_session(
    weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch, status: int, body: Any
) -> None:
    client = browser(weir)
    sign_in(client, "one", at, "s-ana")
    good = at.post
    monkeypatch.setattr(at, "post", lambda form: (status, body))
    later(weir, monkeypatch, 30)
    assert client.get("/api/v1/me").status_code == 200
    later(weir, monkeypatch, 50)
    assert client.get("/api/v1/me").status_code == 503
    assert sign_in(browser(weir), "one", at, "s-ana").status_code == 503
    monkeypatch.setattr(at, "post", good)
    later(weir, monkeypatch, 60)
    assert client.get("/api/v1/me").status_code == 200


@pytest.mark.parametrize("error", ["invalid_grant", "interaction_required", "consent_required", "login_required"])
def test_a_refusal_of_the_provider_is_the_end_of_a_session(
    weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch, error: str
) -> None:
    client = browser(weir)
    sign_in(client, "one", at, "s-ana")
    monkeypatch.setattr(at, "post", lambda form: (400, {"error": error}))
    later(weir, monkeypatch, 30)
    gone = client.get("/api/v1/me")
    assert gone.status_code == 401 and "sign-in service ended it" in gone.json()["error"]["message"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "keys",
    [{"keys": []}, {"keys": "x"}, [], {}, b"<html>maintenance</html>", b"", None],
    ids=lambda keys: str(keys)[:12],
)
def test_keys_that_cannot_be_read_are_an_outage(
    weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch, keys: Any
) -> None:
    client = browser(weir)
    sign_in(client, "one", at, "s-ana")
    good, given = at.get, at.tokens
    status = 503 if keys is None else 200
    monkeypatch.setattr(at, "get", lambda path, headers: (status, keys) if "jwks" in path else good(path, headers))
    monkeypatch.setattr(at, "tokens", lambda *who: {**given(*who), "refresh_token": "second"})
    weir.services[SignIn]._client._documents._kept.clear()  # type: ignore[attr-defined]
    assert sign_in(browser(weir), "one", at, "s-ana").status_code == 503
    token = at.logout_token()
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    address = "/api/v1/auth/backchannel/one"
    assert browser(weir).post(address, content=f"logout_token={token}", headers=form).status_code == 503
    later(weir, monkeypatch, 30)
    assert client.get("/api/v1/me").status_code == 200
    # The refresh token that came before the keys failed is the one that is good now.
    monkeypatch.setattr(at, "get", good)
    asked: list[str] = []

    def post(form: dict[str, str]) -> tuple[int, Any]:
        asked.append(form["refresh_token"])
        return 200, given("s-ana", None)

    monkeypatch.setattr(at, "post", post)
    later(weir, monkeypatch, 40)
    assert client.get("/api/v1/me").status_code == 200 and asked == ["second"]


def test_a_connection_that_is_reset_is_an_outage(weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    def reset(*_: object) -> None:
        raise ConnectionResetError(104, "reset")

    monkeypatch.setattr("jwt.jwks_client.json.load", reset)
    weir.services[SignIn]._client._documents._kept.clear()  # type: ignore[attr-defined]
    assert sign_in(browser(weir), "one", at, "s-ana").status_code == 503


def test_a_file_of_authorities_that_is_none_is_named(
    weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    monkeypatch.setattr(
        "policies.adapters.oidc_sign_in.OidcSignIn._document",
        lambda self, spec: self._documents.get(spec.issuer, str(tmp_path / "ca.pem")),
    )
    answer = browser(weir).get("/api/v1/auth/login/one")
    assert answer.status_code == 500 and "authorities" in answer.json()["error"]["message"]


def test_a_page_that_is_loaded_in_an_outage_learns_of_it(
    weir: ApiWorld, at: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser(weir)
    sign_in(client, "one", at, "s-ana")
    at.down = True
    later(weir, monkeypatch, 60)
    answer = client.get("/api/v1/auth/session")
    assert answer.status_code == 200
    state = answer.json()
    assert [each["name"] for each in state["providers"]] == ["one"] and state["session"] is state["ended"] is None
    assert "one does not answer" in state["problem"]
    at.down = False
    later(weir, monkeypatch, 70)
    state = client.get("/api/v1/auth/session").json()
    assert state["session"] is not None and state["problem"] is None
