"""Owners promise of their own datasets, and of nothing else; nobody else does without `manage`."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient

from tests.api_world import ApiWorld, orders, record, world

API = "/api/v1"
DECLARED = """
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {owners: [{user: olga}]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders.eu, cluster: prod}
spec: {owners: [{user: boris}]}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: checks}
spec: {}
---
apiVersion: weir/v1
kind: Domain
metadata: {name: web}
spec: {datasets: [prod/clicks], stewards: {users: [stan]}}
"""


@pytest.fixture(scope="module")
def w(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    topics = {name: orders(20) for name in ("orders", "orders.eu")} | {"clicks": [record({"page": "/"})]}
    with world(tmp_path_factory.mktemp("promises"), topics) as opened:
        opened.scan(bootstrapServers="localhost:9092", cluster="prod", topics=list(topics))
        opened.apply(DECLARED)
        yield opened


def contract(*datasets: str, name: str | None = None, **customs: Any) -> dict[str, Any]:
    schema = [
        {
            "name": each,
            "customProperties": [{"property": n, "value": v} for n, v in {"dataset": each, **customs}.items()],
        }
        for each in datasets
    ]
    spec = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "a", "version": "1.0.0", "status": "active"}
    metadata = {"name": name or datasets[0].replace("/", ".")}
    return {"apiVersion": "weir/v1", "kind": "Contract", "metadata": metadata, "spec": {**spec, "schema": schema}}


def sent(client: TestClient, document: dict[str, Any]) -> tuple[int, str]:
    answer = client.post(f"{API}/apply", content=yaml.safe_dump(document))
    return answer.status_code, answer.text


def test_an_owner_promises_changes_and_takes_away(w: ApiWorld) -> None:
    olga, document = w.user("olga"), contract("prod/orders")
    assert sent(olga, document)[0] == 200
    changed = copy.deepcopy(document)
    changed["spec"]["version"] = "1.1.0"
    assert sent(olga, changed)[0] == 200
    assert olga.get(f"{API}/contracts/prod.orders").json()["version"] == "1.1.0"
    assert olga.delete(f"{API}/declared/Contract/prod.orders").status_code == 200
    assert olga.get(f"{API}/contracts/prod.orders").status_code == 404


def test_a_steward_promises_of_the_datasets_of_the_domain(w: ApiWorld) -> None:
    assert sent(w.user("stan"), contract("prod/clicks"))[0] == 200
    assert sent(w.user("stan"), contract("prod/orders"))[0] == 403


@pytest.mark.parametrize(
    ("user", "document"),
    [
        ("boris", contract("prod/orders")),
        ("olga", contract("prod/orders.eu")),
        ("olga", contract("prod/orders", "prod/orders.eu")),
        ("olga", contract("prod/orders", name="prod.orders.eu")),
        ("olga", contract("prod/orders", name="something")),
        ("olga", contract("prod/nowhere")),
        ("olga", contract("kafka://localhost:9092/orders.eu", name="prod.orders.eu")),
    ],
)
def test_what_is_of_others_is_refused_in_one_sentence_whether_it_is_there_or_not(
    w: ApiWorld, user: str, document: dict[str, Any]
) -> None:
    status, text = sent(w.user(user), document)
    assert status == 403, text
    assert "owners promise of their own datasets alone" in text


def test_nobody_runs_queries_as_a_service_account_by_a_contract_of_theirs(w: ApiWorld) -> None:
    status, text = sent(w.user("olga"), contract("prod/orders", runAs={"serviceAccount": "checks"}))
    assert (status, "declared by those who manage" in text) == (403, True)


def test_a_contract_that_runs_queries_or_promises_more_is_not_taken_over(w: ApiWorld) -> None:
    olga = w.user("olga")
    for mine in (
        contract("prod/orders", runAs={"serviceAccount": "checks"}),
        contract("prod/orders", "prod/orders.eu"),
    ):
        assert sent(w.admin, mine)[0] == 200
        assert sent(olga, contract("prod/orders"))[0] == 403
        if len(mine["spec"]["schema"]) > 1:
            assert olga.delete(f"{API}/declared/Contract/prod.orders").status_code == 403
    assert w.admin.delete(f"{API}/declared/Contract/prod.orders").status_code == 200


def test_a_dry_run_is_refused_alike(w: ApiWorld) -> None:
    text = yaml.safe_dump(contract("prod/orders.eu"))
    assert w.user("olga").post(f"{API}/apply?dryRun=true", content=text).status_code == 403


def test_an_account_that_nobody_declared_is_a_warning(w: ApiWorld) -> None:
    text = yaml.safe_dump(contract("prod/clicks", runAs={"serviceAccount": "cheks", "purpose": "quality"}))
    (change,) = w.admin.post(f"{API}/apply?dryRun=true", content=text).json()["changes"]
    account = next(each for each in change["warnings"] if each["name"] == "cheks")
    assert account["field"] == "spec.schema.0.customProperties.1.value.serviceAccount"
    assert account["nearest"] == "checks"
