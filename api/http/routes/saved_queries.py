"""`/saved-queries`: statements that people keep under a name, and share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field, StringConstraints

from api.http.callers.auth import Caller, ServicesOf
from api.http.edge.openapi import answers_with
from api.http.edge.parameters import Name
from api.http.schemas.base import RequestBody
from api.http.schemas.saved_queries import DeletedQuery, SavedQueries, SavedQuery
from api.joins.saved_queries import Wanted
from api.wiring.services import Services
from policies.model import Subject

router = APIRouter(prefix="/saved-queries", tags=["queries"])

Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class SharedAsked(RequestBody):
    """Who else may open it."""

    everyone: bool = False
    users: list[Short] = Field(default_factory=list, max_length=100)
    groups: list[Short] = Field(default_factory=list, max_length=100)


class ChartAsked(RequestBody):
    """How its answer is drawn, by names of columns."""

    kind: Literal["bar", "line", "histogram"]
    x: Short
    y: Short | None = None


class SavedQueryAsked(RequestBody):
    """A statement and its name."""

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


@router.get("", responses=answers_with(SavedQueries))
def list_queries(built: ServicesOf, subject: Caller) -> Any:
    """The caller's saved queries, and those that others share with them."""
    return {"queries": built.saved_queries.all(subject)}


@router.post("", status_code=201, responses=answers_with(SavedQuery, status=201))
def create(built: ServicesOf, subject: Caller, body: SavedQueryAsked) -> Any:
    """Keep a statement under a name. 409 where the caller has one of that name."""
    query = built.saved_queries.create(subject, body.wanted())
    _record_shared(built, subject, query)
    return query


@router.get("/{id}", responses=answers_with(SavedQuery))
def one(built: ServicesOf, subject: Caller, id: Name) -> Any:
    """One saved query; 404 where it is of somebody else and not shared with the caller."""
    return built.saved_queries.get(subject, id)


@router.put("/{id}", responses=answers_with(SavedQuery))
def change(built: ServicesOf, subject: Caller, id: Name, body: SavedQueryAsked) -> Any:
    """Change a query of one's own."""
    query = built.saved_queries.change(subject, id, body.wanted())
    _record_shared(built, subject, query)
    return query


@router.delete("/{id}", responses=answers_with(DeletedQuery))
def delete(built: ServicesOf, subject: Caller, id: Name) -> Any:
    """Forget a query: one's own, or with `manage` one that is shared."""
    deleted = built.saved_queries.delete(subject, id)
    built.record(subject, "saved-query.delete", id)
    return deleted


def _record_shared(built: Services, subject: Subject, query: dict[str, Any]) -> None:
    """What somebody shows to others is in the audit: with whom, not the statement."""
    shared = query["shared"]
    groups = [f"group:{name}" for name in shared["groups"]]
    names = ["everyone"] if shared["everyone"] else [*shared["users"], *groups]
    if names:
        built.record(subject, "saved-query.share", query["id"], "allow", names)
