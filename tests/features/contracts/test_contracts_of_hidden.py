"""Contracts for who may not know a dataset, its schema or its personal data, and for who reads a field masked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.api_world import ApiWorld, orders, record, world

API = "/api/v1"
AT = f"{API}/contracts"
FIELD = "salaryband"
DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
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
kind: User
metadata: {name: aud}
spec: {roles: [analyst, auditor]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mails}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}}
---
apiVersion: weir/v1
kind: Visibility
metadata: {name: ledger}
spec: {match: {datasets: [prod/ledger]}, existence: owners}
---
apiVersion: weir/v1
kind: Visibility
metadata: {name: payroll}
spec: {match: {datasets: [prod/payroll]}, existence: everyone, schema: owners, evidence: owners, lineage: everyone}
---
apiVersion: weir/v1
kind: Visibility
metadata: {name: staff}
spec: {match: {datasets: [prod/staff]}, existence: everyone, schema: everyone, evidence: owners, lineage: everyone}
"""


def element(topic: str, *properties: dict[str, Any]) -> dict[str, Any]:
    customs = [{"property": "dataset", "value": f"prod/{topic}"}]
    return {"name": topic, "properties": list(properties), "customProperties": customs}


def contract(of: str, *elements: dict[str, Any], **more: Any) -> str:
    spec = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": of, "version": "1", "status": "active", **more}
    document = {"apiVersion": "weir/v1", "kind": "Contract", "metadata": {"name": of}}
    return yaml.safe_dump({**document, "spec": {**spec, "schema": list(elements)}})


MAIL = {
    "name": "customer",
    "logicalType": "object",
    "properties": [
        {"name": "email", "logicalType": "string", "logicalTypeOptions": {"maxLength": 3}, "unique": True},
    ],
}
CONTRACTS = "---\n".join(
    (
        contract(
            "orders",
            element(
                "orders", MAIL, {"name": "order_id", "logicalType": "string", "logicalTypeOptions": {"maxLength": 1}}
            ),
        ),
        contract(
            "pair",
            element("orders", {"name": "order_id", "logicalType": "string"}),
            element("ledger", {"name": "id", "logicalType": "string"}),
            name="Orders and the ledger",
            description={"purpose": "The ledger is of the orders"},
        ),
        contract("pay", element("payroll", {"name": FIELD, "logicalType": "string"})),
        contract("people", element("staff", {"name": "nick", "logicalType": "string", "classification": "personal"})),
    )
)


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    topics = {
        "orders": orders(50),
        "ledger": [record({"id": n}, offset=n) for n in range(5)],
        "payroll": [record({FIELD: n}, offset=n) for n in range(5)],
        "staff": [record({"nick": f"n{n}"}, offset=n) for n in range(5)],
    }
    with world(tmp_path_factory.mktemp("hidden"), topics) as built:
        built.apply(DECLARED)
        built.scan(cluster="prod")
        built.apply(CONTRACTS)
        yield built


def test_the_state_of_a_contract_is_that_of_what_its_reader_knows(weir: ApiWorld) -> None:
    ana, whole = weir.user("ana"), weir.admin.get(f"{AT}/pair").json()
    assert (whole["state"], whole["title"]) == ("broken", "Orders and the ledger")
    seen = ana.get(f"{AT}/pair").json()
    (listed,) = [each for each in ana.get(AT).json()["contracts"] if each["name"] == "pair"]
    for each in (seen, listed):
        assert (each["state"], each["title"], each["datasets"]) == ("holds", "pair", ["prod/orders"])
    assert "ledger" not in json.dumps(seen)
    assert (seen["document"], seen["breaches"], seen["purpose"]) == (None, [], "")


def test_figures_of_a_masked_field_are_left_out(weir: ApiWorld) -> None:
    ana, rule = weir.user("ana"), "value.customer.email:length"

    def of(client: Any) -> dict[str, Any]:
        (promise,) = client.get(f"{AT}/orders").json()["promises"]
        return {each["id"]: each for each in promise["rules"]} | {"withheld": promise["withheld"]}

    assert "lengths are" in of(weir.admin)[rule]["reason"]
    seen = of(ana)
    assert seen["withheld"] == ["fields"]
    for each in (rule, "value.customer.email:unique"):
        assert (seen[each]["reason"], seen[each]["count"], seen[each]["share"]) == ("", None, None), each
    assert seen["value.order_id:type"]["reason"] == "in 50 occurrences"
    (breach,) = [each for each in ana.get(f"{AT}/orders").json()["breaches"] if each["rule"] == rule]
    assert breach["reason"] == ""


def test_an_event_shows_no_figures_of_a_masked_field(weir: ApiWorld) -> None:
    def of(client: Any) -> dict[str, dict[str, Any]]:
        events = client.get(f"{API}/events", params={"type": "weir.contract.*"}).json()["events"]
        return {each["data"]["rule"]: each["data"] for each in events if each["data"]["contract"] == "orders"}

    masked, clear = "value.customer.email:length", "value.order_id:length"
    whole, seen = of(weir.admin), of(weir.user("aud"))
    assert "lengths are" in whole[masked]["reason"] and whole[masked]["path"] == "value.customer.email"
    assert not {"reason", "count", "share", "first", "last"} & set(seen[masked])
    assert seen[clear]["reason"] == whole[clear]["reason"] != ""


def test_a_contract_names_no_field_of_a_schema_that_is_hidden(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    for path, query in (
        (AT, {}),
        (f"{AT}/pay", {}),
        (f"{API}/declared/Contract", {}),
        (f"{API}/declared/Contract", {"name": "pay"}),
    ):
        assert FIELD in weir.admin.get(path, params=query).text or path == AT
        assert FIELD not in ana.get(path, params=query).text, (path, query)


def test_a_contract_shows_no_field_as_personal_to_who_may_not_know_that(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    assert "personal" in weir.admin.get(f"{AT}/people").text
    seen = ana.get(f"{AT}/people").json()
    assert seen["document"] is None and [each["state"] for each in seen["promises"]] == ["holds"]
    assert "nick" not in ana.get(f"{API}/declared/Contract").text
