"""`/incidents`: what is wrong with datasets now, and what people do about it."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Annotated, Literal

from fastapi import Depends, Query, Response
from pydantic import Field, StringConstraints

from api.edge.answer import RequestBody
from api.edge.openapi import gives
from api.edge.parameters import Instant, Limit, Name, Text
from api.features.incidents import answers
from api.features.incidents.badge import badge
from api.features.incidents.downstream import downstream_of
from api.features.incidents.shown import ShownIncidents
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from api.visibility.sight import SightRules
from catalog.errors import InvalidInput, NotSignedIn
from catalog.incident_store import IncidentCause, IncidentFilter, IncidentState, Resolution
from catalog.incidents.service import Incidents
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.decision.visibility import Aspect
from policies.declared.state import GovernanceState

router = FeatureRouter(tags=["incidents"])

_CHANGE = needs("manage", "review", others="owners and stewards of the dataset, and the assignee", unseen=True)
_LONGEST = 10_000
Written = Annotated[str, StringConstraints(max_length=_LONGEST)]


class AssigneeBody(RequestBody):
    """Who is to look after it."""

    user: Text | None = Field(None, description="A person; null for nobody.")


class CommentBody(RequestBody):
    """What somebody writes about it."""

    text: Written


class ResolutionBody(RequestBody):
    """Why it is over."""

    resolution: Literal["fixed", "accepted", "falseAlarm"] = Field(
        "fixed", description="Fixed opens it again when a check still sees it 15 minutes later; the others leave it."
    )
    text: Written = ""


def _shown(
    incidents: From[Incidents],
    store: From[CatalogStore],
    readers: From[Readers],
    sights: From[SightRules],
    caller: Caller,
) -> ShownIncidents:
    reader = readers.of(caller)
    return ShownIncidents(
        incidents, caller, store.dataset, reader.known, sights.of(caller).of, partial(downstream_of, reader)
    )


Shown = Annotated[ShownIncidents, Depends(_shown)]


@router.get("/incidents", dependencies=[signed_in(KNOWN)])
def list_incidents(
    shown: Shown,
    readers: From[Readers],
    caller: Caller,
    state: Annotated[
        list[Literal["open", "acknowledged", "resolved"]] | None, Query(description="Only in these states.")
    ] = None,
    dataset: Annotated[Text | None, Query(description="Only of this dataset, as prod/orders.")] = None,
    cause: Annotated[Literal["contract", "quality"] | None, Query(description="Only of this cause.")] = None,
    source: Annotated[Text | None, Query(description="Only of this contract, or kind of series.")] = None,
    assignee: Annotated[Text | None, Query(description="Only those that this person looks after.")] = None,
    since: Annotated[Instant | None, Query(description="Only those that a check saw since then.")] = None,
    limit: Limit = 100,
) -> answers.Incidents:
    """Incidents that are not resolved, then those that are; each the newest first."""
    only = None
    if dataset is not None:
        datasets = readers.of(caller).datasets
        only = (datasets.find_in_any_case(dataset),)
    where = IncidentFilter(
        states=tuple(map(IncidentState, state or ())),
        datasets=only,
        causes=(IncidentCause(cause),) if cause is not None else (),
        sources=(source,) if source is not None else (),
        assignee=assignee,
        since=since,
    )
    return shown.all(where, limit)


@router.get("/incidents/datasets", dependencies=[signed_in(KNOWN)])
def broken_datasets(shown: Shown) -> answers.BrokenDatasets:
    """Datasets with an incident that is not resolved."""
    return answers.BrokenDatasets(datasets=shown.broken())


@router.get("/incidents/{id}", dependencies=[signed_in(KNOWN)])
def get_incident(shown: Shown, id: Name) -> answers.IncidentDetails:
    """One incident: its history, and what is downstream of it."""
    return shown.get(id)


@router.post("/incidents/{id}/acknowledge", dependencies=[_CHANGE])
def acknowledge(shown: Shown, audit: From[AuditLog], caller: Caller, id: Name) -> answers.IncidentDetails:
    """State that somebody looks at it."""
    answer = shown.acknowledge(id)
    audit.record_by(caller, "incident.acknowledge", id)
    return answer


@router.put("/incidents/{id}/assignee", dependencies=[_CHANGE])
def assign(
    shown: Shown,
    identity: From[Identity],
    state: From[GovernanceState],
    readers: From[Readers],
    audit: From[AuditLog],
    caller: Caller,
    id: Name,
    body: AssigneeBody,
) -> answers.IncidentDetails:
    """Make a person look after it, or nobody. They must be one who may know the dataset."""
    record = shown.require(id)
    if body.user is not None:
        known = None
        if body.user == caller.user or body.user in state.view().people:
            with suppress(NotSignedIn):
                known = readers.of(identity.current(body.user)).known(record)
        if known is None or not (known.existence and known.schema):
            raise InvalidInput(
                f"{body.user} is not a person who may know {record.reference}; name another one.",
                details={"field": "user"},
            )
    answer = shown.assign(id, body.user)
    audit.record_by(caller, "incident.assign", id, "allow", [body.user] if body.user else [])
    return answer


@router.post("/incidents/{id}/comments", dependencies=[_CHANGE])
def comment(
    shown: Shown, audit: From[AuditLog], caller: Caller, id: Name, body: CommentBody
) -> answers.IncidentDetails:
    """Write something about it."""
    answer = shown.comment(id, body.text)
    audit.record_by(caller, "incident.comment", id)
    return answer


@router.post("/incidents/{id}/resolve", dependencies=[_CHANGE])
def resolve(
    shown: Shown, audit: From[AuditLog], caller: Caller, id: Name, body: ResolutionBody
) -> answers.IncidentDetails:
    """State that it is over, and why. 409 for one that is resolved."""
    answer = shown.resolve(id, Resolution(body.resolution), body.text)
    audit.record_by(caller, "incident.resolve", id, "allow", [body.resolution])
    return answer


@router.get(
    "/datasets/{namespace}/{name}/badge.svg",
    dependencies=[signed_in(KNOWN)],
    response_class=Response,
    responses=gives("image/svg+xml", "How many incidents are not resolved, as a badge."),
)
def dataset_badge(
    shown: Shown, readers: From[Readers], caller: Caller, incidents: From[Incidents], namespace: Name, name: Name
) -> Response:
    """A badge of the dataset: how many incidents are not resolved. 404 for one whose incidents the caller may not know."""
    datasets = readers.of(caller).datasets
    record = datasets.get(DatasetId(namespace, name))
    readers.of(caller).require(record, Aspect.SCHEMA)
    count = incidents.unresolved().get(record.id, 0)
    return Response(badge(count), media_type="image/svg+xml", headers={"Cache-Control": "no-cache"})
