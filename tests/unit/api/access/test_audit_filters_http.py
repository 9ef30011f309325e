"""What is asked of the audit and is not there has a note: a misspelt name must not read as "nobody did"."""

from __future__ import annotations

from pathlib import Path

import pytest

from policies.audit.log import AuditLog
from tests.api_world import ApiWorld

DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {type: kafka, bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {}
"""


@pytest.fixture
def weir(tmp_path: Path) -> ApiWorld:
    weir = ApiWorld(tmp_path)
    weir.apply(DECLARED)
    weir.services[AuditLog].record("ana", "query", "prod/gone", details={"dataset": ["prod/gone"]})
    return weir


@pytest.mark.parametrize(
    ("asked", "note"),
    [
        ("dataset=prod/ordres", "There is no dataset 'prod/ordres' in the catalog; did you mean prod/orders?"),
        ("dataset=orders", "Entries name this dataset prod/orders."),
        ("action=qury", "There is no action 'qury'; did you mean query?"),
        ("action=zzzz", "There is no action 'zzzz'."),
        ("decision=denied", "No entry has the decision 'denied'; did you mean deny?"),
        ("decision=confirmed", None),
        ("actor=nobody", None),
        ("action=view.re", None),
        ("action=grant&dataset=prod/orders", None),
    ],
)
def test_what_there_is_not_is_noted(weir: ApiWorld, asked: str, note: str | None) -> None:
    answer = weir.admin.get(f"/api/v1/audit?{asked}").json()
    assert (answer["entries"], answer["note"]) == ([], note)


def test_entries_of_a_dataset_that_is_gone_need_no_note(weir: ApiWorld) -> None:
    answer = weir.admin.get("/api/v1/audit?target=prod/gone").json()
    assert [entry["actor"] for entry in answer["entries"]] == ["ana"] and answer["note"] is None


@pytest.mark.parametrize("door", ["audit", "audit/export"])
def test_a_time_that_ends_before_it_begins_is_refused(weir: ApiWorld, door: str) -> None:
    asked = {"since": "2026-03-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"}
    refused = weir.admin.get(f"/api/v1/{door}", params=asked)
    assert refused.status_code == 400
    assert refused.json()["error"]["message"] == "until is before since, so no entry can fit; swap them."
