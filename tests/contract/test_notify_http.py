"""From a request to the mail in a decider's mailbox, over the HTTP door and a real SMTP server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.config.settings import Settings
from catalog.events.events import Events
from catalog.ports import CatalogStore
from policies.declared.state import GovernanceState
from tests.api_world import ApiWorld, deliver, world
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
def weir(tmp_path: Path, mails: MailServer) -> Iterator[ApiWorld]:
    settings = Settings()
    settings.notify.smtp_host, settings.notify.smtp_port = "127.0.0.1", mails.port
    settings.notify.smtp_security, settings.notify.sender = "none", "weir@weir.example.com"
    settings.api.public_url = "http://weir.example.com"
    with world(tmp_path, settings=settings) as created:
        created.apply(PEOPLE)
        created.scan(cluster="prod")
        deliver(created)
        yield created


def ask(weir: ApiWorld, **more: object) -> dict:
    body = {"dataset": "prod/orders", "fields": [EMAIL, "value.region"], "purpose": "campaign", "reason": "<b>hi</b>"}
    created = weir.user("ana").post("/api/v1/access-requests", json=body | more)
    assert created.status_code == 201, created.text
    request: dict[str, Any] = created.json()
    return request


def test_a_request_reaches_its_decider_by_mail_and_is_approved_in_part(weir: ApiWorld, mails: MailServer) -> None:
    request = ask(weir)
    deliver(weir)
    [(to, mail)] = mails.wait(1)
    assert to == ["otto@example.com"] and mail["To"] == "otto@example.com"
    assert mail["Subject"].strip().startswith("Weir: ana requests access to prod/orders; it")
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


def test_asking_back_commenting_and_who_may(weir: ApiWorld, mails: MailServer) -> None:
    request = ask(weir)
    ana, otto, nils = weir.user("ana"), weir.user("otto"), weir.user("nils")
    base = f"/api/v1/access-requests/{request['id']}"
    for verb in ("ask-back", "comments"):
        assert nils.post(f"{base}/{verb}", json={"text": "?"}).status_code == 404
        assert weir.anonymous().post(f"{base}/{verb}", json={"text": "?"}).status_code == 401
        assert otto.post(f"{base}/{verb}", json={"text": ""}).status_code in (400, 422)
    assert ana.post(f"{base}/ask-back", json={"text": "?"}).status_code == 403
    asked = otto.post(f"{base}/ask-back", json={"text": "which campaign?"}).json()
    assert (asked["state"], asked["canDecide"], asked["thread"][0]["kind"]) == ("asked-back", True, "question")
    assert otto.get("/api/v1/access-requests?state=asked-back").json()["total"] == 1
    answered = ana.post(f"{base}/comments", json={"text": "spring"}).json()
    assert (answered["state"], answered["thread"][1]["kind"]) == ("pending", "answer")
    deliver(weir)
    subjects = [mail["Subject"] for _, mail in mails.wait(3)]
    assert any("asks you something" in s for s in subjects) and "spring" not in str([plain(m) for _, m in mails.mails])
    events = weir.admin.get("/api/v1/events?type=access.*").json()["events"]
    assert {e["type"] for e in events} == {"weir.access.requested", "weir.access.asked_back", "weir.access.commented"}
    assert "spring" not in str(events)


def test_a_grant_is_extended_from_its_list(weir: ApiWorld) -> None:
    request = ask(weir)
    ana, otto = weir.user("ana"), weir.user("otto")
    otto.post(f"/api/v1/access-requests/{request['id']}/approve", json={})
    [grant] = ana.get("/api/v1/grants").json()["grants"]
    assert grant["mayExtend"] and not otto.get("/api/v1/grants").json()["grants"][0]["mayExtend"]
    path = f"/api/v1/grants/{grant['name']}/extend"
    later = grant["validTo"].replace("20", "21", 1)
    assert ana.post(path, json={"until": later}).status_code == 400  # longer than allowed
    from datetime import datetime, timedelta

    later = (datetime.fromisoformat(grant["validTo"]) + timedelta(days=3)).isoformat()
    for user, status in (("otto", 403), ("nils", 403)):
        assert weir.user(user).post(path, json={"until": later}).status_code == status
    created = ana.post(path, json={"until": later, "ticket": "T-1"})
    assert created.status_code == 201 and created.json()["extends"] == grant["name"]
    assert ana.get("/api/v1/grants").json()["grants"][0]["validTo"] == grant["validTo"]
    done = otto.post(f"/api/v1/access-requests/{created.json()['id']}/approve", json={})
    assert done.status_code == 200 and done.json()["grant"] == grant["name"]
    [after] = ana.get("/api/v1/grants").json()["grants"]
    assert after["validTo"] > grant["validTo"] and after["fields"] == grant["fields"]


TEMPLATE = """
apiVersion: weir/v1
kind: RequestTemplate
metadata: {name: sales-analyst}
spec:
  description: marketing analyst on sales
  datasets: [prod/orders]
  fields: [value.region]
  purpose: marketing
  duration: 90d
  reason: as agreed with the sales team
"""


def test_bundles_and_templates(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    assert ana.get("/api/v1/request-templates").json() == {"templates": []}
    weir.apply(TEMPLATE)
    [shown] = ana.get("/api/v1/request-templates").json()["templates"]
    assert (shown["name"], shown["seconds"]) == ("sales-analyst", 90 * 86400)
    created = ana.post("/api/v1/request-templates/sales-analyst/requests", json={"ticket": "T-1"})
    assert created.status_code == 201, created.text
    assert (
        created.json()["bundle"] is None and created.json()["requests"][0]["reason"] == "as agreed with the sales team"
    )
    assert ana.post("/api/v1/request-templates/other/requests").status_code == 404
    wrong = ana.post("/api/v1/access-requests/bundle", json={"datasets": ["prod/orders", "prod/none"], "purpose": "p"})
    assert wrong.status_code == 404
    assert ana.get("/api/v1/access-requests").json()["total"] == 1


def test_preferences_tests_and_figures(weir: ApiWorld, mails: MailServer) -> None:
    nils, otto = weir.user("nils"), weir.user("otto")
    assert nils.get("/api/v1/me/notifications").json()["mailAddressKnown"] is False
    chosen = otto.put(
        "/api/v1/me/notifications", json={"digest": "daily", "at": "07:30", "zone": "Europe/Berlin", "off": ["data"]}
    )
    assert chosen.status_code == 200 and chosen.json()["digest"] == "daily"
    for wrong in (
        {"channels": ["fax"]},
        {"digest": "x"},
        {"zone": "../etc"},
        {"at": "7"},
        {"off": ["x"]},
        {"user": "ana"},
        {"channels": ["chat"]},
        {"chatUrl": "https://hooks.slack.com/x", "chatKind": "slack"},
    ):
        assert otto.put("/api/v1/me/notifications", json=wrong).status_code in (400, 422), wrong
    sent = otto.post("/api/v1/notifications/test", json={})
    assert sent.json() == {"user": "otto", "channel": "mail", "sent": True, "problem": None}
    assert "test of notifications" in mails.wait(1)[0][1]["Subject"]
    assert "address" in nils.post("/api/v1/notifications/test", json={}).json()["problem"]
    assert otto.post("/api/v1/notifications/test", json={"user": "ana"}).status_code == 403
    assert weir.admin.post("/api/v1/notifications/test", json={"user": "ana"}).json()["sent"]
    for client, status in ((otto, 403), (weir.anonymous(), 401), (weir.admin, 200)):
        assert client.get("/api/v1/notifications").status_code == status
    figures = weir.admin.get("/api/v1/notifications").json()
    assert figures["mail"]["host"] == "127.0.0.1" and "nils" in figures["withoutAddressNames"]
    assert "@example.com" not in weir.admin.get("/api/v1/notifications").text
    ask(weir)
    deliver(weir)
    [waiting] = otto.get("/api/v1/me/notices").json()["notices"]
    assert (waiting["state"], waiting["topic"]) == ("waiting", "requests")
    assert nils.get("/api/v1/me/notices").json() == {"notices": []}
    receivers = {d["receiver"]: d for d in weir.admin.get("/api/v1/events/deliveries").json()["deliveries"]}
    assert receivers["notices"]["failures"] == 0


VIEW = """
apiVersion: weir/v1
kind: View
metadata: {name: revenue}
spec:
  sql: SELECT region, count(*) AS n FROM prod.orders GROUP BY region
  runAs: {user: otto}
  owners: [{user: ana}]
"""


def test_a_view_that_fails_is_announced_once_to_its_owner(weir: ApiWorld, mails: MailServer) -> None:
    from api.features.views.failures import ViewFailures
    from tests.twins.views import MemoryViewStates

    states, built = MemoryViewStates(), weir.services
    weir.apply(VIEW)
    states.put("revenue", {"state": "failed", "since": "2026-01-01T00:00:00Z", "error": {"message": "secret"}})
    states.put("other", {"state": "failed", "since": "2026-01-01T00:00:00Z"})
    from api.joins.views.declared import DeclaredViews
    from api.wiring.clock import now

    for announced in (1, 0):
        duty = ViewFailures(
            DeclaredViews(built[CatalogStore]), states, built[GovernanceState].store, built[Events], now
        )
        duty._next = now()
        assert duty.step() == announced
    deliver(weir)
    [(to, mail)] = mails.wait(1)
    assert to == ["ana@example.com"] and mail["Subject"] == "Weir: View failed: revenue, which you own"
    assert "http://weir.example.com/views/revenue" in plain(mail) and "secret" not in plain(mail)
