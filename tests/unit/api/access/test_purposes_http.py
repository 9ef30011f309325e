"""Declared purposes at every door: who may state one, what a parent covers, what keeps one from being deleted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from policies.access.identity import Identity
from policies.declared.state import GovernanceState
from policies.query.service import GovernedQuery
from tests.api_world import ApiWorld, world
from views.declared import ViewSpec
from views.runner.build import built

SOON = (datetime.now(UTC) + timedelta(days=9)).isoformat()
TREE = """
apiVersion: weir/v1
kind: Purpose
metadata: {name: fraud.cards}
spec: {parent: fraud, title: Card fraud}
---
apiVersion: weir/v1
kind: Purpose
metadata: {name: fraud}
spec: {title: Fraud, legalBasis: legitimate-interests, retention: 90d, owner: otto}
---
apiVersion: weir/v1
kind: Purpose
metadata: {name: support}
spec: {legalBasis: contract}
"""


def grant(name: str, purpose: str) -> str:
    return f"""
apiVersion: weir/v1
kind: Grant
metadata: {{name: {name}}}
spec: {{subject: {{user: ana}}, dataset: prod/orders, purpose: "{purpose}", validFrom: "2026-01-01T00:00:00Z",
       validTo: "{SOON}", status: approved, unmask: ["*"]}}
"""


RULES = f"""
apiVersion: weir/v1
kind: User
metadata: {{name: ana}}
spec: {{}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: otto}}
spec: {{}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: need}}
spec: {{type: access, match: {{datasets: [prod/orders]}}, requires: {{purpose: [fraud]}}}}
---{grant("ana-fraud", "fraud")}"""


@pytest.fixture
def w(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as opened:
        opened.scan(cluster="prod", bootstrapServers="localhost:9092")
        yield opened


def decided(w: ApiWorld, purpose: str | None) -> dict[str, Any]:
    asked = {"dataset": "prod/orders", "purpose": purpose}
    answer: dict[str, Any] = w.user("ana").post("/api/v1/decisions", json=asked).json()
    return answer["decisions"][0] if "decisions" in answer else answer


def refused(w: ApiWorld, text: str) -> str:
    done = w.admin.post("/api/v1/apply", content=text.encode())
    assert done.status_code == 400, done.text
    return str(done.json()["error"]["message"])


def test_a_parent_covers_its_children_and_not_the_other_way_round(w: ApiWorld) -> None:
    w.apply(TREE + "---" + RULES)  # a child before its parent, and a policy with the purposes it names
    assert decided(w, "fraud.cards")["effect"] == "allow"
    assert decided(w, "fraud.cards")["purposePath"] == ["fraud", "fraud.cards"]
    assert decided(w, "support")["effect"] == "deny"
    w.admin.delete("/api/v1/declared/Grant/ana-fraud")
    w.apply(grant("ana-cards", "fraud.cards"))
    assert decided(w, "fraud.cards")["effect"] == "allow"
    assert decided(w, "fraud")["effect"] == "deny"


def test_without_a_tree_purposes_are_free_text(w: ApiWorld) -> None:
    w.apply(RULES)
    assert decided(w, "fraud")["effect"] == "allow"
    assert decided(w, "whatever this is")["effect"] == "deny"
    assert decided(w, "fraud")["purposePath"] is None
    assert w.admin.get("/api/v1/purposes").json()["purposes"] == []
    w.apply(TREE.replace("name: fraud}", "name: fraud2}").replace("parent: fraud,", "parent: fraud2,"))
    listed = w.admin.get("/api/v1/purposes").json()
    assert listed["undeclared"] == [{"name": "fraud", "users": ["Grant ana-fraud", "Policy need"], "uses": 2}]
    assert w.user("ana").get("/api/v1/purposes").json()["undeclared"] == []


def test_every_door_refuses_a_purpose_that_is_not_declared(w: ApiWorld) -> None:
    w.apply(TREE + "---" + RULES)
    ana = w.user("ana")
    sentence = "There is no declared purpose 'fruad'; did you mean fraud"
    sql = {"sql": "SELECT * FROM orders", "purpose": "fruad"}
    tried = {
        "query": ana.post("/api/v1/query", json=sql),
        "explain": ana.post("/api/v1/query/explain", json=sql),
        "check": ana.post("/api/v1/query/check", json=sql),
        "complete": ana.post("/api/v1/query/complete", json={"sql": "SELECT ", "purpose": "fruad"}),
        "show": ana.post("/api/v1/query", json={"sql": "SHOW TABLES", "purpose": "fruad"}),
        "stream": ana.get(
            "/api/v1/query/stream", params={"sql": "SELECT * FROM orders EMIT CHANGES", "purpose": "fruad"}
        ),
        "records": ana.get("/api/v1/datasets/prod/orders/records", params={"purpose": "fruad"}),
        "request": ana.post(
            "/api/v1/access-requests", json={"dataset": "prod/orders", "fields": ["*"], "purpose": "fruad"}
        ),
        "glass": ana.post(
            "/api/v1/access-requests/break-glass",
            json={"dataset": "prod/orders", "purpose": "fruad", "reason": "incident"},
        ),
        "compare": w.admin.get(
            "/api/v1/explain/compare",
            params={"dataset": "prod/orders", "left": "ana", "right": "ana", "leftPurpose": "fruad"},
        ),
    }
    for door, answer in tried.items():
        assert sentence in answer.text, f"{door}: {answer.status_code} {answer.text}"
    assert sentence in decided(w, "fruad")["error"]["message"]
    entries = w.admin.get("/api/v1/audit", params={"actor": "ana", "decision": "refused"}).json()["entries"]
    assert {e["action"] for e in entries} >= {"query", "query.explain", "query.check", "query.complete", "query.stream"}


def test_a_tree_that_does_not_hold_together_is_refused(w: ApiWorld) -> None:
    assert "names the parent 'fraud', which is not declared" in refused(w, TREE.split("---")[0])
    w.apply(TREE)
    circle = TREE.split("---")[1].replace("{title: Fraud,", "{parent: fraud.cards,")
    assert "circle of parents (fraud -> fraud.cards -> fraud)" in refused(w, circle)
    assert "differs from the purpose 'fraud' in letters' case" in refused(
        w, "apiVersion: weir/v1\nkind: Purpose\nmetadata: {name: FRAUD}\nspec: {}\n"
    )
    assert "no declared purpose 'fraud2'; did you mean fraud" in refused(w, grant("g", "fraud2"))
    turned = TREE.replace("{parent: fraud, title: Card fraud}", "{title: Card fraud}").replace(
        "{title: Fraud,", "{parent: fraud.cards, title: Fraud,"
    )
    w.apply(turned)  # parent and child change places, together
    assert w.admin.get("/api/v1/purposes").json()["purposes"][0]["name"] == "fraud.cards"


def test_a_purpose_in_use_is_not_deleted(w: ApiWorld) -> None:
    w.apply(TREE + "---" + RULES)
    done = w.admin.delete("/api/v1/declared/Purpose/fraud")
    assert done.status_code == 409
    message = done.json()["error"]["message"]
    assert "Purpose fraud is used by Grant ana-fraud, Policy need, Purpose fraud.cards; change these first" in message
    asked = {"dataset": "prod/orders", "fields": ["*"], "purpose": "support", "reason": "x"}
    w.apply(grant("otto", "support").replace("user: ana", "user: otto"))
    assert w.admin.delete("/api/v1/declared/Purpose/support").status_code == 409
    w.admin.delete("/api/v1/declared/Grant/otto")
    assert w.user("ana").post("/api/v1/access-requests", json=asked).status_code == 201
    assert "AccessRequest req-" in w.admin.delete("/api/v1/declared/Purpose/support").text
    pruned = w.admin.post("/api/v1/apply?prune=true", content=TREE.split("---")[1].encode())
    assert pruned.status_code == 409, pruned.text
    assert len(w.admin.get("/api/v1/purposes").json()["purposes"]) == 3  # all of it or nothing
    w.admin.delete("/api/v1/declared/Policy/need")
    w.admin.delete("/api/v1/declared/Grant/ana-fraud")
    assert w.admin.delete("/api/v1/declared/Purpose/fraud.cards").status_code == 200
    assert w.admin.delete("/api/v1/declared/Purpose/fraud").status_code == 200


def test_a_deprecated_purpose_takes_no_new_requests_and_its_grants_hold(w: ApiWorld) -> None:
    w.apply(TREE + "---" + RULES)
    w.apply(TREE.replace("{title: Fraud,", "{deprecated: true, title: Fraud,"))
    assert decided(w, "fraud")["effect"] == "allow"
    asked = {"dataset": "prod/orders", "fields": ["*"], "purpose": "fraud"}
    done = w.user("ana").post("/api/v1/access-requests", json=asked)
    assert done.status_code == 400 and "is deprecated and takes no new access" in done.text


def test_the_tree_is_in_lists_reports_and_the_audit(w: ApiWorld) -> None:
    w.apply(TREE + "---" + RULES)
    listed = w.user("ana").get("/api/v1/purposes").json()
    cards = next(each for each in listed["purposes"] if each["name"] == "fraud.cards")
    assert (cards["legalBasis"], cards["retention"], cards["path"]) == (
        "legitimate-interests",
        "90d",
        ["fraud", "fraud.cards"],
    )
    assert cards["yours"] and cards["users"] is None
    assert listed["granted"] == ["fraud", "fraud.cards"]
    decided(w, "fraud.cards")
    entry = w.admin.get("/api/v1/audit", params={"action": "decision"}).json()["entries"][0]
    assert entry["details"]["decisions"][0]["purposePath"] == ["fraud", "fraud.cards"]
    report = w.admin.get("/api/v1/reports/where-is", params={"field": "region"}).json()
    ways = [way for place in report["places"] for each in place["access"] for way in each["ways"] if way["purpose"]]
    assert ways and {(way["legalBasis"], way["retention"]) for way in ways} == {("legitimate-interests", "90d")}
    page = w.admin.get("/api/v1/reports/where-is", params={"field": "region", "format": "html"}).text
    assert "for fraud (legitimate-interests, kept 90d)" in page
    who = w.admin.get("/api/v1/access/datasets/prod/orders").json()
    assert [each["purpose"] for each in who["entries"] if each["name"] == "ana"] == ["fraud"]


def test_a_policy_that_names_a_child_is_met_by_stating_the_child(w: ApiWorld) -> None:
    w.apply(TREE + "---" + RULES.replace("purpose: [fraud]", "purpose: [fraud.cards]"))
    assert decided(w, "fraud")["effect"] == "deny"
    assert decided(w, "fraud.cards")["effect"] == "allow"
    assert "state fraud.cards with the query" in str(decided(w, None))
    who = w.admin.get("/api/v1/access/datasets/prod/orders").json()
    assert [each["purpose"] for each in who["entries"] if each["name"] == "ana"] == ["fraud.cards"]


VIEW = """
apiVersion: weir/v1
kind: View
metadata: {name: daily}
spec: {sql: "SELECT order_id, region FROM orders", key: [order_id], runAs: {user: ana, purpose: fraud.cards}}
"""
MASK = """
apiVersion: weir/v1
kind: Policy
metadata: {name: hide-region}
spec: {type: mask, match: {fields: [{dataset: prod/orders, path: value.region}]}, mask: {type: MASK_HASH},
       except: {purposes: [fraud]}}
"""


def test_a_view_is_another_generation_when_its_purpose_is_covered_by_another(w: ApiWorld) -> None:
    apart = TREE.replace("{parent: fraud, title", "{parent: support, title")
    w.apply(
        "---".join(
            [
                apart,
                RULES.split("---")[0],
                grant("ana-fraud", "fraud"),
                grant("ana-support", "support").replace(', unmask: ["*"]', ""),
                MASK,
                VIEW,
            ]
        )
    )
    spec = ViewSpec.model_validate(w.admin.get("/api/v1/declared/View?name=daily").json()["documents"][0]["spec"])
    ana = w.services[Identity].current("ana")

    def generation() -> str:
        return built(spec, w.services[GovernedQuery].preparer, ana, lambda cluster, topic: False).generation

    first = generation()
    assert generation() == first
    w.apply(TREE)
    assert generation() != first, "fraud covers it now, so the mask is lifted"
    assert "View daily" in w.admin.delete("/api/v1/declared/Purpose/fraud.cards").text
    assert "no declared purpose 'fruad'" in refused(w, VIEW.replace("fraud.cards", "fruad"))


def test_a_page_that_was_stated_at_a_past_moment_is_decided_by_the_tree_of_that_moment(w: ApiWorld) -> None:
    w.apply(RULES)
    then = datetime.now(UTC)
    w.apply(TREE)
    view = w.services[GovernanceState].view(then)
    assert not view.purposes and w.services[GovernanceState].view().purposes
    assert view.purposes.is_known("anything")


def test_a_program_that_is_not_signed_in_gets_no_tree(w: ApiWorld) -> None:
    w.apply(TREE)
    assert w.anonymous().get("/api/v1/purposes").status_code == 401


def test_a_simulated_tree_shows_who_gains(w: ApiWorld) -> None:
    w.apply(
        TREE.replace("{parent: fraud, title", "{title")
        + "---"
        + RULES.replace("purpose: [fraud]", "purpose: [fraud.cards]")
    )
    answer = w.admin.post("/api/v1/policies/simulate?dataset=prod/orders", content=TREE.encode()).json()
    assert {(c["user"], c["purpose"], c["change"]) for c in answer["changes"]} == {("ana", "fraud.cards", "gain")}


def test_odd_names_and_specs_are_refused_in_a_sentence(w: ApiWorld) -> None:
    for name in (" fraud", "a\\u0007b", "e\\u0301"):
        text = f'apiVersion: weir/v1\nkind: Purpose\nmetadata: {{name: "{name}"}}\nspec: {{}}\n'
        assert "printable characters" in refused(w, text) or "name" in refused(w, text)
    bad = "apiVersion: weir/v1\nkind: Purpose\nmetadata: {name: x}\nspec: {legalBasis: profit, retention: 3 years}\n"
    assert "legalBasis" in refused(w, bad)
