"""Answers of brokers about ACLs that are neither a whole yes nor a whole no."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AclOperation, AclPermissionType, ResourcePatternType, ResourceType

from catalog.adapters.kafka.broker_acls import KafkaAcls
from catalog.broker_acls import BrokerAcl, Operation, Pattern, Resource
from catalog.errors import Conflict

ACLS = [BrokerAcl(Resource.TOPIC, Pattern.LITERAL, f"t-{n}", "User:app", "*", Operation.READ, True) for n in range(3)]


def answered(result: Any) -> Future[Any]:
    future: Future[Any] = Future()
    if isinstance(result, int):
        future.set_exception(KafkaException(KafkaError(result)))
    else:
        future.set_result(result)
    return future


class Brokers(KafkaAcls):
    """Brokers whose client gives these answers."""

    def __init__(self, answers: Sequence[Any] = (), listed: Sequence[Any] = ()) -> None:
        super().__init__()
        self.answers, self.listed = answers, listed

    @contextmanager
    def _admin(self, settings: Any, bootstrap: Any) -> Iterator[Any]:
        yield self, []

    def _listed(self, admin: Any, bootstrap: Any, errors: Any) -> Any:
        return SimpleNamespace(topics={}, brokers={1: None})

    def create_acls(self, bindings: Sequence[Any], **_: Any) -> Any:
        return dict(zip(bindings, map(answered, self.answers), strict=True))

    def describe_acls(self, fits: Any, **_: Any) -> Any:
        return answered([each for each in self.listed if each.restype is fits.restype])

    def describe_configs(self, resources: Sequence[Any], **_: Any) -> Any:
        return {resources[0]: answered({"authorizer.class.name": SimpleNamespace(value="Standard")})}


def test_what_some_brokers_refused_is_told_beside_what_was_done() -> None:
    """Else what was done would be nobody's."""
    refused = Brokers([None, KafkaError.CLUSTER_AUTHORIZATION_FAILED, None]).create({}, ["m:9092"], ACLS)
    assert list(refused) == [ACLS[1]] and "CLUSTER_AUTHORIZATION_FAILED" in refused[ACLS[1]]
    with pytest.raises(Conflict, match="allow it to ALTER"):
        Brokers([KafkaError.CLUSTER_AUTHORIZATION_FAILED] * 3).create({}, ["m:9092"], ACLS)


def test_an_operation_that_the_client_does_not_know_is_read_as_such() -> None:
    each = SimpleNamespace(
        restype=ResourceType.TRANSACTIONAL_ID,
        resource_pattern_type=ResourcePatternType.LITERAL,
        name="t",
        principal="User:app",
        host="*",
        operation=AclOperation.UNKNOWN,
        permission_type=AclPermissionType.ALLOW,
    )
    (acl,) = Brokers(listed=[each]).read({}, ["m:9092"]).acls
    assert (acl.operation, acl.resource) == (Operation.UNKNOWN, Resource.TRANSACTIONAL_ID)
