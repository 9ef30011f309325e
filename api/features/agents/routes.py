"""`/agents`: tokens with which agents act for a person; what they did; their end."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Count, Limit, Name
from api.features.agents import answers
from api.guard.guards import Caller, case, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from catalog.errors import InvalidInput, NotSignedIn
from policies.access.agents import AgentLimits, Agents
from policies.audit.log import AuditLog
from policies.audit.ports import AuditFilter
from policies.declared.spec_parts import duration
from policies.query.service import GovernedQuery

router = FeatureRouter("/agents", tags=["agents"])


class AgentBody(RequestBody):
    """What a token of an agent narrows."""

    name: str = Field(min_length=1, max_length=63, examples=["helper"])
    purpose: str = Field(min_length=1, max_length=253, examples=["support"])
    datasets: list[str] = Field(
        min_length=1, max_length=100, description="CLUSTER/TOPIC, or patterns as prod/*.", examples=[["prod/orders"]]
    )
    rows: Count = Field(1000, description="Most rows in one answer.")
    rows_a_day: Count = Field(10_000, description="Most rows in all answers of a day, UTC.")
    masked_only: bool = Field(False, description="Personal data always shows masked, whatever the person may see.")
    expires_in: str = Field(description="How long the token is valid: 12h, 7d.", examples=["7d"])
    scopes: list[str] | None = Field(
        None,
        max_length=10,
        description="Of read, query, request, report:read, review and describe; the first three when absent.",
    )


@router.post("", dependencies=[signed_in("for the caller alone", scope="request")], status_code=201)
def create(agents: From[Agents], readers: From[Readers], caller: Caller, body: AgentBody) -> answers.CreatedAgent:
    """Make a token with which an agent acts for the caller. Its text is in this answer only: Weir keeps a hash.

    The agent may at each moment see what the caller may see then, less what these limits take away.
    """
    try:
        lasting = duration(body.expires_in)
    except ValueError as error:
        raise InvalidInput(f"expiresIn: {error}.", details={"field": "expiresIn"}) from None
    reader = readers.of(caller)
    limits = AgentLimits(
        name=body.name,
        purpose=body.purpose,
        datasets=tuple(each if "*" in each else reader.named(each) for each in body.datasets),
        rows=body.rows,
        rows_a_day=body.rows_a_day,
        lasting=lasting,
        masked_only=body.masked_only,
        scopes=body.scopes,
    )
    return answers.CreatedAgent.of(agents.create(caller, limits))


@router.get(
    "",
    dependencies=[signed_in("the caller's own", cases={"?all=true": case("manage", "review", "audit:read")})],
)
def list_agents(
    agents: From[Agents],
    caller: Caller,
    all_: Annotated[
        bool, Query(alias="all", description="Everybody's, for those who manage, review or audit.")
    ] = False,
) -> answers.Agents:
    """Agents: for whom they act, their limits, the rows of today."""
    return answers.Agents(agents=[answers.Agent.known(each) for each in agents.all(caller, all_)])


@router.get(
    "/{id}",
    dependencies=[needs("manage", "review", "audit:read", others="the person it acts for", unseen=True, scope="read")],
)
def one(agents: From[Agents], audit: From[AuditLog], caller: Caller, id: Name, limit: Limit = 20) -> answers.AgentPage:
    """One agent, and what it did lately."""
    known = agents.one(caller, id)
    return answers.AgentPage.of(known, audit.list(AuditFilter(agent=known.token.id), limit=limit).entries)


@router.delete(
    "/{id}",
    dependencies=[needs("manage", "review", others="the person it acts for", unseen=True, scope="request")],
)
def end(agents: From[Agents], queries: From[GovernedQuery], caller: Caller, id: Name) -> answers.EndedAgent:
    """End an agent now. Its next call is refused, and what it runs ends within a second."""
    ended = agents.end(caller, id)
    gone = NotSignedIn(f"Agent {ended.agent.name} was ended by {caller.user}.")
    stopped = queries.running.stop_agent(id, f"was ended, since agent {ended.agent.name} was ended", gone)
    return answers.EndedAgent(agent=answers.Agent.known(ended), stopped=stopped)
