"""Reports, scans, simulations, audit and access reviews within a domain: what its people get, and nothing of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.joins import proposed
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
    there, missing = (
        where_is(ada, field=f"prod/fin.{name}:value.customer.email") for name in ("ledger", "nothing")
    )
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
