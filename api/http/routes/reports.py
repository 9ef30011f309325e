"""`/reports`: where is this field."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, Response

from api.http.callers.auth import Reporter, ServicesOf
from api.http.edge.openapi import answers_with
from api.http.edge.parameters import AsOf, Text
from api.http.schemas.reports import WhereIs
from catalog.where_is.csv import to_csv
from catalog.where_is.html import to_html

router = APIRouter(prefix="/reports", tags=["reports"])


@router.get("/where-is", responses=answers_with(WhereIs, "text/csv", "text/html"))
def where_is(
    built: ServicesOf,
    subject: Reporter,
    field: Annotated[Text | None, Query(description="A field name or path.")] = None,
    entity: Annotated[Text | None, Query(description="A kind of personal data; PII for any.")] = None,
    term: Annotated[Text | None, Query(description="A glossary term.")] = None,
    asOf: AsOf = None,
    format: Literal["json", "csv", "html"] = "json",
) -> Any:
    """Every place of a field, a kind of personal data or a term: where it flows, who reads it, who may see it, gaps."""
    report = built.where_is.report(field=field, entity=entity, term=term, as_of=asOf)
    built.record(subject, "report.where-is", field or entity or term or "", "allow", [f"{len(report.places)} places"])
    if format == "csv":
        return Response(to_csv(report), media_type="text/csv")
    if format == "html":
        return HTMLResponse(to_html(report, subject.user))
    return report.to_json()
