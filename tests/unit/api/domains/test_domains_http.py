"""Domains through HTTP: the example of docs/how-to/domains.md, what admins and stewards may do, and what they may not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api_world import ApiWorld, orders, record, world

API = "/api/v1"
PAGE = (Path(__file__).parents[4] / "docs/how-to/domains.md").read_text()
DOMAIN, OWN = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)[:2]
OTHERS = """
apiVersion: weir/v1
kind: Domain
metadata: {name: finance}
spec: {datasets: ["prod/fin.*"], admins: {users: [finn]}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: hr.pay, cluster: prod}
spec: {description: Pay, tags: [confidential], owners: [{user: olga}]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: secret}
spec: {type: access, match: {tags: [confidential]}, requires: {grant: true}}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: hr.of-installation}
spec: {type: mask, match: {datasets: [prod/hr.pay]}, mask: {type: MASK_NULL}}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{tag: open-to-all}, {dataset: "prod/fin.*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: rita}
spec: {roles: [reader]}
"""


@pytest.fixture(scope="module")
def w(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    topics = {name: orders(20) for name in ("hr.pay", "hr.staff", "fin.ledger")} | {"clicks": [record({"page": "/"})]}
    with world(tmp_path_factory.mktemp("domains"), topics) as opened:
        opened.scan(bootstrapServers="localhost:9092", cluster="prod", topics=list(topics))
        opened.apply(DOMAIN + "---" + OTHERS)
        yield opened


@pytest.fixture(scope="module")
def ada(w: ApiWorld) -> TestClient:
    return w.user("ada")


@pytest.fixture(scope="module")
def stan(w: ApiWorld) -> TestClient:
    return w.user("stan")


def sent(client: TestClient, text: str, **query: Any) -> tuple[int, str]:
    answer = client.post(f"{API}/apply", content=text.encode(), params=query)
    return answer.status_code, answer.text


def document(kind: str, name: str, spec: str, metadata: str = "") -> str:
    return f"apiVersion: weir/v1\nkind: {kind}\nmetadata: {{name: {name}{metadata}}}\nspec: {spec}\n"


def policy(name: str, match: str, metadata: str = ", domain: hr") -> str:
    return document("Policy", name, f"{{type: mask, match: {match}, mask: {{type: MASK_HASH}}}}", metadata)


def dataset(name: str, spec: str) -> str:
    return document("Dataset", name, spec, ", cluster: prod")


def test_the_example_of_the_page(w: ApiWorld, ada: TestClient) -> None:
    assert sent(ada, OWN, dryRun=True)[0] == 200
    assert sent(ada, OWN)[0] == 200
    listed = w.admin.get(f"{API}/declared/Policy").json()["documents"]
    assert [each["metadata"] for each in listed if each["metadata"].get("domain")] == [
        {"name": "hr.mask-mail", "domain": "hr"}
    ]
    assert ada.delete(f"{API}/declared/Policy/hr.mask-mail").status_code == 200


@pytest.mark.parametrize(
    ("match", "why"),
    [
        ('{datasets: ["prod/*"]}', "prod/* may match datasets outside of domain hr"),
        ('{datasets: ["prod/hr.pay", "*"]}', "* may match datasets outside of domain hr"),
        ("{datasets: [prod/fin.ledger]}", "prod/fin.ledger may match datasets outside of domain hr"),
        ("{datasets: [prod/hr.pay], tags: [PII]}", "match.tags may fit datasets outside of domain hr"),
        ("{fields: [{dataset: 'prod/*', path: value.x}]}", "prod/* may match datasets outside of domain hr"),
    ],
)
def test_a_policy_that_may_be_about_more_is_refused(ada: TestClient, match: str, why: str) -> None:
    status, text = sent(ada, policy("hr.wide", match))
    assert status == 400 and why in text


def test_visibility_names_datasets_of_the_domain_alone(w: ApiWorld, ada: TestClient) -> None:
    for match in ("{domains: [hr]}", "{owners: {users: [olga]}}", "{tags: [x]}", '{datasets: ["*"]}'):
        text = document("Visibility", "hr.v", f"{{match: {match}, existence: owners}}", ", domain: hr")
        assert sent(ada, text)[0] == 400, match
    assert w.admin.get(f"{API}/declared/Visibility").json()["documents"] == []


@pytest.mark.parametrize(
    "text",
    [
        policy("hr.x", "{datasets: [prod/hr.pay]}", ""),
        policy("hr.x", "{datasets: [prod/hr.pay]}", ", domain: finance"),
        policy("finance.x", "{datasets: [prod/hr.pay]}", ", domain: hr"),
        policy("hr.of-installation", "{datasets: [prod/hr.pay]}"),
        policy("secret", "{datasets: [prod/hr.pay]}"),
        dataset("fin.ledger", "{description: mine}"),
        dataset("fin.nothing", "{description: mine}"),
        dataset("clicks", "{description: mine}"),
        dataset("hr.pay", "{tags: [], owners: [{user: olga}]}"),
        dataset("hr.pay", "{tags: [confidential], schema: {spark: a STRING}}"),
        dataset("hr.staff", "{scan: {every: 1h}}"),
        document("Domain", "hr", '{datasets: ["prod/*"], admins: {users: [ada]}}'),
        document("Domain", "mine", '{datasets: ["test/*"], admins: {users: [ada]}}'),
        document("Domain", "finance", '{datasets: ["prod/fin.*"], admins: {users: [ada]}}'),
        document("Role", "mine", '{read: [{dataset: "*"}]}'),
        document("User", "ada", "{roles: [admin]}"),
        document("Group", "hr-leads", "{members: [ada]}"),
        document("Workflow", "w", "{match: {datasets: [prod/hr.pay]}, stages: [{name: a, approvers: {owners: true}}]}"),
        document(
            "Grant",
            "g",
            "{subject: {user: ada}, dataset: prod/hr.pay, purpose: x, validFrom: 2026-01-01T00:00:00Z,"
            " validTo: 2030-01-01T00:00:00Z, status: approved}",
        ),
        document("Cluster", "mine", "{bootstrapServers: 'localhost:9092'}"),
        document("Recognizer", "r", "{supported_entity: X, deny_list: [a]}"),
    ],
)
def test_what_nobody_of_a_domain_may_declare(w: ApiWorld, ada: TestClient, stan: TestClient, text: str) -> None:
    for client in (ada, stan):
        assert sent(client, text)[0] == 403 == sent(client, text, dryRun=True)[0]
    assert sent(ada, policy("hr.x", "{datasets: [prod/hr.pay]}"), prune=True)[0] == 403


def test_a_dataset_elsewhere_and_one_that_is_not_there_are_refused_alike(ada: TestClient) -> None:
    there, missing = (sent(ada, dataset(name, "{}")) for name in ("fin.ledger", "fin.nothing"))
    assert there[0] == missing[0] == 403 and there[1].replace("ledger", "nothing") == missing[1]


@pytest.mark.parametrize("name", ["secret", "hr.of-installation", "finance.x", "no-such", "hr"])
def test_only_documents_of_the_domain_are_deleted(w: ApiWorld, ada: TestClient, stan: TestClient, name: str) -> None:
    for client in (ada, stan):
        assert client.delete(f"{API}/declared/Policy/{name}").status_code == 403
        for kind in ("Domain", "Cluster", "User", "Dataset", "Role"):
            assert client.delete(f"{API}/declared/{kind}/{name}").status_code == 403
    assert stan.delete(f"{API}/declared/Policy/hr.gone").status_code == 403
    assert ada.delete(f"{API}/declared/Policy/hr.gone").status_code == 404


def test_an_admin_names_others_and_a_steward_does_not(w: ApiWorld, ada: TestClient, stan: TestClient) -> None:
    spec = '{{datasets: ["prod/hr.*"], admins: {{users: [ada], groups: [hr-leads]}}, stewards: {{users: [stan{0}]}}}}'
    text = document("Domain", "hr", spec.format(", sam"))
    assert sent(stan, text)[0] == 403
    assert sent(ada, text)[0] == 200
    w.apply(document("Domain", "hr", spec.format("")))


def test_a_steward_edits_and_opens_nothing(stan: TestClient, ada: TestClient, w: ApiWorld) -> None:
    assert sent(stan, dataset("hr.staff", "{description: Who works here, tags: [people]}"))[0] == 200
    assert w.admin.get(f"{API}/datasets/prod/hr.staff").json()["description"] == "Who works here"
    for owner in ("stan", "olga"):
        status, text = sent(stan, dataset("hr.staff", f"{{owners: [{{user: {owner}}}]}}"))
        assert status == 403 and "a steward names none" in text
    assert sent(ada, dataset("hr.staff", "{owners: [{user: olga}]}"))[0] == 200
    assert sent(stan, dataset("hr.staff", "{description: Staff, owners: [{user: olga}]}"))[0] == 200
    for spec in ("{tags: [open-to-all]}", "{fields: [{path: value.region, tags: [open-to-all]}]}"):
        assert sent(stan, dataset("hr.staff", spec))[0] == 403
    assert sent(stan, policy("hr.x", "{datasets: [prod/hr.pay]}"))[0] == 403
    assert sent(ada, dataset("hr.staff", "{tags: [open-to-all]}"))[0] == 200
    assert sent(ada, dataset("hr.staff", "{}"))[0] == 200


def test_detections_are_reviewed_and_reports_read_within_the_domain(ada: TestClient, stan: TestClient) -> None:
    word = {"path": "value.customer.email", "entity": "EMAIL_ADDRESS", "state": "confirmed"}
    for client in (ada, stan):
        assert client.post(f"{API}/datasets/prod/hr.pay/classifications", json=word).status_code == 200
        assert client.post(f"{API}/datasets/prod/fin.ledger/classifications", json=word).status_code == 403
        both = [{**word, "namespace": "prod", "name": name} for name in ("hr.pay", "fin.ledger")]
        answer = client.post(f"{API}/classifications/review", json={"items": both}).json()
        assert (answer["reviewed"], answer["refused"]) == (1, 1)
        may = {row["name"]: row["mayReview"] for row in client.get(f"{API}/classifications").json()["classifications"]}
        assert may == {"hr.pay": True, "hr.staff": True, "fin.ledger": False}
        for route in ("datasets/prod/{}/access", "datasets/prod/{}/visibility", "access/datasets/prod/{}"):
            assert client.get(f"{API}/{route.format('hr.pay')}").status_code == 200, route
            assert client.get(f"{API}/{route.format('fin.ledger')}").status_code == 403, route
        may_do = client.get(f"{API}/datasets/prod/hr.pay").json()["may"]
        assert (may_do["edit"], may_do["review"], may_do["access"]) == (True, True, True)
        may_do = client.get(f"{API}/datasets/prod/fin.ledger").json()["may"]
        assert (may_do["edit"], may_do["review"], may_do["access"]) == (False, False, False)


def test_an_admin_decides_on_requests_and_ends_grants(w: ApiWorld, ada: TestClient, stan: TestClient) -> None:
    rita, finn = w.user("rita"), w.user("finn")
    request = rita.post(f"{API}/access-requests", json={"dataset": "prod/hr.pay", "purpose": "x"}).json()
    for client in (stan, finn):
        assert client.post(f"{API}/access-requests/{request['id']}/approve").status_code in (403, 404)
    assert finn.get(f"{API}/access-requests/{request['id']}").status_code == 404
    done = ada.post(f"{API}/access-requests/{request['id']}/approve").json()
    assert done["state"] == "approved"
    name = done["grant"]
    assert name in {each["name"] for each in ada.get(f"{API}/grants").json()["grants"]}
    assert name not in {each["name"] for each in finn.get(f"{API}/grants").json()["grants"]}
    assert finn.delete(f"{API}/grants/{name}").status_code == 404
    assert ada.delete(f"{API}/grants/{name}").status_code == 200
    own = ada.post(f"{API}/access-requests", json={"dataset": "prod/hr.pay", "purpose": "x"}).json()
    assert ada.post(f"{API}/access-requests/{own['id']}/approve").status_code in (403, 409)


def test_decisions_about_others_are_for_admins_within_the_domain(ada: TestClient, stan: TestClient) -> None:
    def asked(client: TestClient, name: str) -> int:
        return client.post(f"{API}/decisions", json={"dataset": f"prod/{name}", "subject": "rita"}).status_code

    assert (asked(ada, "hr.pay"), asked(ada, "fin.ledger"), asked(stan, "hr.pay")) == (200, 403, 403)


def test_domains_that_overlap_are_refused_with_an_example(w: ApiWorld) -> None:
    status, text = sent(w.admin, document("Domain", "eu", '{datasets: ["prod/h*.pay"]}'))
    assert status == 400
    assert "overlap: prod/h*.pay of eu and prod/hr.* of hr both match prod/hr.pay" in text
    two = "---\n".join(document("Domain", name, '{datasets: ["test/*"]}') for name in ("one", "two"))
    assert sent(w.admin, two)[0] == 400
    assert sent(w.admin, document("Domain", "No.Name", '{datasets: ["test/*"]}'))[0] == 400


def test_a_domain_keeps_what_belongs_to_it(w: ApiWorld, ada: TestClient) -> None:
    assert sent(ada, policy("hr.keep", "{datasets: [prod/hr.pay]}"))[0] == 200
    narrow = document("Domain", "hr", '{datasets: ["prod/hr.staff"], admins: {users: [ada]}}')
    status, text = sent(w.admin, narrow)
    assert status == 400 and "Policy hr.keep: prod/hr.pay may match datasets outside of domain hr" in text
    gone = w.admin.delete(f"{API}/declared/Domain/hr")
    assert gone.status_code == 400 and "there is no domain hr" in gone.text
    assert ada.delete(f"{API}/declared/Policy/hr.keep").status_code == 200


def test_metadata_domain_is_checked_for_administrators_too(w: ApiWorld) -> None:
    assert sent(w.admin, policy("hr.wide", '{datasets: ["*"]}'))[0] == 400
    assert sent(w.admin, policy("nope.x", "{datasets: [prod/hr.pay]}", ", domain: nope"))[0] == 400
    assert sent(w.admin, document("Role", "r", "{}", ", domain: hr"))[0] == 400


def test_a_person_of_no_domain_gets_the_answer_they_always_got(w: ApiWorld) -> None:
    status, text = sent(w.user("rita"), "not: yaml: at all")
    assert status == 403 and "lacks the permission 'manage'" in text
