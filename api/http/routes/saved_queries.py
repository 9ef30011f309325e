"""`/saved-queries`: statements that people keep under a name, and share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from api.edge.openapi import answers_with
from api.edge.parameters import Name
from api.guard.guards import Caller, needs, signed_in
from api.guard.services import InstanceOf
from api.http.schemas.saved_queries import DeletedQuery, SavedQuery
from api.http.schemas.saved_queries import SavedQueries as SavedQueriesAnswer
from api.joins.saved_queries import SavedQueries, Wanted
from api.wiring.instance import Instance
from policies.audit import AuditLog
from policies.model import Subject

router = APIRouter(prefix="/saved-queries", tags=["queries"])

Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
_STRICT = ConfigDict(extra="forbid")


class SharedAsked(BaseModel):
    """Who else may open it."""

    model_config = _STRICT

    everyone: bool = False
    users: list[Short] = Field(default_factory=list, max_length=100)
    groups: list[Short] = Field(default_factory=list, max_length=100)


class ChartAsked(BaseModel):
    """How its answer is drawn, by names of columns."""

    model_config = _STRICT

    kind: Literal["bar", "line", "histogram"]
    x: Short
    y: Short | None = None


class SavedQueryAsked(BaseModel):
    """A statement and its name."""

    model_config = _STRICT

    name: Short = Field(examples=["Orders of a region"])
    sql: Annotated[str, StringConstraints(min_length=1, max_length=100_000)] = Field(
        examples=["SELECT * FROM prod.orders WHERE region = :region"],
        description="`:name` is a parameter. Values in the statement are kept with it, those of parameters not.",
    )
    purpose: Short | None = None
    description: Annotated[str, StringConstraints(max_length=2000)] = ""
    shared: SharedAsked = Field(default_factory=SharedAsked)
    chart: ChartAsked | None = None

    def wanted(self) -> Wanted:
        shared = self.shared.model_dump()
        return Wanted(
            name=self.name,
            sql=self.sql,
            purpose=self.purpose,
            description=self.description,
            shared=shared if any(shared.values()) else None,
            chart=self.chart.model_dump() if self.chart is not None else None,
        )


@router.get(
    "",
    dependencies=[signed_in("and those shared with the caller", scope="query")],
    responses=answers_with(SavedQueriesAnswer),
)
def list_queries(built: InstanceOf, subject: Caller) -> Any:
    """The caller's saved queries, and those that others share with them."""
    return {"queries": built[SavedQueries].all(subject)}


@router.post(
    "",
    dependencies=[signed_in("the caller's own", scope="query")],
    status_code=201,
    responses=answers_with(SavedQuery, status=201),
)
def create(built: InstanceOf, subject: Caller, body: SavedQueryAsked) -> Any:
    """Keep a statement under a name. 409 where the caller has one of that name."""
    query = built[SavedQueries].create(subject, body.wanted())
    _record_shared(built, subject, query)
    return query


@router.get(
    "/{id}",
    dependencies=[needs(others="its owner, and with whom it is shared", unseen=True, scope="query")],
    responses=answers_with(SavedQuery),
)
def one(built: InstanceOf, subject: Caller, id: Name) -> Any:
    """One saved query; 404 where it is of somebody else and not shared with the caller."""
    return built[SavedQueries].get(subject, id)


@router.put(
    "/{id}", dependencies=[needs(others="its owner", unseen=True, scope="query")], responses=answers_with(SavedQuery)
)
def change(built: InstanceOf, subject: Caller, id: Name, body: SavedQueryAsked) -> Any:
    """Change a query of one's own."""
    query = built[SavedQueries].change(subject, id, body.wanted())
    _record_shared(built, subject, query)
    return query


@router.delete(
    "/{id}",
    dependencies=[needs(others="its owner; `manage`, where it is shared", unseen=True, scope="query")],
    responses=answers_with(DeletedQuery),
)
def delete(built: InstanceOf, subject: Caller, id: Name) -> Any:
    """Forget a query: one's own, or with `manage` one that is shared."""
    deleted = built[SavedQueries].delete(subject, id)
    built[AuditLog].record_by(subject, "saved-query.delete", id)
    return deleted


def _record_shared(built: Instance, subject: Subject, query: dict[str, Any]) -> None:
    """What somebody shows to others is in the audit: with whom, not the statement."""
    shared = query["shared"]
    groups = [f"group:{name}" for name in shared["groups"]]
    names = ["everyone"] if shared["everyone"] else [*shared["users"], *groups]
    if names:
        built[AuditLog].record_by(subject, "saved-query.share", query["id"], "allow", names)
