"""Findings about a cluster as a whole: its authorizer, principals, wildcards, and ACLs made by hand. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from catalog.broker_acls import EVERYONE, WILDCARD, BrokerAcl, Operation, Pattern, Resource
from catalog.topic_details import AclsKnown
from policies.broker_rights.findings import Finding, Kind, Severity, acl_texts, name_of, severity_of
from policies.broker_rights.principals import BrokerPrincipal, MappingState
from policies.broker_rights.rows import ClusterRights, Personal, TopicRights
from policies.declared.principal_specs import KIND_WORDS


def of_cluster(cluster: ClusterRights, topics: Sequence[TopicRights]) -> Iterator[Finding]:
    """Findings about a cluster as a whole. `topics`: those of it that are looked at."""
    name, known = cluster.name, cluster.acls.known
    worst = severity_of(_worst(topics))
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
                acl_texts([acl]),
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
            acl_texts(acls),
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
            f"{name_of(who)} is a super user: no ACL holds for it, and it reads and writes every topic.",
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


def _worst(topics: Iterable[TopicRights]) -> Personal:
    known = {each.personal for each in topics}
    return next((p for p in Personal if p in known), Personal.NO)
