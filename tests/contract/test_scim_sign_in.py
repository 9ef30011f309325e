"""People whom the directory keeps, and sign-in by a provider: who deactivates goes before who lets in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog.errors import NotSignedIn
from policies.access.device_logins import DeviceLogins
from policies.access.session_ports import Account, ProviderTokens
from policies.access.sessions import Sessions
from policies.access.sign_in import SignIn
from tests.api_world import ApiWorld, world
from tests.openid_world import Issuer, browser, declared, issuer, sign_in
from tests.scim_world import RIGHTS, Directory

RULES = "[{claim: groups, value: analysts, groups: [analysts]}]"


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="module")
def company(weir: ApiWorld) -> Iterator[Issuer]:
    with issuer() as running:
        weir.apply(declared("company", running.url, RULES))
        yield running


def test_rights_have_their_source_and_a_deactivated_person_is_not_revived(weir: ApiWorld, company: Issuer) -> None:
    weir.apply(RIGHTS)
    directory = Directory(weir)
    ana = directory.user("ana")
    directory.group("Stewards", ana)
    company.people["s-ana"] = {"preferred_username": "ana", "groups": ["analysts"]}
    client = browser(weir)
    assert sign_in(client, "company", company, "s-ana").status_code == 303
    me = client.get("/api/v1/me").json()
    assert (me["groups"], me["roles"]) == (["analysts"], ["steward"])
    assert client.get("/api/v1/auth/session").json()["session"]["given"] == {"groups": ["analysts"], "roles": []}
    directory.deactivate(ana)
    gone = client.get("/api/v1/auth/session").json()
    assert gone["session"] is None and "the directory deactivated the user" in gone["ended"]
    assert client.get("/api/v1/me").status_code == 401
    refused = sign_in(browser(weir), "company", company, "s-ana")
    assert refused.status_code == 401 and "ana was deactivated by the directory" in refused.text
    # Another spelling of the name does not help.
    company.people["s-twin"] = {"preferred_username": "Ana", "groups": ["analysts"]}
    assert sign_in(browser(weir), "company", company, "s-twin").status_code == 401
    # A declaration by hand does not either.
    weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {roles: [admin]}\n")
    assert sign_in(browser(weir), "company", company, "s-ana").status_code == 401
    done = directory.patch(f"/Users/{ana}", {"op": "replace", "path": "active", "value": True})
    assert done.status_code == 200
    again = browser(weir)
    assert sign_in(again, "company", company, "s-ana").status_code == 303
    assert client.get("/api/v1/me").status_code == 401  # the session of before stays over


def test_a_command_line_that_was_let_in_is_out(weir: ApiWorld, company: Issuer) -> None:
    directory = Directory(weir)
    eva = directory.user("eva")
    company.people["s-eva"] = {"preferred_username": "eva"}
    services = weir.services
    waiting = services[DeviceLogins].begin("a laptop")
    begun = services[SignIn].begin("company", "http://localhost:8484/cb", "/", waiting.code)
    answer = company.answer(begun.address, "s-eva")
    given = dict(pair.split("=", 1) for pair in answer.partition("?")[2].split("&"))
    asks = services[SignIn].finish("company", given, {begun.cookie: begun.value}, "a browser")
    assert services[SignIn].decide(waiting.code, asks.ticket, "let-in") == "eva"  # type: ignore[union-attr]
    directory.deactivate(eva)
    polled = weir.anonymous().post("/api/v1/auth/device/poll", json={"deviceCode": waiting.secret})
    assert polled.status_code in (401, 404), polled.text
    # A click that comes after the deactivation opens nothing, now or later.
    with pytest.raises(NotSignedIn, match="deactivated"):
        services[Sessions].open("company", Account(company.url, "s-eva", {}, ProviderTokens("at")), "eva", "cli", "x")
    assert not services[Sessions].store.sessions("eva")
    # And one that waits for a click: who asks is gone by then.
    waiting = services[DeviceLogins].begin("a laptop")
    with pytest.raises(NotSignedIn, match="deactivated"):
        begun = services[SignIn].begin("company", "http://localhost:8484/cb", "/", waiting.code)
        answer = company.answer(begun.address, "s-eva")
        given = dict(pair.split("=", 1) for pair in answer.partition("?")[2].split("&"))
        services[SignIn].finish("company", given, {begun.cookie: begun.value}, "a browser")


def test_a_service_account_signs_in_by_no_provider(weir: ApiWorld, company: Issuer) -> None:
    Directory(weir)
    company.people["s-bot"] = {"preferred_username": "directory"}
    refused = sign_in(browser(weir), "company", company, "s-bot")
    assert refused.status_code == 401 and "service account" in refused.text
