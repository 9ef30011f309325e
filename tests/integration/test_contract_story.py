"""A contract from its first line to its fix, on a real Kafka: written by scans, promised, broken by a producer, repaired."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.config.settings import Settings
from api.features.contracts.checker import NewRecordChecker
from api.features.notifications.service import Notify
from api.joins.connections import Connections
from api.joins.incident_notes import incident_notes
from catalog.contracts.new_records import NewRecordContracts
from catalog.contracts.service import Contracts
from catalog.datasets.clusters import Clusters
from catalog.events.deliveries import Deliveries
from catalog.incidents.service import Incidents
from catalog.ports import CatalogStore
from catalog.search.service import Search
from scanners.model import RawRecord
from scanners.scan.new_records import NewRecords
from tests.api_world import ApiWorld, world
from tests.features.contracts.test_new_records import changed, good
from tests.mail_server import MailServer, mail_server, plain
from tests.twins.scanners import MemoryRegistry
from tests.unit.api.cli.test_cli import Weir, home, weir  # noqa: F401

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

PEOPLE = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "%s"}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: %s}
spec: {owners: [{user: olga}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: olga}
spec: {email: olga@example.com}
"""
BEFORE, BAD = 50, (63, 64, 71)
"""Records before the contract, and the offsets of those that break it."""


@pytest.fixture
def topic(stack: Any) -> Iterator[str]:
    from confluent_kafka.admin import AdminClient, NewTopic

    name, admin = f"story-{uuid.uuid4().hex[:8]}", AdminClient({"bootstrap.servers": stack.kafka})
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(30)
    yield name
    admin.delete_topics([name])[name].result(30)


@pytest.fixture
def mails() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture
def served(home: Path, topic: str, mails: MailServer) -> Iterator[ApiWorld]:  # noqa: F811
    settings = Settings()
    settings.notify.smtp_host, settings.notify.smtp_port = "127.0.0.1", mails.port
    settings.notify.smtp_security, settings.notify.sender = "none", "weir@weir.example.com"
    with world(home, {topic: [good(n) for n in range(BEFORE)]}, settings=settings) as created:
        yield created


@pytest.fixture
def send(stack: Any, topic: str) -> Callable[..., None]:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": stack.kafka})

    def send(*records: RawRecord) -> None:
        for each in records:
            producer.produce(topic, key=each.key, value=each.value, headers=list(each.headers))
        assert producer.flush(30) == 0

    return send


def checker_of(served: ApiWorld) -> NewRecordChecker:
    """As the worker has it, on the real brokers."""
    from scanners.adapters.kafka.offsets import KafkaOffsets
    from scanners.adapters.kafka.records import KafkaRecords

    def clock() -> datetime:
        return datetime.now(UTC)

    contracts = NewRecordContracts(served.services[CatalogStore], clock, served.services[Contracts])
    looks = NewRecords(KafkaRecords(), KafkaOffsets(), MemoryRegistry())
    return NewRecordChecker(
        served.services[CatalogStore], contracts, looks, served.services[Connections], clock, monotonic=_every_minute()
    )


def _every_minute() -> Callable[[], float]:
    """A clock on which a minute passes each time that it is read, so that each step of the checker is due."""
    minutes = iter(range(10**6))
    return lambda: 60.0 * next(minutes)


def deliver(served: ApiWorld) -> None:
    """What the worker does all the time."""
    served.services[Search].reindex_dirty()
    while served.services[Deliveries].step(wait=True):
        pass
    while served.services[Notify].sender.step():
        pass


def test_from_the_first_contract_to_the_fix(
    served: ApiWorld,
    weir: Weir,  # noqa: F811
    topic: str,
    send: Callable[..., None],
    mails: MailServer,
    stack: Any,
    tmp_path: Path,
) -> None:
    dataset = f"prod/{topic}"
    send(*(good(n) for n in range(BEFORE)))
    served.apply(PEOPLE % (stack.kafka, topic))
    served.scan(cluster="prod", topics=[topic])

    # A contract is written of what the scan saw, edited and promised.
    written = weir("contract", "init", dataset)
    assert written.code == 0, written.err
    document = yaml.safe_load(written.out)
    spec = document["spec"]
    assert spec["status"] == "draft"
    spec["status"] = "active"
    spec["schema"][0]["customProperties"].append({"property": "checkEvery", "value": "1m"})
    (tmp_path / "contract.yaml").write_text(yaml.safe_dump(document))
    applied = weir("apply", "-f", str(tmp_path / "contract.yaml"))
    assert applied.code == 0, applied.err
    name = document["metadata"]["name"]
    checker = checker_of(served)
    checker.step()
    deliver(served)
    assert checker.problems == {}
    assert "No incident." in weir("incident", "list").out
    assert (weir("contract", "check", name).code, mails.mails) == (0, [])

    # A producer changes a type.
    records = [good(n) for n in range(BEFORE, BEFORE + 50)]
    send(*(changed(each, amount=str(n)) if (n := each.offset) in BAD else each for each in records))
    checker.step()
    deliver(served)
    (event,) = events(served, "weir.contract.broken")
    assert (event["rule"], event["count"]) == ("value.amount:type", len(BAD))
    assert (event["first"]["partition"], event["first"]["offset"]) == (0, BAD[0])
    assert (event["last"]["partition"], event["last"]["offset"]) == (0, BAD[-1])
    assert [str(n) for n in BAD if f'"{n}"' in json.dumps(event)] == []
    (incident,) = json.loads(weir("incident", "list", "--dataset", dataset, "-o", "json").out)["incidents"]
    assert (incident["state"], incident["title"]) == ("open", "value.amount is int64")

    # Its owner receives a mail; who looks for it, or at it, or queries it, is shown that it is broken.
    [(to, mail)] = mails.wait(1)
    assert to == ["olga@example.com"]
    assert f"Incident opened: {dataset}, which you own." in plain(mail)
    assert weir("contract", "check", name).code == 3
    hits = served.admin.get("/api/v1/search", params={"q": "is:broken"}).json()["hits"]
    assert [each["reference"] for each in hits] == [dataset]
    assert "1 incident" in served.admin.get(f"/api/v1/datasets/{dataset}/badge.svg").text
    assert "weir_datasets_broken 1.0" in served.admin.get("/metrics").text
    (note,) = incident_notes(served.services[Incidents], served.services[Clusters])([dataset])
    assert note.startswith(f"{dataset} has an incident that is not resolved")

    # It is repaired.
    send(*(good(n) for n in range(BEFORE + 50, BEFORE + 100)))
    checker.step()
    deliver(served)
    shown = json.loads(weir("incident", "show", incident["id"], "-o", "json").out)
    assert (shown["state"], shown["resolution"], shown["records"]) == ("resolved", "recovered", len(BAD))
    assert len(events(served, "weir.contract.kept")) == 1
    assert weir("contract", "check", name).code == 0
    assert served.admin.get("/api/v1/search", params={"q": "is:broken"}).json()["hits"] == []
    assert "no incidents" in served.admin.get(f"/api/v1/datasets/{dataset}/badge.svg").text
    assert [to for to, _ in mails.wait(2)] == [["olga@example.com"], ["olga@example.com"]]


def events(served: ApiWorld, kind: str) -> list[dict[str, Any]]:
    """The data of all events of a kind."""
    answer = served.admin.get("/api/v1/events", params={"type": kind.removeprefix("weir.")}).json()
    return [each["data"] for each in answer["events"]]
