"""Events through the whole application, over memory twins: what scans report, who may read it, webhooks as declared."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.features.scans.runner import ScanRunner
from api.processes.worker import upkeep
from catalog.errors import Unavailable
from catalog.events.deliveries import Deliveries
from catalog.events.events import Events
from catalog.ports import CatalogStore
from catalog.scans.scans import Scans
from catalog.scans.schedules import Schedules
from catalog.search.service import Search
from policies.requests.grant_notices import GrantNotices
from scanners.model import RawRecord
from tests.api_world import ApiWorld, orders, record, world

HOOK = """
apiVersion: weir/v1
kind: Webhook
metadata: {name: ops}
spec: {url: "%s", types: ["schema.*"], secret: {env: WEIR_SECRET_HOOK}}
"""


class Topic:
    """Receives what the Kafka topic would."""

    name = "kafka"
    since = None
    at_once = 500
    lasting = True

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def wants(self, event: Any) -> bool:
        return True

    def tell(self, events: Any) -> None:
        self.heard += events


@pytest.fixture
def topics() -> dict[str, list[RawRecord]]:
    """The records of the world's cluster, which a test may change."""
    return {"orders": orders(50)}


@pytest.fixture
def weir(tmp_path: Path, topics: dict[str, list[RawRecord]]) -> Iterator[ApiWorld]:
    with world(tmp_path, topics) as opened:
        yield opened


def told(weir: ApiWorld, **params: Any) -> list[dict[str, Any]]:
    answer = weir.admin.get("/api/v1/events", params=params)
    assert answer.status_code == 200, answer.text
    events: list[dict[str, Any]] = answer.json()["events"]
    return events


def test_a_changed_producer_is_told_with_the_place(weir: ApiWorld, topics: dict[str, list[RawRecord]]) -> None:
    weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
    assert [e["type"] for e in told(weir, after=0)] == [
        "weir.dataset.discovered",
        "weir.schema.discovered",
        "weir.classification.suggested",
        "weir.scan.finished",
    ]
    later = [record({"order_id": 50 + n, "region": "EU", "coupon": "C"}, key=f"k{n}", offset=50 + n) for n in range(50)]
    topics["orders"] += later
    weir.scan(cluster="prod", topics=["orders"], sample={"strategy": "since-last"})
    (changed,) = told(weir, type="schema.changed")
    assert changed["subject"] == "prod/orders" and changed["data"]["version"] == 2
    changes = {(c["change"], c["path"]): c for c in changed["data"]["changes"]}
    assert changes["added", "value.coupon"]["firstSeen"]["offset"] == 50
    assert changes["type", "value.order_id"]["firstSeen"]["offset"] == 50
    assert changes["type", "value.order_id"]["how"] == "widened"
    assert changes["presence", "value.customer"]["how"] == "now optional"
    assert "mail.example.com" not in str(told(weir))
    diff = weir.admin.get("/api/v1/datasets/prod/orders/schema/diff").json()
    assert {(c["change"], c["path"]) for c in diff["changes"]} == changes.keys()
    assert diff["lookedAt"]["to"]["partitions"][0]["last"] == 99


def test_events_are_read_on_from_where_one_stopped(weir: ApiWorld) -> None:
    for n in range(5):
        weir.services[Events].emit("scan.started", f"s{n}")
    first = weir.admin.get("/api/v1/events", params={"after": 0, "limit": 2}).json()
    assert [e["subject"] for e in first["events"]] == ["s0", "s1"]
    rest = weir.admin.get("/api/v1/events", params={"after": first["next"]}).json()
    assert [e["subject"] for e in rest["events"]] == ["s2", "s3", "s4"]
    assert weir.admin.get("/api/v1/events", params={"after": rest["next"]}).json() == {
        "events": [],
        "next": rest["next"],
    }
    assert [e["subject"] for e in told(weir, limit=1)] == ["s4"]


def test_what_people_did_is_for_auditors(weir: ApiWorld) -> None:
    weir.services[Events].emit("access.requested", "prod/orders")
    weir.services[Events].emit("schema.changed", "prod/orders")
    someone = weir.user("ana")
    assert [e["type"] for e in someone.get("/api/v1/events").json()["events"]] == ["weir.schema.changed"]
    assert len(told(weir)) == 2
    assert someone.get("/api/v1/events/deliveries").status_code == 403
    assert weir.anonymous().get("/api/v1/events").status_code == 401


def test_bad_questions(weir: ApiWorld) -> None:
    for params in ({"since": "yesterday"}, {"after": "-1"}, {"limit": "0"}):
        answer = weir.admin.get("/api/v1/events", params=params)
        assert answer.status_code == 400 and answer.json()["error"]["code"] == "invalid_input"


def test_a_failed_scan_is_told(weir: ApiWorld, topics: dict[str, list[RawRecord]]) -> None:
    weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
    started = weir.admin.post("/api/v1/scans", json={"cluster": "prod", "topics": ["orders"]}).json()
    topics.clear()
    weir.services[ScanRunner].run_next()
    (failed,) = told(weir, type="scan.failed")
    assert failed["subject"] == started["id"] and "orders" in failed["data"]["problem"]


def test_a_webhook_is_declared_and_its_receiver_appears(weir: ApiWorld) -> None:
    weir.apply(HOOK % "https://hooks.example.com/a")
    assert "hooks.example.com" in weir.admin.get("/api/v1/declared/webhooks").text
    weir.services[Deliveries].step(wait=True)
    names = [d["receiver"] for d in weir.admin.get("/api/v1/events/deliveries").json()["deliveries"]]
    assert "webhook:ops" in names


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/x", "http://[::1]:9000", "http://localhost/", "ftp://a.example", "https://u:p@a.example/"]
)
def test_webhooks_to_the_inside_are_refused_when_declared(weir: ApiWorld, url: str) -> None:
    answer = weir.admin.post("/api/v1/apply", content=(HOOK % url).encode())
    assert answer.status_code == 400
    assert "u:p" not in answer.text


def test_a_waiting_scan_that_is_cancelled_is_told(weir: ApiWorld) -> None:
    asked = weir.admin.post("/api/v1/scans", json={"bootstrapServers": "localhost:9092", "cluster": "prod"}).json()
    assert weir.admin.post(f"/api/v1/scans/{asked['id']}/cancel").json()["state"] == "cancelled"
    (cancelled,) = told(weir, type="scan.cancelled")
    assert cancelled["subject"] == asked["id"] and cancelled["data"]["cluster"] == "prod"
    assert weir.admin.post(f"/api/v1/scans/{asked['id']}/cancel").status_code == 409
    assert len(told(weir, type="scan.cancelled")) == 1


def test_a_scan_that_goes_on_after_its_worker_died_keeps_what_it_had_to_say(
    weir: ApiWorld, topics: dict[str, list[RawRecord]]
) -> None:
    broken = RawRecord(None, b'{"a":', [], 0, 95, 1_760_000_000_000)
    whole = [RawRecord(None, b'{"a":1}', [], 0, n, 1_760_000_000_000) for n in range(95)]
    topics["bad"] = [*whole, broken]
    asked = {"cluster": "prod", "topics": ["bad", "orders"]}
    first = weir.scan(bootstrapServers="localhost:9092", **asked)
    assert [p["dataset"] for p in first["problems"]] == ["bad"]
    again = weir.admin.post("/api/v1/scans", json=asked).json()["id"]
    scans, store = weir.services[Scans], weir.services[CatalogStore]
    assert scans.claim("dead") is not None
    done = [row for row in first["datasets"] if row["name"] == "bad"]
    lost = {"dataset": "orders", "message": "of a topic that is read again"}
    scans.report(again, "dead", datasets=done, problems=[*first["problems"], lost])
    store.update_scan(again, {"heartbeat_at": datetime.now(UTC) - timedelta(hours=1)})
    assert weir.services[ScanRunner].run_next()
    over = weir.admin.get(f"/api/v1/scans/{again}").json()
    assert over["state"] == "done" and {row["name"] for row in over["datasets"]} == {"bad", "orders"}
    assert over["problems"] == first["problems"]


def test_upkeep_does_all_its_duties_whatever_became_of_the_others(
    weir: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def duty(name: str, error: Exception | None = None) -> Any:
        def do(*_: Any) -> None:
            done.append(name)
            if error is not None:
                raise error

        return do

    services = weir.services
    monkeypatch.setattr(services[Search], "reindex_dirty", duty("index", Unavailable("The index is away.")))
    monkeypatch.setattr(services[Events], "prune", duty("prune", ValueError("first")))
    monkeypatch.setattr(services[GrantNotices], "step", duty("notices"))
    monkeypatch.setattr(services[Schedules], "request_due", duty("schedules"))
    with pytest.raises(ValueError, match="first"):
        upkeep(services)
    assert done == ["schedules", "prune", "notices", "index"]
