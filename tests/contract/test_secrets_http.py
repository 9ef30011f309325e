"""Declared secrets through the whole application: what `manage` cannot have sent to an address of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from api.config.home import Home
from api.config.settings import Settings, load
from api.joins.observing import Observing
from catalog.datasets.datasets import Datasets
from catalog.declared.cluster_specs import ClusterSpec
from catalog.errors import SettingsError
from tests.api_world import ApiWorld, world

CLUSTER = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092", connect: {url: "%s", username: weir, password: %s}}
"""
HOOK = """
apiVersion: weir/v1
kind: Webhook
metadata: {name: ops}
spec: {url: %s, secret: %s}
"""
ADMIN = """
apiVersion: weir/v1
kind: User
metadata: {name: %s}
spec: {roles: [admin]}
"""


class Thief(ThreadingHTTPServer):
    """Takes what it is sent; answers with a redirect when one is set."""

    redirect = ""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    server: Thief

    def do_GET(self) -> None:
        self.server.seen.append(self.headers.get("Authorization", ""))
        if self.server.redirect:
            self.send_response(307)
            self.send_header("Location", self.server.redirect + self.path)
        else:
            self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def thief() -> Iterator[Thief]:
    thief = Thief()
    thread = threading.Thread(target=thief.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield thief
    thief.shutdown()
    thread.join()
    thief.server_close()


@pytest.fixture
def weir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiWorld]:
    (tmp_path / "home").mkdir()
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "connect").write_text("given for connect")
    monkeypatch.setenv("WEIR_SECRETS__FOLDER", str(tmp_path / "secrets"))
    monkeypatch.setenv("WEIR_SECRET_CONNECT", "given for connect")
    with world(tmp_path / "home") as weir:
        weir.services[Settings].secrets.folder = tmp_path / "secrets"
        yield weir


def places(weir: ApiWorld) -> list[str]:
    return [
        f"{{file: '{weir.services[Home].admin_token}'}}",
        "{file: /etc/hostname}",
        "{file: /proc/self/environ}",
        "{file: ../home/admin.token}",
        "{env: PATH}",
        "{env: WEIR_SECRETS__FOLDER}",
        "{env: HOME}",
    ]


def test_no_file_or_variable_of_the_server_can_be_declared(weir: ApiWorld) -> None:
    for place in places(weir):
        for text in (
            CLUSTER % ("http://127.0.0.1:1", place),
            HOOK % ("https://hooks.example", place),
            HOOK % (place, "null"),
        ):
            for query in ("", "?dryRun=true"):
                answer = weir.admin.post(f"/api/v1/apply{query}", content=text.encode())
                assert answer.status_code == 400, (place, answer.text)
                assert "WEIR_SECRET" in answer.json()["error"]["message"]


def test_what_was_declared_before_the_rules_is_not_sent(weir: ApiWorld, thief: Thief) -> None:
    url = f"http://127.0.0.1:{thief.server_port}"
    for file in (str(weir.services[Home].admin_token), "/etc/hostname"):
        connect = {"url": url, "username": "weir", "password": {"file": file}}
        spec = ClusterSpec.model_validate({"bootstrapServers": "localhost:9092", "connect": connect})
        weir.services[Datasets].register_cluster("prod", spec)
        answer = weir.admin.get("/api/v1/clusters/prod/connectors")
        assert answer.status_code == 500 and "folder of secrets" in answer.json()["error"]["message"], answer.text
        weir.services[Observing].step()
    assert thief.seen == []


def test_an_allowed_secret_is_sent_and_no_redirect_takes_it_further(weir: ApiWorld, thief: Thief) -> None:
    thief.redirect = f"http://localhost:{thief.server_port}/elsewhere"
    for place in ("{file: connect}", "{env: WEIR_SECRET_CONNECT}"):
        weir.apply(CLUSTER % (f"http://127.0.0.1:{thief.server_port}", place))
        weir.admin.get("/api/v1/clusters/prod/connectors")
    assert [seen[:6] for seen in thief.seen] == ["Basic ", "Basic "], "one request each: the redirect was not followed"


def test_a_webhook_with_a_secret_needs_https_or_this_machine(weir: ApiWorld) -> None:
    answer = weir.admin.post("/api/v1/apply", content=(HOOK % ("http://hooks.example/x", "{file: connect}")).encode())
    assert answer.status_code == 400 and "https" in answer.text
    weir.apply(HOOK % ("https://hooks.example/x", "{file: connect}"))


def test_a_second_person_where_the_setting_asks(weir: ApiWorld) -> None:
    weir.apply(ADMIN % "ana")
    weir.apply(ADMIN % "otto")
    weir.services[Settings].secrets.second_person = True
    ana, otto = weir.user("ana"), weir.user("otto")
    mine = (CLUSTER % ("https://mine.example", "{file: connect}")).encode()
    for _ in range(2):
        answer = ana.post("/api/v1/apply", content=mine)
        assert answer.status_code == 409 and "another person" in answer.text, answer.text
    assert ana.get("/api/v1/declared/Cluster").json() == {"documents": []}
    other = mine.replace(b"mine.example", b"ours.example")
    assert otto.post("/api/v1/apply", content=other).status_code == 409, "another address is another proposal"
    assert otto.post("/api/v1/apply", content=mine).status_code == 200
    later = mine.replace(b"localhost:9092", b"localhost:9092, localhost:9093")
    assert ana.post("/api/v1/apply", content=later).status_code == 200, "nothing of the secret changed"
    assert ana.post("/api/v1/apply", content=mine.replace(b"mine", b"theirs")).status_code == 409


def test_the_folder_is_apart_from_weirs_own(tmp_path: Path) -> None:
    home = Home(tmp_path / "weir")
    for folder in (home.root, home.root / "secrets", tmp_path, Path("/")):
        with pytest.raises(SettingsError, match="WEIR_SECRETS__FOLDER"):
            load(home, {"WEIR_SECRETS__FOLDER": str(folder)})
    for prefix in ("WEIR_", "WEIR_STACK__", "WEIR_QUERY__", "weir_", "A_", "", "WEIR_SPARK_"):
        with pytest.raises(SettingsError, match=r"(?i)env_prefix"):
            load(home, {"WEIR_SECRETS__ENV_PREFIX": prefix})
    settings = load(
        home, {"WEIR_SECRETS__FOLDER": str(tmp_path / "s"), "WEIR_SECRETS__ENV_PREFIX": "SHOP_", "SHOP_X": "1"}
    )
    assert settings.secrets.env_prefix == "SHOP_"
    load(home, {"WEIR_SECRET_ANYTHING": "1"})
