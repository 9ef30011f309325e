"""Signing in by a provider in a real browser: the button, the provider's page, a session that ends under one's hands, a
command line that is let in. On memory twins: sign-in needs none of the servers."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from policies.access.device_logins import DeviceLogins
from policies.access.identity import Identity
from policies.access.sessions import Sessions
from tests.api_world import ApiWorld, world
from tests.e2e.browser import UI, browser_missing, build_module, find_chromium
from tests.openid_world import Provider, declared, provider

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.own_servers]


@pytest.fixture(scope="module")
def pages() -> None:
    if reason := browser_missing():
        pytest.skip(reason)
    build = build_module()
    if build.find_node() is None and not (UI / "dist" / "index.html").exists():
        pytest.skip("no Node to build the web pages with")
    build.ensure(lambda _: None)


@pytest.fixture(scope="module")
def weir(pages: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="module")
def url(weir: ApiWorld) -> Iterator[str]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(weir.app, host="127.0.0.1", port=port, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + 30
    while not server.started and time.monotonic() < until:
        threading.Event().wait(0.05)
    assert server.started
    yield f"http://localhost:{port}"
    server.should_exit = True
    thread.join(20)


@pytest.fixture(scope="module")
def company(weir: ApiWorld) -> Iterator[Provider]:
    with provider() as running:
        rules = "[{claim: groups, value: weir-admins, roles: [admin]}]"
        weir.apply(declared("company", running.url, rules, title="Company account"))
        running.person("grace", groups=["weir-admins"])
        running.person("otto")
        yield running


@pytest.fixture
def page(url: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context()
        context.set_default_timeout(30_000)
        yield context.new_page()
        browser.close()


def at_the_provider(page: Any, who: str) -> None:
    """What a person does on the provider's page."""
    page.locator("input[name=sub]").fill(who)
    page.locator("button[type=submit]:not([value=deny]), input[type=submit]").first.click()


def signed_in(page: Any, url: str, who: str, path: str = "/") -> None:
    page.goto(url + path)
    page.get_by_role("link", name="Sign in with Company account").click()
    at_the_provider(page, who)
    page.get_by_role("button", name=f"Signed in as {who}").wait_for()


def test_in_by_the_button_back_to_the_page_and_out(page: Any, url: str, company: Provider) -> None:
    signed_in(page, url, "otto", "/requests?show=mine")
    assert page.url == f"{url}/requests?show=mine"
    assert (
        page.evaluate("document.cookie + JSON.stringify(sessionStorage) + JSON.stringify(localStorage)").find("weirs_")
        < 0
    )
    page.reload()
    page.get_by_role("button", name="Signed in as otto").click()
    page.get_by_role("menuitem", name="Sign out").click()
    page.get_by_role("link", name="sign out there too").wait_for()
    page.goto(url)
    page.get_by_role("link", name="Sign in with Company account").wait_for()


def test_what_is_typed_outlives_the_session(page: Any, url: str, weir: ApiWorld, company: Provider) -> None:
    signed_in(page, url, "grace", "/admin/tokens")
    name = page.get_by_label("User of the token")
    name.fill("a name that took long to type")
    page.get_by_label("Validity in days").fill("7")
    for each in weir.services[Sessions].listed("grace"):
        weir.services[Sessions].end(each, "ended by an administrator")
    page.get_by_role("button", name="Make a token").click()
    dialog = page.get_by_role("dialog", name="Sign in again")
    dialog.wait_for()
    assert "ended by an administrator" in dialog.inner_text()
    with page.context.expect_page() as opened:
        dialog.get_by_role("button", name="Sign in with Company account").click()
    at_the_provider(opened.value, "grace")
    dialog.wait_for(state="detached")
    # The request that was refused has been sent again, once, and what was typed is there.
    page.get_by_text("a name that took long to type's token, shown only now").wait_for()
    assert name.input_value() == "a name that took long to type"
    assert [t.user for t in weir.services[Identity].tokens("a name that took long to type")] == [
        "a name that took long to type"
    ]


def test_another_person_in_the_window_gets_a_page_of_their_own(
    page: Any, url: str, weir: ApiWorld, company: Provider
) -> None:
    signed_in(page, url, "grace", "/admin/tokens")
    page.get_by_label("User of the token").fill("of grace")
    for each in weir.services[Sessions].listed("grace"):
        weir.services[Sessions].end(each, "ended by an administrator")
    page.get_by_role("button", name="Make a token").click()
    dialog = page.get_by_role("dialog", name="Sign in again")
    with page.context.expect_page() as opened:
        dialog.get_by_role("button", name="Sign in with Company account").click()
    at_the_provider(opened.value, "otto")
    page.get_by_role("button", name="Signed in as otto").wait_for()
    assert page.get_by_label("User of the token").count() == 0  # otto may not, and grace's text is gone
    assert weir.services[Identity].tokens("of grace") == []


def test_a_session_is_seen_and_ended_on_the_page(page: Any, url: str, company: Provider, tmp_path: Path) -> None:
    signed_in(page, url, "otto", "/sessions")
    row = page.get_by_role("row").filter(has_text="this one")
    row.wait_for()
    assert "Chrome on Linux" in row.inner_text()
    page.screenshot(path=str(tmp_path / "sessions.png"))


def test_a_command_line_is_let_in(page: Any, url: str, weir: ApiWorld, company: Provider) -> None:
    waiting = weir.services[DeviceLogins].begin("weir on laptop")
    page.goto(f"{url}/device?code={waiting.code}")
    page.get_by_role("button", name="Continue").click()
    page.get_by_text("weir on laptop").wait_for()
    page.get_by_role("button", name="It is mine: sign in with Company account").click()
    at_the_provider(page, "grace")
    page.get_by_text("Let this command line in?").wait_for()
    assert weir.services[DeviceLogins].poll(waiting.secret) == ("pending", None)
    page.get_by_role("button", name="Let it in as grace").click()
    page.get_by_text("The command line is signed in as grace").wait_for()
    state, session = weir.services[DeviceLogins].poll(waiting.secret)
    assert state == "done" and session is not None and weir.services[Sessions].of(session).user == "grace"
