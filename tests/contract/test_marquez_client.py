"""Marquez's own client for Python reads lineage from Weir: every read that it has and that Marquez answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_socket import enable_socket

from tests.api_world import ApiWorld
from tests.client_environment import programs, run
from tests.lineage_door import told
from tests.lineage_samples import KAFKA
from tests.lineage_samples import run as event
from tests.served import served

pytestmark = [pytest.mark.tail, pytest.mark.timeout(600)]
CALLS = Path(__file__).with_name("marquez_client_calls.py")
RUN = "0194a1a0-0000-7000-8000-000000000003"
"""A run by the only kind of id that the client takes."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment with Marquez's client."""
    return programs(tmp_path_factory.mktemp("marquez"))


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with told(tmp_path_factory.mktemp("weir")) as weir:
        answer = weir.admin.post("/api/v1/lineage", json=event(120, ["clean2"], [], job="reader", run_id=RUN))
        assert answer.status_code == 201, answer.text
        weir.fold()
        yield weir


def test_every_read_of_the_client_gets_what_the_graph_holds(weir: ApiWorld, client: Path, tmp_path: Path) -> None:
    enable_socket()  # on the loopback address
    token = weir.admin.headers["Authorization"].removeprefix("Bearer ")
    with served(weir.app) as url:
        answers: dict[str, Any] = json.loads(run([client / "python", CALLS, url, token, KAFKA, RUN], tmp_path))

    assert {each["name"] for each in answers["namespaces"]["namespaces"]} == {"jobs", KAFKA}
    assert answers["namespace"]["name"] == "jobs"
    assert [each["name"] for each in answers["sources"]["sources"]] == [KAFKA]
    assert answers["source"]["type"] == "KAFKA"
    assert {each["name"] for each in answers["datasets"]["datasets"]} == {"orders", "clean", "clean2", "mart"}
    assert [field["name"] for field in answers["dataset"]["fields"]] == ["value.email", "value.phone"]
    assert answers["version"] == answers["versions"]["versions"][0]
    assert {each["name"] for each in answers["jobs"]["jobs"]} == {"cleaner", "marter", "board", "reader"}
    assert [each["name"] for each in answers["job"]["inputs"]] == ["orders"]
    assert [each["name"] for each in answers["job"]["outputs"]] == ["clean2"]
    assert [each["id"] for each in answers["runs"]["runs"]] == ["r3", "r1"]
    assert (answers["run"]["id"], answers["run"]["state"]) == (RUN, "COMPLETED")
    assert answers["tags"] == {"tags": []}
    for asked in ("columns of a dataset", "columns of a field", "columns of a job"):
        nodes = {node["id"]: node["data"] for node in answers[asked]["graph"]}
        [source] = nodes[f"datasetField:{KAFKA}:clean2:value.email"]["inputFields"]
        assert (source["dataset"], source["field"], source["transformationType"]) == (
            "orders",
            "value.email",
            "IDENTITY",
        )
