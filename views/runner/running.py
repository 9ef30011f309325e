"""The streaming query of one generation while it runs, with what moves its rows, writes its dead letters and deletes what is
over."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from catalog.errors import WeirError
from views.model import StreamPlan
from views.ports import StreamingQuery
from views.runner.expiry import Expiry
from views.runner.feed import Feed
from views.runner.letters import DeadLetters
from views.runner.state import Generation, Letters
from views.runner.tools import Tools


@dataclass(slots=True)
class RunningStream:
    """The query that runs, and the way of its rows."""

    query: StreamingQuery
    feed: Feed
    letters: DeadLetters | None
    expiry: Expiry | None

    def look(self, letters: Letters) -> tuple[dict[str, int], dict[str, float]]:
        """See how far the query is, and do what its batches make due; counts and rates. Raises what ended the query."""
        status = self.query.progress()
        self.feed.note(status)
        if self.letters is not None:
            self.letters.note(status)
        if self.expiry is not None:
            self.expiry.look(self.feed.positions)
        counts = self.feed.counts(status) | {
            "deadLetters": letters.written,
            "rowsExpired": self.expiry.rows if self.expiry is not None else 0,
        }
        return counts, self.feed.rates(status)


def start(
    view: str,
    writing: Generation,
    plan: StreamPlan,
    ttl: timedelta | None,
    session: str,
    letters: Letters,
    tools: Tools,
) -> RunningStream:
    """The stream of a generation, started on the engine as `session`. `letters` is changed in place, and kept by the caller.

    Raises what the engine, the topics and the serving table raise; then no query runs.
    """
    query = tools.engine.start(plan, session)
    try:
        dead_letters = None if plan.strict else DeadLetters(view, writing, plan, letters, tools)
        expiry = Expiry(view, writing, ttl, tools) if ttl is not None else None
        return RunningStream(query, Feed(view, writing, tools), dead_letters, expiry)
    except WeirError:
        query.stop()
        raise
