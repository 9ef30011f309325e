"""A breach among 1,000 records a second on a real Kafka is an incident within a minute, at its offset."""

from __future__ import annotations

import json
import threading
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from api.features.contracts.checker import NewRecordChecker
from api.joins.connections import Connections
from catalog.contracts.new_records import NewRecordContracts
from catalog.contracts.service import Contracts
from catalog.incident_store import IncidentFilter
from catalog.ports import CatalogStore
from scanners.scan.new_records import NewRecords
from tests.api_world import world
from tests.features.contracts.test_new_records import DECLARED, changed, contract, good
from tests.twins.scanners import MemoryRegistry

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.timeout(300)]

PER_SECOND = 1000
BAD = 20_500
"""The record that breaks the contract: in the twenty-first second."""


@pytest.mark.tail
def test_a_breach_is_an_incident_within_a_minute(stack: Any, tmp_path: Path) -> None:
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    from scanners.adapters.kafka.offsets import KafkaOffsets
    from scanners.adapters.kafka.records import KafkaRecords

    name = f"checked-{uuid.uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(30)
    producer = Producer({"bootstrap.servers": stack.kafka, "linger.ms": 20})
    stop = threading.Event()
    sent_at: list[float] = []

    def produce() -> None:
        began = time.monotonic()
        for number in range(120 * PER_SECOND):
            record = good(number)
            if number == BAD:
                record = changed(record, region=7)
                sent_at.append(time.monotonic())
            producer.produce(name, key=record.key, value=record.value, headers=list(record.headers))
            if number % 100 == 0:
                producer.poll(0)
                stop.wait(max(0.0, began + number / PER_SECOND - time.monotonic()))
                if stop.is_set():
                    break
        producer.flush(30)

    try:
        with world(tmp_path, {name: [good(n) for n in range(50)]}) as weir:
            weir.apply(DECLARED.replace("localhost:9092", stack.kafka).replace("name: orders", f"name: {name}"))
            weir.scan(cluster="prod", topics=[name])
            weir.apply(contract().replace("prod/orders", f"prod/{name}"))
            store, connections = weir.services[CatalogStore], weir.services[Connections]

            def clock() -> datetime:
                return datetime.now(UTC)

            contracts = NewRecordContracts(store, clock, weir.services[Contracts])
            looks = NewRecords(KafkaRecords(), KafkaOffsets(), MemoryRegistry())
            checker = NewRecordChecker(store, contracts, looks, connections, clock)
            checker.step()
            thread = threading.Thread(target=produce, daemon=True)
            thread.start()
            incidents: list[Any] = []
            until = time.monotonic() + 150
            while not incidents and time.monotonic() < until:
                checker.step()
                incidents = store.incidents(IncidentFilter(), 10)
                time.sleep(0.5)
            seconds = time.monotonic() - sent_at[0]
            stop.set()
            thread.join(60)
        assert checker.problems == {}
        (incident,) = incidents
        assert incident.key.rule == "value.region:type"
        assert (incident.first.offset, incident.last.offset, incident.records) == (BAD, BAD, 1)
        assert seconds <= 60, f"it took {seconds:.1f} s"
        print(json.dumps({"seconds": round(seconds, 1)}))
    finally:
        stop.set()
        admin.delete_topics([name])[name].result(30)
