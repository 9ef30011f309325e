"""Owners that are suggested for a dataset, with their reasons, and one of them accepted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.broker_acls import BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.errors import Unavailable
from catalog.topic_details import AclsKnown
from tests.api_world import ApiWorld, orders, world

API = "/api/v1"
AT = f"{API}/datasets/prod/orders"
DECLARED = """
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {email: ana@example.org}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {}
---
apiVersion: weir/v1
kind: User
metadata: {name: steve}
spec: {}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: shop}
spec: {owner: otto}
---
apiVersion: weir/v1
kind: Principal
metadata: {name: shop}
spec: {principals: ["User:shop"], subject: {serviceAccount: shop}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod, annotations: {git-author: "A. Nna <ana@example.org>"}}
spec: {description: Orders}
"""
WRITES = BrokerAcl(Resource.TOPIC, Pattern.LITERAL, "orders", "User:shop", "*", Operation.WRITE, True)
RUN = {
    "eventType": "COMPLETE",
    "eventTime": "2026-03-01T12:00:00Z",
    "producer": "https://example.org/producer",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json",
    "run": {"runId": "01890000-0000-7000-8000-000000000001"},
    "job": {
        "namespace": "jobs",
        "name": "fill",
        "facets": {
            "ownership": {
                "_producer": "https://example.org/producer",
                "_schemaURL": "https://openlineage.io/spec/facets/1-0-1/OwnershipJobFacet.json",
                "owners": [{"name": "team-orders", "type": "OWNER"}],
            }
        },
    },
    "inputs": [],
    "outputs": [{"namespace": "kafka://localhost:9092", "name": "orders"}],
}


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path, {"orders": orders(20)}) as created:
        created.scan(bootstrapServers="localhost:9092", cluster="prod")
        created.apply(DECLARED)
        created.acls.by_address["localhost:9092"] = BrokerAcls(AclsKnown.YES, (WRITES,), topics=frozenset({"orders"}))
        yield created


def suggested(weir: ApiWorld) -> dict[str, Any]:
    answer = weir.admin.get(f"{AT}/owner-suggestions")
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


def test_owners_are_suggested_with_reasons_and_one_is_accepted(weir: ApiWorld) -> None:
    assert weir.admin.post(f"{API}/lineage", json=RUN).status_code < 300
    weir.fold()
    answer = suggested(weir)
    assert answer["notRead"] == []
    reasons = {each["name"]: [r["source"] for r in each["reasons"]] for each in answer["suggestions"]}
    assert reasons == {
        "ana": ["git"],
        "otto": ["acl"],
        "admin": ["document", "description"],
        "team-orders": ["lineage"],
    }
    known = {each["name"]: each["known"] for each in answer["suggestions"]}
    assert known == {"ana": True, "otto": True, "admin": True, "team-orders": False}
    (acl,) = next(each["reasons"] for each in answer["suggestions"] if each["name"] == "otto")
    assert acl["text"] == "User:shop may write it by the ACLs of the brokers"
    done = weir.admin.patch(f"{AT}/curation", json={"owners": [{"user": "otto", "roles": ["technical"]}]})
    assert done.status_code == 200, done.text
    assert "otto" not in [each["name"] for each in suggested(weir)["suggestions"]]


def test_brokers_that_do_not_answer_are_named_and_the_rest_is_there(weir: ApiWorld) -> None:
    weir.acls.problem = Unavailable("The brokers are away.")
    answer = suggested(weir)
    assert answer["suggestions"][0]["name"] == "ana"
    assert [each.partition(":")[0] for each in answer["notRead"]] == ["The ACLs of prod could not be read"]
    assert all(each["name"] != "otto" for each in answer["suggestions"])


def test_suggestions_are_for_who_may_name_owners(weir: ApiWorld) -> None:
    assert weir.user("otto").get(f"{AT}/owner-suggestions").status_code == 403
    weir.apply(
        "apiVersion: weir/v1\nkind: Domain\nmetadata: {name: sales}\n"
        'spec: {datasets: ["prod/*"], stewards: {users: [steve]}}\n'
    )
    answer = weir.user("steve").get(f"{AT}/owner-suggestions")
    assert answer.status_code == 200, answer.text
    assert {each["name"] for each in answer.json()["suggestions"]} == {"ana", "otto", "admin"}
