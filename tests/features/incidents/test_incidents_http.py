"""Incidents over HTTP: a producer breaks a contract, its owner is notified, a person looks after it, and it ends by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.features.incidents.downstream_notices import DownstreamNotices
from api.joins.incident_notes import incident_notes
from catalog.datasets.clusters import Clusters
from catalog.incidents.service import Incidents
from tests.api_world import ApiWorld, orders, prepared, record

AT = "/api/v1/incidents"
DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: orders}
spec: {owners: [{user: olga}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: analyst}
spec: {read: [{dataset: "*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: olga}
spec: {email: olga@example.org, roles: [analyst]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: User
metadata: {name: zoe}
spec: {}
"""
GOOD = {"order_id": "O-1", "customer": {"name": "A B", "email": "a@mail.example.com"}, "region": "EU"}
CONTRACT = {
    "apiVersion": "v3.1.0",
    "kind": "DataContract",
    "id": "orders",
    "name": "orders",
    "version": "1.0.0",
    "status": "active",
    "schema": [
        {
            "name": "orders",
            "properties": [{"name": "region", "logicalType": "string", "required": True}],
            "customProperties": [{"property": "dataset", "value": "prod/orders"}],
        }
    ],
}


DOWNSTREAM = """
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: report}
spec: {owners: [{user: ana}]}
"""
RUN = {
    "eventType": "COMPLETE",
    "eventTime": "2026-03-01T12:00:00Z",
    "producer": "https://example.org/producer",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json",
    "run": {"runId": "01890000-0000-7000-8000-000000000001"},
    "job": {"namespace": "jobs", "name": "report"},
    "inputs": [{"namespace": "kafka://localhost:9092", "name": "orders"}],
    "outputs": [{"namespace": "kafka://localhost:9092", "name": "report"}],
}


@pytest.fixture
def topics() -> dict[str, Any]:
    return {"orders": orders(50)}


@pytest.fixture
def weir(tmp_path: Path, topics: dict[str, Any]) -> Iterator[ApiWorld]:
    with prepared(tmp_path, topics, _state) as created:
        yield created


def _state(weir: ApiWorld) -> None:
    weir.apply(DECLARED)
    promise(weir)
    weir.scan(cluster="prod", topics=["orders"])


def promise(weir: ApiWorld, **more: Any) -> None:
    spec = {**CONTRACT, **more}
    document = {"apiVersion": "weir/v1", "kind": "Contract", "metadata": {"name": "orders"}, "spec": spec}
    weir.apply(yaml.safe_dump(document))


def broken(weir: ApiWorld, topics: dict[str, Any], start: int = 50, count: int = 5) -> dict[str, Any]:
    """The incident of records with a number for a region, beginning at an offset."""
    topics["orders"] += [record({**GOOD, "region": n}, offset=n) for n in range(start, start + count)]
    weir.scan(cluster="prod", topics=["orders"], sample={"strategy": "full"})
    (incident,) = listed(weir, state="open")
    return incident


def repaired(weir: ApiWorld, topics: dict[str, Any], start: int = 500) -> None:
    topics["orders"][:] = [record(GOOD, offset=n) for n in range(start, start + 50)]
    weir.scan(cluster="prod", topics=["orders"], sample={"strategy": "full"})


def listed(weir: ApiWorld, user: str = "admin", **query: Any) -> list[dict[str, Any]]:
    answer = (weir.admin if user == "admin" else weir.user(user)).get(AT, params=query)
    assert answer.status_code == 200, answer.text
    incidents: list[dict[str, Any]] = answer.json()["incidents"]
    return incidents


def test_a_breach_is_an_incident_until_a_scan_sees_the_rule_kept(weir: ApiWorld, topics: dict[str, Any]) -> None:
    assert listed(weir) == []
    incident = broken(weir, topics)
    assert (incident["dataset"], incident["source"], incident["rule"]) == ("prod/orders", "orders", "value.region:type")
    assert (incident["records"], incident["checks"], incident["field"]) == (5, 1, "value.region")
    assert (incident["first"]["partition"], incident["first"]["offset"]) == (0, 50)

    again = broken(weir, topics, 55, 3)
    assert (again["id"], again["checks"], again["records"]) == (incident["id"], 2, 8)

    repaired(weir, topics)
    (after,) = listed(weir)
    assert (after["state"], after["resolution"], after["resolvedBy"]) == ("resolved", "recovered", None)
    details = weir.admin.get(f"{AT}/{after['id']}").json()
    assert [each["kind"] for each in details["history"]] == ["opened", "resolved"]
    types = [
        each["type"] for each in weir.admin.get("/api/v1/events", params={"type": "weir.incident.*"}).json()["events"]
    ]
    assert sorted(types) == ["weir.incident.opened", "weir.incident.resolved"]
    linked = {each["event"] for each in details["history"]}
    contract = weir.admin.get("/api/v1/events", params={"type": "weir.contract.*"}).json()["events"]
    assert linked == {each["id"] for each in contract}


def test_an_owner_looks_after_it_and_others_only_look(weir: ApiWorld, topics: dict[str, Any]) -> None:
    id = broken(weir, topics)["id"]
    olga, ana = weir.user("olga"), weir.user("ana")
    assert ana.get(f"{AT}/{id}").json()["may"] == {"change": False}
    for method, path, body in (
        ("POST", "acknowledge", None),
        ("PUT", "assignee", {"user": "ana"}),
        ("POST", "comments", {"text": "x"}),
        ("POST", "resolve", {}),
    ):
        assert ana.request(method, f"{AT}/{id}/{path}", json=body).status_code == 403
    taken = olga.post(f"{AT}/{id}/acknowledge")
    assert (taken.status_code, taken.json()["state"]) == (200, "acknowledged")
    assert olga.put(f"{AT}/{id}/assignee", json={"user": "nobody-known"}).status_code == 400
    assert olga.put(f"{AT}/{id}/assignee", json={"user": "ana"}).json()["assignee"] == "ana"
    assert [each["id"] for each in listed(weir, assignee="ana")] == [id]
    assert ana.post(f"{AT}/{id}/comments", json={"text": "The producer is being changed."}).status_code == 200
    assert ana.post(f"{AT}/{id}/comments", json={"text": " "}).status_code == 400
    done = ana.post(f"{AT}/{id}/resolve", json={"resolution": "accepted", "text": "It is known."}).json()
    assert (done["state"], done["resolution"], done["resolvedBy"]) == ("resolved", "accepted", "ana")
    assert done["history"][-1] == {**done["history"][-1], "kind": "resolved", "by": "ana", "text": "It is known."}
    assert olga.post(f"{AT}/{id}/resolve", json={}).status_code == 409
    assert olga.post(f"{AT}/{id}/resolve", json={"resolution": "recovered"}).status_code == 400
    weir.scan(cluster="prod", topics=["orders"], sample={"strategy": "full"})
    assert listed(weir, state="open") == []  # it was accepted, and the same fault lasts


def test_who_may_not_know_a_dataset_knows_no_incident_of_it(weir: ApiWorld, topics: dict[str, Any]) -> None:
    id = broken(weir, topics)["id"]
    weir.apply(
        """
apiVersion: weir/v1
kind: Visibility
metadata: {name: orders}
spec: {match: {datasets: [prod/orders]}, existence: owners}
"""
    )
    ana = weir.user("ana")
    assert listed(weir, "ana") == []
    assert ana.get(f"{AT}/datasets").json() == {"datasets": []}
    gone = ana.get(f"{AT}/{'0' * 32}").json()
    assert ana.get(f"{AT}/{id}").status_code == 404
    assert ana.get(f"{AT}/{id}").json()["error"]["message"].replace(id, "0" * 32) == gone["error"]["message"]
    assert ana.post(f"{AT}/{id}/acknowledge").status_code == 404
    assert ana.get("/api/v1/datasets/prod/orders/badge.svg").status_code == 404
    assert weir.user("olga").get(f"{AT}/{id}").status_code == 200
    assert weir.user("olga").put(f"{AT}/{id}/assignee", json={"user": "ana"}).status_code == 400


def test_figures_are_left_out_for_who_may_not_read_the_rows(weir: ApiWorld, topics: dict[str, Any]) -> None:
    broken(weir, topics)
    (incident,) = listed(weir, "zoe")
    assert (incident["withheld"], incident["reason"], incident["records"], incident["first"]) == (True, "", None, None)
    history = weir.user("zoe").get(f"{AT}/{incident['id']}").json()["history"]
    assert [each["text"] for each in history] == [""]


def test_owners_downstream_are_notified_once_without_the_name_of_what_they_may_not_know(
    weir: ApiWorld, topics: dict[str, Any]
) -> None:
    weir.apply(DOWNSTREAM)
    weir.admin.post("/api/v1/lineage", json=RUN)
    weir.fold()
    id = broken(weir, topics)["id"]
    notices = weir.services[DownstreamNotices]
    notices.step()
    notices._done.clear()
    notices.step()
    events = weir.admin.get("/api/v1/events", params={"type": "weir.incident.affects"}).json()["events"]
    (event,) = events
    assert (event["subject"], event["data"]["people"], event["data"]["incident"]) == ("prod/report", ["ana"], id)
    assert "orders" not in str(event)
    details = weir.admin.get(f"{AT}/{id}").json()
    assert details["affected"] == ["prod/report"]
    assert [each["kind"] for each in details["history"]] == ["opened", "notified"]


def test_a_query_states_that_what_it_reads_has_an_incident(weir: ApiWorld, topics: dict[str, Any]) -> None:
    notes = incident_notes(weir.services[Incidents], weir.services[Clusters])
    assert notes(["prod/orders"]) == []
    broken(weir, topics)
    (note,) = notes(["prod/orders", "prod/other"])
    assert note.startswith("prod/orders has an incident that is not resolved, since 20")
    assert note.endswith(": weir incident list --dataset prod/orders.")
    assert "region" not in note


def test_broken_datasets_are_found_by_a_filter(weir: ApiWorld, topics: dict[str, Any]) -> None:
    def names() -> list[str]:
        answer = weir.admin.get("/api/v1/search", params={"q": "is:broken"}).json()
        return [each["reference"] for each in answer["hits"]]

    assert names() == []
    broken(weir, topics)
    assert names() == ["prod/orders"]
    repaired(weir, topics)
    assert names() == []


def test_a_badge_and_metrics_count_what_is_not_resolved(weir: ApiWorld, topics: dict[str, Any]) -> None:
    at = "/api/v1/datasets/prod/orders/badge.svg"
    before = weir.admin.get(at)
    assert before.headers["content-type"].startswith("image/svg+xml")
    assert "no incidents" in before.text
    broken(weir, topics)
    assert "1 incident" in weir.admin.get(at).text
    metrics = weir.admin.get("/metrics").text
    assert "weir_incidents_unresolved 1.0" in metrics
    assert "weir_datasets_broken 1.0" in metrics
    (dataset,) = weir.admin.get(f"{AT}/datasets").json()["datasets"]
    assert (dataset["dataset"], dataset["incidents"]) == ("prod/orders", 1)


@pytest.mark.parametrize("status", ["draft", "retired"])
def test_a_contract_that_promises_nothing_more_has_no_incident(
    weir: ApiWorld, topics: dict[str, Any], status: str
) -> None:
    broken(weir, topics)
    promise(weir, status=status)
    (incident,) = listed(weir)
    assert (incident["state"], incident["resolution"]) == ("resolved", "withdrawn")


def test_incidents_end_with_their_contract(weir: ApiWorld, topics: dict[str, Any]) -> None:
    broken(weir, topics)
    weir.admin.delete("/api/v1/declared/Contract/orders")
    (incident,) = listed(weir)
    assert (incident["state"], incident["resolution"]) == ("resolved", "withdrawn")
