"""Answers of `/agents`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from api.edge.answer import Answer, Time, about
from catalog.records import rfc3339
from policies.access.agents import KnownAgent
from policies.access.api_tokens import NewToken
from policies.audit.ports import AuditEntry
from policies.model import Agent as Limits


class AgentLimits(Answer):
    """What a token of an agent takes away from what its person may do."""

    name: str
    purpose: str = about("The one purpose of all its queries.")
    datasets: list[str] = about("CLUSTER/TOPIC or patterns; no other dataset exists for the agent.")
    rows: int = about("Most rows in one answer.")
    rows_a_day: int = about("Most rows in all answers of a day, UTC.")
    masked_only: bool = about("Whether personal data always shows masked.")

    @classmethod
    def of(cls, agent: Limits) -> Self:
        return cls(**cls.keys(agent))

    @staticmethod
    def keys(agent: Limits) -> dict[str, object]:
        """The keys, for answers that have more of them."""
        return {
            "name": agent.name,
            "purpose": agent.purpose,
            "datasets": list(agent.datasets),
            "rows": agent.rows,
            "rows_a_day": agent.rows_a_day,
            "masked_only": agent.masked_only,
        }


class CreatedAgent(Answer):
    """A token of an agent; its text is in this answer only."""

    id: str
    user: str = about("The person or the service account that it acts for.")
    token: str
    expires_at: Time | None
    scopes: list[str]

    @classmethod
    def of(cls, new: NewToken) -> Self:
        return cls(
            id=new.id,
            user=new.user,
            token=new.text,
            expires_at=rfc3339(new.expires_at),
            scopes=list(new.scopes or ()),
        )


class Agent(AgentLimits):
    """An agent: for whom it acts, its limits, and how it is now."""

    id: str = about("Id of its token.")
    user: str = about("The person or the service account that it acts for.")
    scopes: list[str]
    active: bool = about("Whether its token is valid.")
    created_at: Time | None
    expires_at: Time | None
    ended_at: Time | None
    used_at: Time | None = about("When it last called, to the minute.")
    rows_today: int = about("Rows it was given since midnight, UTC.")
    may_end: bool = about("Whether the caller may end it.")

    @classmethod
    def known(cls, known: KnownAgent) -> Self:
        """As lists show it."""
        record = known.token
        return cls(
            **cls.keys(known.agent),
            id=record.id,
            user=record.user,
            scopes=list(record.scopes or ()),
            active=known.active,
            created_at=rfc3339(record.created_at),
            expires_at=rfc3339(record.expires_at),
            ended_at=rfc3339(record.revoked_at),
            used_at=rfc3339(record.used_at),
            rows_today=known.rows_today,
            may_end=known.may_end,
        )


class Agents(Answer):
    """Agents, the newest first."""

    agents: list[Agent]


class AgentCall(Answer):
    """Something that an agent did, as the audit has it."""

    at: Time
    action: str
    target: str
    decision: str
    tool: str | None = about("The tool that was called, where the client named it.")
    purpose: str | None
    rows: int | None = about("Rows that went out, in the entry of a query's end.")
    fields: dict[str, list[str]] = about("Dataset -> paths of the fields that were used.")

    @classmethod
    def of(cls, entry: AuditEntry) -> Self:
        details = entry.details
        fields = details.get("fields")
        rows = details.get("rows")
        return cls(
            at=rfc3339(entry.at),
            action=entry.action,
            target=entry.target,
            decision=entry.decision,
            tool=details.get("tool"),
            purpose=details.get("purpose"),
            rows=rows if isinstance(rows, int) else None,
            fields={name: list(paths) for name, paths in fields.items()} if isinstance(fields, dict) else {},
        )


class AgentPage(Answer):
    """One agent and what it did lately."""

    agent: Agent
    calls: list[AgentCall] = about("The last entries of the audit with its token, the newest first.")

    @classmethod
    def of(cls, known: KnownAgent, entries: Sequence[AuditEntry]) -> Self:
        return cls(agent=Agent.known(known), calls=[AgentCall.of(each) for each in entries])


class EndedAgent(Answer):
    """An agent that was ended."""

    agent: Agent
    stopped: int = about("Queries of it that were stopped in this process; others end within a second.")
