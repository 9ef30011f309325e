"""ACLs are read from a real Kafka with an authorizer, and decisions about them are the authorizer's own."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from catalog.broker_acls import BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.topic_details import AclsKnown
from policies.broker_rights.authorizer import OPERATIONS, Authorizer
from tests.broker_acl_samples import ACLS, TOPICS, World, require_all_read
from tests.secured_kafka import APP, PASSWORD, USER, SecuredKafka, secured_kafka

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.secured]


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredKafka]:
    from confluent_kafka.admin import AdminClient, NewTopic

    with secured_kafka(tmp_path_factory.mktemp("authorizer"), authorizer=True) as kafka:
        admin = AdminClient(kafka.client())
        for each in admin.create_topics([NewTopic(name, 1) for name in TOPICS]).values():
            each.result(30)
        yield kafka


def signed_in(kafka: SecuredKafka, user: str) -> World:
    from catalog.adapters.kafka.broker_acls import KafkaAcls

    own = {key: value for key, value in kafka.client(user).items() if key != "bootstrap.servers"}
    return World(KafkaAcls(), {"own": own}, [kafka.scram])


def replace(kafka: SecuredKafka, acls: tuple[BrokerAcl, ...]) -> None:
    """Let these be the ACLs of the brokers, and no others."""
    from confluent_kafka.admin import (
        AclBinding,
        AclBindingFilter,
        AclOperation,
        AclPermissionType,
        AdminClient,
        ResourcePatternType,
        ResourceType,
    )

    admin = AdminClient(kafka.client())
    every = AclBindingFilter(
        ResourceType.ANY, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY
    )
    for future in admin.delete_acls([every]).values():
        future.result(20)
    types = {"cluster": "BROKER"}
    bindings = [
        AclBinding(
            ResourceType[types.get(acl.resource, acl.resource.upper())],
            acl.name,
            ResourcePatternType[acl.pattern.upper()],
            acl.principal,
            acl.host,
            AclOperation[acl.operation.upper()],
            AclPermissionType.ALLOW if acl.allow else AclPermissionType.DENY,
        )
        for acl in acls
    ]
    for done in admin.create_acls(bindings).values() if bindings else ():
        done.result(20)
    reader, deadline = signed_in(kafka, USER), time.monotonic() + 20
    while reader.reader.read(reader.settings, reader.bootstrap).acls != tuple(sorted(set(acls))):
        assert time.monotonic() < deadline, "the brokers did not take the ACLs"


def test_all_acls_are_read_sorted_with_the_topics(secured: SecuredKafka) -> None:
    replace(secured, ACLS)
    require_all_read(signed_in(secured, USER))


def test_who_may_not_list_acls_is_told_from_an_empty_list(secured: SecuredKafka) -> None:
    replace(secured, ())
    super_user, app = signed_in(secured, USER), signed_in(secured, APP)
    empty = super_user.reader.read(super_user.settings, super_user.bootstrap)
    assert (empty.known, empty.acls) == (AclsKnown.YES, ())
    # Kafka shows that super.users is set, and not its value; a setting that is absent has its default.
    assert (empty.super_users, empty.everyone_if_no_acl) == (None, False)
    assert app.reader.read(app.settings, app.bootstrap).known is AclsKnown.NOT_ALLOWED
    assert PASSWORD not in repr(empty)


def test_decisions_are_those_of_the_real_authorizer(secured: SecuredKafka) -> None:
    """Kafka shows a client which operations it may do on a topic; so random sets of ACLs can be compared."""
    from confluent_kafka import KafkaException, TopicCollection
    from confluent_kafka.admin import AdminClient

    seed = 20260301
    chance = random.Random(seed)
    admin = AdminClient(secured.client(APP))
    for round_ in range(12):
        acls = tuple(
            {
                BrokerAcl(
                    Resource.TOPIC,
                    chance.choice(list(Pattern)),
                    chance.choice(["orders", "ord", "orders.", "pay", "payments", "*", "x"]),
                    chance.choice(["User:app", "User:app", "User:*", "User:other"]),
                    chance.choice(["*", "*", "127.0.0.1", "10.0.0.7"]),
                    chance.choice([Operation.ALL, *OPERATIONS[Resource.TOPIC]]),
                    chance.random() < 0.75,
                )
                for _ in range(chance.randrange(1, 12))
            }
        )
        replace(secured, acls)
        authorizer = Authorizer(BrokerAcls(AclsKnown.YES, acls))
        for topic in TOPICS:
            on = authorizer.on(Resource.TOPIC, topic)
            expected = {o for o in OPERATIONS[Resource.TOPIC] if on.allowed("User:app", "127.0.0.1", o)}
            answer = admin.describe_topics(TopicCollection([topic]), include_authorized_operations=True)[topic]
            try:
                real = {Operation(each.name.lower()) for each in answer.result(20).authorized_operations}
            except KafkaException:
                assert Operation.DESCRIBE not in expected, (seed, round_, topic, acls)
                continue
            assert real == expected, (seed, round_, topic, acls)
