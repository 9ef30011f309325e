"""`/rights`: what Weir grants, what the brokers let happen, what is used of it; what is wrong between them; principals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, TypeVar

from fastapi import Query, Response

from api.edge.openapi import answers_with
from api.edge.parameters import Count, Limit, Offset, Text
from api.features.rights import answers
from api.formats.listing import as_file
from api.guard.guards import OWNERS, Caller, needs
from api.guard.router import FeatureRouter
from api.guard.services import From
from policies.audit.log import AuditLog
from policies.broker_rights.findings import Kind, Severity
from policies.broker_rights.principals import MappingState
from policies.broker_rights.rows import RightsRow
from policies.broker_rights.service import DAYS, BrokerRights
from policies.model import Subject

router = FeatureRouter("/rights", tags=["access"])

T = TypeVar("T")
Form = Annotated[Literal["json", "csv", "jsonl"], Query(description="csv and jsonl are whole, not by pages.")]
Cluster = Annotated[Text | None, Query(description="Only this cluster.")]
Pattern = Annotated[Text | None, Query(description="Only datasets of a pattern, as prod/*.")]
Days = Annotated[Count, Query(le=3650, description="What was not used for so many days is unused.")]
_FILES = ("text/csv", "application/x-ndjson")
_READERS = needs("audit:read", "manage", "report:read", others=OWNERS, scope="report:read")


@router.get(
    "",
    dependencies=[_READERS],
    response_model=answers.RightsListing,
    responses=answers_with(answers.RightsListing, *_FILES),
)
def rights(
    service: From[BrokerRights],
    audit: From[AuditLog],
    caller: Caller,
    cluster: Cluster = None,
    dataset: Pattern = None,
    principal: Annotated[Text | None, Query(description="Only this principal, as User:orders-app.")] = None,
    user: Annotated[Text | None, Query(description="Only principals that are this person, group or program.")] = None,
    days: Days = DAYS,
    format: Form = "json",
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.RightsListing | Response:
    """What each principal of Kafka may do with each topic: granted by Weir, possible at the brokers, used.

    The brokers are asked each time. With `principal` or `user` the rows of User:* are given, too, as they hold for everybody.
    Owners see the topics that they own.
    """
    report = service.report(caller, cluster, dataset, days)
    rows = report.rows(principal, user)
    _note(audit, caller, dataset or cluster or "every cluster", f"{len(rows)} rights")
    if format == "json":
        return answers.RightsListing.of(report, _page(rows, offset, limit), len(rows))
    columns = ("dataset", "personal", "principal", "who", "granted", "possible", "used", "groups", "acls")
    return as_file(_flat(rows, format), columns, format, "rights", report.notes)


@router.get(
    "/findings",
    dependencies=[_READERS],
    response_model=answers.RightsFindings,
    responses=answers_with(answers.RightsFindings, *_FILES),
)
def findings(
    service: From[BrokerRights],
    audit: From[AuditLog],
    caller: Caller,
    cluster: Cluster = None,
    dataset: Pattern = None,
    kind: Annotated[list[Kind] | None, Query(description="Only of these kinds.")] = None,
    severity: Annotated[list[Severity] | None, Query(description="Only of these severities.")] = None,
    days: Days = DAYS,
    format: Form = "json",
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.RightsFindings | Response:
    """What is wrong between what is granted, possible and used, the worst first; each with what to do next.

    Findings about clusters as a whole are for those who may see all.
    """
    report = service.report(caller, cluster, dataset, days, beside=True)
    every = [
        each
        for each in report.findings()
        if (not kind or each.kind in kind) and (not severity or each.severity in severity)
    ]
    _note(audit, caller, dataset or cluster or "every cluster", f"{len(every)} findings")
    if format == "json":
        return answers.RightsFindings.of(report, _page(every, offset, limit), every)
    columns = ("severity", "kind", "cluster", "dataset", "principal", "text", "fix", "acls")
    rows = (answers.RightsFinding.of(each).model_dump() for each in every)
    return as_file(rows, columns, format, "findings", report.notes)


@router.get("/principals", dependencies=[needs("audit:read", "manage", "report:read")])
def principals(
    service: From[BrokerRights],
    audit: From[AuditLog],
    caller: Caller,
    cluster: Cluster = None,
    mapping: Annotated[MappingState | None, Query(description="Only those that are known so far.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.RightsPrincipals:
    """The principals that ACLs, super users and documents name, and who each is; suggestions for those that are unmapped."""
    report = service.report(caller, cluster)
    every = report.principals()
    listed = [(name, each) for name, each in every if mapping is None or each.mapping is mapping]
    supers = {each.name: each.acls.super_users or frozenset() for each in report.clusters}
    _note(audit, caller, cluster or "every cluster", f"{len(listed)} principals")
    unknown = (MappingState.UNMAPPED, MappingState.AMBIGUOUS)
    return answers.RightsPrincipals(
        principals=[
            answers.RightsPrincipal.of(name, each, each.principal in supers[name])
            for name, each in _page(listed, offset, limit)
        ],
        total=len(listed),
        unmapped=sum(each.mapping in unknown for _, each in every),
        notes=list(report.notes),
    )


def _page(rows: Sequence[T], offset: int, limit: int) -> list[T]:
    return list(rows[offset : offset + limit])


def _note(audit: AuditLog, caller: Subject, target: str, what: str) -> None:
    audit.record_by(caller, "report.rights", target, "allow", [what])


def _flat(rows: Sequence[RightsRow], form: str) -> Iterator[dict[str, object]]:
    """Rows for CSV, where each part is a few words; JSON lines keep what is inside."""
    for row in rows:
        keys = answers.RightsEntry.of(row).model_dump()
        if form == "csv":
            keys |= {
                "who": keys["who"]["name"] if keys["who"] else None,
                "granted": keys["granted"]["shows"] if keys["granted"] else None,
                "possible": [each["operation"] for each in keys["possible"]],
                "used": keys["used"]["state"],
                "groups": [each["name"] for each in keys["used"]["groups"]],
            }
        yield keys
