"""A finding: what is wrong between what Weir grants, what the brokers let happen and what is used. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from catalog.broker_acls import BrokerAcl
from policies.broker_rights.principals import BrokerPrincipal, MappingState, Who
from policies.broker_rights.rows import Personal


class Severity(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"


class Kind(StrEnum):
    NO_AUTHORIZER = "noAuthorizer"
    NOT_READABLE = "aclsNotReadable"
    RAW_READ = "rawReadWithoutGrant"
    UNDECLARED_PRODUCER = "undeclaredProducer"
    WILDCARD = "wildcard"
    SUPER_USER = "superUser"
    AMBIGUOUS = "ambiguousPrincipal"
    UNMAPPED = "unmappedPrincipal"
    GRANT_WITHOUT_ACL = "grantWithoutAcl"
    UNUSED_ACL = "unusedAcl"
    IDLE_GROUP = "idleGroup"
    CHANGED_BY_HAND = "changedByHand"
    UNMASKED_AT_SOURCE = "unmaskedAtSource"
    OPEN_REGISTRY = "openRegistry"
    OPEN_CONNECT = "openConnect"


RANK = {severity: rank for rank, severity in enumerate(Severity)}
MOST_ACLS = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    text  what is wrong, fix: what to do next; a sentence each
    acls  the ACLs behind it, at most five
    """

    kind: Kind
    severity: Severity
    cluster: str
    text: str
    fix: str
    dataset: str | None = None
    principal: str | None = None
    who: Who | None = None
    acls: tuple[str, ...] = ()


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """The worst first."""
    return sorted(findings, key=lambda f: (RANK[f.severity], f.kind, f.cluster, f.dataset or "", f.principal or ""))


def name_of(who: BrokerPrincipal) -> str:
    """A principal with who it is, as findings name it."""
    if who.mapping is MappingState.EVERYONE:
        return "Everybody"
    return f"{who.principal} ({who.who[1]})" if who.who is not None else who.principal


def acl_texts(acls: Iterable[BrokerAcl]) -> tuple[str, ...]:
    """The ACLs that a finding lists."""
    return tuple(str(acl) for acl in sorted(acls)[:MOST_ACLS])


def severity_of(personal: Personal) -> Severity:
    """How bad it is that a topic is open, by the personal data in it."""
    return {Personal.YES: Severity.HIGH, Personal.NOT_SCANNED: Severity.MEDIUM, Personal.NO: Severity.LOW}[personal]
