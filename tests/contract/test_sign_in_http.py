"""Signing in through HTTP at a provider of the package oidc-provider-mock, from the button to the right that is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from api.config.settings import Settings
from policies.access.sessions import Sessions
from tests.api_world import ApiWorld, world
from tests.openid_world import Provider, begin, browser, csrf, declared, provider, sign_in

RIGHTS = "[{claim: groups, value: weir-stewards, groups: [stewards], roles: [steward]}]"


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="module")
def company(weir: ApiWorld) -> Iterator[Provider]:
    with provider() as running:
        weir.apply(declared("company", running.url, RIGHTS, title="Company account"))
        yield running


def test_a_person_signs_in_and_has_the_rights_of_their_groups(weir: ApiWorld, company: Provider) -> None:
    company.person("grace", groups=["weir-stewards", "others"])
    client = browser(weir)
    state = client.get("/api/v1/auth/session").json()
    assert state["providers"] == [{"name": "company", "title": "Company account"}] and state["session"] is None
    done = sign_in(client, "company", company, "grace", "/query?sql=1")
    assert (done.status_code, done.headers["location"]) == (303, "/query?sql=1")
    me = client.get("/api/v1/me").json()
    assert (me["user"], me["groups"], me["roles"]) == ("grace", ["stewards"], ["steward"])
    session = client.get("/api/v1/auth/session").json()["session"]
    assert session["given"] == {"groups": ["stewards"], "roles": ["steward"]}
    listed = client.get("/api/v1/auth/sessions").json()["sessions"]
    assert [(each["user"], each["current"]) for each in listed] == [("grace", True)]


def test_no_rule_no_right(weir: ApiWorld, company: Provider) -> None:
    company.person("nobody", groups=["admin", "admins", "steward"], roles=["admin"])
    client = browser(weir)
    sign_in(client, "company", company, "nobody")
    me = client.get("/api/v1/me").json()
    assert (me["groups"], me["roles"], me["permissions"]) == ([], [], [])


def test_rights_by_hand_are_kept_apart(weir: ApiWorld, company: Provider) -> None:
    company.person("petra", groups=["weir-stewards"])
    weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: petra}\nspec: {roles: [auditor]}\n")
    client = browser(weir)
    sign_in(client, "company", company, "petra")
    assert client.get("/api/v1/me").json()["roles"] == ["auditor", "steward"]
    assert client.get("/api/v1/auth/session").json()["session"]["given"]["roles"] == ["steward"]
    (kept,) = weir.admin.get("/api/v1/declared/User", params={"name": "petra"}).json()["documents"]
    assert kept["spec"] == {"roles": ["auditor"]}


def test_the_cookie_is_closed_to_scripts_and_other_sites(weir: ApiWorld, company: Provider) -> None:
    company.person("ana")
    client = browser(weir)
    done = sign_in(client, "company", company, "ana")
    kept = [each for each in done.headers.get_list("set-cookie") if each.startswith("weir_session=")]
    assert len(kept) == 1 and "HttpOnly" in kept[0] and "SameSite=strict" in kept[0] and "Path=/;" in kept[0]
    secret = re.match(r"weir_session=([^;]+)", kept[0])
    assert secret and secret[1] not in str(weir.services[Sessions].listed())
    assert secret[1] not in str(done.headers["location"])
    # Not a token for other doors.
    client.cookies.clear()
    assert client.get("/api/v1/me", headers={"Authorization": f"Bearer {secret[1]}"}).status_code == 401


def test_a_session_is_another_after_each_sign_in(weir: ApiWorld, company: Provider) -> None:
    company.person("ana")
    client = browser(weir)
    planted = "weirs_" + "A" * 43
    client.cookies.set("weir_session", planted, domain="localhost.local", path="/")
    sign_in(client, "company", company, "ana")
    first = client.get("/api/v1/auth/session").json()["session"]["id"]
    secret = next(c.value for c in client.cookies.jar if c.name == "weir_session" and c.value not in (None, planted))
    sign_in(client, "company", company, "ana")
    second = client.get("/api/v1/auth/session").json()["session"]["id"]
    assert first != second
    other = browser(weir)
    answer = other.get("/api/v1/me", headers={"Cookie": f"weir_session={secret}"})
    assert answer.status_code == 401 and "another sign-in" in answer.json()["error"]["message"]


def test_changing_something_takes_the_header_of_a_page(weir: ApiWorld, company: Provider) -> None:
    company.person("root", groups=["weir-admins"])
    weir.apply(
        declared(
            "company",
            company.url,
            RIGHTS[:-1] + ", {claim: groups, value: weir-admins, roles: [admin]}]",
            title="Company account",
        )
    )
    client = browser(weir)
    sign_in(client, "company", company, "root")
    asked = {"user": "otto"}
    assert client.post("/api/v1/tokens", json=asked).status_code == 403
    assert client.post("/api/v1/tokens", json=asked, headers={"X-Weir-CSRF": "x"}).status_code == 403
    good = csrf(client)
    for foreign in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        assert client.post("/api/v1/tokens", json=asked, headers={**good, **foreign}).status_code == 403
    other = browser(weir)
    sign_in(other, "company", company, "root")
    assert client.post("/api/v1/tokens", json=asked, headers=csrf(other)).status_code == 403
    fine = {**good, "Origin": "http://localhost:8484", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/api/v1/tokens", json=asked, headers=fine).status_code == 201


def test_every_route_that_changes_something_asks_for_it(weir: ApiWorld, company: Provider) -> None:
    company.person("root", groups=["weir-admins"])
    client = browser(weir)
    sign_in(client, "company", company, "root")
    open_to_all = ("/auth/backchannel/", "/auth/device", "/auth/device/poll")
    tried = 0
    assert client.post("/mcp", json={}).status_code == 401, "a cookie signs nobody in there"
    for path, methods in weir.app.openapi()["paths"].items():
        if path == "/mcp":
            continue
        for method in set(methods) - {"get"}:
            address = re.sub(r"{[^}]+}", "x", path)
            if address.removeprefix("/api/v1").startswith(open_to_all[:1]) or address[7:] in open_to_all:
                continue
            body = {"provider": "company"} if address.endswith("/continue") else {}
            answer = client.request(method.upper(), address, json=body)
            assert answer.status_code == 403, f"{method} {path}: {answer.status_code} {answer.text[:200]}"
            tried += 1
    assert tried > 30


def test_out_is_out(weir: ApiWorld, company: Provider) -> None:
    company.person("ana")
    client = browser(weir)
    sign_in(client, "company", company, "ana")
    secret = next(c.value for c in client.cookies.jar if c.name == "weir_session")
    answer = client.post("/api/v1/auth/logout", headers=csrf(client)).json()
    assert answer["address"].startswith(f"{company.url}/oauth2/end_session?client_id=weir&")
    assert client.get("/api/v1/me").status_code == 401
    again = browser(weir).get("/api/v1/me", headers={"Cookie": f"weir_session={secret}"})
    assert again.status_code == 401 and "signed out" in again.json()["error"]["message"]


def test_people_and_admins_end_sessions(weir: ApiWorld, company: Provider) -> None:
    company.person("otto")
    company.person("ana")
    laptop, phone, other = browser(weir), browser(weir), browser(weir)
    for client, who in ((laptop, "otto"), (phone, "otto"), (other, "ana")):
        sign_in(client, "company", company, who)
    theirs = other.get("/api/v1/auth/session").json()["session"]["id"]
    assert laptop.delete(f"/api/v1/auth/sessions/{theirs}", headers=csrf(laptop)).status_code == 404
    assert laptop.get("/api/v1/auth/sessions", params={"all": True}).status_code == 403
    mine = phone.get("/api/v1/auth/session").json()["session"]["id"]
    assert laptop.delete(f"/api/v1/auth/sessions/{mine}", headers=csrf(laptop)).status_code == 200
    assert phone.get("/api/v1/me").status_code == 401
    assert laptop.get("/api/v1/me").status_code == 200
    everybody = weir.admin.get("/api/v1/auth/sessions", params={"all": True}).json()["sessions"]
    assert {"ana", "otto"} <= {each["user"] for each in everybody}
    assert weir.admin.delete(f"/api/v1/auth/sessions/{theirs}").status_code == 200
    assert other.get("/api/v1/me").status_code == 401


def test_a_name_stays_with_its_account(weir: ApiWorld, company: Provider) -> None:
    company.person("carol")
    sign_in(browser(weir), "company", company, "carol")
    company.person("mallory", preferred_username="carol")
    taken = browser(weir)
    done = sign_in(taken, "company", company, "mallory")
    assert done.status_code == 401 and "belongs to another account" in done.text
    company.person("carol", preferred_username="carol-smith")
    client = browser(weir)
    sign_in(client, "company", company, "carol")
    assert client.get("/api/v1/me").json()["user"] == "carol"
    assert weir.admin.delete("/api/v1/auth/accounts/carol").status_code == 200
    assert client.get("/api/v1/me").status_code == 401
    assert sign_in(taken, "company", company, "mallory").status_code == 303


def test_the_admin_and_those_who_are_gone_do_not_come_in(weir: ApiWorld, company: Provider) -> None:
    company.person("x1", preferred_username="admin")
    assert "'admin' is a name of Weir's own" in sign_in(browser(weir), "company", company, "x1").text
    company.person("x3", preferred_username="weir")
    assert "'weir' is a name of Weir's own" in sign_in(browser(weir), "company", company, "x3").text
    weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: dora}\nspec: {disabled: true}\n")
    company.person("dora")
    assert "is disabled" in sign_in(browser(weir), "company", company, "dora").text
    company.person("x2", preferred_username=None)
    assert "'preferred_username'" in sign_in(browser(weir), "company", company, "x2").text


def test_a_disabled_user_is_out_at_once(weir: ApiWorld, company: Provider) -> None:
    company.person("dan")
    client = browser(weir)
    sign_in(client, "company", company, "dan")
    assert client.get("/api/v1/me").status_code == 200
    weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: dan}\nspec: {disabled: true}\n")
    assert client.get("/api/v1/me").status_code == 401


def test_a_sign_in_that_is_denied_at_the_provider(weir: ApiWorld, company: Provider) -> None:
    client = browser(weir)
    done = client.get(company.answer(begin(client, "company"), "ana", "deny"), headers={"Accept": "text/html"})
    assert done.status_code in (400, 401) and done.headers["content-type"].startswith("text/html")
    assert client.get("/api/v1/me").status_code == 401


def test_a_provider_that_is_taken_away_takes_its_sessions(weir: ApiWorld) -> None:
    with provider() as second:
        weir.apply(declared("second", second.url, userPrefix="second:"))
        second.person("eva")
        client = browser(weir)
        sign_in(client, "second", second, "eva")
        assert client.get("/api/v1/me").json()["user"] == "second:eva"
        assert weir.admin.delete("/api/v1/declared/IdentityProvider/second").status_code == 200
        answer = client.get("/api/v1/me")
        assert answer.status_code == 401 and "not declared any more" in answer.json()["error"]["message"]


def test_behind_a_tls_proxy_cookies_are_for_this_host_and_tls_only(
    weir: ApiWorld, company: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weir.services[Settings].api, "public_url", "https://weir.example.com/")
    company.person("ana")
    client = browser(weir, "https://weir.example.com")
    address = begin(client, "company")
    assert "redirect_uri=https%3A%2F%2Fweir.example.com%2Fapi%2Fv1%2Fauth%2Fcallback%2Fcompany" in address
    done = client.get(company.answer(address, "ana"))
    kept = next(each for each in done.headers.get_list("set-cookie") if each.startswith("__Host-weir_session="))
    assert all(word in kept for word in ("Secure", "HttpOnly", "SameSite=strict", "Path=/;")) and "Domain" not in kept
    secret = next(c.value for c in client.cookies.jar if c.name == "__Host-weir_session")
    header = {**csrf(client), "Cookie": f"__Host-weir_session={secret}"}
    # The proxy speaks http to Weir and may change the Host header.
    inside = browser(weir, "http://10.0.0.7:8484")
    address = "/api/v1/auth/logout"
    assert inside.post(address, headers={**header, "Origin": "http://10.0.0.7:8484"}).status_code == 403
    # A name that another host of the domain could have set is not looked at.
    assert inside.get("/api/v1/me", headers={"Cookie": f"weir_session={secret}"}).status_code == 401
    assert inside.post(address, headers={**header, "Origin": "https://weir.example.com"}).status_code == 200


def test_a_secret_for_another_issuer_takes_a_second_person(
    weir: ApiWorld, company: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weir.services[Settings].secrets, "second_person", True)
    text = declared("third", company.url)
    first = weir.admin.post("/api/v1/apply", content=text.encode())
    assert first.status_code == 409 and "clientSecret" in first.json()["error"]["message"]
    monkeypatch.setattr(weir.services[Settings].secrets, "second_person", False)
    weir.apply(text)
    monkeypatch.setattr(weir.services[Settings].secrets, "second_person", True)
    assert weir.admin.post("/api/v1/apply", content=text.encode()).status_code == 200  # nothing is another
    moved = declared("third", "https://elsewhere.example")
    assert weir.admin.post("/api/v1/apply", content=moved.encode()).status_code == 409


def test_a_provider_is_declared_as_all_else_is(weir: ApiWorld, company: Provider) -> None:
    text = declared("fourth", company.url, RIGHTS)
    planned = weir.admin.post("/api/v1/apply", params={"dryRun": True}, content=text.encode()).json()
    assert [(c["kind"], c["action"]) for c in planned["changes"]] == [("IdentityProvider", "create")]
    assert [c["action"] for c in weir.apply(text)["changes"]] == ["create"]
    assert [c["action"] for c in weir.apply(text)["changes"]] == ["unchanged"]
    place = ("/api/v1/declared/IdentityProvider", {"name": "fourth"})
    assert weir.user("plain").get(place[0], params=place[1]).json()["documents"] == []
    shown = weir.admin.get(place[0], params=place[1]).text
    assert "WEIR_SECRET_OPENID" in shown and "the secret of weir" not in shown
    wrong = weir.admin.post("/api/v1/apply", content=text.replace("WEIR_SECRET_OPENID", "PATH").encode())
    assert wrong.status_code in (400, 500) and "clientSecret" in wrong.json()["error"]["message"]
