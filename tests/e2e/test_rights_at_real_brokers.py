"""An ordinary consumer that reads past Weir, on a real Kafka with an authorizer: seen in the rights, and gone with its ACL."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from catalog.broker_acls import BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from tests.api_world import ApiWorld, orders, world
from tests.secured_kafka import APP, USER, SecuredKafka, secured_kafka

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
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/*"}]}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: shop}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: Principal
metadata: {name: shop}
spec: {principals: ["User:app"], subject: {serviceAccount: shop}}
"""
READS = (
    BrokerAcl(Resource.TOPIC, Pattern.PREFIXED, "ord", f"User:{APP}", "*", Operation.READ, True),
    BrokerAcl(Resource.GROUP, Pattern.LITERAL, "shop-readers", f"User:{APP}", "*", Operation.READ, True),
)


class SignedIn:
    """Reads ACLs of the real brokers, whatever address the document of the cluster names."""

    def __init__(self, kafka: SecuredKafka) -> None:
        from catalog.adapters.kafka.broker_acls import KafkaAcls

        self._kafka, self._reader = kafka, KafkaAcls()

    def read(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> BrokerAcls:
        own = {key: value for key, value in self._kafka.client(USER).items() if key != "bootstrap.servers"}
        return self._reader.read({"own": own}, [self._kafka.scram])


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredKafka]:
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    with secured_kafka(tmp_path_factory.mktemp("rights"), authorizer=True) as running:
        admin = AdminClient(running.client())
        admin.create_topics([NewTopic("orders", 1)])["orders"].result(30)
        producer = Producer(running.client())
        for number in range(5):
            producer.produce("orders", json.dumps({"mail": f"p{number}@example.org"}).encode())
        assert producer.flush(30) == 0
        yield running


@pytest.fixture(scope="module")
def weir(kafka: SecuredKafka, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    from lineage.adapters.kafka.consumer_groups import KafkaGroups

    folder: Path = tmp_path_factory.mktemp("weir")
    groups = KafkaGroups(kafka.client())
    with world(folder, {"orders": orders(50)}, acl_reader=SignedIn(kafka), groups_of=lambda _: groups) as opened:
        opened.apply(DECLARED)
        opened.scan(cluster="prod", topics=["orders"])
        yield opened


def findings(weir: ApiWorld) -> dict[tuple[str, str | None], str]:
    answer = weir.admin.get("/api/v1/rights/findings").json()
    return {(each["kind"], each["principal"]): each["text"] for each in answer["findings"]}


def test_a_consumer_that_reads_past_weir_is_seen_until_its_acl_ends(kafka: SecuredKafka, weir: ApiWorld) -> None:
    from confluent_kafka import Consumer
    from confluent_kafka.admin import (
        AclBinding,
        AclOperation,
        AclPermissionType,
        AdminClient,
        ResourcePatternType,
        ResourceType,
    )

    raw = ("rawReadWithoutGrant", f"User:{APP}")
    assert raw not in findings(weir)
    admin = AdminClient(kafka.client())
    bindings = [
        AclBinding(
            ResourceType[acl.resource.upper()],
            acl.name,
            ResourcePatternType[acl.pattern.upper()],
            acl.principal,
            acl.host,
            AclOperation[acl.operation.upper()],
            AclPermissionType.ALLOW,
        )
        for acl in READS
    ]
    for done in admin.create_acls(bindings).values():
        done.result(20)
    consumer = Consumer(
        {
            **kafka.client(APP),
            "group.id": "shop-readers",
            "client.id": "shop-1",
            "auto.offset.reset": "earliest",
            "log_level": 0,
        }
    )
    try:
        consumer.subscribe(["orders"])
        deadline = time.monotonic() + 60
        while (message := consumer.poll(1)) is None or message.error():
            assert time.monotonic() < deadline, "the consumer read nothing"
        assert b"@example.org" in (message.value() or b"")
        consumer.commit(message=message, asynchronous=False)
        text = findings(weir)[raw]
        assert text.startswith("User:app (shop) may read prod/orders unmasked and whole at the brokers; Weir masks")
        row = next(
            each
            for each in weir.admin.get("/api/v1/rights", params={"user": "shop"}).json()["rights"]
            if each["principal"] == "User:app"
        )
        assert row["used"]["state"] == "used"
        assert [(g["name"], g["active"], g["clients"]) for g in row["used"]["groups"]] == [
            ("shop-readers", True, ["shop-1"])
        ]
    finally:
        consumer.close()
    assert findings(weir)["superUser", f"User:{USER}"]
    for gone in admin.delete_acls([each_filter(binding) for binding in bindings]).values():
        gone.result(20)
    deadline = time.monotonic() + 20
    while raw in findings(weir):
        assert time.monotonic() < deadline, "the ACL is gone, and the finding is not"


def each_filter(binding: Any) -> Any:
    from confluent_kafka.admin import AclBindingFilter

    return AclBindingFilter(
        binding.restype,
        binding.name,
        binding.resource_pattern_type,
        binding.principal,
        binding.host,
        binding.operation,
        binding.permission_type,
    )
