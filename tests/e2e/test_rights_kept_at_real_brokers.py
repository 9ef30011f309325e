"""Rights kept at a real Kafka with an authorizer: an ordinary consumer reads while it is granted, and is refused when that ends."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from catalog.broker_acls import BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.records import ClusterRecord
from policies.adapters.stores.rights_ledger import SqlRightsLedger
from policies.broker_rights.applying import Applying
from policies.broker_rights.changes import Action, Change, ChangeKind
from policies.broker_rights.ledger import OWNED, Apply, ApplyState
from policies.broker_rights.watch import RightsWatch
from tests.api_world import ApiWorld, orders, world
from tests.secured_kafka import APP, USER, SecuredKafka, secured_kafka
from tests.twins.catalog.broker_acls import Killed

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.secured]

DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092", authorizer: {superUsers: ["User:weir"]}}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mails}
spec: {type: mask, match: {tags: [PII]}, mask: {type: MASK_HASH}}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: shop}
spec: {}
---
apiVersion: weir/v1
kind: Principal
metadata: {name: shop}
spec:
  principals: ["User:app"]
  subject: {serviceAccount: shop}
  consumerGroups: ["shop-*"]
"""
GRANT = """
apiVersion: weir/v1
kind: Grant
metadata: {{name: {name}}}
spec: {{subject: {{user: shop}}, dataset: prod/orders, purpose: audit, unmask: ["*"], status: approved,
  validFrom: "2026-01-01T00:00:00Z", validTo: "{end}"}}
"""
WITHIN_S = 5.0


class SignedIn:
    """ACLs of the real brokers, whatever address the document of the cluster names; ends after so many requests."""

    def __init__(self, kafka: SecuredKafka, ends_after: int | None = None) -> None:
        from catalog.adapters.kafka.broker_acls import KafkaAcls

        own = {key: value for key, value in kafka.client(USER).items() if key != "bootstrap.servers"}
        self._settings, self._bootstrap, self._acls = {"own": own}, [kafka.scram], KafkaAcls(timeout_s=20)
        self.left = ends_after

    def read(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> BrokerAcls:
        return self._acls.read(self._settings, self._bootstrap)

    def create(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], acls: Sequence[BrokerAcl]
    ) -> Mapping[BrokerAcl, str]:
        return self._counted(self._acls.create, acls)

    def delete(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], acls: Sequence[BrokerAcl]
    ) -> Mapping[BrokerAcl, str]:
        return self._counted(self._acls.delete, acls)

    def _counted(
        self, call: Callable[..., Mapping[BrokerAcl, str]], acls: Sequence[BrokerAcl]
    ) -> Mapping[BrokerAcl, str]:
        if self.left == 0:
            raise Killed
        self.left = self.left - 1 if self.left is not None else None
        return call(self._settings, self._bootstrap, acls)


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredKafka]:
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    with secured_kafka(tmp_path_factory.mktemp("kept"), authorizer=True) as running:
        admin = AdminClient(running.client())
        admin.create_topics([NewTopic("orders", 1)])["orders"].result(30)
        producer = Producer(running.client())
        producer.produce("orders", json.dumps({"mail": "p@example.org"}).encode())
        assert producer.flush(30) == 0
        yield running


@pytest.fixture(scope="module")
def weir(kafka: SecuredKafka, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    folder: Path = tmp_path_factory.mktemp("weir")
    acls = SignedIn(kafka)
    with world(folder, {"orders": orders(50)}, acl_reader=acls, acl_writer=acls) as opened:
        opened.apply(DECLARED)
        opened.scan(cluster="prod", topics=["orders"])
        yield opened


@pytest.fixture(scope="module")
def worker(weir: ApiWorld) -> Iterator[RightsWatch]:
    """The duty of the worker, every second as there."""
    watch, stop = weir.services[RightsWatch], threading.Event()

    def repeat() -> None:
        while not stop.is_set():
            watch.step()
            stop.wait(1.0)

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    yield watch
    stop.set()
    thread.join(20)


def apply(weir: ApiWorld) -> dict[str, Any]:
    plan = weir.admin.get("/api/v1/rights/plan").json()
    answer = weir.admin.post("/api/v1/rights/apply", json={"plan": plan["id"]})
    assert answer.status_code == 200, answer.text
    done: dict[str, Any] = answer.json()
    assert (done["state"], done["problems"]) == ("done", [])
    return done


def until(consumer: Any, wanted: Callable[[Any], bool], within: float) -> float:
    """Seconds until a message or an error fits."""
    started = time.monotonic()
    while time.monotonic() - started < within:
        message = consumer.poll(0.1)
        if message is not None and wanted(message):
            return time.monotonic() - started
    raise AssertionError(f"nothing came in {within} s")


@pytest.mark.usefixtures("worker")
def test_an_ordinary_consumer_reads_while_granted_and_is_refused_when_the_grant_ends(
    kafka: SecuredKafka, weir: ApiWorld
) -> None:
    from confluent_kafka import Consumer, KafkaError, Producer

    producer = Producer(kafka.client())
    seconds: list[float] = []
    for round_ in range(5):
        end = datetime.now(UTC) + timedelta(hours=1)
        weir.apply(GRANT.format(name=f"g-{round_}", end=f"{end:%Y-%m-%dT%H:%M:%SZ}"))
        kinds = {each["kind"] for each in apply(weir)["counts"]}
        assert "topicRead" in kinds
        # Fetches that do not wait: the next one after the end of the grant is refused.
        consumer = Consumer(
            {
                **kafka.client(APP),
                "group.id": f"shop-{round_}",
                "auto.offset.reset": "earliest",
                "fetch.wait.max.ms": 100,
                "log_level": 0,
            }
        )
        try:
            consumer.subscribe(["orders"])
            until(consumer, lambda m: m.error() is None and b"@example.org" in m.value(), 60)
            gone = weir.admin.delete(f"/api/v1/declared/Grant/g-{round_}")
            assert gone.status_code == 200, gone.text
            seconds.append(
                until(
                    consumer,
                    lambda m: m.error() is not None and m.error().code() == KafkaError.TOPIC_AUTHORIZATION_FAILED,
                    30,
                )
            )
            producer.produce("orders", b"after the end")
            producer.flush(10)
            late = [m for m in (consumer.poll(0.2) for _ in range(10)) if m is not None and m.error() is None]
            assert late == []
        finally:
            consumer.close()
    print(f"refused after {sorted(round(each, 2) for each in seconds)} s")
    assert max(seconds) < WITHIN_S, seconds


@pytest.mark.tail
def test_an_acl_made_by_hand_is_reported(kafka: SecuredKafka, weir: ApiWorld, worker: RightsWatch) -> None:
    by_hand = BrokerAcl(Resource.TOPIC, Pattern.PREFIXED, "ord", "User:eve", "*", Operation.READ, True)
    SignedIn(kafka).create({}, [], [by_hand])
    deadline = time.monotonic() + 60
    while True:
        findings = weir.admin.get("/api/v1/rights/findings", params={"kind": "changedByHand"}).json()["findings"]
        if findings:
            break
        assert time.monotonic() < deadline, "the ACL made by hand is not reported"
        time.sleep(1)
    assert findings[0]["acls"] == [str(by_hand)]
    events = weir.admin.get("/api/v1/events", params={"type": "weir.rights.drift"}).json()["events"]
    assert str(by_hand) in events[0]["data"]["title"]
    assert by_hand in SignedIn(kafka).read({}, []).acls  # it is not Weir's, so it stays


@pytest.mark.tail
def test_a_plan_of_a_thousand_changes_killed_half_way_is_finished(kafka: SecuredKafka, weir: ApiWorld) -> None:
    acls = [
        BrokerAcl(Resource.TOPIC, Pattern.LITERAL, f"bulk-{n}", "User:bulk", "*", Operation.READ, True)
        for n in range(1000)
    ]
    changes = tuple(Change(Action.CREATE, ChangeKind.TOPIC_READ, acl, "A test.") for acl in acls)
    ledger: SqlRightsLedger = weir.services[RightsWatch]._ledger  # type: ignore[assignment]  # noqa: SLF001
    record = ClusterRecord("bulk", "kafka://bulk", ("localhost:9092",))
    start = datetime.now(UTC)
    apply = Apply("bulk", record.namespace, "bulk", "p", ApplyState.RUNNING, "admin", start, changes)
    first = Applying(SignedIn(kafka, ends_after=5), ledger, lambda: datetime.now(UTC))
    runner = first.begin(apply, 0)
    with pytest.raises(Killed):
        first.run(apply, runner, record, ())
    live = set(SignedIn(kafka).read({}, []).acls)
    assert len(live & set(acls)) == 500
    (kept,) = ledger.applies(record.namespace, [ApplyState.RUNNING])
    assert kept.done == 500
    next_ = Applying(SignedIn(kafka), ledger, lambda: datetime.now(UTC) + timedelta(minutes=1))
    done = next_.run(kept, next_.claim(kept), record, live)
    assert (done.state, done.done, done.problems) == (ApplyState.DONE, 1000, ())
    deadline = time.monotonic() + 20
    while not set(acls) <= set(SignedIn(kafka).read({}, []).acls):
        assert time.monotonic() < deadline, "the brokers do not list the ACLs"
    assert set(ledger.entries(record.namespace, OWNED)) == set(acls)
