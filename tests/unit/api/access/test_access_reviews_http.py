"""An access review by HTTP, from its declaration to its evidence: who may see and decide, what a revocation ends."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from policies.campaigns.model import digest_of
from policies.declared.state import GovernanceState
from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld, orders, world

SOON = (datetime.now(UTC) + timedelta(days=90)).isoformat()
LONG_AGO = (datetime.now(UTC) - timedelta(days=200)).isoformat()


def grant(name: str, subject: str, dataset: str = "prod/orders") -> str:
    return f"""
---
apiVersion: weir/v1
kind: Grant
metadata: {{name: {name}}}
spec:
  subject: {subject}
  dataset: {dataset}
  unmask: ["*"]
  purpose: fraud
  validFrom: "{LONG_AGO}"
  validTo: "{SOON}"
  status: approved
"""


RULES = f"""
apiVersion: weir/v1
kind: Dataset
metadata: {{name: orders, cluster: prod}}
spec: {{owners: [{{user: otto}}], fields: [{{path: value.email, tags: [EMAIL_ADDRESS]}}]}}
---
apiVersion: weir/v1
kind: Role
metadata: {{name: reader}}
spec: {{read: [{{dataset: "prod/*"}}]}}
---
apiVersion: weir/v1
kind: Group
metadata: {{name: sales}}
spec: {{members: [ben, eva], roles: [reader]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: ana}}
spec: {{roles: [reader]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: otto}}
spec: {{roles: [reader]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: aud}}
spec: {{roles: [auditor]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: petra}}
spec: {{}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: stranger}}
spec: {{}}
{grant("ana-fraud", "{user: ana}")}
{grant("otto-own", "{user: otto}")}
{grant("sales-fraud", "{group: sales}")}
---
apiVersion: weir/v1
kind: AccessReview
metadata: {{name: personal-data}}
spec:
  scope: {{tags: [PII], datasets: ["prod/*"]}}
  items: [grants, roles, owners]
  reviewers: {{owners: true, fallback: {{users: [petra]}}}}
  due: 14d
  remind: [7d, 1d]
  onNoAnswer: revoke
"""


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path, {"orders": orders(20)}) as opened:
        opened.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        opened.apply(RULES)
        yield opened


def started(weir: ApiWorld) -> dict[str, Any]:
    response = weir.admin.post("/api/v1/access-reviews", json={"review": "personal-data"})
    assert response.status_code == 201, response.text
    answer: dict[str, Any] = response.json()
    return answer


def items(client: CheckedClient, campaign: str, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(f"/api/v1/access-reviews/{campaign}/items", params=params)
    assert answer.status_code == 200, answer.text
    listed: list[dict[str, Any]] = answer.json()["items"]
    return listed


def number(client: CheckedClient, campaign: str, kind: str, name: str, holder: str) -> int:
    return next(
        int(i["number"]) for i in items(client, campaign) if (i["kind"], i["name"], i["holder"]) == (kind, name, holder)
    )


def decide(client: CheckedClient, campaign: str, numbers: list[int], verdict: str, reason: str = "") -> Any:
    return client.post(
        f"/api/v1/access-reviews/{campaign}/decisions", json={"items": numbers, "verdict": verdict, "reason": reason}
    )


def test_items_are_the_rights_in_scope_with_what_they_open_and_who_decides(weir: ApiWorld) -> None:
    campaign = started(weir)["id"]
    seen = {(i["kind"], i["name"], i["holder"]): i for i in items(weir.admin, campaign)}
    assert set(seen) == {
        ("grant", "ana-fraud", "ana"),
        ("grant", "otto-own", "otto"),
        ("grant", "sales-fraud", "group sales"),
        ("role", "reader", "ana"),
        ("role", "reader", "otto"),
        ("group", "sales", "ben"),
        ("group", "sales", "eva"),
        ("owner", "prod/orders", "otto"),
    }
    anas = seen["grant", "ana-fraud", "ana"]
    (opened,) = anas["evidence"]["datasets"]
    assert (opened["dataset"], opened["shows"], opened["personal"]) == ("prod/orders", "clear", ["EMAIL_ADDRESS"])
    assert anas["reviewers"] == ["otto"] and anas["why"] == "the owners of prod/orders"
    assert anas["unused"] and anas["evidence"]["lastUsed"] is None
    # Nobody decides on a right of their own: the owner's go to somebody who is named.
    assert seen["grant", "otto-own", "otto"]["reviewers"] == ["petra"]
    assert seen["owner", "prod/orders", "otto"]["reviewers"] == ["petra"]
    assert seen["group", "sales", "ben"]["sources"] == ["Group sales"]


def test_only_reviewers_and_managers_see_and_decide(weir: ApiWorld) -> None:
    campaign = started(weir)["id"]
    otto, petra, stranger, aud = (weir.user(name) for name in ("otto", "petra", "stranger", "aud"))
    assert {i["holder"] for i in items(otto, campaign)} == {"ana", "group sales", "ben", "eva"}
    assert {i["holder"] for i in items(petra, campaign)} == {"otto"}
    assert stranger.get(f"/api/v1/access-reviews/{campaign}").status_code == 404
    assert stranger.get(f"/api/v1/access-reviews/{campaign}/items").status_code == 404
    assert stranger.get("/api/v1/access-reviews").json() == {"reviews": [], "total": 0, "toDecide": 0}
    assert aud.get(f"/api/v1/access-reviews/{campaign}").json()["counts"]["items"] == 8
    assert items(aud, campaign) == []
    own = number(weir.admin, campaign, "grant", "otto-own", "otto")
    assert decide(otto, campaign, [own], "keep", "mine").status_code == 404  # he cannot even see it
    assert decide(stranger, campaign, [own], "keep", "x").status_code == 404
    assert decide(aud, campaign, [own], "keep", "x").status_code == 404
    for refused in (otto, aud, stranger, petra):
        assert refused.post("/api/v1/access-reviews", json={"review": "personal-data"}).status_code == 403
        assert refused.post(f"/api/v1/access-reviews/{campaign}/close").status_code == 403
    assert otto.get(f"/api/v1/access-reviews/{campaign}/report").status_code == 403
    assert otto.get("/api/v1/access-reviews").json()["toDecide"] == 5


def test_a_manager_does_not_decide_on_a_right_of_their_own(weir: ApiWorld) -> None:
    weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: otto}\nspec: {roles: [reader, admin]}\n")
    campaign = started(weir)["id"]
    otto = weir.user("otto")
    own = number(otto, campaign, "grant", "otto-own", "otto")
    refused = decide(otto, campaign, [own], "keep", "mine")
    assert refused.status_code == 403 and "own" in refused.json()["error"]["message"]


def test_a_revoked_grant_ends_at_once_and_can_be_taken_back(weir: ApiWorld) -> None:
    campaign = started(weir)["id"]
    otto = weir.user("otto")
    which = number(otto, campaign, "grant", "ana-fraud", "ana")
    assert decide(otto, campaign, [which], "revoke").status_code == 400
    done = decide(otto, campaign, [which], "revoke", "left the fraud team")
    assert done.status_code == 200, done.text
    assert done.json()["decided"] == [
        {"number": which, "state": "revoked", "outcome": "ended", "leftAt": ["declared Grant ana-fraud"]}
    ]
    listed = {g["name"]: g for g in weir.admin.get("/api/v1/grants").json()["grants"]}
    assert listed["ana-fraud"]["status"] == "revoked"
    again = decide(weir.admin, campaign, [which], "keep", "no")
    assert again.status_code == 409 and "otto decided item" in again.json()["error"]["message"]
    back = decide(otto, campaign, [which], "undo")
    assert back.status_code == 200, back.text
    listed = {g["name"]: g for g in weir.admin.get("/api/v1/grants").json()["grants"]}
    assert listed["ana-fraud"]["status"] == "approved"
    entries = weir.admin.get("/api/v1/audit", params={"target": campaign}).json()["entries"]
    assert [e["action"] for e in entries] == ["campaign.undo", "campaign.revoke", "campaign.start"]
    kinds = [e["type"] for e in weir.admin.get("/api/v1/events", params={"limit": 100}).json()["events"]]
    assert {"weir.campaign.started", "weir.grant.revoked", "weir.campaign.ends_at_source"} <= set(kinds)


def test_a_revoked_role_and_membership_end_in_their_documents(weir: ApiWorld) -> None:
    campaign = started(weir)["id"]
    otto = weir.user("otto")
    role = number(otto, campaign, "role", "reader", "ana")
    member = number(otto, campaign, "group", "sales", "ben")
    done = decide(otto, campaign, [role, member], "revoke", "moved")
    assert [each["outcome"] for each in done.json()["decided"]] == ["ended", "ended"], done.text
    assert weir.services[GovernanceState].view().subject("ana").roles == frozenset()
    assert weir.services[GovernanceState].view().subject("ben").groups == frozenset()
    assert weir.services[GovernanceState].view().subject("eva").groups == {"sales"}
    decide(otto, campaign, [role, member], "undo")
    assert weir.services[GovernanceState].view().subject("ana").roles == {"reader"}
    assert weir.services[GovernanceState].view().subject("ben").groups == {"sales"}


def test_keeping_what_was_not_used_takes_a_reason(weir: ApiWorld) -> None:
    campaign = started(weir)["id"]
    otto = weir.user("otto")
    which = number(otto, campaign, "grant", "ana-fraud", "ana")
    refused = decide(otto, campaign, [which], "keep")
    assert refused.status_code == 400 and "was not used" in refused.json()["error"]["message"]
    assert decide(otto, campaign, [which], "keep", "still on call").status_code == 200


def test_a_right_that_ended_or_changed_meanwhile_is_reported(weir: ApiWorld) -> None:
    campaign = started(weir)["id"]
    otto = weir.user("otto")
    anas = number(otto, campaign, "grant", "ana-fraud", "ana")
    sales = number(otto, campaign, "grant", "sales-fraud", "group sales")
    assert weir.admin.delete("/api/v1/grants/ana-fraud").status_code == 200
    assert next(i for i in items(otto, campaign) if i["number"] == anas)["ended"]
    gone = decide(otto, campaign, [anas], "keep", "x")
    assert gone.status_code == 409 and "ended meanwhile" in gone.json()["error"]["message"]
    weir.apply(grant("sales-fraud", "{group: sales}", "prod/*"))
    changed = decide(otto, campaign, [sales], "keep", "x")
    assert changed.status_code == 409 and "has changed" in changed.json()["error"]["message"]
    assert decide(otto, campaign, [sales], "keep", "looked again").status_code == 200


def test_the_close_revokes_what_nobody_confirmed_and_the_evidence_holds(weir: ApiWorld) -> None:
    campaign = started(weir)["id"]
    otto = weir.user("otto")
    kept = number(otto, campaign, "role", "reader", "ana")
    decide(otto, campaign, [kept], "keep", "needs it")
    closed = weir.admin.post(f"/api/v1/access-reviews/{campaign}/close")
    assert closed.status_code == 200, closed.text
    counts = closed.json()["counts"]
    assert (counts["open"], counts["kept"], counts["revoked"]) == (0, 1, 7)
    assert closed.json()["state"] == "closed"
    view = weir.services[GovernanceState].view()
    assert view.subject("ana").roles == {"reader"} and view.subject("otto").roles == frozenset()
    assert view.subject("eva").groups == frozenset()
    assert weir.admin.post(f"/api/v1/access-reviews/{campaign}/close").status_code == 409
    assert decide(otto, campaign, [kept], "undo").status_code == 409
    address = f"/api/v1/access-reviews/{campaign}/report"
    report = weir.user("aud").get(address).json()
    assert report["holds"] is True
    by_name = {(i["kind"], i["holder"]): i for i in report["items"]}
    assert by_name["owner", "otto"]["outcome"] == "at-source" and by_name["owner", "otto"]["there"]
    assert by_name["role", "ana"]["by"] == "otto" and by_name["role", "ana"]["reason"] == "needs it"
    assert by_name["group", "eva"]["by"] == "weir"
    # A stranger to Weir can compute the hash from the report alone.
    core = {k: v for k, v in report["campaign"].items() if k != "state"}
    lines = [core, *({k: v for k, v in i.items() if k != "there"} for i in report["items"])]
    assert digest_of(lines) == report["hash"]
    rows = list(csv.DictReader(io.StringIO(weir.admin.get(address, params={"format": "csv"}).text)))
    assert len([r for r in rows if not r["number"].startswith("#")]) == 8
    page = weir.admin.get(address, params={"format": "html"})
    assert "text/html" in page.headers["content-type"] and "holds" in page.text and "needs it" in page.text
    assert weir.admin.get("/api/v1/audit/verify").json()["holds"]


def test_one_campaign_of_a_review_runs_at_a_time_and_what_is_missing_is_named(weir: ApiWorld) -> None:
    first = started(weir)["id"]
    second = weir.admin.post("/api/v1/access-reviews", json={"review": "personal-data"})
    assert second.status_code == 409 and first in second.json()["error"]["message"]
    assert weir.admin.post("/api/v1/access-reviews", json={"review": "none"}).status_code == 404
    assert weir.admin.post("/api/v1/access-reviews", json={}).status_code == 400
    wrong = {"name": "x", "spec": {"scope": {"datasets": ["prod/*"]}, "reviewers": {"owners": True}}}
    refused = weir.admin.post("/api/v1/access-reviews", json=wrong)
    assert refused.status_code == 400 and "onNoAnswer" in refused.json()["error"]["message"]


def test_a_review_of_nothing_is_closed_at_once(weir: ApiWorld) -> None:
    spec = {"scope": {"datasets": ["none/*"]}, "reviewers": {"owners": True}, "onNoAnswer": "revoke"}
    response = weir.admin.post("/api/v1/access-reviews", json={"name": "nothing", "spec": spec})
    assert (
        response.status_code == 201 and response.json()["state"] == "closed" and response.json()["counts"]["items"] == 0
    )


def test_declared_reviews_come_back_as_they_went_in(weir: ApiWorld) -> None:
    again = weir.admin.post("/api/v1/apply", params={"dryRun": "true"}, content=RULES.encode()).json()
    assert [c["diff"] for c in again["changes"] if c["kind"] == "AccessReview"] == [""]


def test_filters(weir: ApiWorld) -> None:
    campaign = started(weir)["id"]
    assert {i["holder"] for i in items(weir.admin, campaign, person="ANA")} == {"ana"}
    assert len(items(weir.admin, campaign, dataset="prod/orders")) == 8
    assert items(weir.admin, campaign, dataset="prod/other") == []
    assert {i["kind"] for i in items(weir.admin, campaign, kind="role")} == {"role"}
    assert items(weir.admin, campaign, unused="false") == []
    assert items(weir.admin, campaign, mine="true") == []  # the manager is a reviewer of none


def test_odd_names_pass_through_every_door(weir: ApiWorld) -> None:
    name = "Prüfung a/b %2F <b>\"'= +1"
    spec = {"scope": {"people": ["ana"]}, "reviewers": {"users": ["petra"]}, "onNoAnswer": "keep"}
    response = weir.admin.post("/api/v1/access-reviews", json={"name": name, "spec": spec})
    assert response.status_code == 201, response.text
    campaign = quote(response.json()["id"], safe="")
    (first, *_) = items(weir.user("petra"), campaign)
    done = decide(weir.user("petra"), campaign, [first["number"]], "keep", "=HYPERLINK(1) <script>")
    assert done.status_code == 200, done.text
    assert weir.admin.post(f"/api/v1/access-reviews/{campaign}/close").json()["counts"]["unconfirmed"] > 0
    page = weir.admin.get(f"/api/v1/access-reviews/{campaign}/report", params={"format": "html"}).text
    assert "<script>" not in page and "<b>" not in page and "holds" in page
    table = weir.admin.get(f"/api/v1/access-reviews/{campaign}/report", params={"format": "csv"}).text
    assert ",=HYPERLINK" not in table
    assert weir.admin.get(f"/api/v1/access-reviews/{campaign}/report").json()["holds"]


def test_a_scoped_token_decides_nothing(weir: ApiWorld) -> None:
    campaign = started(weir)["id"]
    token = weir.admin.post("/api/v1/tokens", json={"user": "otto", "scopes": ["report:read"]}).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    body = {"items": [1], "verdict": "keep", "reason": "x"}
    address = f"/api/v1/access-reviews/{campaign}/decisions"
    assert weir.anonymous().post(address, json=body, headers=headers).status_code == 403
    assert weir.anonymous().post(address, json=body).status_code == 401
