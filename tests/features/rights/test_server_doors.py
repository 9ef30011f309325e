"""Servers of a cluster that let anybody in, among the findings of rights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.server_doors import Door, ServerDoor
from tests.api_world import ApiWorld

REGISTRY, CONNECT = "http://registry:8081/apis/ccompat/v7", "https://connect:8083"
DECLARED = f"""
apiVersion: weir/v1
kind: Cluster
metadata: {{name: prod}}
spec: {{bootstrapServers: "localhost:9092", schemaRegistry: {{url: "{REGISTRY}"}}, connect: {{url: "{CONNECT}"}}}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {{cluster: prod, name: orders}}
spec: {{owners: [{{user: otto}}]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: otto}}
spec: {{}}
"""


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    weir = ApiWorld(tmp_path)
    weir.apply(DECLARED)
    yield weir
    weir.services.close()


def doors_of(weir: ApiWorld, client: Any = None, **asked: str) -> tuple[list[dict[str, Any]], list[str]]:
    params = {"kind": ["openRegistry", "openConnect"], **asked}
    answer = (client or weir.admin).get("/api/v1/rights/findings", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()["findings"], answer.json()["notes"]


def test_closed_servers_are_no_finding(weir: ApiWorld) -> None:
    assert doors_of(weir)[0] == []
    assert {kind for kind, _, _ in weir.doors.asked} == {"registry", "connect"}


def test_anyone_who_reaches_the_registry_may_change_schemas(weir: ApiWorld) -> None:
    evidence = ("GET /subjects 200", "POST /compatibility/... 200")
    weir.doors.doors[REGISTRY] = ServerDoor("registry", REGISTRY, Door.OPEN, Door.OPEN, evidence)
    ((finding,), _) = doors_of(weir)
    assert finding["kind"] == "openRegistry" and finding["severity"] == "medium" and finding["cluster"] == "prod"
    assert "may read and change schemas" in finding["text"] and "GET /subjects 200" in finding["text"]
    weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])  # it has e-mail addresses
    weir.apply(DECLARED)
    ((finding,), _) = doors_of(weir)
    assert finding["severity"] == "high"
    weir.doors.doors[REGISTRY] = ServerDoor("registry", REGISTRY, Door.OPEN, Door.CLOSED, evidence)
    ((finding,), _) = doors_of(weir)
    assert finding["severity"] == "low" and "may read schemas" in finding["text"]


def test_a_worker_without_credentials_lets_anybody_make_connectors(weir: ApiWorld) -> None:
    weir.doors.doors[CONNECT] = ServerDoor("connect", CONNECT, Door.OPEN, Door.OPEN, ("GET /connectors 200",))
    ((finding,), _) = doors_of(weir)
    assert finding["kind"] == "openConnect" and "make connectors" in finding["text"]


def test_what_is_not_known_is_told(weir: ApiWorld) -> None:
    weir.doors.doors[REGISTRY] = ServerDoor("registry", REGISTRY, problem="it does not answer")
    findings, notes = doors_of(weir)
    assert findings == [] and any("schema registry of prod" in note and "does not answer" in note for note in notes)


def test_servers_are_asked_for_those_who_may_see_all(weir: ApiWorld) -> None:
    weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
    weir.apply(DECLARED)
    weir.doors.doors[CONNECT] = ServerDoor("connect", CONNECT, Door.OPEN, Door.OPEN, ("GET /connectors 200",))
    assert doors_of(weir, weir.user("otto"))[0] == []
    assert weir.doors.asked == []
