"""What any `HeadPublisher` must do: in memory, and on a real Kafka."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from confluent_kafka.admin import AdminClient, ConfigResource

from catalog.errors import Unavailable
from policies.adapters.kafka.audit_head import KafkaHeadPublisher
from policies.audit.log import AuditLog
from policies.audit.ports import AuditHead, HeadPublisher
from tests.twins.policies.stores import MemoryAuditStore, MemoryHeadPublisher


@pytest.fixture(params=["memory", pytest.param("kafka", marks=pytest.mark.integration)])
def another(request: pytest.FixtureRequest) -> Iterator[Callable[[], HeadPublisher]]:
    """Gives publishers to one and the same place, as several processes would have."""
    if request.param == "memory":
        shared = MemoryHeadPublisher()
        yield lambda: shared
        return
    server, topic = request.getfixturevalue("stack").kafka, f"_policies_test_{uuid4().hex[:10]}"
    publishers: list[KafkaHeadPublisher] = []

    def make() -> HeadPublisher:
        publishers.append(KafkaHeadPublisher(server, topic))
        return publishers[-1]

    yield make
    for publisher in publishers:
        publisher.close()
    admin = AdminClient({"bootstrap.servers": server})
    if topic in admin.list_topics(timeout=10).topics:
        admin.delete_topics([topic])[topic].result(10)


def test_nothing_is_there_at_first(another: Callable[[], HeadPublisher]) -> None:
    assert another().newest() == []


def test_what_one_publishes_another_reads(another: Callable[[], HeadPublisher]) -> None:
    writer = another()
    heads = [AuditHead("a", 1, "x"), AuditHead("a", 2, "y"), AuditHead("b", 1, "z")]
    for head in heads:
        writer.publish(head)
    assert writer.newest() == heads
    assert another().newest() == heads


def test_a_cut_tail_is_found_by_another_process(another: Callable[[], HeadPublisher]) -> None:
    store = MemoryAuditStore()
    log = AuditLog(store, lambda: datetime(2026, 1, 1, tzinfo=UTC), another())
    for _ in range(5):
        log.record("ana", "query", "prod/orders")
    assert log.verify().holds and log.verify().head_checked
    del store.rows[3:]
    store.noted = AuditHead(store.noted.chain, 3, store.rows[-1].hash)
    verification = AuditLog(store, lambda: datetime(2026, 1, 1, tzinfo=UTC), another()).verify()
    assert not verification.holds and verification.first_bad == 4


@pytest.mark.integration
def test_the_topic_is_compacted(another: Callable[[], HeadPublisher]) -> None:
    publisher = another()
    publisher.publish(AuditHead("a", 1, "x"))
    assert publisher.newest()
    if isinstance(publisher, KafkaHeadPublisher):
        admin = AdminClient({"bootstrap.servers": publisher._bootstrap})
        resource = ConfigResource(ConfigResource.Type.TOPIC, publisher._topic)
        assert admin.describe_configs([resource])[resource].result(10)["cleanup.policy"].value == "compact"


@pytest.mark.tail
def test_a_broker_that_is_away_holds_nobody_up() -> None:
    publisher = KafkaHeadPublisher("127.0.0.1:1", "_policies_test", {"message.timeout.ms": "100"})
    publisher.publish(AuditHead("a", 1, "x"))
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1"):
        publisher.newest()
