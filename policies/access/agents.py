"""Agents: made by a person or a service account, listed, ended; and how many rows each was given today."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from catalog.errors import Conflict, InvalidInput, LimitExceeded, NotFound
from catalog.records import rfc3339
from policies.access.api_tokens import NewToken, is_valid
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.decision.agents import require_person
from policies.declared.state import GovernanceState
from policies.model import Agent, Subject
from policies.ports import AgentRows, Clock, TokenRecord
from policies.settings import PolicySettings

SCOPES = frozenset({"read", "query", "request", "report:read", "review", "describe"})
"""What a token of an agent may be limited to. `review` and `describe` change descriptions, tags and detections. A token has
them where they are named when it is made."""
DEFAULT_SCOPES = ("query", "read", "request")
MOST_ROWS, MOST_ROWS_A_DAY, MOST_DATASETS = 100_000, 100_000_000, 100
SEES_ALL = frozenset({"manage", "review", "audit:read"})
"""Permissions whose holders see everybody's agents."""
ENDS_ALL = frozenset({"manage", "review"})
"""Permissions whose holders end everybody's agents."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}\Z")
_DATASET = re.compile(r"[^/\s]+/\S+\Z")


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """What a token of an agent is to narrow; see `policies.model.Agent`. `lasting`: how long it is valid."""

    name: str
    purpose: str
    datasets: tuple[str, ...]
    rows: int
    rows_a_day: int
    lasting: timedelta
    masked_only: bool = False
    scopes: Collection[str] | None = None


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """An agent as lists show it. `active`: its token is valid; rows_today: since midnight, UTC."""

    token: TokenRecord
    agent: Agent
    active: bool
    rows_today: int
    may_end: bool


class AgentBudget:
    """Counts the rows that agents are given. Safe for threads and between processes."""

    def __init__(self, rows: AgentRows, clock: Clock) -> None:
        self._rows, self._clock = rows, clock

    def require_left(self, subject: Subject) -> None:
        """Raises LimitExceeded for an agent that was given all of its rows of today."""
        agent = subject.agent
        if agent is not None and self.today().get(agent.token, 0) >= agent.rows_a_day:
            raise self._used_up(agent, "was given all of them")

    def take(self, subject: Subject, rows: int) -> None:
        """Count rows before they go out; nothing for a person. Raises LimitExceeded where they are more than are left today, and
        then none of them is counted."""
        agent = subject.agent
        if agent is None or rows <= 0:
            return
        if not self._rows.add(agent.token, self._clock().astimezone(UTC).date(), rows, agent.rows_a_day):
            left = max(0, agent.rows_a_day - self.today().get(agent.token, 0))
            raise self._used_up(agent, f"has {left:,} of them left, and this answer has {rows:,}")

    def today(self) -> dict[str, int]:
        """Token id -> rows given today."""
        return dict(self._rows.of(self._clock().astimezone(UTC).date()))

    def _used_up(self, agent: Agent, what: str) -> LimitExceeded:
        now = self._clock().astimezone(UTC)
        reset = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        return LimitExceeded(
            f"Agent {agent.name} may have {agent.rows_a_day:,} rows a day and {what}; the count begins again at {rfc3339(reset)}.",
            details={
                "limit": "rows_a_day",
                "resetAt": rfc3339(reset),
                "retryAfter": max(1, int((reset - now).total_seconds())),
            },
        )


class Agents:
    """The service of agents."""

    def __init__(
        self,
        identity: Identity,
        state: GovernanceState,
        budget: AgentBudget,
        audit: AuditLog,
        clock: Clock,
        settings: PolicySettings,
    ) -> None:
        self._identity, self._state, self._budget = identity, state, budget
        self._audit, self._clock, self._settings = audit, clock, settings

    def create(self, subject: Subject, limits: AgentLimits) -> NewToken:
        """Make a token with which an agent acts for the subject. Its text is given once.

        Raises NotAllowed (for an agent), InvalidInput naming what is wrong with a limit, Conflict for a person whose groups or
        roles cannot be known later.
        """
        require_person(subject, "makes tokens")
        agent = replace(self._checked(limits), provided=self._provided(subject))
        scopes = self._scopes(subject, limits.scopes)
        new = self._identity.create_token(subject.user, limits.lasting, limits.name, scopes, agent)
        words = [
            new.id,
            f"purpose {agent.purpose}",
            *(f"dataset {each}" for each in agent.datasets),
            f"{agent.rows} rows, {agent.rows_a_day} a day",
            *(["masked only"] if agent.masked_only else []),
            *(f"scope {each}" for each in scopes),
        ]
        self._audit.record(
            subject.user,
            "agent.create",
            agent.name,
            "allow",
            words,
            {"agent": agent.name, "agentToken": new.id, "purpose": agent.purpose},
        )
        return new

    def _provided(self, subject: Subject) -> bool:
        """Whether a provider gives the person groups or roles. Raises Conflict where no session of theirs has all of them: the
        agent would be without them, and without the masks and filters that are about them."""
        later = self._identity.confirmed(subject.user)
        missing = (subject.groups - later.groups) | (subject.roles - later.roles)
        if missing:
            raise Conflict(
                f"An identity provider gives you {', '.join(sorted(missing)[:5])}, and an agent needs a session by which this can"
                " be known later; sign in by `weir login` or in the browser, and make the agent there."
            )
        given = self._identity.given_by_provider(subject.user)
        return given is not None and bool(given.groups or given.roles)

    def _checked(self, limits: AgentLimits) -> Agent:
        if not _NAME.match(limits.name):
            raise _unfit(
                "name", f"The agent's name {limits.name[:63]!r} has to be 1 to 63 letters, digits and . _ - of ASCII."
            )
        purpose = limits.purpose.strip()
        if not purpose:
            raise _unfit("purpose", "An agent needs a purpose, as in --purpose support.")
        self._state.view().purposes.require_new(purpose)
        datasets = tuple(dict.fromkeys(limits.datasets))
        if not 1 <= len(datasets) <= MOST_DATASETS:
            raise _unfit(
                "datasets", f"Name between 1 and {MOST_DATASETS} datasets or patterns, as in --dataset prod/orders."
            )
        for each in datasets:
            if each != "*" and not _DATASET.match(each):
                raise _unfit(
                    "datasets", f"{each[:200]!r} is not a dataset; write CLUSTER/TOPIC, as in prod/orders or prod/*."
                )
        if not 1 <= limits.rows <= MOST_ROWS:
            raise _unfit("rows", f"An answer for an agent has 1 to {MOST_ROWS:,} rows.")
        if not limits.rows <= limits.rows_a_day <= MOST_ROWS_A_DAY:
            raise _unfit("rowsADay", f"Rows a day are at least those of one answer, and at most {MOST_ROWS_A_DAY:,}.")
        most = self._settings.agent_token_days
        if not timedelta(0) < limits.lasting <= timedelta(days=most):
            raise _unfit(
                "expiresIn",
                f"A token of an agent must expire: give up to {most} days, as in 7d (WEIR_POLICIES__AGENT_TOKEN_DAYS).",
            )
        return Agent("", limits.name, purpose, datasets, limits.rows, limits.rows_a_day, limits.masked_only)

    @staticmethod
    def _scopes(subject: Subject, scopes: Collection[str] | None) -> tuple[str, ...]:
        chosen = tuple(sorted(set(scopes if scopes is not None else DEFAULT_SCOPES)))
        allowed = SCOPES if subject.scopes is None else SCOPES & subject.scopes
        if scopes is None:
            chosen = tuple(each for each in chosen if each in allowed)
        unfit = sorted(set(chosen) - allowed)
        if unfit or not chosen:
            what = f"{unfit[0]!r} is not a scope for it" if unfit else "none is named that this token has"
            raise _unfit("scopes", f"A token of an agent may have {', '.join(sorted(allowed))}; {what}.")
        return chosen

    def all(self, subject: Subject, everybody: bool = False) -> Sequence[KnownAgent]:
        """The subject's agents, or with `everybody` those of all whom they may see; the newest first. Raises NotAllowed."""
        require_person(subject, "looks at other agents")
        sees_all = everybody and bool(self._identity.permissions(subject) & SEES_ALL)
        if everybody and not sees_all:
            self._identity.require(subject, "manage")
        now, given = self._clock(), self._budget.today()
        records = self._identity.tokens(None if sees_all else subject.user)
        known = [self._known(subject, each, each.agent, now, given) for each in records if each.agent is not None]
        return sorted(known, key=lambda each: (each.token.created_at, each.token.id), reverse=True)

    def one(self, subject: Subject, token_id: str) -> KnownAgent:
        """One agent by the id of its token. Raises NotFound, also where the subject may not see it."""
        sees_all = bool(self._identity.permissions(subject) & SEES_ALL)
        shown = next((each for each in self.all(subject, sees_all) if each.token.id == token_id), None)
        if shown is None:
            raise NotFound(
                f"There is no agent with the token {token_id[:40]!r} that you may see; `weir agent list` shows them.",
                details={"agent": token_id[:40]},
            )
        return shown

    def end(self, subject: Subject, token_id: str) -> KnownAgent:
        """End an agent now: each later call with its token is refused, and what it runs is ended. Raises NotFound, NotAllowed."""
        known = self.one(subject, token_id)
        if not known.may_end:
            self._identity.require(subject, "manage")
        self._identity.revoke(token_id)
        details = {"agent": known.agent.name, "agentToken": token_id, "users": [known.token.user]}
        self._audit.record(subject.user, "agent.end", known.agent.name, "allow", [token_id], details)
        return self.one(subject, token_id)

    def _known(
        self, subject: Subject, record: TokenRecord, agent: Agent, now: datetime, given: dict[str, int]
    ) -> KnownAgent:
        may_end = record.user == subject.user or bool(self._identity.permissions(subject) & ENDS_ALL)
        return KnownAgent(record, agent, is_valid(record, now), given.get(record.id, 0), may_end)


def _unfit(field: str, sentence: str) -> InvalidInput:
    return InvalidInput(sentence, details={"field": field})
