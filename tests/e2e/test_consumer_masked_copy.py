"""The story at a real Kafka with an authorizer: an ordinary consumer loses the raw topic, and reads the masked copy."""

from __future__ import annotations

import contextlib
import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.features.rights import client_try
from api.terminal.output import Format
from policies.broker_rights.copy_keeper import CopyKeeper
from policies.broker_rights.watch import RightsWatch
from tests.client_environment import programs
from tests.consumer_clients import Clients, Where
from tests.secured_kafka import APP, PASSWORD, USER, SecuredKafka, secured_kafka
from tests.view_world import ViewWorld, view_world

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.slow]

DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {{name: prod}}
spec:
  bootstrapServers: {address}
  security:
    tls: {{ca: {ca}}}
    sasl: {{mechanism: SCRAM-SHA-512, username: {user}, password: {{file: {password}}}}}
  authorizer: {{superUsers: ["User:{user}"]}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {{cluster: prod, name: orders}}
spec: {{owners: [{{user: otto}}]}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: mails}}
spec: {{type: mask, match: {{tags: [PII]}}, mask: {{type: MASK_HASH}}}}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {{name: shop}}
spec: {{owner: ana}}
---
apiVersion: weir/v1
kind: Principal
metadata: {{name: shop}}
spec: {{principals: ["User:app"], subject: {{serviceAccount: shop}}, consumerGroups: ["shop-*"]}}
"""
WAIT_S = 180.0


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredKafka]:
    from confluent_kafka.admin import AdminClient, NewTopic

    with secured_kafka(tmp_path_factory.mktemp("copies"), authorizer=True) as running:
        admin = AdminClient(running.client())
        admin.create_topics([NewTopic("orders", 1)])["orders"].result(30)
        send(running, range(50))
        yield running


def send(kafka: SecuredKafka, numbers: Any) -> None:
    from confluent_kafka import Producer

    producer = Producer(kafka.client())
    for number in numbers:
        producer.produce("orders", json.dumps({"id": number, "mail": f"p{number}@example.org"}).encode(), str(number))
    assert producer.flush(30) == 0


@pytest.fixture(scope="module")
def clients(stack: Any, tmp_path_factory: pytest.TempPathFactory) -> Clients:
    return Clients(stack.spark, programs(tmp_path_factory.mktemp("quix")) / "python")


@pytest.fixture(scope="module")
def world(secured: SecuredKafka, stack: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ViewWorld]:
    """A Weir over the secured Kafka and a real Spark, with its runner of views and the duty that keeps rights."""
    folder: Path = tmp_path_factory.mktemp("weir")
    password = secured.ca.parent / "password"
    password.write_text(PASSWORD + "\n")
    stop = threading.Event()
    with view_world(folder, stack, secrets=secured.ca.parent) as opened:
        opened.apply(DECLARED.format(address=secured.scram, ca=secured.ca, user=USER, password=password))
        opened.scan("orders")
        opened.run()
        services = opened.services

        def keep() -> None:
            while not stop.wait(1.0):
                services[RightsWatch].step()
                services[CopyKeeper].step()

        thread = threading.Thread(target=keep, daemon=True)
        thread.start()
        yield opened
        stop.set()
        thread.join(30)


def right(world: ViewWorld) -> dict[str, Any]:
    answer = world.user("ana").get("/api/v1/rights/consumer", params={"dataset": "prod/orders", "consumer": "shop"})
    assert answer.status_code == 200, answer.text
    given: dict[str, Any] = answer.json()
    return given


def until(look: Callable[[], dict[str, Any]], state: str) -> dict[str, Any]:
    deadline = time.monotonic() + WAIT_S
    while (shown := look())["state"] != state:
        assert time.monotonic() < deadline, shown
        time.sleep(0.5)
    return shown


def approved(world: ViewWorld, **part: Any) -> dict[str, Any]:
    body = {
        "dataset": "prod/orders",
        "purpose": "audit",
        "consumer": "shop",
        "until": (datetime.now(UTC) + timedelta(hours=1)).isoformat(),
    }
    request = world.user("ana").post("/api/v1/access-requests", json=body)
    assert request.status_code == 201, request.text
    done = world.user("otto").post(f"/api/v1/access-requests/{request.json()['id']}/approve", json=part)
    assert done.status_code == 200, done.text
    answer: dict[str, Any] = done.json()
    return answer


def first(consumer: Any, fits: Callable[[Any], bool], within: float = 60.0) -> Any:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        message = consumer.poll(0.1)
        if message is not None and fits(message):
            return message
    raise AssertionError("no such message")


@pytest.mark.tail
def test_a_consumer_loses_the_raw_topic_and_goes_on_with_the_masked_copy(
    secured: SecuredKafka, world: ViewWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from confluent_kafka import Consumer, KafkaError

    settings = {**secured.client(APP), "auto.offset.reset": "earliest", "fetch.wait.max.ms": 100, "log_level": 0}
    whole = approved(world)
    shown = until(lambda: right(world), "unmasked")
    raw = Consumer({**settings, "group.id": "shop-raw"})
    raw.subscribe(["orders"])
    assert b"@example.org" in first(raw, lambda m: m.error() is None).value()

    revoked = world.user("ana").delete(f"/api/v1/grants/{whole['grant']}")
    assert revoked.status_code == 200, revoked.text
    refusal = first(raw, lambda m: m.error() is not None and m.error().code() == KafkaError.TOPIC_AUTHORIZATION_FAILED)
    assert refusal is not None
    raw.close()

    approved(world, unmask=[])
    shown = until(lambda: right(world), "masked")
    copy = Consumer({**settings, "group.id": "shop-copy"})
    copy.subscribe([shown["topic"]])
    values = [json.loads(first(copy, lambda m: m.error() is None).value()) for _ in range(50)]
    assert {each["id"] for each in values} == set(range(50))
    assert not any("@example.org" in str(each) for each in values)
    send(secured, [50])  # the copy follows its topic
    assert json.loads(first(copy, lambda m: m.error() is None).value())["id"] == 50
    copy.close()
    findings = world.admin.get("/api/v1/rights/findings", params={"kind": "rawReadWithoutGrant"}).json()
    assert findings["findings"] == []  # what a copy holds is granted to its readers
    assert world.admin.get("/api/v1/rights/plan").json()["changes"] == []

    proven(secured, world, shown, tmp_path, monkeypatch)


@pytest.mark.tail
def test_every_client_reads_the_copy_by_the_configuration_that_it_gets(
    secured: SecuredKafka, world: ViewWorld, clients: Clients, tmp_path: Path
) -> None:
    if right(world)["state"] != "masked":
        approved(world, unmask=[])
    shown = until(lambda: right(world), "masked")
    environment = {"KAFKA_PASSWORD": PASSWORD, "KAFKA_CA": str(secured.ca)}
    where = Where(tmp_path, environment, {**secured.client(), "log_level": 0})
    every = clients.require(shown["clients"], where, shown["topic"], "orders", 50)
    assert all({json.loads(value)["id"] for value in values} == set(range(50)) for values in every)
    assert "@example.org" not in str(every)


def proven(
    secured: SecuredKafka, world: ViewWorld, shown: dict[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration that Weir hands out connects, and `weir rights try` shows what it may read."""
    from api.features.rights import consumer_commands

    file = folder / "client.properties"
    file.write_text(shown["clients"]["librdkafka"])
    assert PASSWORD not in file.read_text()
    environment = {"KAFKA_PASSWORD": PASSWORD, "KAFKA_CA": str(secured.ca)}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = client_try.read_settings(file, environment)
    assert client_try.try_topic(settings, "orders", shows=False).outcome == "refused"
    tried = client_try.try_topic(settings, shown["topic"], shows=True)
    assert tried.outcome == "read" and tried.value is not None and "@example.org" not in tried.value
    assert client_try.try_group(settings, shown["topic"]) is None

    class Api:
        def get(self, path: str, **parameters: Any) -> Any:
            return world.user("ana").get(path, params=parameters).json()

    monkeypatch.setattr(consumer_commands, "api", lambda user: Api())
    monkeypatch.setattr(consumer_commands, "whole_reference", lambda client, text: text)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):  # it ends by an exception where the brokers do otherwise than decided
        consumer_commands.try_consumer("prod/orders", "shop", file, Format.JSON)
    answer = json.loads(output.getvalue())
    assert [(each["topic"], each["outcome"]) for each in answer["tried"]] == [
        ("orders", "refused"),
        (shown["topic"], "read"),
    ]
