"""The ACLs of a cluster as confluent_kafka's AdminClient reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ConfigResource,
    ResourcePatternType,
    ResourceType,
)

from catalog.adapters.kafka.topics import GONE, KafkaBrokers, client_config
from catalog.broker_acls import MOST, BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.errors import Conflict
from catalog.topic_details import AclsKnown

_TYPES = {
    ResourceType.TOPIC: Resource.TOPIC,
    ResourceType.GROUP: Resource.GROUP,
    ResourceType.BROKER: Resource.CLUSTER,
    ResourceType.TRANSACTIONAL_ID: Resource.TRANSACTIONAL_ID,
}
_RESOURCES = {resource: type_ for type_, resource in _TYPES.items()}
_NO_AUTHORIZER, _REFUSED = KafkaError.SECURITY_DISABLED, KafkaError.CLUSTER_AUTHORIZATION_FAILED


class KafkaAcls(KafkaBrokers):
    """Implements `AclReader` and `AclWriter` of `catalog.broker_acls`. Every call asks the brokers; nothing is kept."""

    def read(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> BrokerAcls:
        with self._admin(settings, bootstrap) as (admin, errors):
            metadata = self._listed(admin, bootstrap, errors)
            topics = frozenset(metadata.topics)
            own = self._user(settings, bootstrap)
            try:
                acls = sorted(self._acls(admin, bootstrap))
            except KafkaException as error:
                code = error.args[0].code()
                if code not in (_NO_AUTHORIZER, _REFUSED):
                    raise self._unavailable(bootstrap, f"does not show its ACLs ({error.args[0].name()})") from None
                known = AclsKnown.NO_AUTHORIZER if code == _NO_AUTHORIZER else AclsKnown.NOT_ALLOWED
                return BrokerAcls(known, own=own, topics=topics)
            config = self._authorizer(admin, metadata, bootstrap)
        if not acls and config is None:
            # The client gives an empty list, too, where the broker refused to show one.
            return BrokerAcls(AclsKnown.NOT_ALLOWED, own=own, topics=topics)
        if config is not None and not config.get("authorizer.class.name"):
            return BrokerAcls(AclsKnown.NO_AUTHORIZER, own=own, topics=topics)
        return BrokerAcls(
            known=AclsKnown.YES,
            acls=tuple(acls[:MOST]),
            super_users=_super_users(config),
            everyone_if_no_acl=_everyone(config),
            own=own,
            topics=topics,
            left_out=max(0, len(acls) - MOST),
        )

    def create(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], acls: Sequence[BrokerAcl]
    ) -> Mapping[BrokerAcl, str]:
        return self._change(settings, bootstrap, acls, AclBinding, "create_acls")

    def delete(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], acls: Sequence[BrokerAcl]
    ) -> Mapping[BrokerAcl, str]:
        return self._change(settings, bootstrap, acls, AclBindingFilter, "delete_acls")

    def _change(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], acls: Sequence[BrokerAcl], kind: Any, call: str
    ) -> Mapping[BrokerAcl, str]:
        if not acls:
            return {}
        problems: dict[BrokerAcl, str] = {}
        refused = 0
        with self._admin(settings, bootstrap) as (admin, errors):
            self._listed(admin, bootstrap, errors)
            by_binding = {kind(*_parts(acl)): acl for acl in acls}
            futures = getattr(admin, call)(list(by_binding), request_timeout=self._timeout)
            for binding, future in futures.items():
                try:
                    future.result(timeout=self._timeout + 1)
                except TimeoutError:
                    raise self._unavailable(bootstrap, "did not answer in time") from None
                except KafkaException as error:
                    problem = error.args[0]
                    refused += problem.code() == _REFUSED
                    if problem.code() in GONE:
                        raise self._unavailable(bootstrap, f"did not change ACLs ({problem.name()})") from None
                    problems[by_binding[binding]] = f"{problem.name()}: {problem.str()}"
        if refused == len(acls):  # where some were done, the others are problems of their own
            raise _may_not(bootstrap, self._user(settings, bootstrap))
        return problems

    def _user(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> str | None:
        user = client_config(settings, bootstrap, self._secrets, self._servers).get("sasl.username")
        return f"User:{user}" if user else None

    def _acls(self, admin: AdminClient, bootstrap: Sequence[str]) -> list[BrokerAcl]:
        futures = {
            type_: admin.describe_acls(
                AclBindingFilter(
                    type_, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY
                ),
                request_timeout=self._timeout,
            )
            for type_ in _TYPES
        }
        collected: list[BrokerAcl] = []
        for type_, future in futures.items():
            try:
                answer = future.result(timeout=self._timeout + 1)
            except TimeoutError:
                raise self._unavailable(bootstrap, "did not answer in time") from None
            collected += [
                BrokerAcl(
                    resource=_TYPES[type_],
                    pattern=Pattern(each.resource_pattern_type.name.lower()),
                    name=each.name,
                    principal=each.principal,
                    host=each.host,
                    operation=Operation(each.operation.name.lower()),
                    allow=each.permission_type is AclPermissionType.ALLOW,
                )
                for each in answer
            ]
        return collected

    def _authorizer(
        self, admin: AdminClient, metadata: Any, bootstrap: Sequence[str]
    ) -> Mapping[str, str | None] | None:
        """Settings of a broker by name, None where a value is not shown; None where they may not be read."""
        broker = ConfigResource(ResourceType.BROKER, str(min(metadata.brokers)))
        futures = admin.describe_configs([broker], request_timeout=self._timeout)
        answer = self._granted(next(iter(futures.values())), bootstrap)
        return None if answer is None else {name: each.value for name, each in answer.items()}


def _parts(acl: BrokerAcl) -> tuple[Any, ...]:
    """The arguments of a binding, and of the filter that fits it alone."""
    return (
        _RESOURCES[acl.resource],
        acl.name,
        ResourcePatternType[acl.pattern.upper()],
        acl.principal,
        acl.host,
        AclOperation[acl.operation.upper()],
        AclPermissionType.ALLOW if acl.allow else AclPermissionType.DENY,
    )


def _may_not(bootstrap: Sequence[str], user: str | None) -> Conflict:
    return Conflict(
        f"Kafka at {','.join(bootstrap)} does not let {user or 'the user of Weir'} change ACLs; allow it to ALTER the cluster.",
        details={"server": ",".join(bootstrap), "missing": "ALTER on the cluster"},
    )


def _super_users(config: Mapping[str, str | None] | None) -> frozenset[str] | None:
    """A setting of the authorizer is listed where it is set; brokers hide the value of one that they do not know."""
    if config is None:
        return None
    value = config.get("super.users", "")
    return None if value is None else frozenset(each.strip() for each in re.split(";", value) if each.strip())


def _everyone(config: Mapping[str, str | None] | None) -> bool | None:
    if config is None:
        return None
    value = config.get("allow.everyone.if.no.acl.found", "false")
    return None if value is None else value.strip().lower() == "true"
