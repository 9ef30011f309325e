"""Single sign-on by a real Keycloak, in a real browser: in by a group, out of it, signed out there, and the command line.

It fetches 170 MB and takes two minutes, so it runs where WEIR_TEST_KEYCLOAK is set; see docs/how-to/single-sign-on.md. The same by
oidc-provider-mock is in test_sign_in_browser.py.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from policies.access.device_logins import DeviceLogins
from policies.access.sessions import Sessions
from tests.api_world import ApiWorld
from tests.e2e.test_sign_in_browser import page, pages, url, weir  # noqa: F401
from tests.keycloak import Keycloak, keycloak
from tests.openid_world import SECRET, declared

pytestmark = [
    pytest.mark.e2e, pytest.mark.slow, pytest.mark.own_servers,
    pytest.mark.skipif(not os.environ.get("WEIR_TEST_KEYCLOAK"), reason="set WEIR_TEST_KEYCLOAK=1; it fetches 170 MB"),
]  # fmt: skip
MOST_SECONDS = 60
"""From the loss of a group at the provider to the loss of the right."""


@pytest.fixture(scope="module")
def provider(
    tmp_path_factory: pytest.TempPathFactory, weir: ApiWorld, url: str  # noqa: F811
) -> Iterator[Keycloak]:  # fmt: skip
    people = {"grace": ["/weir-admins"], "otto": []}
    with keycloak(tmp_path_factory.mktemp("keycloak"), url, people) as running:
        os.environ[SECRET] = running.secret
        rules = "[{claim: groups, value: /weir-admins, roles: [admin]}]"
        weir.apply(declared("company", running.issuer, rules, title="Company account"))
        yield running


def sign_in(page: Any, who: str) -> None:  # noqa: F811
    """What a person does on Keycloak's page."""
    page.locator("#username").fill(who)
    page.locator("#password").fill(who)
    page.locator("#kc-login").click()


def come_in(page: Any, url: str, who: str) -> None:  # noqa: F811
    page.goto(url)
    page.get_by_role("link", name="Sign in with Company account").click()
    sign_in(page, who)
    page.get_by_role("button", name=f"Signed in as {who}").wait_for()


def asked(page: Any, path: str) -> Any:  # noqa: F811
    """What the page's session is answered: `{status, body}`."""
    return page.evaluate(
        "async path => { const r = await fetch(path); return {status: r.status, body: await r.json()} }", path
    )


def seconds_until(holds: Callable[[], bool], most: float) -> float:
    begin = time.monotonic()
    while not holds():
        assert time.monotonic() - begin < most, f"not within {most} seconds"
        time.sleep(0.5)
    return time.monotonic() - begin


def test_a_group_gives_a_role_and_takes_it(page: Any, url: str, provider: Keycloak, capsys: Any) -> None:  # noqa: F811
    come_in(page, url, "grace")
    assert "manage" in asked(page, "/api/v1/me")["body"]["permissions"]
    assert asked(page, "/api/v1/tokens")["status"] == 200
    provider.leave("grace", "/weir-admins")
    took = seconds_until(lambda: "manage" not in asked(page, "/api/v1/me")["body"]["permissions"], MOST_SECONDS)
    assert asked(page, "/api/v1/tokens")["status"] == 403
    with capsys.disabled():
        print(f"\nthe right ended {took:.1f} s after the group")


def test_who_is_in_no_group_has_no_right(page: Any, url: str, provider: Keycloak) -> None:  # noqa: F811
    come_in(page, url, "otto")
    assert asked(page, "/api/v1/me")["body"]["permissions"] == []


def test_signed_out_there_is_signed_out_here(
    page: Any, url: str, provider: Keycloak, capsys: Any  # noqa: F811
) -> None:  # fmt: skip
    come_in(page, url, "otto")
    provider.sign_out("otto")
    took = seconds_until(lambda: bool(asked(page, "/api/v1/me")["status"] == 401), 20)
    with capsys.disabled():
        print(f"\nthe session ended {took:.1f} s after the sign-out at the provider")


def test_a_command_line_is_let_in(
    page: Any, url: str, weir: ApiWorld, provider: Keycloak, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    waiting = weir.services[DeviceLogins].begin("weir on laptop")
    page.goto(f"{url}/device?code={waiting.code}")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="It is mine: sign in with Company account").click()
    sign_in(page, "otto")
    page.get_by_role("button", name="Let it in as otto").click()
    page.get_by_text("The command line is signed in as otto").wait_for()
    state, session = weir.services[DeviceLogins].poll(waiting.secret)
    assert state == "done" and session is not None and weir.services[Sessions].of(session).user == "otto"
