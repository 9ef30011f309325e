"""`/queries`: what runs just now, and stopping it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from api.edge.openapi import answers_with
from api.edge.parameters import Name
from api.guard.guards import Caller, signed_in
from api.guard.services import InstanceOf
from api.http.schemas.queries import CancelledQuery, EndedQuery, RunningQueries, RunningQuery
from api.wiring.instance import Instance
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.model import Subject
from policies.query.service import GovernedQuery

router = APIRouter(prefix="/queries", tags=["queries"])


@router.get(
    "",
    dependencies=[signed_in("everybody's with `manage`", scope="query")],
    responses=answers_with(RunningQueries),
)
def running(built: InstanceOf, subject: Caller) -> Any:
    """The caller's queries that wait, run or stream; everybody's for those who manage. Literals of others are hidden."""
    return {"queries": built[GovernedQuery].running.list(subject, _everybody(built, subject))}


@router.get(
    "/{id}",
    dependencies=[signed_in("anybody's with `manage`", scope="query")],
    responses=answers_with(RunningQuery | EndedQuery),
)
def one(built: InstanceOf, subject: Caller, id: Name) -> Any:
    """A query of one's own that runs or ended lately: what went out, and the values in it that do not fit (`unreadable`)."""
    return built[GovernedQuery].running.find(subject, id, _everybody(built, subject))


@router.delete(
    "/{id}",
    dependencies=[signed_in("anybody's with `manage`", scope="query")],
    responses=answers_with(CancelledQuery),
)
def cancel(built: InstanceOf, subject: Caller, id: Name) -> Any:
    """Stop a query of one's own, or any for those who manage. A client that waits for its answer gets 409, query_cancelled.

    `state` is `cancelled` when it has ended, `stopping` while the engine still works on it; `GET /queries/{id}` shows the
    end.
    """
    query = built[GovernedQuery].running.cancel(subject, id, _everybody(built, subject))
    built[AuditLog].record_by(subject, "query.cancel", ", ".join(query.datasets) or "(no dataset)", "allow", [query.id])
    return {"id": query.id, "user": query.user, "state": "cancelled" if query.over.is_set() else query.shown}


def _everybody(built: Instance, subject: Subject) -> bool:
    return "manage" in built[Identity].permissions(subject)
