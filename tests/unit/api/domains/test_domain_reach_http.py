"""Reports, scans, simulations, audit and access reviews within a domain: what its people get, and nothing of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.features.policies import proposed
from policies.access.audit_of_domain import DomainAudit
from policies.audit.actions import AuditAction
from policies.audit.log import AuditLog
from tests.api_world import ApiWorld, orders, world

API = "/api/v1"
DOMAINS = """
apiVersion: weir/v1
kind: Domain
metadata: {name: hr}
spec: {datasets: ["prod/hr.*"], admins: {users: [ada]}, stewards: {users: [stan]}}
---
apiVersion: weir/v1
kind: Domain
metadata: {name: fin}
spec: {datasets: ["prod/fin.*"], admins: {users: [finn]}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: hr.pay, cluster: prod}
spec: {description: Pay, owners: [{user: olga}]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: fin.ledger, cluster: prod}
spec: {tags: [kept-secret], owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: rita}
spec: {roles: [reader]}
"""


@pytest.fixture(scope="module")
def w(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    topics = {name: orders(20) for name in ("hr.pay", "hr.staff", "fin.ledger")}
    with world(tmp_path_factory.mktemp("reach"), topics) as opened:
        opened.scan(bootstrapServers="localhost:9092", cluster="prod", topics=list(topics))
        opened.apply(DOMAINS)
        yield opened


@pytest.fixture(scope="module")
def ada(w: ApiWorld) -> TestClient:
    return w.user("ada")


@pytest.fixture(scope="module")
def stan(w: ApiWorld) -> TestClient:
    return w.user("stan")


def where_is(client: TestClient, **asked: str) -> tuple[int, Any]:
    answer = client.get(f"{API}/reports/where-is", params=asked)
    return answer.status_code, answer.json()


def test_where_is_is_about_the_domain_alone(w: ApiWorld, ada: TestClient, stan: TestClient) -> None:
    for client in (ada, stan):
        status, report = where_is(client, entity="PII")
        assert status == 200
        assert {each["reference"] for each in report["places"]} == {"prod/hr.pay", "prod/hr.staff"}
        assert report["gaps"][0] == {
            "kind": "elsewhere",
            "message": "This report is about the datasets of domain hr alone.",
        }
        assert "fin" not in str(report).replace("confirmed", "").replace("fine", "")
    whole = where_is(w.admin, entity="PII")[1]
    assert "prod/fin.ledger" in {each["reference"] for each in whole["places"]}
    assert "elsewhere" not in {each["kind"] for each in whole["gaps"]}
    assert where_is(w.user("rita"), entity="PII")[0] == 403


def test_where_is_names_no_dataset_and_no_tag_of_others(ada: TestClient) -> None:
    there, missing = (where_is(ada, field=f"prod/fin.{name}:value.customer.email") for name in ("ledger", "nothing"))
    assert there[0] == missing[0] == 404
    assert str(there[1]).replace("ledger", "nothing") == str(missing[1])
    own = where_is(ada, field="prod/hr.pay:value.customer.email")
    assert own[0] == 200 and {each["reference"] for each in own[1]["places"]} == {"prod/hr.pay"}
    assert "kept-secret" not in str(where_is(ada, entity="KEPT-SECRE"))


@pytest.mark.parametrize("topics", [["hr.pay"], ["hr.*"], ["hr.pay", "hr.staff"]])
def test_topics_of_the_domain_are_scanned(w: ApiWorld, ada: TestClient, stan: TestClient, topics: list[str]) -> None:
    for client in (ada, stan):
        answer = client.post(f"{API}/scans", json={"cluster": "prod", "topics": topics})
        assert answer.status_code == 202, answer.text
        assert client.post(f"{API}/scans/{answer.json()['id']}/cancel").status_code == 200


@pytest.mark.parametrize(
    "asked",
    [
        {"cluster": "prod", "topics": ["fin.ledger"]},
        {"cluster": "prod", "topics": ["fin.nothing"]},
        {"cluster": "prod", "topics": ["*"]},
        {"cluster": "prod"},
        {"cluster": "prod", "topics": ["hr.pay", "fin.ledger"]},
        {"cluster": "prod", "topics": ["hr.[!x]"]},
        {"cluster": "prod", "topics": ["hr.pa?"]},
        {"cluster": "prod", "topics": ["_weir.events"]},
        {"cluster": "elsewhere", "topics": ["hr.pay"]},
        {"bootstrapServers": "localhost:9092", "topics": ["hr.pay"]},
        {"cluster": "prod", "bootstrapServers": "localhost:9092", "topics": ["hr.pay"]},
        {"cluster": "prod", "topics": ["hr.pay"], "sample": {"deadLetter": True}},
        {"cluster": "prod", "topics": ["hr.pay"], "sample": {"deadLetter": "_fin"}},
    ],
)
def test_nothing_else_is_scanned(ada: TestClient, stan: TestClient, asked: dict[str, Any]) -> None:
    for client in (ada, stan):
        assert client.post(f"{API}/scans", json=asked).status_code == 403


def test_a_topic_that_is_not_there_names_no_neighbour(ada: TestClient, w: ApiWorld) -> None:
    w.apply(DOMAINS.replace('["prod/fin.*"]', '["prod/fin.*", "prod/hrx"]'))
    answer = ada.post(f"{API}/scans", json={"cluster": "prod", "topics": ["hr.fin.ledger"]})
    assert answer.status_code == 404 and "did you mean" not in answer.text and "prod/" not in answer.text


def test_scans_of_others_are_not_stopped(w: ApiWorld, ada: TestClient) -> None:
    for topics in (["fin.ledger"], ["hr.pay", "fin.ledger"], ["*"]):
        scan = w.admin.post(f"{API}/scans", json={"cluster": "prod", "topics": topics}).json()["id"]
        refused, missing = (ada.post(f"{API}/scans/{each}/cancel") for each in (scan, "nosuchscan"))
        assert refused.status_code == missing.status_code == 404
        assert refused.text.replace(scan, "nosuchscan") == missing.text
        assert w.admin.post(f"{API}/scans/{scan}/cancel").status_code == 200


def test_what_the_pages_offer_follows(ada: TestClient, stan: TestClient) -> None:
    for client in (ada, stan):
        assert client.get(f"{API}/datasets/prod/hr.pay").json()["may"]["scan"] is True
        assert client.get(f"{API}/datasets/prod/fin.ledger").json()["may"]["scan"] is False


def policy(name: str, dataset: str, metadata: str = ", domain: hr", more: str = "mask: {type: MASK_NULL}") -> str:
    return (
        f"apiVersion: weir/v1\nkind: Policy\nmetadata: {{name: {name}{metadata}}}\n"
        f"spec: {{type: mask, match: {{datasets: ['{dataset}']}}, {more}}}\n---\n"
    )


def simulated(client: TestClient, text: str, **query: Any) -> tuple[int, Any]:
    answer = client.post(f"{API}/policies/simulate", content=text.encode(), params=query)
    return answer.status_code, answer.json()


def test_an_admin_tries_policies_of_the_domain_on_its_datasets(w: ApiWorld, ada: TestClient, stan: TestClient) -> None:
    status, result = simulated(ada, policy("hr.hide", "prod/hr.*"))
    assert status == 200 and result["losses"] > 0 and result["datasets"] == 2
    assert {each["dataset"] for each in result["changes"]} == {"prod/hr.pay", "prod/hr.staff"}
    assert result["documents"] == [{"kind": "Policy", "name": "hr.hide", "action": "create"}]
    assert "Only datasets of hr are part" in result["notes"][-1]
    assert simulated(stan, policy("hr.hide", "prod/hr.*"))[0] == 403
    assert simulated(w.admin, policy("hr.hide", "prod/hr.*"))[1]["notes"] == []


def test_a_simulation_is_about_no_other_dataset(ada: TestClient) -> None:
    there, missing = (
        simulated(ada, policy("hr.hide", "prod/hr.*"), dataset=f"prod/fin.{name}")[1] for name in ("ledger", "nothing")
    )
    assert there == missing and there["datasets"] == 0 and there["changes"] == []


@pytest.mark.parametrize(
    ("text", "remove", "status"),
    [
        (policy("hr.hide", "prod/fin.ledger"), [], 400),
        (policy("hr.hide", "prod/*"), [], 400),
        (policy("hide", "prod/hr.pay", ""), [], 403),
        (policy("fin.hide", "prod/fin.ledger", ", domain: fin"), [], 403),
        ("{apiVersion: weir/v1, kind: Role, metadata: {name: r}, spec: {read: [{dataset: '*'}]}}", [], 403),
        ("{apiVersion: weir/v1, kind: Group, metadata: {name: g}, spec: {members: [ada]}}", [], 403),
        ("{apiVersion: weir/v1, kind: Dataset, metadata: {name: fin.ledger, cluster: prod}, spec: {}}", [], 403),
        ("{apiVersion: weir/v1, kind: Dataset, metadata: {name: fin.nothing, cluster: prod}, spec: {}}", [], 403),
        ("", ["Role/reader"], 403),
        ("", ["Policy/of-installation"], 403),
        ("", ["Policy/fin.hide"], 403),
        ("", ["Policy/hr.nothing"], 200),
    ],
)
def test_what_an_admin_may_not_declare_they_may_not_try(
    ada: TestClient, text: str, remove: list[str], status: int
) -> None:
    assert simulated(ada, text, remove=remove)[0] == status


def test_a_policy_is_tried_as_one_of_its_domain() -> None:
    """One of a domain never takes the place of the mask that hides unscanned fields."""
    (document,) = proposed.read(policy("hr.show", "prod/hr.pay")).documents
    assert document.metadata["domain"] == "hr"


def audit(client: TestClient, name: str = "hr", **asked: Any) -> Any:
    answer = client.get(f"{API}/domains/{name}/audit", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def noted(w: ApiWorld, actor: str, target: str, action: AuditAction = "query", **more: Any) -> None:
    w.services[AuditLog].record(actor, action, target, more.pop("decision", "allow"), more.pop("reasons", ()), more)


def test_the_audit_of_a_domain_has_entries_about_its_datasets(w: ApiWorld, ada: TestClient) -> None:
    noted(
        w,
        "rita",
        "prod/hr.pay",
        fields={"prod/hr.pay": ["value.region"]},
        purpose="pay-day",
        sql="SELECT region",
        rows=3,
    )
    noted(w, "rita", "prod/fin.ledger", fields={"prod/fin.ledger": ["value.region"]})
    noted(w, "rita", "prod/hr.pay#value.region", "classification.review", reasons=["REGION"])
    page = audit(ada, actor="rita")
    assert [each["action"] for each in page["entries"]] == ["classification.review", "query"]
    reviewed, read = page["entries"]
    assert reviewed["datasets"] == ["prod/hr.pay"] and reviewed["fields"] == {"prod/hr.pay": ["value.region"]}
    assert reviewed["reasons"] == ["REGION"]
    assert read["details"] == {"purpose": "pay-day", "rows": 3} and not read["partial"]
    assert page["next"] is None and "fin" not in str(page)
    assert audit(w.user("finn"), "fin", actor="rita")["entries"][0]["datasets"] == ["prod/fin.ledger"]


def test_an_entry_about_more_shows_the_part_of_the_domain(w: ApiWorld, ada: TestClient) -> None:
    both = {"prod/hr.pay": ["value.region"], "prod/fin.ledger": ["value.order_id"]}
    noted(
        w,
        "joiner",
        "prod/hr.pay, prod/fin.ledger",
        fields=both,
        sql="SELECT 1 FROM fin.ledger",
        purpose="closing-fin",
        reasons=["policy fin.rows"],
        grants=["of-fin"],
        rows=7,
    )
    noted(w, "joiner", "2 documents", "apply", dataset=["prod/hr.pay"], reasons=["update Policy fin.rows"])
    applied, (joined,) = (
        audit(ada, actor="joiner", action="apply")["entries"],
        audit(ada, actor="joiner", action="query")["entries"],
    )
    assert joined["datasets"] == ["prod/hr.pay"] and joined["partial"] is True
    assert joined["fields"] == {"prod/hr.pay": ["value.region"]}
    assert joined["reasons"] == [] and joined["details"] == {}
    assert applied[0]["reasons"] == [] and "fin" not in str([applied, joined])


def test_a_page_counts_and_names_nothing_of_others(w: ApiWorld, ada: TestClient) -> None:
    for number in range(12):
        noted(w, "counted", "prod/hr.pay" if number % 4 == 0 else "prod/fin.ledger")
    first = audit(ada, actor="counted", limit=2)
    rest = audit(ada, actor="counted", limit=2, cursor=first["next"])
    assert (len(first["entries"]), len(rest["entries"]), rest["next"]) == (2, 1, None)
    assert all("seq" not in each and "prev" not in each for each in first["entries"])
    assert not any(str(each["seq"]) == first["next"] for each in w.admin.get(f"{API}/audit").json()["entries"])
    again = audit(ada, actor="counted", limit=2)["next"]
    assert again != first["next"] and len(again) == len(first["next"])  # sealed: no two can be compared
    for cursor in ("12", "x", w.services[DomainAudit]._seal.seal("audit fin " + "0" * 20)):
        assert ada.get(f"{API}/domains/hr/audit", params={"cursor": cursor}).status_code == 400
    full = w.admin.get(f"{API}/audit", params={"actor": "counted"}).json()["entries"]
    assert {each["id"] for each in first["entries"]} <= {each["hash"] for each in full}


def test_asking_for_a_dataset_of_another_is_as_for_none(w: ApiWorld, ada: TestClient) -> None:
    noted(w, "rita", "prod/fin.ledger")
    pages = [audit(ada, dataset=f"prod/fin.{name}") for name in ("ledger", "nothing")]
    assert pages[0] == pages[1] == {"entries": [], "next": None, "note": None}


def test_the_audit_is_for_admins_of_the_domain(w: ApiWorld, ada: TestClient, stan: TestClient) -> None:
    assert ada.get(f"{API}/audit").status_code == 403
    assert stan.get(f"{API}/domains/hr/audit").status_code == 403
    assert ada.get(f"{API}/domains/fin/audit").status_code == 403
    assert w.admin.get(f"{API}/domains/hr/audit").status_code == 200
    assert ada.get(f"{API}/domains/nothing/audit").status_code == 404


def test_domains_are_listed_with_what_one_is_in_them(w: ApiWorld, ada: TestClient, stan: TestClient) -> None:
    def listed(client: TestClient) -> dict[str, Any]:
        return {each["name"]: each["membership"] for each in client.get(f"{API}/domains").json()["domains"]}

    assert listed(ada) == {"hr": "admin", "fin": None}
    assert listed(stan) == {"hr": "steward", "fin": None}
    shown = ada.get(f"{API}/domains/hr").json()
    assert shown["patterns"] == ["prod/hr.*"] and shown["admins"] == {"users": ["ada"], "groups": []}
    assert {"declare", "audit:read", "certify"} <= set(shown["may"]) and shown["manages"] is False
    assert ada.get(f"{API}/domains/fin").json()["may"] == []
    page = ada.get(f"{API}/domains/hr/datasets", params={"limit": 1}).json()
    assert page["total"] == 2 and page["datasets"][0]["reference"] == "prod/hr.pay"
    assert page["datasets"][0]["owners"] == ["olga"]


def test_a_hidden_domain_is_not_there_for_others(w: ApiWorld, ada: TestClient) -> None:
    w.apply(
        "apiVersion: weir/v1\nkind: Visibility\nmetadata: {name: fin.closed, domain: fin}\n"
        "spec: {match: {datasets: ['prod/fin.*']}, existence: owners}\n"
    )
    assert [each["name"] for each in ada.get(f"{API}/domains").json()["domains"]] == ["hr"]
    for route in ("", "/datasets", "/audit"):
        hidden, missing = (ada.get(f"{API}/domains/{name}{route}") for name in ("fin", "nil"))
        assert hidden.status_code == missing.status_code == 404
        assert hidden.text.replace("fin", "nil") == missing.text
    assert w.user("finn").get(f"{API}/domains/fin").json()["documents"][0]["name"] == "fin.closed"
