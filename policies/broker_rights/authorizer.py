"""Whether a principal may do something at the brokers, decided as Kafka's StandardAuthorizer does. Pure.

1. A super user may do everything.
2. A deny that fits wins over every allow.
3. An allow that fits lets the principal in. READ, WRITE, DELETE and ALTER imply DESCRIBE, ALTER_CONFIGS implies
   DESCRIBE_CONFIGS; a deny implies nothing.
4. Where no ACL at all is about the resource, `allow.everyone.if.no.acl.found` decides; else nothing is allowed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from catalog.broker_acls import EVERYONE, WILDCARD, BrokerAcl, BrokerAcls, Operation, Pattern, Resource

_IMPLIED: Mapping[Operation, frozenset[Operation]] = {
    Operation.DESCRIBE: frozenset({Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ALTER}),
    Operation.DESCRIBE_CONFIGS: frozenset({Operation.ALTER_CONFIGS}),
}
"""Operation -> those that imply it."""

OPERATIONS: Mapping[Resource, tuple[Operation, ...]] = {
    Resource.TOPIC: (
        Operation.READ,
        Operation.WRITE,
        Operation.CREATE,
        Operation.DELETE,
        Operation.ALTER,
        Operation.DESCRIBE,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
    ),
    Resource.GROUP: (Operation.READ, Operation.DELETE, Operation.DESCRIBE),
}
"""What may be done with a resource."""

ANOTHER_HOST = ""
"""A host that no ACL names."""


@dataclass(frozen=True, slots=True)
class Possible:
    """Whether an operation is possible, and from where.

    hosts    hosts that ACLs name from which it is possible; of no meaning where `others` is so
    others   from every host that no ACL names; None: not known, as the brokers do not show a setting
    barred   hosts from which it is not possible, where `others` is so
    acls     allows that open it, sorted; empty for a super user, and where no ACL is about the resource
    """

    others: bool | None = False
    hosts: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()
    acls: tuple[BrokerAcl, ...] = ()

    @property
    def somewhere(self) -> bool:
        """Whether it is known to be possible from some host."""
        return bool(self.others) or bool(self.hosts)

    @property
    def unknown(self) -> bool:
        """Whether it may be possible, and a setting that is not shown decides."""
        return self.others is None and not self.hosts


NOWHERE = Possible()
EVERYWHERE = Possible(others=True)


class Authorizer:
    """The decisions of one cluster, by its ACLs and the settings of its authorizer."""

    def __init__(self, acls: BrokerAcls) -> None:
        self._acls = acls
        self._literal: dict[tuple[Resource, str], list[BrokerAcl]] = defaultdict(list)
        self._prefixed: dict[Resource, dict[str, list[BrokerAcl]]] = defaultdict(dict)
        for acl in acls.acls:
            if acl.pattern is Pattern.LITERAL:
                self._literal[acl.resource, acl.name].append(acl)
            else:
                self._prefixed[acl.resource].setdefault(acl.name, []).append(acl)
        self._lengths = {kind: sorted({len(name) for name in names}) for kind, names in self._prefixed.items()}

    def on(self, resource: Resource, name: str) -> OnResource:
        """Decisions about one resource."""
        return OnResource(self._acls, resource, tuple(self._about(resource, name)))

    def _about(self, resource: Resource, name: str) -> Iterator[BrokerAcl]:
        yield from self._literal.get((resource, name), ())
        if name != WILDCARD:
            yield from self._literal.get((resource, WILDCARD), ())
        prefixed = self._prefixed.get(resource, {})
        for length in self._lengths.get(resource, ()):
            if length <= len(name):
                yield from prefixed.get(name[:length], ())


@dataclass(frozen=True)
class OnResource:
    """Decisions about one resource. `about`: the ACLs whose name fits it."""

    cluster: BrokerAcls
    resource: Resource
    about: Sequence[BrokerAcl]

    @cached_property
    def _by_principal(self) -> Mapping[str, Sequence[BrokerAcl]]:
        by: dict[str, list[BrokerAcl]] = defaultdict(list)
        for acl in self.about:
            by[acl.principal].append(acl)
        return by

    @property
    def principals(self) -> Iterable[str]:
        """Those that an ACL about the resource names, `User:*` among them."""
        return self._by_principal.keys()

    def allowed(self, principal: str, host: str, operation: Operation) -> bool | None:
        """Whether a principal may do something from a host; None where a setting that is not shown decides."""
        if self.cluster.super_users and principal in self.cluster.super_users:
            return True
        fits = [acl for acl in self._of(principal) if _fits(acl, host, operation)]
        if any(not acl.allow for acl in fits):
            return False
        if fits:
            return True
        return False if self.about else self.cluster.everyone_if_no_acl

    def possible(self, principal: str, operation: Operation) -> Possible:
        """Whether a principal may do something, and from which hosts."""
        if self.cluster.super_users and principal in self.cluster.super_users:
            return EVERYWHERE
        mine = self._of(principal)
        if not self.about:
            return Possible(others=self.cluster.everyone_if_no_acl)
        if not mine:
            return NOWHERE
        named = sorted({acl.host for acl in mine} - {WILDCARD})
        others = self.allowed(principal, ANOTHER_HOST, operation)
        hosts = [host for host in named if self.allowed(principal, host, operation)]
        if not others and not hosts:
            return NOWHERE
        opens = {acl for acl in mine if acl.allow and _covers(acl, operation)}
        open_hosts = {*hosts, *([WILDCARD] if others or hosts else [])}
        return Possible(
            others=others,
            hosts=tuple(hosts) if not others else (),
            barred=tuple(host for host in named if host not in hosts) if others else (),
            acls=tuple(sorted(acl for acl in opens if acl.host in open_hosts)),
        )

    def _of(self, principal: str) -> list[BrokerAcl]:
        mine = list(self._by_principal.get(principal, ()))
        if principal != EVERYONE:
            mine += self._by_principal.get(EVERYONE, ())
        return mine


def _fits(acl: BrokerAcl, host: str, operation: Operation) -> bool:
    return acl.host in (WILDCARD, host) and _covers(acl, operation)


def _covers(acl: BrokerAcl, operation: Operation) -> bool:
    if acl.operation in (Operation.ALL, operation):
        return True
    return acl.allow and acl.operation in _IMPLIED.get(operation, ())
