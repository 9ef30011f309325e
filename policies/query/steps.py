"""The steps of a governed query that its services share: a turn, a decision, a run, a stream of events."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import replace
from typing import Any

from catalog.errors import LimitExceeded
from policies.audit.actions import AuditAction
from policies.decision.agents import most_rows
from policies.gate.gate import Gated
from policies.masks.keys import MaskKeys
from policies.model import Agent, Subject
from policies.plan.answer_parts import AnswerColumn
from policies.plan.errors import QueryFailed
from policies.plan.gathering import require_rows, row_weight
from policies.plan.model import QueryPlan, Result
from policies.plan.ports import Decider, Drift, Engine, NoAgents, Offsets, QueryAudit, RowBudget, TableSource
from policies.plan.prepare import PreparedQuery, Preparer
from policies.plan.registry import Running, RunningQueries
from policies.plan.seen_query import RUNNING
from policies.plan.settings import QuerySettings
from policies.plan.unreadable import UnreadableReport
from policies.query import answer as query_answer
from policies.query.admission import Turns
from policies.query.catalog_statements import References
from policies.query.door import AuditedGate
from policies.query.failures import explained
from policies.query.running_access import Access
from policies.query.stream_events import StreamEvent, ended
from policies.query.unfit_values import Unfit
from policies.query.view_statements import ViewStatements

AGENT_RECHECK_S = 0.5


def _too_many(agent: Agent) -> LimitExceeded:
    return LimitExceeded(
        f"Agent {agent.name} may have {agent.rows:,} rows in one answer; ask for at most so many.",
        details={"limit": "rows", "most": agent.rows, "reasons": []},
    )


class Steps:
    """Holds what every query needs. Safe for threads."""

    def __init__(
        self,
        tables: TableSource,
        decide: Decider,
        engine: Engine,
        offsets: Offsets,
        audit: QueryAudit,
        keys: MaskKeys,
        settings: QuerySettings | None = None,
        drift: Drift | None = None,
        references: References = tuple,
        views: ViewStatements | None = None,
        require_purpose: Callable[[str | None], object] = lambda _: None,
        budget: RowBudget | None = None,
        state_of: Callable[[Collection[str], Subject], list[str]] = lambda *_: [],
    ) -> None:
        """`references` lists the topics of the catalog, for SHOW TABLES; `views` declares stream views. `require_purpose`
        raises InvalidInput for a purpose that nobody may state. `state_of`: references of datasets, and who asks -> sentences
        about what is wrong with them now; it raises nothing."""
        self._state_of = state_of
        self._views = views
        self.settings = self._settings = settings or QuerySettings()
        self._references = references
        self.preparer = self._preparer = Preparer(tables, decide, offsets, keys, self._settings)
        self.running = RunningQueries(self._settings)
        self._engine = engine
        self._offsets = offsets
        self._unfit = Unfit(self._settings, drift)
        self.trail = self._trail = AuditedGate(audit, self._settings.largest_plan(), require_purpose)
        self._turns = Turns(self._settings)
        self._budget: RowBudget = budget or NoAgents()

    def _notes(self, prepared: PreparedQuery, subject: Subject) -> list[str]:
        """What of the query was not done, or does not mean what it looks like, and what is wrong with what it reads."""
        references = {governed.table.reference for governed in prepared.tables.values()}
        return [*query_answer.notes(prepared), *self._state_of(references, subject)]

    def _stream_run(self, live: Running) -> Any:
        return lambda prepared, rows: self._run(prepared, rows, live)

    def _pushed(
        self,
        subject: Subject,
        live: Running,
        prepared: PreparedQuery,
        begin: StreamEvent,
        events: Iterator[StreamEvent],
        access: Access,
    ) -> Generator[StreamEvent, None, None]:
        """The events of a stream from its first, until it ends or is stopped."""
        with self._trail.ending(subject, live, prepared), access.watching():
            yield begin
            for event in events:
                if live.stop.stopped and event["type"] != "end":
                    error = live.stop.error()
                    live.whole = False
                    live.ended_by(error)
                    yield ended(error)
                    return
                if event["type"] == "end":
                    live.whole, live.problem, live.message = False, event["code"], event["message"]
                rows = len(event["rows"]) if event["type"] == "rows" else 0
                try:
                    self._count(subject, prepared, live.rows, rows)
                except LimitExceeded as error:
                    live.whole = False
                    live.ended_by(error)
                    yield ended(error)
                    return
                live.rows += rows
                if event["type"] == "unreadable":
                    live.report = UnreadableReport(event["unreadable"], event["text"])
                yield event

    def _take(self, subject: Subject, prepared: PreparedQuery, rows: int) -> None:
        """Count rows before they go out, each with the values of records that it can hold. Raises LimitExceeded."""
        self._budget.take(subject, rows * row_weight(subject, prepared.gated.tree))

    def _count(self, subject: Subject, prepared: PreparedQuery, before: int, rows: int) -> None:
        """Count rows of a stream, which is one answer. Raises LimitExceeded."""
        if subject.agent is not None and before + rows > subject.agent.rows:
            raise _too_many(subject.agent)
        self._take(subject, prepared, rows)

    def _limit(self, subject: Subject, limit: int | None, most: int) -> int:
        self._budget.require_left(subject)
        if limit is None:
            return min(self._settings.default_rows, most_rows(subject, most))
        if subject.agent is not None and subject.agent.rows < limit <= most:
            raise _too_many(subject.agent)
        if not 0 < limit <= most:
            raise LimitExceeded(f"The limit {limit:,} is not between 1 and {most:,} rows.", details={"limit": "rows"})
        return limit

    @contextlib.contextmanager
    def _entry(self, running: Running | None, subject: Subject, sql: str, purpose: str | None) -> Iterator[Running]:
        if running is not None:
            yield running
            return
        with self.running.during(subject, sql, purpose) as registered:
            yield registered

    @contextlib.contextmanager
    def _admitted(self, subject: Subject, live: Running, form: str | None = None) -> Iterator[PreparedQuery]:
        """A turn, and under it a query that is decided, looked up and in the audit."""
        gated = self._trail.gate(subject, live.sql, live.purpose, "query", live)
        with self._trail.refusals(subject, live.sql, live.purpose, "query", live):
            require_rows(subject, gated.tree)
        if gated.emit_changes:
            message = "EMIT CHANGES makes a stream; ask for it at /api/v1/query/stream, or leave it out."
            raise self._trail.refused(subject, message, "query", live)
        with self._turns.take(subject.user, live.stop):
            live.state = RUNNING
            prepared = self._prepare(live.now(subject), gated, live.purpose, "query", live)
            self._preparer.look(prepared, live.window)
            live.stop.check()
            self._trail.record(subject, "query", live.purpose, prepared, "allow", running=live, form=form)
            yield prepared

    @contextlib.contextmanager
    def _access(self, subject: Subject, live: Running, prepared: PreparedQuery) -> Iterator[Access]:
        """The right to what the query shows, decided again until the block ends."""
        access = Access(self._preparer, subject, prepared, live, self._recheck(subject))
        with access.watching():
            yield access

    def _recheck(self, subject: Subject) -> float:
        """Seconds between decisions: an agent that is ended stops within a second."""
        seconds = self._settings.recheck_seconds
        return seconds if subject.agent is None else min(seconds, AGENT_RECHECK_S)

    def _prepare(
        self, subject: Subject, gated: Gated, purpose: str | None, action: AuditAction, running: Running
    ) -> PreparedQuery:
        return self._trail.decided(self._preparer, subject, gated, purpose, action, running)[1]

    def _run(self, prepared: PreparedQuery, rows: int, running: Running) -> Result:
        with self._named(prepared):
            return self._engine.run(prepared.plan(rows, self._settings.seconds, self._settings.max_bytes, running))

    def _fit(self, prepared: PreparedQuery, plan: QueryPlan, live: Running) -> QueryPlan:
        """The plan of an answer that is sent as it comes; where values that do not fit are an error, they are looked
        for first, since what has gone out cannot be taken back."""
        if self._unfit.is_error(live.on_unreadable):
            tables = tuple(replace(table, enough=None) for table in plan.tables)
            counting = replace(plan, sql=f"SELECT count(*) FROM ({plan.sql})", limit=1, tables=tables, positions=())
            self._unfit.report(prepared, self._engine.run(counting).unreadable, live.on_unreadable)
        return plan

    def _analysed(self, prepared: PreparedQuery, rows: int) -> list[AnswerColumn]:
        with self._named(prepared):
            return query_answer.header(prepared, self._engine.check(prepared.plan(rows, self._settings.seconds)))

    @contextlib.contextmanager
    def _named(self, prepared: PreparedQuery) -> Iterator[None]:
        """Turns "there is no column" into what is true for this subject: denied, or misspelt; and adds where."""
        try:
            yield
        except QueryFailed as error:
            raise explained(prepared, error) from None

    def _header(self, prepared: PreparedQuery, result: Result) -> list[AnswerColumn]:
        return query_answer.header(prepared, [(column.name, column.type) for column in result.columns])
