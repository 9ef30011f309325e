"""Who may scan writes what producers sent into no topic that a server keeps its own records in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api_world import ApiWorld, orders, world

PEOPLE = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Role
metadata: {name: scanner}
spec: {permissions: [scan]}
---
apiVersion: weir/v1
kind: User
metadata: {name: sam}
spec: {roles: [scanner]}
"""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home"), {"orders": orders(3)}) as weir:
        weir.apply(PEOPLE)
        yield weir


@pytest.mark.parametrize(
    "topic",
    ["_schemas", "__consumer_offsets", "__transaction_state", "_confluent-command", "_weir.lineage", "_weir.audit-heads",
     "_kafka-connect-configs", "orders", "dead-letters", "_dead\n", "_dead letters", "_" + "dead" * 80],
)  # fmt: skip
@pytest.mark.parametrize("door", ["scan", "apply"])
def test_no_topic_of_a_server_takes_dead_letters(weir: ApiWorld, topic: str, door: str) -> None:
    if door == "scan":
        body = {"cluster": "prod", "topics": ["orders"], "sample": {"deadLetter": topic}}
        answer = weir.user("sam").post("/api/v1/scans", json=body)
    else:
        document = {
            "apiVersion": "weir/v1",
            "kind": "Dataset",
            "metadata": {"name": "orders", "cluster": "prod"},
            "spec": {"scan": {"every": "1h", "deadLetter": topic}},
        }
        answer = weir.admin.post("/api/v1/apply", json=document)
    assert answer.status_code == 400, answer.text
    assert "dead" in answer.json()["error"]["message"]


@pytest.mark.parametrize("topic", [True, "_weir.dead-letters", "_orders.dlq", "_rejected"])
def test_a_topic_that_states_what_it_is_for_does(weir: ApiWorld, topic: str | bool) -> None:
    body = {"cluster": "prod", "topics": ["orders"], "sample": {"deadLetter": topic}}
    assert weir.user("sam").post("/api/v1/scans", json=body).status_code == 202
