"""ACLs of brokers, and what any `AclReader` reads of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from catalog.broker_acls import AclReader, BrokerAcl, Operation, Pattern, Resource
from catalog.topic_details import AclsKnown
from tests.secured_kafka import USER

TOPICS = ("orders", "orders.eu", "payments")
ACLS = (
    BrokerAcl(Resource.CLUSTER, Pattern.LITERAL, "kafka-cluster", "User:ops", "*", Operation.DESCRIBE, True),
    BrokerAcl(Resource.GROUP, Pattern.LITERAL, "readers", "User:app", "*", Operation.READ, True),
    BrokerAcl(Resource.TOPIC, Pattern.LITERAL, "*", "User:CN=x,O=y", "10.0.0.7", Operation.ALL, False),
    BrokerAcl(Resource.TOPIC, Pattern.PREFIXED, "ord", "User:app", "*", Operation.READ, True),
    BrokerAcl(Resource.TRANSACTIONAL_ID, Pattern.LITERAL, "t1", "User:*", "*", Operation.WRITE, True),
)


@dataclass
class World:
    reader: AclReader
    settings: dict[str, Any]
    bootstrap: list[str]


def require_all_read(world: World) -> None:
    """All ACLs above are read, sorted, with the topics."""
    acls = world.reader.read(world.settings, world.bootstrap)
    assert (acls.known, acls.acls, acls.left_out) == (AclsKnown.YES, tuple(sorted(ACLS)), 0)
    assert acls.own == f"User:{USER}"
    assert set(TOPICS) <= acls.topics
