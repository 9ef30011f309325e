"""`weir login`, `logout` and `whoami` against the real application, with a provider of oidc-provider-mock."""

from __future__ import annotations

import re
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeys

from api import cli
from api.config.home import Home
from api.terminal.client import Client
from api.terminal.http import instance_token
from catalog.errors import NotSignedIn
from policies.access.device_logins import DeviceLogins
from policies.access.sessions import Sessions
from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld, world
from tests.openid_world import BASE, Provider, browser, declared, form_of, provider

PAGE = {"X-Weir-CSRF": "page"}


class Keys(KeyringBackend):
    """A keyring in memory."""

    priority = 5

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def weir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiWorld]:
    with world(tmp_path) as running:
        clients = Client

        def client(**given: Any) -> Any:
            if str(given.get("base_url", "")) != BASE:
                return clients(**given)
            return CheckedClient(running.app, base_url=BASE, raise_server_exceptions=False, headers=given["headers"])

        monkeypatch.setattr("api.terminal.http.Client", client)
        monkeypatch.setenv("WEIR_HOME", str(tmp_path))
        monkeypatch.setenv("WEIR_URL", BASE)
        monkeypatch.delenv("WEIR_TOKEN", raising=False)
        monkeypatch.delenv("DISPLAY", raising=False)
        monkeypatch.setattr("api.features.sign_in.commands.time.sleep", lambda _: threading.Event().wait(0.05))
        yield running


@pytest.fixture
def company(weir: ApiWorld) -> Iterator[Provider]:
    with provider() as running:
        rules = "[{claim: groups, value: weir-stewards, roles: [steward]}]"
        weir.apply(declared("company", running.url, rules))
        running.person("grace", groups=["weir-stewards"])
        yield running


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """The exit code of a command, and all it printed."""
    sys.argv = ["weir", *words]
    capsys.readouterr()
    code = 0
    try:
        cli.main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    printed = capsys.readouterr()
    return code, printed.out + printed.err


def let_in(weir: ApiWorld, company: Provider, subject: str, code: str) -> httpx2.Response:
    """What a person does on the page /device and at the provider."""
    client = browser(weir)
    shown = client.get(f"/api/v1/auth/device/{code}").json()
    assert shown["userCode"] == code and shown["label"].startswith("weir on ")
    going = client.post(f"/api/v1/auth/device/{code}/continue", json={"provider": "company"}, headers=PAGE)
    asked = client.get(company.answer(going.json()["address"], subject))
    action, form = form_of(asked)
    answer: httpx2.Response = client.post(action, data={**form, "decision": "let-in"})
    # The browser itself has no session by that.
    assert client.get("/api/v1/me").status_code == 401
    return answer


def logged_in(
    weir: ApiWorld, company: Provider, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> str:
    """What `weir login` printed while a person let it in."""
    begun = weir.services[DeviceLogins].begin
    people: list[threading.Thread] = []

    def begin(label: str) -> Any:
        waiting = begun(label)
        people.append(threading.Thread(target=let_in, args=(weir, company, "grace", waiting.code)))
        people[-1].start()
        return waiting

    monkeypatch.setattr(weir.services[DeviceLogins], "begin", begin)
    code, text = run(capsys, "login")
    for each in people:
        each.join(20)
    assert code == 0, text
    return text


def test_in_and_out_by_a_file(
    weir: ApiWorld,
    company: Provider,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("keyring.get_keyring", NoKeys)
    assert "the admin's token" in run(capsys, "whoami", "-o", "json")[1]
    text = logged_in(weir, company, capsys, monkeypatch)
    assert re.search(r"localhost:8484/device\?code=[B-Z]{4}-[B-Z]{4}", text) and "as grace" in text
    (file,) = (tmp_path / "logins").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    secret = file.read_text().strip()
    assert secret not in text and secret not in (tmp_path / "logins.json").read_text()
    code, text = run(capsys, "whoami", "-o", "json")
    assert code == 0 and '"grace"' in text and '"steward"' in text and "weir login (file)" in text
    assert "command line" not in run(capsys, "session", "list")[1]
    assert "cli" in run(capsys, "session", "list", "-o", "json")[1]
    # A command line's secret opens no browser's session.
    assert browser(weir).get("/api/v1/me", headers={"Cookie": f"weir_session={secret}"}).status_code == 401
    assert run(capsys, "logout") == (0, "grace is signed out at http://localhost:8484.\n")
    assert not file.exists() and "the admin's token" in run(capsys, "whoami", "-o", "json")[1]
    gone = browser(weir).get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"})
    assert gone.status_code == 401


def test_in_and_out_by_the_keyring(
    weir: ApiWorld,
    company: Provider,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys, before = Keys(), keyring.get_keyring()
    keyring.set_keyring(keys)
    try:
        assert "keyring" in logged_in(weir, company, capsys, monkeypatch)
        assert list(keys.kept) == [("weir", BASE)] and not (tmp_path / "logins").exists()
        assert '"grace"' in run(capsys, "whoami", "-o", "json")[1]
        assert run(capsys, "logout")[0] == 0
        assert keys.kept == {}
    finally:
        keyring.set_keyring(before)


def test_a_second_login_ends_the_session_of_the_first(
    weir: ApiWorld, company: Provider, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyring.get_keyring", NoKeys)
    begun = weir.services[DeviceLogins].begin
    logged_in(weir, company, capsys, monkeypatch)
    (first,) = weir.services[Sessions].listed("grace")
    monkeypatch.setattr(weir.services[DeviceLogins], "begin", begun)
    logged_in(weir, company, capsys, monkeypatch)
    (second,) = weir.services[Sessions].listed("grace")
    assert second.id != first.id


def test_the_admins_token_is_not_sent_to_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    home.admin_token.write_text("weir_secret\n")
    monkeypatch.delenv("WEIR_TOKEN", raising=False)
    for own in ("", "http://localhost:9000", "127.0.0.1:8484", "http://[::1]:8484"):
        monkeypatch.setenv("WEIR_URL", own)
        assert instance_token(home) == "weir_secret"
    for other in ("https://weir.example.com", "http://localhost.evil.example:8484"):
        monkeypatch.setenv("WEIR_URL", other)
        with pytest.raises(NotSignedIn, match="weir login"):
            instance_token(home)
    monkeypatch.setenv("WEIR_TOKEN", "weir_given")
    assert instance_token(home) == "weir_given"


def test_a_refused_command_line_is_out(
    weir: ApiWorld, company: Provider, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = weir.services[DeviceLogins].begin

    def begin(label: str) -> Any:
        waiting = begun(label)
        answer = browser(weir).post(f"/api/v1/auth/device/{waiting.code}/refuse", headers=PAGE)
        assert answer.status_code == 200
        return waiting

    monkeypatch.setattr(weir.services[DeviceLogins], "begin", begin)
    code, text = run(capsys, "login")
    assert code != 0 and "was refused on the page" in text


def test_without_a_provider_there_is_a_sentence(weir: ApiWorld, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(capsys, "login")
    assert code != 0 and "No IdentityProvider is declared" in text
    assert run(capsys, "logout") == (0, "Nobody is signed in at http://localhost:8484 by weir login.\n")


def test_only_a_page_of_weir_lets_a_command_line_in(weir: ApiWorld, company: Provider) -> None:
    given = browser(weir).post("/api/v1/auth/device", json={"label": "x"}).json()
    code, body = given["userCode"], {"provider": "company"}
    client = browser(weir)
    for path in ("continue", "refuse"):
        address = f"/api/v1/auth/device/{code}/{path}"
        assert client.post(address, json=body).status_code == 403
        for foreign in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            assert client.post(address, json=body, headers={**PAGE, **foreign}).status_code == 403
    poll = {"deviceCode": given["deviceCode"]}
    assert client.post("/api/v1/auth/device/poll", json=poll).json()["state"] == "pending"
    assert client.post("/api/v1/auth/device/poll", json={"deviceCode": code}).json()["state"] == "expired"
    assert client.get("/api/v1/auth/device/BBBB-BBBB").status_code == 400


def test_a_code_lets_in_one_command_line_once(weir: ApiWorld, company: Provider) -> None:
    given = browser(weir).post("/api/v1/auth/device", json={"label": "weir on x"}).json()
    assert let_in(weir, company, "grace", given["userCode"]).status_code == 200
    assert browser(weir).get(f"/api/v1/auth/device/{given['userCode']}").status_code == 400
    poll = {"deviceCode": given["deviceCode"]}
    first = browser(weir).post("/api/v1/auth/device/poll", json=poll).json()
    assert first["state"] == "done" and first["user"] == "grace"
    assert browser(weir).post("/api/v1/auth/device/poll", json=poll).json()["state"] == "expired"
    bearer = {"Authorization": f"Bearer {first['token']}"}
    assert browser(weir).get("/api/v1/me", headers=bearer).json()["roles"] == ["steward"]
