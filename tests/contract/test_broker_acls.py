"""What any `AclReader` must do, in memory and on a Kafka without an authorizer. See also e2e/test_broker_acls_secured.py."""

from __future__ import annotations

import pytest

from catalog.broker_acls import BrokerAcls
from catalog.errors import Unavailable
from catalog.topic_details import AclsKnown
from tests.broker_acl_samples import ACLS, TOPICS, World, require_all_read
from tests.secured_kafka import USER
from tests.twins.catalog.broker_acls import MemoryAcls


def test_all_acls_are_read_sorted_with_the_topics() -> None:
    known = BrokerAcls(AclsKnown.YES, ACLS[::-1], own=f"User:{USER}", topics=frozenset(TOPICS))
    require_all_read(World(MemoryAcls({"m:9092": known}), {}, ["m:9092"]))


@pytest.mark.integration
def test_a_cluster_without_an_authorizer(request: pytest.FixtureRequest) -> None:
    from catalog.adapters.kafka.broker_acls import KafkaAcls

    acls = KafkaAcls().read({}, [request.getfixturevalue("stack").kafka])
    assert (acls.known, acls.acls, acls.own) == (AclsKnown.NO_AUTHORIZER, (), None)


@pytest.mark.integration
def test_brokers_that_do_not_answer_are_named() -> None:
    from catalog.adapters.kafka.broker_acls import KafkaAcls

    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1"):
        KafkaAcls(timeout_s=2).read({}, ["127.0.0.1:1"])
