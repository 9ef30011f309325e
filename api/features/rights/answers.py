"""Answers of `/rights`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Self

from api.edge.answer import Answer, Time, about
from catalog.broker_acls import Operation
from catalog.records import rfc3339
from policies.broker_rights import granted, used
from policies.broker_rights.authorizer import Possible
from policies.broker_rights.findings import Finding, Severity
from policies.broker_rights.principals import BrokerPrincipal, Who
from policies.broker_rights.rows import ClusterRights, RightsRow
from policies.broker_rights.service import RightsReport

MostFrom = Literal["everywhere", "hosts", "notKnown"]


class RightsHolder(Answer):
    """A person, group or program of Weir."""

    kind: Literal["user", "group", "serviceAccount"]
    name: str

    @classmethod
    def of(cls, who: Who) -> Self:
        return cls(kind=who[0], name=who[1])


class GrantedRight(Answer):
    """What somebody sees of a dataset through Weir, at its most over purposes and sessions."""

    shows: Literal["clear", "partly", "masked", "none"]
    masks: list[str]
    hides_rows: bool = about("Row filters hide rows from them.")
    purpose: str | None = about("What a query must state for it.")
    until: Time | None = about("When the first grant that it rests on ends.")
    by: list[str] = about("What opens it: owner, role NAME, grant NAME.")
    gone: str | None = about("Why the person may not sign in; nothing shows then.")

    @classmethod
    def of(cls, given: granted.Granted) -> Self:
        return cls(
            shows=given.shows,
            masks=list(given.masks),
            hides_rows=given.rows,
            purpose=given.purpose,
            until=rfc3339(given.until),
            by=list(given.ways),
            gone=given.gone,
        )


class PossibleOperation(Answer):
    """What the brokers let a principal do with a topic."""

    operation: str = about("read, write, create, delete, alter, describe, describe_configs or alter_configs.")
    from_: MostFrom = about(
        "everywhere: but from the hosts of `but`; hosts: only from those of `hosts`; notKnown: a setting that the brokers do not"
        " show decides.",
        alias="from",
    )
    hosts: list[str]
    but: list[str]

    @classmethod
    def of(cls, operation: Operation, possible: Possible) -> Self:
        where: MostFrom = "notKnown" if possible.unknown else "everywhere" if possible.others else "hosts"
        return cls(operation=operation.value, from_=where, hosts=list(possible.hosts), but=list(possible.barred))


class RightsGroup(Answer):
    """A consumer group."""

    name: str
    active: bool = about("It has members now.")
    clients: list[str] = about("Client ids of its members.")


class UsedRight(Answer):
    """What is used of a right to read a topic."""

    state: Literal["used", "unused", "notKnown"] = about(
        "In the days that are looked at; only reading by groups is seen."
    )
    groups: list[RightsGroup] = about("Groups that are the principal's.")
    perhaps: list[str] = about("Groups that may be theirs or another's.")
    seen: Time | None = about("When a group of theirs last had a member, as far as lineage knows.")
    jobs: list[str] = about("Jobs that read the topic and that the person owns.")
    through_weir: Time | None = about("When the person last read it through Weir, in the days that are looked at.")

    @classmethod
    def of(cls, given: used.Used) -> Self:
        return cls(
            state=given.state.value,
            groups=[RightsGroup(name=g.name, active=g.active, clients=list(g.clients)) for g in given.groups],
            perhaps=list(given.perhaps),
            seen=rfc3339(given.seen),
            jobs=list(given.jobs),
            through_weir=rfc3339(given.through_weir),
        )


class RightsEntry(Answer):
    """What one principal may do with one topic: granted, possible, used."""

    dataset: str = about("CLUSTER/TOPIC.")
    personal: Literal["yes", "notScanned", "no"] = about("Whether it has personal data.")
    principal: str = about("As the brokers name it; User:* is everybody.")
    mapping: Literal["mapped", "unmapped", "ambiguous", "everyone", "weir"]
    who: RightsHolder | None = about("null unless it is mapped.")
    super_user: bool
    only_everyone: bool = about("Everybody may do all that it may do.")
    granted: GrantedRight | None = about("null where it is not known who the principal is.")
    possible: list[PossibleOperation]
    acls: list[str] = about("The ACLs that open something.")
    used: UsedRight

    @classmethod
    def of(cls, row: RightsRow) -> Self:
        return cls(
            dataset=row.reference,
            personal=row.personal.value,
            principal=row.principal.principal,
            mapping=row.principal.mapping.value,
            who=RightsHolder.of(row.principal.who) if row.principal.who is not None else None,
            super_user=row.super_user,
            only_everyone=row.only_everyone,
            granted=GrantedRight.of(row.granted) if row.granted is not None else None,
            possible=[PossibleOperation.of(operation, each) for operation, each in row.possible.items()],
            acls=[str(acl) for acl in row.acls],
            used=UsedRight.of(row.used),
        )


class RightsTopic(Answer):
    """Who reads a topic of whom the principal is not known."""

    dataset: str
    groups: list[str] = about("Consumer groups of no principal that is known.")
    jobs: list[str] = about("Jobs that lineage knows to read it.")


class RightsCluster(Answer):
    """What is known of a cluster's authorizer."""

    cluster: str
    known: Literal["yes", "no_authorizer", "not_allowed"]
    message: str | None = about("Why the ACLs are not known.")
    acls: int
    left_out: int = about("ACLs that are not looked at, as they are too many.")
    super_users: list[str] | None = about("null: not known, or the caller may not see all.")
    everyone_if_no_acl: bool | None = about("allow.everyone.if.no.acl.found; null: not known.")
    topics_outside: int = about("Topics of the brokers that the catalog does not hold, which are left out here.")

    @classmethod
    def of(cls, cluster: ClusterRights, report: RightsReport) -> Self:
        supers = cluster.acls.super_users if report.whole else None
        return cls(
            cluster=cluster.name,
            known=cluster.acls.known.value,
            message=cluster.problem,
            acls=len(cluster.acls.acls),
            left_out=cluster.acls.left_out,
            super_users=sorted(supers) if supers is not None else None,
            everyone_if_no_acl=cluster.acls.everyone_if_no_acl,
            topics_outside=report.outside.get(cluster.name, 0),
        )


class RightsListing(Answer):
    """Rights by dataset and principal."""

    at: Time
    days: int
    clusters: list[RightsCluster]
    rights: list[RightsEntry]
    total: int
    topics: list[RightsTopic] = about(
        "Of the datasets of this page, those with readers of whom the principal is not known."
    )
    notes: list[str] = about("What is not known, in sentences.")

    @classmethod
    def of(cls, report: RightsReport, rows: list[RightsRow], total: int) -> Self:
        """`rows`: a page of them."""
        datasets = {row.reference for row in rows}
        return cls(
            at=rfc3339(report.at),
            days=report.days,
            clusters=[RightsCluster.of(each, report) for each in report.clusters],
            rights=[RightsEntry.of(row) for row in rows],
            total=total,
            topics=_readers(report, datasets),
            notes=list(report.notes),
        )


def _readers(report: RightsReport, datasets: Collection[str]) -> list[RightsTopic]:
    return [
        RightsTopic(dataset=t.rights.reference, groups=list(t.rights.unattributed), jobs=list(t.rights.jobs))
        for t in report.topics
        if t.rights.reference in datasets and (t.rights.unattributed or t.rights.jobs)
    ]


class RightsFinding(Answer):
    """Something that is wrong between what is granted, possible and used."""

    kind: Literal[
        "noAuthorizer",
        "aclsNotReadable",
        "rawReadWithoutGrant",
        "undeclaredProducer",
        "wildcard",
        "superUser",
        "ambiguousPrincipal",
        "unmappedPrincipal",
        "grantWithoutAcl",
        "unusedAcl",
        "idleGroup",
        "changedByHand",
        "unmaskedAtSource",
        "openRegistry",
        "openConnect",
    ]
    severity: Literal["high", "medium", "low", "info"]
    cluster: str
    dataset: str | None
    principal: str | None
    who: RightsHolder | None
    text: str = about("What is wrong, in a sentence.")
    fix: str = about("What to do next, in a sentence.")
    acls: list[str] = about("At most five of the ACLs behind it.")

    @classmethod
    def of(cls, finding: Finding) -> Self:
        return cls(
            kind=finding.kind.value,
            severity=finding.severity.value,
            cluster=finding.cluster,
            dataset=finding.dataset,
            principal=finding.principal,
            who=RightsHolder.of(finding.who) if finding.who is not None else None,
            text=finding.text,
            fix=finding.fix,
            acls=list(finding.acls),
        )


class FindingsCounted(Answer):
    """Findings by severity."""

    high: int
    medium: int
    low: int
    info: int


class RightsFindings(Answer):
    """Findings, the worst first."""

    at: Time
    days: int
    clusters: list[RightsCluster]
    findings: list[RightsFinding]
    total: int
    counts: FindingsCounted = about("Of all that fit the question.")
    notes: list[str] = about("What is not known, in sentences.")

    @classmethod
    def of(cls, report: RightsReport, page: list[Finding], every: list[Finding]) -> Self:
        """`every`: all that fit the question, of which `page` is shown."""
        counts = {severity.value: sum(f.severity is severity for f in every) for severity in Severity}
        return cls(
            at=rfc3339(report.at),
            days=report.days,
            clusters=[RightsCluster.of(each, report) for each in report.clusters],
            findings=[RightsFinding.of(each) for each in page],
            total=len(every),
            counts=FindingsCounted(**counts),
            notes=list(report.notes),
        )


class RightsPrincipal(Answer):
    """A principal of a cluster, and who it is."""

    cluster: str
    principal: str
    mapping: Literal["mapped", "unmapped", "ambiguous", "weir"]
    who: RightsHolder | None
    by: list[str] = about("Documents of kind Principal that name it or whose rules fit.")
    suggestions: list[RightsHolder] = about("Of an unmapped one: people, programs and groups of the same name.")
    note: str | None = about("Why it is not mapped.")
    super_user: bool

    @classmethod
    def of(cls, cluster: str, principal: BrokerPrincipal, super_user: bool) -> Self:
        return cls(
            cluster=cluster,
            principal=principal.principal,
            mapping=principal.mapping.value,
            who=RightsHolder.of(principal.who) if principal.who is not None else None,
            by=list(principal.by),
            suggestions=[RightsHolder.of(each) for each in principal.suggestions],
            note=principal.note,
            super_user=super_user,
        )


class RightsPrincipals(Answer):
    """The principals that ACLs, super users and documents name."""

    principals: list[RightsPrincipal]
    total: int
    unmapped: int = about("How many of all are unmapped or ambiguous.")
    notes: list[str]
