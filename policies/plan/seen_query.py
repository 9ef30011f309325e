"""A query that lives or ended lately, as other threads and processes see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from policies.model import Subject
from policies.sql.literals import without_literals

QUEUED, RUNNING, STREAMING, STOPPING, ENDED = "queued", "running", "streaming", "stopping", "ended"


@dataclass(frozen=True, slots=True)
class SeenQuery:
    """The state of a query at one moment; see `policies.plan.registry.Running` for what its fields mean.

    left_out         (kind, text) of what its answer leaves out
    unreadable       counts of values that do not fit, by column; None: not counted
    """

    id: str
    user: str
    agent: str | None
    sql: str
    purpose: str | None
    state: str
    since: datetime
    seconds: float
    rows: int
    bytes: int
    datasets: tuple[str, ...]
    progress: float | None
    partial: bool
    whole: bool
    problem: str | None
    message: str | None
    left_out: tuple[tuple[str, str], ...]
    unreadable: Mapping[str, int] | None
    unreadable_text: str | None

    def is_of(self, subject: Subject) -> bool:
        """Whether the subject asked."""
        return is_of(self.user, self.agent, subject)

    def sql_for(self, reader: str) -> str:
        """The statement as a user may see it: literals of another's are left out, since they may be values of records."""
        return self.sql if self.user == reader else without_literals(self.sql)

    def to_share(self) -> SeenQuery:
        """The same as a store may keep it: without literals, and without a message, which may quote one."""
        return replace(self, sql=without_literals(self.sql), message=None)


def is_of(user: str, agent: str | None, subject: Subject) -> bool:
    """Whether a query of a user, asked by the agent with that token, is the subject's: a person's, and for them their
    agents'; of an agent its own alone."""
    return user == subject.user and (subject.agent is None or agent == subject.agent.token)
