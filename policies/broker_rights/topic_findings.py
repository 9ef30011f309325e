"""Findings about one topic: who reads and writes it past what Weir grants, and rights that nobody uses. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.topic_details import AclsKnown
from policies.broker_rights.authorizer import Possible
from policies.broker_rights.findings import MOST_ACLS, Finding, Kind, Severity, acl_texts, name_of, severity_of
from policies.broker_rights.principals import MappingState, Who
from policies.broker_rights.rows import ClusterRights, Personal, RightsRow, TopicRights
from policies.broker_rights.used import Use
from policies.effective.shown import NOTHING
from policies.model import SubjectMatch


def of_topic(cluster: ClusterRights, topic: TopicRights, owners: SubjectMatch) -> Iterator[Finding]:
    """Findings about one topic."""
    open_to_all = cluster.acls.known is AclsKnown.NO_AUTHORIZER
    for row in topic.rows:
        if not open_to_all:  # the cluster has one finding for all of its topics
            yield from _raw_reads(cluster.name, row)
            yield from _producers(cluster.name, row, owners)
        yield from _without_acl(cluster, row)
        yield from _unused(cluster, row)


def _raw_reads(cluster: str, row: RightsRow) -> Iterator[Finding]:
    who = row.principal
    if row.super_user or row.only_everyone or who.mapping is MappingState.WEIR or not row.reads.somewhere:
        return
    if row.granted is not None and row.granted.raw:
        return
    yield Finding(
        Kind.RAW_READ,
        severity_of(row.personal),
        cluster,
        f"{name_of(who)} may read {row.reference} unmasked and whole at the brokers{_from(row.reads)}; {_shown(row)}.",
        _raw_fix(row),
        row.reference,
        who.principal,
        who.who,
        acl_texts(row.reads.acls),
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
        f"{name_of(who)} may write {row.reference}{_from(row.writes)}, and no document lists it as a producer.",
        "List the dataset under produces in the principal's document, make its person an owner, or remove the ACL.",
        row.reference,
        who.principal,
        who.who,
        acl_texts(row.writes.acls),
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
        f"{name_of(row.principal)} may see all of {row.reference} by {', '.join(granted.ways)}, and may not READ the topic at the"
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
        f"{name_of(row.principal)} may READ {row.reference} and last had a consumer there on {row.used.seen:%Y-%m-%d}, more than"
        f" {cluster.usage.days} days ago.",
        "Remove the ACL.",
        row.reference,
        row.principal.principal,
        row.principal.who,
        acl_texts(row.reads.acls),
    )


def _from(possible: Possible) -> str:
    if possible.hosts:
        return f" from {', '.join(possible.hosts[:MOST_ACLS])}"
    return f" from every host but {', '.join(possible.barred[:MOST_ACLS])}" if possible.barred else ""
