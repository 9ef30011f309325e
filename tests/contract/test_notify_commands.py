"""The commands of docs/how-to/access-requests.md and notifications.md, run one after another by the command line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from api import cli
from api.config.home import Home, write_private
from api.config.settings import load
from api.terminal.client import Client
from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld, deliver
from tests.contract.test_notify_http import PEOPLE, mails, weir  # noqa: F401
from tests.mail_server import MailServer

DOCS = Path(__file__).resolve().parents[2] / "docs"
BASE = "http://testserver"
MORE = """
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: payments}
spec:
  owners: [{user: otto}]
  fields: [{path: value.region, tags: [internal]}, {path: value.mail, tags: [EMAIL_ADDRESS]}]
---
apiVersion: weir/v1
kind: Role
metadata: {name: analyst}
spec: {read: [{dataset: prod/orders}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {email: ana@example.com, roles: [analyst]}
"""


@pytest.fixture
def run(weir: ApiWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Iterator[Any]:  # noqa: F811
    clients = Client

    def client(**given: Any) -> Any:
        if str(given.get("base_url", "")) != BASE:
            return clients(**given)
        return CheckedClient(weir.app, base_url=BASE, raise_server_exceptions=False, headers=given["headers"])

    monkeypatch.setattr("api.terminal.http.Client", client)
    monkeypatch.setenv("WEIR_HOME", str(tmp_path))
    monkeypatch.setenv("WEIR_URL", BASE)
    for name in ("ana", "otto", "nils"):
        token = weir.admin.post("/api/v1/tokens", json={"user": name}).json()["token"]
        write_private(Home(tmp_path).root / "tokens" / name, token)

    def command(line: str, code: int = 0) -> str:
        import shlex

        monkeypatch.setattr(sys, "argv", shlex.split(line, comments=True))
        if " --as " in line:
            monkeypatch.delenv("WEIR_TOKEN", raising=False)
        else:
            monkeypatch.setenv("WEIR_TOKEN", (tmp_path / "admin.token").read_text().strip())
        try:
            cli.main()
            ended = 0
        except SystemExit as end:
            ended = int(end.code or 0)
        shown = capsys.readouterr()
        assert ended == code, (line, shown.out, shown.err)
        return str(shown.out + shown.err)

    yield command


def lines(page: str) -> list[str]:
    """Commands in code blocks of a page."""
    text = (DOCS / page).read_text()
    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.startswith("weir ")]


def documented(page: str, part: str) -> str:
    return next(line for line in lines(page) if part in line)


def test_the_commands_of_requests(weir: ApiWorld, run: Any) -> None:  # noqa: F811
    weir.apply(MORE)
    page = "how-to/access-requests.md"
    blocks = re.findall(r"^```yaml\n(.*?)^```", (DOCS / page).read_text(), re.M | re.S)
    template = next(block for block in blocks if "RequestTemplate" in block).replace("EMAIL_ADDRESS", "value.region")
    weir.apply(template)
    assert "sales-analyst" in run(documented(page, "weir request templates"))
    assert "prod/payments" in run(documented(page, "--template"))
    created = weir.user("ana").post(
        "/api/v1/access-requests",
        json={"dataset": "prod/orders", "fields": ["value.customer"], "purpose": "p"},
    )
    name = created.json()["id"]

    def of(part: str) -> str:
        return documented(page, part).replace("req-3f2a9c81d04e", name)

    assert "question" in run(of("weir request ask-back"))
    assert "answer" in run(of("weir request comment"))
    shown = run(of("weir request approve req-3f2a9c81d04e --field"))
    assert "approved" in shown
    assert "approve in part" in run(of("weir request show"))
    [grant] = [g["name"] for g in weir.user("ana").get("/api/v1/grants").json()["grants"]]
    assert "pending" in run(
        documented(page, "weir request extend").replace("--days 30", "--days 6").replace("ana-3f2a9c81d04e", grant)
    )
    assert "Name a dataset" in run("weir request create --as ana", 2)
    bundle = run(
        "weir request create prod/orders prod/payments --field value.region --purpose q --days 3 -o json --as ana"
    )
    assert "bun-" in bundle


def test_the_commands_of_notifications(weir: ApiWorld, mails: MailServer, run: Any) -> None:  # noqa: F811
    page = "how-to/notifications.md"
    assert "Sent to ana by mail" in run(documented(page, "weir notify test"))
    assert "Not sent" in run("weir notify test --user nils", 1)
    assert "lacks the permission" in run("weir notify test --user ana --as nils", 1)
    assert "1 people without a known mail address: nils" in run(documented(page, "weir notify status"))
    assert "daily" in run(documented(page, "--digest daily"))
    assert "comments" in run(documented(page, "--off comments"))
    assert "07:30" in run("weir notify show --as ana")
    assert "No notices" in run(documented(page, "weir notify list"))
    deliver(weir)
    assert len(mails.mails) == 1


def test_the_settings_of_the_page_are_settings(tmp_path: Path) -> None:
    block = re.search(r"^```yaml\n(.*?)^```", (DOCS / "how-to/notifications.md").read_text(), re.M | re.S)
    assert block is not None and yaml.safe_load(block[1])["notify"]["smtp_port"] == 587
    (tmp_path / "weir.yaml").write_text(block[1])
    loaded = load(Home(tmp_path), {})
    assert loaded.notify.on and loaded.notify.smtp_password == "file:smtp-password"
