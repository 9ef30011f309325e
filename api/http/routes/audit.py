"""`/audit`: the chain of decisions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from api.http.callers.auth import Auditor, ServicesOf
from api.http.edge.openapi import answers_with
from api.http.edge.parameters import Cursor, Instant, Limit, Text
from api.http.schemas.audit import AuditEntries, AuditVerification
from policies.ports import AuditFilter

router = APIRouter(prefix="/audit", tags=["audit"])


@router.get("", responses=answers_with(AuditEntries))
def entries(
    built: ServicesOf,
    _: Auditor,
    actor: Text | None = None,
    action: Annotated[Text | None, Query(description="The action, or its beginning: query, grant...")] = None,
    target: Text | None = None,
    since: Instant | None = None,
    until: Instant | None = None,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Any:
    """Entries, newest first."""
    where = AuditFilter(actor=actor, action=action, target=target, since=since, until=until)
    return built.audit.list(where, cursor, limit).to_json()


@router.get("/verify", responses=answers_with(AuditVerification))
def verify(built: ServicesOf, _: Auditor) -> Any:
    """Check every link, and the length against the published head."""
    return built.audit.verify().to_json()
