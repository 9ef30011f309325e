"""`/reports`: where is this field."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, Response

from api.edge.openapi import answers_with
from api.edge.parameters import AsOf, Text
from api.guard.guards import Caller, needs
from api.guard.powers import reach_of
from api.guard.services import InstanceOf
from api.features.where_is.answers import WhereIs as WhereIsAnswer
from api.features.where_is.within import where_is_within
from api.visibility.readers import Readers
from catalog.where_is.csv import to_csv
from catalog.where_is.html import to_html
from catalog.where_is.report import WhereIs
from policies.audit import AuditLog
from policies.decision.domains import Power

router = APIRouter(prefix="/reports", tags=["reports"])


@router.get(
    "/where-is",
    dependencies=[needs("report:read", others="admins and stewards of a domain, about its datasets")],
    responses=answers_with(WhereIsAnswer, "text/csv", "text/html"),
)
def where_is(
    built: InstanceOf,
    subject: Caller,
    field: Annotated[Text | None, Query(description="A field name or path.")] = None,
    entity: Annotated[Text | None, Query(description="A kind of personal data; PII for any.")] = None,
    term: Annotated[Text | None, Query(description="A glossary term.")] = None,
    asOf: AsOf = None,
    format: Literal["json", "csv", "html"] = "json",
) -> Any:
    """Every place of a field, a kind of personal data or a term: where it flows, who reads it, who may see it, gaps.

    For admins and stewards of a domain it is about its datasets alone, and the gaps name that.
    """
    reach = reach_of(built, subject, Power.REPORT)
    reporting = built[WhereIs] if reach is None else where_is_within(built[WhereIs], reach, built[Readers].of(subject))
    report = reporting.report(field=field, entity=entity, term=term, as_of=asOf)
    built[AuditLog].record_by(
        subject, "report.where-is", field or entity or term or "", "allow", [f"{len(report.places)} places"]
    )
    if format == "csv":
        return Response(to_csv(report), media_type="text/csv")
    if format == "html":
        return HTMLResponse(to_html(report, subject.user))
    return report.to_json()
