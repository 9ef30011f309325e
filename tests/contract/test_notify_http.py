"""From a request to the mail in a decider's mailbox, over the HTTP door and a real SMTP server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from api.config.settings import Settings
from tests import api_world
from tests.api_world import ApiWorld
from tests.mail_server import MailServer, html, mail_server, plain

PEOPLE = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: orders}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {email: ana@example.com}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {email: otto@example.com}
---
apiVersion: weir/v1
kind: User
metadata: {name: nils}
spec: {}
"""
EMAIL = "value.customer.email"


@pytest.fixture
def mails() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture
def weir(tmp_path: Path, mails: MailServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiWorld]:
    settings = Settings()
    settings.notify.smtp_host, settings.notify.smtp_port = "127.0.0.1", mails.port
    settings.notify.smtp_security, settings.notify.sender = "none", "weir@weir.example.com"
    settings.api.public_url = "http://weir.example.com"
    monkeypatch.setattr(api_world, "Settings", lambda: settings)
    with api_world.world(tmp_path) as made:
        made.apply(PEOPLE)
        made.scan(cluster="prod")
        deliver(made)
        yield made


def deliver(weir: ApiWorld) -> None:
    """What the worker does all the time."""
    while weir.services.deliveries.step(wait=True):
        pass
    while weir.services.notify.sender.step():
        pass


def ask(weir: ApiWorld, **more: object) -> dict:
    body = {"dataset": "prod/orders", "fields": [EMAIL, "value.region"], "purpose": "campaign", "reason": "<b>hi</b>"}
    made = weir.user("ana").post("/api/v1/access-requests", json=body | more)
    assert made.status_code == 201, made.text
    return made.json()


def test_a_request_reaches_its_decider_by_mail_and_is_approved_in_part(weir: ApiWorld, mails: MailServer) -> None:
    request = ask(weir)
    deliver(weir)
    [(to, mail)] = mails.wait(1)
    assert to == ["otto@example.com"] and mail["To"] == "otto@example.com"
    assert mail["Subject"].startswith("Weir: ana requests access to prod/orders for campaign")
    link = f"http://weir.example.com/requests/{request['id']}"
    assert link in plain(mail) and f'href="{link}"' in html(mail)
    assert "hi" not in plain(mail) + html(mail).replace("http", "")
    assert mail["Message-ID"].endswith("@weir.example.com>")

    otto = weir.user("otto")
    path = f"/api/v1/access-requests/{request['id']}/approve"
    more = otto.post(path, json={"fields": ["value.customer"]})
    assert more.status_code == 400 and "more than was requested" in more.text
    done = otto.post(path, json={"fields": [EMAIL], "unmask": []})
    assert done.status_code == 200, done.text
    shown = done.json()
    assert (shown["state"], shown["fields"], shown["unmask"]) == ("approved", [EMAIL], [])
    assert shown["asked"]["fields"] == [EMAIL, "value.region"] and shown["decisions"][0]["narrowed"]["unmask"] == []
    [grant] = weir.user("ana").get("/api/v1/grants").json()["grants"]
    assert (grant["fields"], grant["unmask"]) == ([EMAIL], [])
    deliver(weir)
    to, mail = mails.wait(2)[1]
    assert to == ["ana@example.com"] and "approved in part" in mail["Subject"]
    deliver(weir)
    assert len(mails.mails) == 2
