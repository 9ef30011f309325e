"""What is wrong between what Weir grants, what the brokers let happen and what is used. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from catalog.broker_acls import EVERYONE, WILDCARD, BrokerAcl, Operation, Pattern, Resource
from catalog.topic_details import AclsKnown
from policies.broker_rights.authorizer import Possible
from policies.broker_rights.principals import BrokerPrincipal, MappingState, Who
from policies.broker_rights.rows import ClusterRights, Personal, RightsRow, TopicRights
from policies.broker_rights.used import Use
from policies.declared.principal_specs import KIND_WORDS
from policies.effective.shown import NOTHING
from policies.model import SubjectMatch


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
_MOST_ACLS = 5


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


def of_cluster(cluster: ClusterRights, topics: Sequence[TopicRights]) -> Iterator[Finding]:
    """Findings about a cluster as a whole. `topics`: those of it that are looked at."""
    name, known = cluster.name, cluster.acls.known
    worst = _of_personal(_worst(topics))
    if known is AclsKnown.NO_AUTHORIZER:
        yield Finding(
            Kind.NO_AUTHORIZER,
            worst,
            name,
            f"The brokers of {name} have no authorizer: every client that reaches them reads and writes every topic, so masks"
            " and row filters hold only for those who ask through Weir.",
            "Set authorizer.class.name at the brokers (StandardAuthorizer in KRaft), with ACLs for the present clients first.",
        )
        return
    if known is AclsKnown.NOT_ALLOWED:
        yield Finding(
            Kind.NOT_READABLE,
            Severity.MEDIUM,
            name,
            cluster.problem
            or f"The brokers of {name} do not show their ACLs to Weir, so what is possible there is not known.",
            "Have the brokers answer, and ask again."
            if cluster.problem
            else "Allow the user that Weir signs in with to DESCRIBE the cluster.",
        )
        return
    yield from _wildcards(cluster, topics)
    for each in cluster.named():
        yield from _of_principal(cluster, each, worst)
    for group in cluster.usage.groups or ():
        if not group.active and not group.topics:
            yield Finding(
                Kind.IDLE_GROUP,
                Severity.INFO,
                name,
                f"The consumer group {group.name} has no members and no committed offsets: it reads nothing.",
                "Delete the group, and the ACLs that are for it alone.",
            )


def of_drift(cluster: ClusterRights, drift: Iterable[tuple[BrokerAcl, datetime]]) -> Iterator[Finding]:
    """Findings about ACLs that were made by hand since Weir keeps those of a cluster. Those that are gone again count no more."""
    there = set(cluster.acls.acls)
    for acl, since in drift:
        if acl in there:
            yield Finding(
                Kind.CHANGED_BY_HAND,
                Severity.MEDIUM,
                cluster.name,
                f"An ACL that Weir did not make came to {cluster.name} by {since:%Y-%m-%d %H:%M} UTC, and lets {acl.principal} read"
                " past what Weir grants.",
                "Delete the ACL, have the access approved unmasked, or adopt the ACL (weir rights adopt), so that it ends with the"
                " right.",
                None,
                acl.principal,
                cluster.principal(acl.principal).who,
                _texts([acl]),
            )


def of_topic(cluster: ClusterRights, topic: TopicRights, owners: SubjectMatch) -> Iterator[Finding]:
    """Findings about one topic."""
    open_to_all = cluster.acls.known is AclsKnown.NO_AUTHORIZER
    for row in topic.rows:
        if not open_to_all:  # the cluster has one finding for all of its topics
            yield from _raw_reads(cluster.name, row)
            yield from _producers(cluster.name, row, owners)
        yield from _without_acl(cluster, row)
        yield from _unused(cluster, row)


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """The worst first."""
    return sorted(findings, key=lambda f: (RANK[f.severity], f.kind, f.cluster, f.dataset or "", f.principal or ""))


def _raw_reads(cluster: str, row: RightsRow) -> Iterator[Finding]:
    who = row.principal
    if row.super_user or row.only_everyone or who.mapping is MappingState.WEIR or not row.reads.somewhere:
        return
    if row.granted is not None and row.granted.raw:
        return
    yield Finding(
        Kind.RAW_READ,
        _of_personal(row.personal),
        cluster,
        f"{_named(who)} may read {row.reference} unmasked and whole at the brokers{_from(row.reads)}; {_shown(row)}.",
        _raw_fix(row),
        row.reference,
        who.principal,
        who.who,
        _texts(row.reads.acls),
    )


def _shown(row: RightsRow) -> str:
    """What Weir shows, in a few words."""
    granted = row.granted
    if row.principal.mapping is MappingState.EVERYONE:
        return "Weir grants that to nobody in general"
    if granted is None:
        return "Weir does not know who that is"
    if granted.gone is not None:
        return f"{row.principal.who[1] if row.principal.who else 'the person'} {granted.gone} in Weir"
    if granted.shows == NOTHING:
        return "Weir grants nothing of it"
    parts = [f"masks fields ({', '.join(granted.masks)})"] if granted.masks else []
    if granted.shows != "clear" and not granted.masks:
        parts.append("hides fields")
    parts += ["hides rows"] if granted.rows else []
    return f"Weir {' and '.join(parts)} for them"


def _raw_fix(row: RightsRow) -> str:
    if row.principal.mapping is MappingState.EVERYONE:
        if not row.acls:
            return (
                "No ACL is about the topic, and the brokers then let everybody in (allow.everyone.if.no.acl.found): add ACLs for"
                " the principals that read it."
            )
        return "Replace the ACL for User:* by ACLs for the principals that read the topic."
    if row.granted is None:
        return "Declare who the principal is (kind: Principal), or remove the ACL."
    return "Remove the ACL, or have the access approved unmasked (weir request)."


def _producers(cluster: str, row: RightsRow, owners: SubjectMatch) -> Iterator[Finding]:
    who = row.principal
    if row.super_user or row.only_everyone or who.mapping is MappingState.WEIR or not row.writes.somewhere:
        return
    if (
        who.produces(row.reference)
        or _owns(who.who, owners)
        or (row.granted is not None and "owner" in row.granted.ways)
    ):
        return
    severity = {Personal.YES: Severity.MEDIUM, Personal.NOT_SCANNED: Severity.LOW, Personal.NO: Severity.LOW}
    yield Finding(
        Kind.UNDECLARED_PRODUCER,
        Severity.MEDIUM if who.mapping is MappingState.EVERYONE else severity[row.personal],
        cluster,
        f"{_named(who)} may write {row.reference}{_from(row.writes)}, and no document lists it as a producer.",
        "List the dataset under produces in the principal's document, make its person an owner, or remove the ACL.",
        row.reference,
        who.principal,
        who.who,
        _texts(row.writes.acls),
    )


def _owns(who: Who | None, owners: SubjectMatch) -> bool:
    return who is not None and who[1] in (owners.groups if who[0] == "group" else owners.users)


def _without_acl(cluster: ClusterRights, row: RightsRow) -> Iterator[Finding]:
    granted = row.granted
    if granted is None or not (granted.raw and granted.by_grant) or cluster.acls.known is not AclsKnown.YES:
        return
    if row.reads.somewhere or row.reads.unknown:
        return
    yield Finding(
        Kind.GRANT_WITHOUT_ACL,
        Severity.LOW,
        cluster.name,
        f"{_named(row.principal)} may see all of {row.reference} by {', '.join(granted.ways)}, and may not READ the topic at the"
        " brokers; the grant works through Weir alone.",
        "Add an ACL to READ the topic, if the program is to consume it.",
        row.reference,
        row.principal.principal,
        row.principal.who,
    )


def _unused(cluster: ClusterRights, row: RightsRow) -> Iterator[Finding]:
    if row.used.state is not Use.UNUSED or not row.reads.somewhere or row.super_user or row.used.seen is None:
        return
    yield Finding(
        Kind.UNUSED_ACL,
        Severity.LOW if row.personal is Personal.YES else Severity.INFO,
        cluster.name,
        f"{_named(row.principal)} may READ {row.reference} and last had a consumer there on {row.used.seen:%Y-%m-%d}, more than"
        f" {cluster.usage.days} days ago.",
        "Remove the ACL.",
        row.reference,
        row.principal.principal,
        row.principal.who,
        _texts(row.reads.acls),
    )


def _wildcards(cluster: ClusterRights, topics: Sequence[TopicRights]) -> Iterator[Finding]:
    """Allows to everybody or on everything, by whether they reach personal data."""
    personal = {each.reference.partition("/")[2]: each.personal for each in topics}
    wide: dict[tuple[str, Resource, Pattern, str], list[BrokerAcl]] = {}
    for acl in cluster.acls.acls:
        everything = acl.pattern is Pattern.LITERAL and acl.name == WILDCARD
        if acl.allow and (acl.principal == EVERYONE or (everything and acl.resource is Resource.TOPIC)):
            wide.setdefault((acl.principal, acl.resource, acl.pattern, acl.name), []).append(acl)
    for (principal, resource, pattern, name), acls in wide.items():
        operations = {acl.operation for acl in acls}
        reads = resource is Resource.TOPIC and not operations.isdisjoint({Operation.ALL, Operation.READ})
        reached = [p for topic, p in personal.items() if reads and _about(pattern, name, topic)]
        severity = Severity.HIGH if Personal.YES in reached else Severity.MEDIUM
        if operations <= {Operation.DESCRIBE, Operation.DESCRIBE_CONFIGS}:
            severity = Severity.INFO
        what = ", ".join(sorted(operations))
        yield Finding(
            Kind.WILDCARD,
            severity,
            cluster.name,
            f"{'Everybody' if principal == EVERYONE else principal} may {what} {_resource(resource, pattern, name)}"
            + (
                f", {sum(p is Personal.YES for p in reached)} topics with personal data among them." if reached else "."
            ),
            "Replace it by ACLs for the principals and topics that need it.",
            None,
            principal,
            cluster.principal(principal).who,
            _texts(acls),
        )


def _about(pattern: Pattern, name: str, topic: str) -> bool:
    return topic.startswith(name) if pattern is Pattern.PREFIXED else name in (WILDCARD, topic)


def _resource(resource: Resource, pattern: Pattern, name: str) -> str:
    if resource is Resource.CLUSTER:
        return "the cluster"
    word = {Resource.TOPIC: "topic", Resource.GROUP: "group", Resource.TRANSACTIONAL_ID: "transactional id"}[resource]
    if pattern is Pattern.PREFIXED:
        return f"every {word} whose name begins with {name}"
    return f"every {word}" if name == WILDCARD else f"the {word} {name}"


def _of_principal(cluster: ClusterRights, who: BrokerPrincipal, worst: Severity) -> Iterator[Finding]:
    name = who.principal
    if name in (cluster.acls.super_users or ()):
        own = who.mapping is MappingState.WEIR
        yield Finding(
            Kind.SUPER_USER,
            Severity.INFO if own else worst,
            cluster.name,
            f"{_named(who)} is a super user: no ACL holds for it, and it reads and writes every topic.",
            "Give Weir's user ACLs instead: DESCRIBE and DESCRIBE_CONFIGS on the cluster, READ on the topics it scans."
            if own
            else "Use super users for brokers and emergencies alone; give programs ACLs.",
            None,
            name,
            who.who,
        )
    if who.mapping is MappingState.AMBIGUOUS:
        yield Finding(
            Kind.AMBIGUOUS, Severity.HIGH, cluster.name, f"{name}: {who.note}", "Change the documents.", None, name
        )
    elif who.mapping is MappingState.UNMAPPED:
        near = f" {_suggested(who)} has this name." if who.suggestions else ""
        yield Finding(
            Kind.UNMAPPED,
            Severity.MEDIUM,
            cluster.name,
            f"{who.note or f'No document maps {name} to anybody, so what Weir grants to it is not known.'}{near}",
            "Declare it: kind: Principal (docs/how-to/rights.md).",
            None,
            name,
        )


def _suggested(who: BrokerPrincipal) -> str:
    text = " or ".join(f"the {KIND_WORDS[kind]} {name}" for kind, name in who.suggestions)
    return text[0].upper() + text[1:]


def _named(who: BrokerPrincipal) -> str:
    if who.mapping is MappingState.EVERYONE:
        return "Everybody"
    return f"{who.principal} ({who.who[1]})" if who.who is not None else who.principal


def _from(possible: Possible) -> str:
    if possible.hosts:
        return f" from {', '.join(possible.hosts[:_MOST_ACLS])}"
    return f" from every host but {', '.join(possible.barred[:_MOST_ACLS])}" if possible.barred else ""


def _texts(acls: Iterable[BrokerAcl]) -> tuple[str, ...]:
    return tuple(str(acl) for acl in sorted(acls)[:_MOST_ACLS])


def _of_personal(personal: Personal) -> Severity:
    return {Personal.YES: Severity.HIGH, Personal.NOT_SCANNED: Severity.MEDIUM, Personal.NO: Severity.LOW}[personal]


def _worst(topics: Iterable[TopicRights]) -> Personal:
    known = {each.personal for each in topics}
    return next((p for p in Personal if p in known), Personal.NO)
