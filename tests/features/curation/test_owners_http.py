"""Owners of a dataset with roles, and who answers for one that has none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from policies.declared.state import GovernanceState
from policies.requests.approvals import Approvals
from policies.requests.notified import RequestPeople
from tests.api_world import ApiWorld, orders, world
from tests.features.curation.test_curation_http import table, taken

API = "/api/v1"
PEOPLE = "".join(
    f"---\napiVersion: weir/v1\nkind: User\nmetadata: {{name: {name}}}\nspec: {{}}\n"
    for name in ("otto", "ana", "pia", "dora", "steve", "carl")
)
DATASET = (
    "---\napiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders, cluster: prod}\nspec: {owners: [{user: otto}]}\n"
)
PRODUCT = """---
apiVersion: weir/v1
kind: DataProduct
metadata: {name: shop}
spec: {owners: [{user: pia}], datasets: [prod/orders]}
"""
DOMAIN = """---
apiVersion: weir/v1
kind: Domain
metadata: {name: sales}
spec: {datasets: ["prod/*"], admins: {users: [dora]}, stewards: {users: [steve]}}
"""
CLUSTER = """---
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092", owners: [{user: carl}]}
"""


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path, {"orders": orders(20), "stock": orders(5)}) as created:
        created.apply(CLUSTER.removeprefix("---\n") + PEOPLE)
        created.scan(cluster="prod")
        yield created


def responsible(weir: ApiWorld) -> tuple[str, str, list[str]]:
    answer = weir.admin.get(f"{API}/datasets/prod/orders").json()["responsible"]
    return answer["source"], answer["sourceName"], answer["names"]


def notified(weir: ApiWorld) -> list[str]:
    people = RequestPeople(weir.services[GovernanceState], weir.services[Approvals].deciders)
    return list(people.owners("prod/orders"))


def test_who_answers_is_the_nearest_that_names_somebody(weir: ApiWorld) -> None:
    assert responsible(weir) == ("cluster", "prod", ["carl"])
    weir.apply(DOMAIN.removeprefix("---\n"))
    assert responsible(weir) == ("domain", "sales", ["steve"])
    assert notified(weir) == ["steve"]
    weir.apply(PRODUCT.removeprefix("---\n"))
    assert responsible(weir) == ("product", "shop", ["pia"])
    assert notified(weir) == ["pia"]
    weir.apply(DATASET.removeprefix("---\n"))
    assert responsible(weir) == ("dataset", "prod/orders", ["otto"])
    assert notified(weir) == ["otto"]
    changed = weir.admin.patch(f"{API}/datasets/prod/orders/curation", json={"owners": []})
    assert changed.status_code == 200, changed.text
    assert responsible(weir) == ("product", "shop", ["pia"])


def decides(weir: ApiWorld, name: str, request: str) -> bool:
    listed = weir.user(name).get(f"{API}/access-requests", params={"toDecide": True}).json()["requests"]
    return request in [each["id"] for each in listed]


def test_to_answer_for_a_dataset_decides_on_no_request(weir: ApiWorld) -> None:
    """Else a person who puts a dataset without owners into a product would decide who reads it."""
    body = {"dataset": "prod/orders", "fields": ["*"], "purpose": "x", "reason": "x"}
    asked = weir.user("ana").post(f"{API}/access-requests", json=body)
    assert asked.status_code in (200, 201), asked.text
    request = asked.json()["id"]
    weir.apply(PRODUCT.removeprefix("---\n") + DOMAIN)
    assert [name for name in ("carl", "pia", "steve", "dora", "admin") if decides(weir, name, request)] == [
        "dora",
        "admin",
    ]
    for name in ("carl", "pia", "steve"):
        assert weir.user(name).post(f"{API}/access-requests/{request}/approve", json={}).status_code in (403, 404)
    weir.apply(DATASET.removeprefix("---\n"))
    assert decides(weir, "otto", request)


def test_to_answer_for_a_dataset_opens_no_data(weir: ApiWorld) -> None:
    weir.apply(PRODUCT.removeprefix("---\n"))
    refused = weir.user("pia").post(f"{API}/query", json={"sql": "SELECT * FROM prod.orders"})
    assert refused.status_code == 403, refused.text


def own(weir: ApiWorld) -> list[dict[str, Any]]:
    owners: list[dict[str, Any]] = weir.admin.get(f"{API}/datasets/prod/orders").json()["responsible"]["owners"]
    return owners


def test_roles_of_owners_by_the_api_and_in_the_table(weir: ApiWorld) -> None:
    owners = [{"user": "otto", "roles": ["technical", "business"]}, {"group": "sales", "roles": ["business"]}]
    done = weir.admin.patch(f"{API}/datasets/prod/orders/curation", json={"owners": owners})
    assert done.status_code == 200, done.text
    both = {"name": "otto", "roles": ["business", "technical"]}
    assert own(weir) == [both, {"name": "group:sales", "roles": ["business"]}]
    assert weir.admin.get(f"{API}/datasets/prod/orders").json()["owners"] == ["otto", "group:sales"]
    (row,) = [each for each in table(weir) if each["dataset"] == "prod/orders" and not each["field"]]
    assert (row["owners"], row["businessOwners"], row["technicalOwners"]) == (
        "otto; group:sales",
        "otto; group:sales",
        "otto",
    )
    assert taken(weir.admin, [row]).json()["unchanged"] == 1
    assert taken(weir.admin, [{**row, "technicalOwners": "group:sales"}]).json()["applied"]
    assert own(weir) == [
        {"name": "otto", "roles": ["business"]},
        {"name": "group:sales", "roles": ["business", "technical"]},
    ]
    refused = taken(weir.admin, [{**row, "technicalOwners": "ana"}], dryRun=True).json()["refused"]
    assert [each["message"] for each in refused] == [
        "technicalOwners names ana, whom owners leaves out; add the name to owners."
    ]
    added = taken(weir.admin, [{"dataset": "prod/orders", "field": "", "technicalOwners": "ana"}]).json()
    assert added["applied"] and {"name": "ana", "roles": ["technical"]} in own(weir)


def test_an_owner_names_no_owner(weir: ApiWorld) -> None:
    weir.apply(DATASET.removeprefix("---\n"))
    refused = weir.user("otto").patch(
        f"{API}/datasets/prod/orders/curation", json={"owners": [{"user": "otto"}, {"user": "ana"}]}
    )
    assert refused.status_code == 403, refused.text
    wrong = weir.admin.patch(f"{API}/datasets/prod/orders/curation", json={"owners": [{"user": "a", "group": "b"}]})
    assert wrong.status_code == 400, wrong.text


def test_an_owner_of_the_table_may_be_written_as_a_user(weir: ApiWorld) -> None:
    row = {"dataset": "prod/orders", "field": "", "owners": "user:ana; group:shop", "businessOwners": "ana"}
    assert taken(weir.admin, [row]).json()["applied"]
    assert own(weir) == [{"name": "ana", "roles": ["business"]}, {"name": "group:shop", "roles": []}]
    assert (
        taken(weir.admin, [{**row, "owners": "ana; group:shop", "businessOwners": "user:ana"}]).json()["unchanged"] == 1
    )
