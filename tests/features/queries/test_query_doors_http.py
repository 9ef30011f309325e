"""The new doors over HTTP: shapes, statuses, who may."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api_world import ApiWorld, world

POLICIES = """
apiVersion: weir/v1
kind: Role
metadata: {name: analyst}
spec: {read: [{dataset: "*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: Workflow
metadata: {name: mails}
spec:
  match: {tags: [EMAIL_ADDRESS]}
  stages: [{name: owner, approvers: {owners: true}}]
  breakGlass: {subjects: {users: [ana]}, maxDuration: 2h, review: {users: [otto]}, reviewWithin: 24h}
"""
MASK = """
apiVersion: weir/v1
kind: Policy
metadata: {name: mask-email}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}}
"""
EMAIL = "value.customer.email"


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home")) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        weir.apply(POLICIES)
        yield weir


@pytest.fixture(scope="module")
def ana(weir: ApiWorld) -> TestClient:
    return weir.user("ana")


def ok(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_check_needs_no_engine_where_the_gate_refuses(weir: ApiWorld, ana: TestClient) -> None:
    before = weir.admin.get("/api/v1/audit", params={"limit": 1}).json()["entries"][0]["seq"]
    answer = ok(ana.post("/api/v1/query/check", json={"sql": "SELECT uper(order_id) FROM orders"}))
    assert answer["ok"] is False and answer["problems"][0]["suggestion"] == "upper"
    assert ok(ana.post("/api/v1/query/check", json={"sql": ""}))["ok"] is False
    items = ok(ana.get("/api/v1/query/complete", params={"sql": "SELECT * FROM ord"}))["items"]
    assert items[0] == {"label": "orders", "kind": "table", "detail": items[0]["detail"], "insert": "orders"}
    inside = ok(ana.post("/api/v1/query/complete", json={"sql": "SELECT customer. FROM orders", "position": 16}))
    assert {i["label"] for i in inside["items"]} == {"name", "email"}
    assert ana.post("/api/v1/query/complete", json={"sql": "x", "position": 99}).status_code == 400
    entries = weir.admin.get("/api/v1/audit", params={"limit": 10}).json()["entries"]
    entries = [entry for entry in entries if entry["seq"] > before]
    assert [(e["action"], e["decision"]) for e in reversed(entries)] == [
        ("query.check", "refused"),
        ("query.complete", "allow"),
    ]


def test_decisions(weir: ApiWorld, ana: TestClient) -> None:
    one = ok(ana.post("/api/v1/decisions", json={"dataset": "orders", "fields": [EMAIL]}))
    assert one["dataset"] == "prod/orders" and [c["path"] for c in one["columns"]] == [EMAIL]
    assert ana.post("/api/v1/decisions", json={"dataset": "prod/orders", "subject": "otto"}).status_code == 403
    nope = ana.post("/api/v1/decisions", json={"dataset": "prod/nope"})
    assert (nope.status_code, nope.json()["error"]["code"]) == (404, "dataset_not_found")
    assert ana.post("/api/v1/decisions", json={"dataset": "prod/orders", "action": "burn"}).status_code == 400
    asked = [
        {"dataset": "prod/orders", "subject": who} for who in ("ana", {"user": "x", "roles": ["analyst"]}, "nobody")
    ]
    batch = ok(weir.admin.post("/api/v1/decisions", json={"requests": asked}))["decisions"]
    assert [d["effect"] for d in batch] == ["allow", "allow", "deny"]
    assert weir.admin.post("/api/v1/decisions", json={"requests": []}).status_code == 400


def test_simulate_and_test(weir: ApiWorld, ana: TestClient) -> None:
    answer = ok(weir.admin.post("/api/v1/policies/simulate", params={"user": "ana"}, content=MASK))
    assert {c["path"] for c in answer["changes"]} >= {EMAIL} and answer["losses"] == answer["total"]
    assert ok(weir.admin.get("/api/v1/policies"))["policies"] == []
    cluster = "apiVersion: weir/v1\nkind: GlossaryTerm\nmetadata: {name: x}\nspec: {}\n"
    assert "not part of a simulation" in ok(weir.admin.post("/api/v1/policies/simulate", content=cluster))["notes"][0]
    assert "recognize that value there" in answer["notes"][0], "MASK_HASH shows which values are equal"
    cases = f"cases: [{{subject: ana, dataset: prod/orders, field: {EMAIL}, expect: mask}}]"
    assert ok(weir.admin.post("/api/v1/policies/test", json={"tests": cases}))["failed"] == 1
    assert ok(weir.admin.post("/api/v1/policies/test", json={"tests": cases, "policies": MASK}))["failed"] == 0
    for path, body in (("simulate", {"content": MASK}), ("test", {"json": {"tests": cases}})):
        assert ana.post(f"/api/v1/policies/{path}", **body).status_code == 403
    for bad in (b"\xff", b"kind: ["):
        assert weir.admin.post("/api/v1/policies/simulate", content=bad).status_code == 400
    assert weir.admin.post("/api/v1/policies/simulate", params={"remove": "Nope/x"}).status_code == 400


def test_mask_previews(ana: TestClient) -> None:
    body = {"mask": {"type": "MASK_SHOW_LAST_4"}, "values": ["4111 1111", None]}
    assert ok(ana.post("/api/v1/policies/masks/preview", json=body))["values"][0]["masked"] == "xxxx 1111"
    for bad in ("\ud800", 1e999, [[["x"]]]):
        sent = json.dumps({"mask": {"type": "MASK"}, "values": [bad]})
        answer = ana.post("/api/v1/policies/masks/preview", content=sent, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400, answer.text
    body["mask"] = {"type": "LAST_44"}
    assert "did you mean" in ana.post("/api/v1/policies/masks/preview", json=body).json()["error"]["message"]


def test_requests_say_what_they_open_and_who_may_decide(weir: ApiWorld, ana: TestClient) -> None:
    otto = weir.user("otto")
    answer = ok(
        ana.post("/api/v1/access-requests", json={"dataset": "prod/orders", "fields": [EMAIL], "purpose": "x"}), 201
    )
    assert answer["canDecide"] is False and answer["opens"] == [
        {"path": EMAIL, "entities": ["EMAIL_ADDRESS"], "clear": True}
    ]
    (seen,) = ok(otto.get("/api/v1/access-requests", params={"toDecide": True}))["requests"]
    assert (seen["canDecide"], seen["holders"], seen["insteadOf"]) == (True, 1, None)
    assert ok(otto.put("/api/v1/me/delegation", json={"delegates": ["vera"], "until": "2999-01-01T00:00:00Z"}), 400)
    until = answer["until"]
    ok(otto.put("/api/v1/me/delegation", json={"delegates": ["vera"], "until": until}))
    vera = weir.user("vera")
    assert ok(vera.get("/api/v1/me/delegation"))["insteadOf"] == ["otto"]
    done = ok(vera.post(f"/api/v1/access-requests/{answer['id']}/approve"))
    assert done["state"] == "approved" and done["decisions"][0]["insteadOf"] == "otto"
    assert ok(otto.delete("/api/v1/me/delegation"))["ended"] is True


def test_times_beyond_the_calendar(ana: TestClient) -> None:
    body = {"dataset": "prod/orders", "fields": [EMAIL], "purpose": "x"}
    late = ana.post("/api/v1/access-requests", json={**body, "from": "9999-12-31T00:00:00Z"})
    assert late.status_code == 400 and "calendar" in late.json()["error"]["message"]
    assert ana.post("/api/v1/access-requests", json={**body, "purpose": "x" * 254}).status_code == 400
    for minutes in (10**18, 525_601, 0):
        asked = {**body, "reason": "4711", "minutes": minutes}
        assert ana.post("/api/v1/access-requests/break-glass", json=asked).status_code == 400


def test_break_glass(weir: ApiWorld, ana: TestClient) -> None:
    body = {"dataset": "prod/orders", "fields": [EMAIL], "purpose": "incident", "reason": "4711", "minutes": 30}
    answer = ok(ana.post("/api/v1/access-requests/break-glass", json=body), 201)
    assert answer["state"] == "review" and answer["breakGlass"] and answer["reviewBy"] and not answer["overdue"]
    assert [g["breakGlass"] for g in ok(ana.get("/api/v1/grants"))["grants"]].count(True) == 1
    kinds = [e["type"] for e in ok(weir.admin.get("/api/v1/events", params={"limit": 50}))["events"]]
    assert "weir.breakglass.used" in kinds and "weir.grant.issued" in kinds and "weir.access.decided" in kinds
    denied = ok(weir.user("otto").post(f"/api/v1/access-requests/{answer['id']}/deny", json={"reason": "no incident"}))
    assert denied["state"] == "denied"
    grant = next(g for g in ok(ana.get("/api/v1/grants"))["grants"] if g["breakGlass"])
    assert grant["status"] == "revoked" and not grant["active"]
    again = ana.post("/api/v1/access-requests/break-glass", json=body)
    assert again.status_code == 409 and "barred until" in again.json()["error"]["message"]
    assert ana.post("/api/v1/access-requests/break-glass", json={**body, "reason": ""}).status_code == 400
    assert weir.user("max").post("/api/v1/access-requests/break-glass", json=body).status_code == 403
