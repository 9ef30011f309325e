"""A dataset whose name has a `*`: grants take that for any text, so a request for it alone must open nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from policies.access_request import AccessRequest
from policies.requests.records import RequestRecords
from tests.api_world import ApiWorld, orders, world

API = "/api/v1"
DOMAIN = """
apiVersion: weir/v1
kind: Domain
metadata: {name: hr}
spec: {datasets: ["prod/hr.*"], admins: {users: [ada]}, stewards: {users: [stan]}}
---
apiVersion: weir/v1
kind: Workflow
metadata: {name: glass}
spec:
  match: {datasets: ["*"]}
  stages: [{name: owner, approvers: {owners: true}}]
  breakGlass: {subjects: {users: [mallory]}, maxDuration: 1h, review: {users: [ada]}, reviewWithin: 1d}
"""


def run(name: str) -> dict[str, Any]:
    """What a job reports that reads a topic of that name."""
    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-27T00:00:00Z",
        "run": {"runId": "6f0c4c8e-0f0d-4d5a-9a57-2f0b3b0a7a11"},
        "job": {"namespace": "ns", "name": "job"},
        "inputs": [{"namespace": "kafka://localhost:9092", "name": name}],
        "outputs": [],
        "producer": "https://example.com/job",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    }


@pytest.fixture
def weir(tmp_path: Path) -> Any:
    with world(tmp_path, {"hr.pay": orders(5)}) as running:
        running.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["hr.pay"])
        running.apply(DOMAIN)
        yield running


@pytest.mark.parametrize("name", ["*", "hr.*", "h*"])
def test_a_name_that_a_job_reports_is_no_pattern_of_a_grant(weir: ApiWorld, name: str) -> None:
    assert weir.admin.post(f"{API}/lineage", json=run(name)).status_code == 201
    weir.fold()
    assert f"prod/{name}" in {each["reference"] for each in weir.admin.get(f"{API}/datasets").json()["datasets"]}
    mallory = weir.user("mallory")
    one, wish = {"dataset": f"prod/{name}"}, {"fields": ["*"], "purpose": "x", "reason": "an incident at night"}
    for door, what in (("", one), ("/break-glass", one), ("/bundle", {"datasets": list(one.values())})):
        refused = mallory.post(f"{API}/access-requests{door}", json={**what, **wish})
        assert refused.status_code == 400 and "has a * in its name" in refused.text, refused.text
    assert mallory.get(f"{API}/grants").json()["grants"] == []


def test_nobody_declares_such_a_dataset(weir: ApiWorld) -> None:
    text = (
        "apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: 'hr.*', cluster: prod}\nspec: {owners: [{user: olga}]}\n"
    )
    for client in (weir.user("ada"), weir.user("stan"), weir.admin):
        refused = client.post(f"{API}/apply", content=text.encode())
        assert refused.status_code == 400 and "it has no *" in refused.text


def test_a_request_from_before_is_not_approved(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    wish = {"dataset": "prod/hr.pay", "fields": ["*"], "purpose": "x"}
    request = weir.user("mallory").post(f"{API}/access-requests", json=wish).json()
    written = RequestRecords.grant

    def as_if_starred(self: RequestRecords, request: AccessRequest, *more: Any) -> None:
        object.__setattr__(request, "dataset", "prod/*")
        written(self, request, *more)

    monkeypatch.setattr(RequestRecords, "grant", as_if_starred)
    refused = weir.admin.post(f"{API}/access-requests/{request['id']}/approve", json={})
    assert refused.status_code == 409 and "deny the request" in refused.text
    assert weir.admin.get(f"{API}/grants").json()["grants"] == []
