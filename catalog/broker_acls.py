"""The ACLs of a Kafka cluster as its brokers keep them. Plain data, and the port that reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from catalog.topic_details import AclsKnown

WILDCARD = "*"
"""As a literal name of a resource: every resource. As a host: every host."""
EVERYONE = "User:*"
"""As a principal of an ACL: every principal, of any type."""


class Resource(StrEnum):
    """What an ACL is about."""

    TOPIC = "topic"
    GROUP = "group"
    CLUSTER = "cluster"
    TRANSACTIONAL_ID = "transactional_id"


class Pattern(StrEnum):
    """How the name of an ACL fits that of a resource."""

    LITERAL = "literal"
    PREFIXED = "prefixed"


class Operation(StrEnum):
    """What may be done. ALL means every operation; UNKNOWN is one that the client does not know by name."""

    ALL = "all"
    READ = "read"
    WRITE = "write"
    CREATE = "create"
    DELETE = "delete"
    ALTER = "alter"
    DESCRIBE = "describe"
    CLUSTER_ACTION = "cluster_action"
    DESCRIBE_CONFIGS = "describe_configs"
    ALTER_CONFIGS = "alter_configs"
    IDEMPOTENT_WRITE = "idempotent_write"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, order=True)
class BrokerAcl:
    """One ACL.

    principal  type and name: `User:orders-app`
    host       an address, or `*`
    allow      False: a deny
    """

    resource: Resource
    pattern: Pattern
    name: str
    principal: str
    host: str
    operation: Operation
    allow: bool

    def __str__(self) -> str:
        """As people read it: `allow User:app read topic orders (literal) from *`; signs that do not print are written out."""
        effect = "allow" if self.allow else "deny"
        text = (
            f"{effect} {self.principal} {self.operation} {self.resource} {self.name} ({self.pattern}) from {self.host}"
        )
        return text if text.isprintable() else printable(text)

    def as_json(self) -> list[Any]:
        """Its parts, as `acl_of` reads them."""
        return [
            str(self.resource),
            str(self.pattern),
            self.name,
            self.principal,
            self.host,
            str(self.operation),
            self.allow,
        ]


def printable(text: str) -> str:
    """A text with the signs that do not print written out, as `\\x1b`: anybody who makes ACLs chooses names in them."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def acl_of(parts: Sequence[Any]) -> BrokerAcl:
    """The ACL of the parts that `BrokerAcl.as_json` gives."""
    resource, pattern, name, principal, host, operation, allow = parts
    return BrokerAcl(Resource(resource), Pattern(pattern), name, principal, host, Operation(operation), bool(allow))


@dataclass(frozen=True, slots=True)
class BrokerAcls:
    """The ACLs of one cluster, with the settings of its authorizer.

    known           whether the ACLs could be read
    super_users     principals that the authorizer lets do everything; None: set, and the brokers do not show the value
    everyone_if_no_acl  `allow.everyone.if.no.acl.found`; None: set, and the brokers do not show the value
    own             principal that Weir signs in with; None: it signs in without a user name
    topics          names of the cluster's topics that Weir may describe
    left_out        ACLs beyond `MOST` that are not in `acls`
    """

    known: AclsKnown
    acls: tuple[BrokerAcl, ...] = ()
    super_users: frozenset[str] | None = frozenset()
    everyone_if_no_acl: bool | None = False
    own: str | None = None
    topics: frozenset[str] = frozenset()
    left_out: int = 0


MOST = 50_000
"""ACLs of one cluster that are looked at."""


class AclReader(Protocol):
    """Reads the ACLs of clusters. `settings` and `bootstrap` are those of the cluster's record."""

    def read(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> BrokerAcls:
        """The ACLs as they are now, sorted. Raises Unavailable naming the address within some seconds, SettingsError."""
        ...


class AclWriter(Protocol):
    """Makes and deletes ACLs of clusters. Both may be repeated: what is there is not made twice, what is gone is not missed.

    Each gives ACL -> why the brokers did not do it, for those that they refused one by one. Raises Unavailable naming the
    address when the brokers do not answer, where some of the ACLs may be done; Conflict where Weir's user may not change ACLs.
    """

    def create(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], acls: Sequence[BrokerAcl]
    ) -> Mapping[BrokerAcl, str]:
        """Make ACLs."""
        ...

    def delete(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], acls: Sequence[BrokerAcl]
    ) -> Mapping[BrokerAcl, str]:
        """Delete exactly these ACLs, and none that is only similar."""
        ...
