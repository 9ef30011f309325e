"""Quality over HTTP and on the command line: scans make series, who may see them, and marks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api_world import ApiWorld, orders, world

AT = "/api/v1/datasets/prod/orders"
CLUSTER = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: orders}
spec: {owners: [{user: olga}], quality: {sensitivity: high}}
---
apiVersion: weir/v1
kind: User
metadata: {name: olga}
spec: {email: olga@example.org}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {}
"""


@pytest.fixture
def topics() -> dict[str, Any]:
    return {"orders": orders(50)}


@pytest.fixture
def weir(tmp_path: Path, topics: dict[str, Any]) -> Iterator[ApiWorld]:
    with world(tmp_path, topics) as created:
        created.apply(CLUSTER)
        yield created


def scan(weir: ApiWorld) -> None:
    weir.scan(cluster="prod", topics=["orders"], sample={"strategy": "full"})


def series(answer: dict[str, Any]) -> dict[tuple[str | None, str], dict[str, Any]]:
    return {(each["path"], each["measure"]): each for each in answer["series"]}


def test_series_of_the_records_come_first_then_those_that_change(weir: ApiWorld, topics: dict[str, Any]) -> None:
    scan(weir)
    topics["orders"] += orders(80)[50:]
    scan(weir)
    listed = weir.admin.get(f"{AT}/quality?resolution=scan").json()["series"]
    values = [len({p["value"] for p in each["points"]}) for each in listed]
    of_records = [each["path"] is None for each in listed]
    assert of_records == sorted(of_records, reverse=True)
    changing = [number > 1 for number in values[sum(of_records) :]]
    assert any(changing)
    assert changing == sorted(changing, reverse=True)


def test_each_scan_adds_a_point_to_the_series_of_records_and_fields(weir: ApiWorld) -> None:
    before = weir.admin.get(f"{AT}/quality").json()
    assert (before["checkedAt"], before["series"], before["sensitivity"]) == (None, [], "high")
    scan(weir)
    scan(weir)
    answer = weir.admin.get(f"{AT}/quality", params={"resolution": "scan"}).json()
    assert answer["resolution"] == "scan"
    listed = series(answer)
    read = listed[None, "records"]
    assert (read["unit"], [each["value"] for each in read["points"]]) == ("records", [50.0, 50.0])
    assert [each["value"] for each in listed["value.order_id", "distinct"]["points"]] == [
        pytest.approx(50, rel=0.2),
        pytest.approx(50, rel=0.2),
    ]  # an estimate, keyed by a salt of each scan
    assert listed["value.order_id", "nulls"]["usual"] is None  # two scans are no history
    assert {each["measure"] for each in answer["series"]} >= {"lateness", "nulls", "presence", "distinct"}
    hourly = series(weir.admin.get(f"{AT}/quality").json())[None, "records"]["points"]
    assert [(each["value"], each["at"].endswith(":00:00Z")) for each in hourly] == [(50.0, True)]
    one = weir.admin.get(f"{AT}/quality", params={"path": "value.customer", "measure": "nulls"}).json()
    assert {each["path"] for each in one["series"]} == {
        "value.customer",
        "value.customer.email",
        "value.customer.name",
    }
    whole = weir.admin.get(f"{AT}/quality", params={"path": ""}).json()
    assert {each["path"] for each in whole["series"]} == {None}
    assert weir.admin.get(f"{AT}/anomalies").json() == {
        "dataset": "prod/orders",
        "anomalies": [],
        "withheldAnomalies": 0,
    }


def test_who_may_not_see_figures_gets_their_number(weir: ApiWorld) -> None:
    scan(weir)
    everything = weir.admin.get(f"{AT}/quality").json()
    assert weir.user("olga").get(f"{AT}/quality").json()["total"] == everything["total"]
    other = weir.user("ana").get(f"{AT}/quality").json()
    assert (other["series"], other["withheldSeries"]) == ([], everything["total"])
    assert other["withheld"] == ["rows"]
    for asked in ("quality", "anomalies"):
        assert weir.admin.get(f"/api/v1/datasets/prod/nothing/{asked}").status_code == 404


def test_owners_and_those_who_scan_mark_a_time(weir: ApiWorld) -> None:
    answer = weir.user("olga").post(f"{AT}/quality/marks", json={"kind": "deploy", "note": "orders 2.0"})
    assert answer.status_code == 201
    assert (answer.json()["kind"], answer.json()["markedBy"]) == ("deploy", "olga")
    assert weir.admin.get(f"{AT}/quality").json()["marks"] == [answer.json()]
    refused = weir.user("ana").post(f"{AT}/quality/marks", json={"kind": "deploy"})
    assert refused.status_code == 403
    backwards = {"kind": "replay", "startsAt": "2026-03-02T00:00:00Z", "endsAt": "2026-03-01T00:00:00Z"}
    refusal = weir.admin.post(f"{AT}/quality/marks", json=backwards)
    assert (refusal.status_code, "ends after it starts" in refusal.json()["error"]["message"]) == (400, True)
    assert weir.admin.post(f"{AT}/quality/marks", json={"kind": "holiday"}).status_code == 400


def test_a_mark_is_taken_back_by_those_who_may_mark(weir: ApiWorld) -> None:
    later = {"kind": "replay", "endsAt": "2100-01-01T00:00:00Z", "startsAt": "2099-12-31T00:00:00Z"}
    wrong, right = (
        weir.admin.post(f"{AT}/quality/marks", json=each).json()["id"] for each in (later, {"kind": "deploy"})
    )
    assert weir.user("ana").delete(f"{AT}/quality/marks/{wrong}").status_code == 403
    assert weir.user("olga").delete(f"{AT}/quality/marks/{wrong}").json() == {"id": wrong, "removed": True}
    assert [each["id"] for each in weir.admin.get(f"{AT}/quality").json()["marks"]] == [right]
    again = weir.admin.delete(f"{AT}/quality/marks/{wrong}")
    assert (again.status_code, "has no mark" in again.json()["error"]["message"]) == (404, True)
    actions = [each["action"] for each in weir.admin.get("/api/v1/audit").json()["entries"]]
    assert actions.count("quality.unmark") == 1
