"""`/saved-queries`: statements that people keep under a name, and share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from api.edge.answer import RequestBody
from api.edge.parameters import Name
from api.edge.texts import seen
from api.features.saved_queries import answers
from api.features.saved_queries.service import SavedQueries, SavedQueryContent
from api.guard.guards import Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from policies.audit.log import AuditLog
from policies.model import Subject

router = FeatureRouter("/saved-queries", tags=["queries"])

Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), AfterValidator(seen)]


class SharingBody(RequestBody):
    """Who else may open it."""

    everyone: bool = False
    users: list[Short] = Field(default_factory=list, max_length=100)
    groups: list[Short] = Field(default_factory=list, max_length=100)


class ChartBody(RequestBody):
    """How its answer is drawn, by names of columns."""

    kind: Literal["bar", "line", "histogram"]
    x: Short
    y: Short | None = None


class SavedQueryBody(RequestBody):
    """A statement and its name."""

    name: Short = Field(examples=["Orders of a region"])
    sql: Annotated[str, StringConstraints(min_length=1, max_length=100_000)] = Field(
        examples=["SELECT * FROM prod.orders WHERE region = :region"],
        description="`:name` is a parameter. Values in the statement are kept with it, those of parameters not.",
    )
    purpose: Short | None = None
    description: Annotated[str, StringConstraints(max_length=2000)] = ""
    shared: SharingBody = Field(default_factory=SharingBody)
    chart: ChartBody | None = None

    def content(self) -> SavedQueryContent:
        shared = self.shared.model_dump()
        return SavedQueryContent(
            name=self.name,
            sql=self.sql,
            purpose=self.purpose,
            description=self.description,
            shared=shared if any(shared.values()) else None,
            chart=self.chart.model_dump() if self.chart is not None else None,
        )


@router.get("", dependencies=[signed_in("and those shared with the caller", scope="query")])
def list_queries(queries: From[SavedQueries], caller: Caller) -> answers.SavedQueries:
    """The caller's saved queries, and those that others share with them."""
    return answers.SavedQueries(queries=queries.all(caller))


@router.post("", dependencies=[signed_in("the caller's own", scope="query")], status_code=201)
def create(
    queries: From[SavedQueries], audit: From[AuditLog], caller: Caller, body: SavedQueryBody
) -> answers.SavedQuery:
    """Keep a statement under a name. 409 where the caller has one of that name."""
    query = queries.create(caller, body.content())
    _record_sharing(audit, caller, query)
    return query


@router.get("/{id}", dependencies=[needs(others="its owner, and with whom it is shared", unseen=True, scope="query")])
def get_saved_query(queries: From[SavedQueries], caller: Caller, id: Name) -> answers.SavedQuery:
    """One saved query; 404 where it is of somebody else and not shared with the caller."""
    return queries.get(caller, id)


@router.put("/{id}", dependencies=[needs(others="its owner", unseen=True, scope="query")])
def change(
    queries: From[SavedQueries], audit: From[AuditLog], caller: Caller, id: Name, body: SavedQueryBody
) -> answers.SavedQuery:
    """Change a query of one's own."""
    query = queries.change(caller, id, body.content())
    _record_sharing(audit, caller, query)
    return query


@router.delete(
    "/{id}", dependencies=[needs(others="its owner; `manage`, where it is shared", unseen=True, scope="query")]
)
def delete(queries: From[SavedQueries], audit: From[AuditLog], caller: Caller, id: Name) -> answers.DeletedQuery:
    """Forget a query: one's own, or with `manage` one that is shared."""
    deleted = queries.delete(caller, id)
    audit.record_by(caller, "saved-query.delete", id)
    return deleted


def _record_sharing(audit: AuditLog, caller: Subject, query: answers.SavedQuery) -> None:
    """The audit has with whom somebody shares a query, not the statement."""
    groups = [f"group:{name}" for name in query.shared.groups]
    names = ["everyone"] if query.shared.everyone else [*query.shared.users, *groups]
    if names:
        audit.record_by(caller, "saved-query.share", query.id, "allow", names)
