"""A role's document shows its holder no dataset that they may not know of; what they may know of stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api_world import ApiWorld, orders, world
from tests.unit.api.visible.test_hidden_dataset import API, FIELD, NAME, secret

DECLARED = f"""
apiVersion: weir/v1
kind: Role
metadata: {{name: analyst}}
spec:
  read: [{{dataset: prod/orders}}, {{dataset: prod/{NAME}}}, {{dataset: prod/ledger.known, path: value.{FIELD}}}]
  rowFilters: [{{dataset: prod/orders, where: "id <> ''"}}, {{dataset: prod/{NAME}, where: "{FIELD} IS NOT NULL"}}]
---
apiVersion: weir/v1
kind: Role
metadata: {{name: wide}}
spec: {{read: [{{dataset: "*"}}], inherits: [analyst]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: ana}}
spec: {{roles: [analyst, wide]}}
---
apiVersion: weir/v1
kind: Visibility
metadata: {{name: closed}}
spec: {{match: {{datasets: [prod/{NAME}]}}, existence: owners}}
---
apiVersion: weir/v1
kind: Visibility
metadata: {{name: part}}
spec: {{match: {{datasets: [prod/ledger.known]}}, schema: owners}}
"""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    topics = {"orders": orders(20), NAME: secret(20), "ledger.known": secret(20)}
    with world(tmp_path_factory.mktemp("roles"), topics) as built:
        built.scan(bootstrapServers="localhost:9092", cluster="prod")
        built.apply(DECLARED)
        yield built


def roles(client: Any) -> dict[str, Any]:
    documents = client.get(f"{API}/declared/Role").json()["documents"]
    return {each["metadata"]["name"]: each["spec"] for each in documents}


def test_a_role_names_no_dataset_that_its_holder_may_not_know_of(weir: ApiWorld) -> None:
    seen = roles(weir.user("ana"))
    assert seen["analyst"]["read"] == [{"dataset": "prod/orders"}]
    assert seen["analyst"]["rowFilters"] == [{"dataset": "prod/orders", "where": "id <> ''"}]
    assert seen["wide"]["read"] == [{"dataset": "*"}] and seen["wide"]["inherits"] == ["analyst"]
    text = weir.user("ana").get(f"{API}/declared/Role").text
    assert NAME not in text and FIELD not in text


def test_who_knows_everything_sees_the_whole_role(weir: ApiWorld) -> None:
    whole = roles(weir.admin)["analyst"]
    assert len(whole["read"]) == 3 and len(whole["rowFilters"]) == 2
