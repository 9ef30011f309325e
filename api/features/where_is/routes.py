"""`/reports`: where is this field."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Query
from fastapi.responses import HTMLResponse, Response

from api.edge.openapi import answers_with
from api.edge.parameters import AsOf, Text
from api.features.where_is import answers
from api.features.where_is.within import where_is_for
from api.guard.guards import Caller, needs
from api.guard.powers import reach_of
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from catalog.errors import InvalidInput
from catalog.where_is.csv import to_csv
from catalog.where_is.html import to_html
from catalog.where_is.report import WhereIs
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.decision.domains import Power, Reach

router = FeatureRouter("/reports", tags=["reports"])


def _reach(identity: From[Identity], caller: Caller) -> Reach | None:
    """Raises NotAllowed (403)."""
    return reach_of(identity, caller, Power.REPORT)


@router.get(
    "/where-is",
    dependencies=[needs("report:read", others="admins and stewards of a domain, about its datasets", agents=True)],
    response_model=answers.WhereIs,
    responses=answers_with(answers.WhereIs, "text/csv", "text/html"),
)
def where_is(
    reports: From[WhereIs],
    readers: From[Readers],
    audit: From[AuditLog],
    reach: Annotated[Reach | None, Depends(_reach)],
    caller: Caller,
    field: Annotated[Text | None, Query(description="A field name or path.")] = None,
    entity: Annotated[Text | None, Query(description="A kind of personal data; PII for any.")] = None,
    term: Annotated[Text | None, Query(description="A glossary term.")] = None,
    asOf: AsOf = None,
    format: Literal["json", "csv", "html"] = "json",
    access: Annotated[
        bool,
        Query(description="Who may see each place, which takes the longest; false: the places at once, in JSON alone."),
    ] = True,
) -> answers.WhereIs | Response:
    """Every place of a field, a kind of personal data or a term: where it flows, who reads it, who may see it, gaps.

    For admins and stewards of a domain it is about its datasets alone, and the gaps name that.
    """
    if not access and format != "json":
        raise InvalidInput(
            f"A report in {format} has who may see each place; leave access=false out, or take format=json."
        )
    reporting = where_is_for(reports, reach, caller, readers)
    report = reporting.report(field=field, entity=entity, term=term, as_of=asOf, access=access)
    audit.record_by(caller, "report.where-is", field or entity or term or "", "allow", [f"{len(report.places)} places"])
    if format == "csv":
        return Response(to_csv(report), media_type="text/csv")
    if format == "html":
        return HTMLResponse(to_html(report, caller.user))
    return answers.WhereIs.model_validate(report.to_json())
