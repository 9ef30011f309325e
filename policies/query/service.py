"""Governed queries: SQL over topics, answered under the decision for who asks and why.

    gate -> turn -> tables -> decide -> govern (views) -> offsets -> audit -> engine -> answer

Nothing is cached: not a plan, not a decision, not a result; each query decides for itself, at its own time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.errors import LimitExceeded
from policies.gate.gate import Gated
from policies.masks.keys import MaskKeys
from policies.model import Effect, Subject
from policies.plan import explain
from policies.plan.cancellation import Stop
from policies.plan.errors import QueryFailed
from policies.plan.given_rows import GivenRows
from policies.plan.model import Batches, QueryPlan, Result
from policies.plan.ports import Decider, Drift, Engine, Offsets, QueryAudit, TableSource
from policies.plan.prepare import Prepared, Preparer
from policies.plan.registry import RUNNING, Running, RunningQueries
from policies.plan.settings import QuerySettings
from policies.plan.unreadable import UnreadableReport
from policies.query import answer as query_answer
from policies.query.admission import Turns
from policies.query.catalog_statements import ACTION, CatalogAnswers, References, Told
from policies.query.door import Trail
from policies.query.failures import told
from policies.query.running_access import Access, AllowedBatches
from policies.query.stream import Stream, ended
from policies.query.unfit_values import Unfit
from policies.sql.statements import Statement


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """columns [{name, type, decision: {effect, text, ...}}], rows (see `policies.plan.model.Result`), decision {effect,
    reasons, gaps, grants, filters, expires}, window {tables: [...]}; truncated = a limit cut rows off.

    partial  None, or {limit: rows | bytes, text}: which limit it was, in words too
    unreadable  what was counted of values that do not fit their column, see `policies.plan.unreadable`
    notes    sentences about the question: what of it was not done, or does not mean what it looks like
    """

    columns: list[dict[str, Any]]
    rows: list[list[object]]
    decision: dict[str, Any]
    window: dict[str, Any]
    truncated: bool
    partial: dict[str, Any] | None = None
    unreadable: UnreadableReport = field(default_factory=UnreadableReport)
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": self.columns, "rows": self.rows, "decision": self.decision, "window": self.window,
            "truncated": self.truncated, "partial": self.partial, **self.unreadable.to_json(), "notes": self.notes,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """An answer whose rows are still to come: the heads of `QueryAnswer`, and the batches.

    unreadable  gives `QueryAnswer.unreadable`, once the last batch was given
    """

    columns: list[dict[str, Any]]
    decision: dict[str, Any]
    window: dict[str, Any]
    batches: Batches
    limit: int
    unreadable: Callable[[], UnreadableReport] = UnreadableReport
    notes: list[str] = field(default_factory=list)


class GovernedQuery:
    """The service behind `POST /api/v1/query`, its explanation, and push queries. Safe for threads.

    running   the register of what runs; a caller that gives a `Running` of it can be cancelled by its id
    """

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
    ) -> None:
        """`references` lists the topics of the catalog, for SHOW TABLES."""
        self.settings = self._settings = settings or QuerySettings()
        self._references = references
        self.preparer = self._preparer = Preparer(tables, decide, offsets, keys, self._settings)
        self.running = RunningQueries(self._settings)
        self._engine = engine
        self._offsets = offsets
        self._unfit = Unfit(self._settings, drift)
        self.trail = self._trail = Trail(audit, self._settings.largest_plan())
        self._turns = Turns(self._settings)

    def run(
        self,
        subject: Subject,
        sql: str,
        purpose: str | None = None,
        limit: int | None = None,
        running: Running | None = None,
    ) -> QueryAnswer:
        """Run a query and gather its answer.

        Raises SqlRefused (not understood or not allowed, with the place), DatasetNotFound, NotAllowed (details:
        reasons, columns, ask), QueryFailed (the engine cannot run these words), ValuesUnreadable (where that is
        asked for), QueryCancelled, LimitExceeded, Unavailable.
        """
        rows = self._limit(limit, self._settings.max_rows)
        statement = self._trail.statement(subject, sql, purpose, ACTION)
        if statement is not None:
            with self._told(subject, statement, sql, purpose, rows, running) as told:
                return QueryAnswer(
                    told.header(), told.rows, told.decision(), {"tables": []}, told.truncated,
                    query_answer.partial("rows" if told.truncated else None, rows, 0), notes=told.notes,
                )  # fmt: skip
        with (
            self._entry(running, subject, sql, purpose) as live,
            self._admitted(subject, live) as prepared,
            self._trail.ending(subject, live, prepared),
            self._access(subject, live, prepared) as access,
        ):
            result = self._run(prepared, rows, live)
            access.fresh()
            live.report = self._unfit.told(prepared, result.unreadable, live.on_unreadable)
            live.rows, live.partial = len(result.rows), result.truncated
        return QueryAnswer(
            self._header(prepared, result),
            result.rows,
            query_answer.decision(prepared),
            query_answer.windows(prepared, self._settings),
            result.truncated,
            query_answer.partial(
                result.limit or ("rows" if result.truncated else None), rows, self._settings.max_bytes
            ),
            live.report,
            query_answer.notes(prepared),
        )

    @contextlib.contextmanager
    def open(
        self,
        subject: Subject,
        sql: str,
        purpose: str | None = None,
        limit: int | None = None,
        running: Running | None = None,
        form: str | None = None,
    ) -> Iterator[OpenAnswer]:
        """Run a query whose rows are sent on as they come; its turn is held until the block is left.

        Whoever sends them counts them in `running`; the audit says at the end how many went out. `form` is the format
        they are sent in. Raises what `run` raises, here or while the batches are iterated.
        """
        rows = self._limit(limit, self._settings.export_rows)
        statement = self._trail.statement(subject, sql, purpose, ACTION)
        if statement is not None:
            with self._told(subject, statement, sql, purpose, rows, running) as told:
                given = GivenRows(told.columns, told.rows, "rows" if told.truncated else None)
                yield OpenAnswer(told.header(), told.decision(), {"tables": []}, given, rows, notes=told.notes)
            return
        with (
            self._entry(running, subject, sql, purpose) as live,
            self._admitted(subject, live, form) as prepared,
            self._trail.ending(subject, live, prepared),
            self._access(subject, live, prepared) as access,
            self._named(prepared),
            self._engine.open(
                self._fit(
                    prepared,
                    prepared.plan(rows, self._settings.export_seconds, self._settings.export_bytes, live),
                    live,
                )
            ) as batches,
        ):
            schema = [(column.name, column.type) for column in batches.columns]
            yield OpenAnswer(
                query_answer.header(prepared, schema), query_answer.decision(prepared),
                query_answer.windows(prepared, self._settings), AllowedBatches(batches, access), rows,
                lambda: self._unfit.told(prepared, batches.unreadable, live.on_unreadable),
                query_answer.notes(prepared),
            )  # fmt: skip

    def explain(
        self, subject: Subject, sql: str, purpose: str | None = None, limit: int | None = None
    ) -> dict[str, Any]:
        """What a query would do: {decision, tables [{name, dataset, effect, reasons, gaps, filters, grants, fields,
        columns}], columns, sql, window, limit, emit_changes}. No record is read.

        A query that would be denied is explained too. Raises SqlRefused, DatasetNotFound, QueryFailed.
        """
        rows = self._limit(limit, self._settings.max_rows)
        gated = self._trail.gate(subject, sql, purpose, "query.explain")
        found, prepared = self._trail.decided(self._preparer, subject, gated, purpose, "query.explain", explained=True)
        decision = explain.decision_json(list(found.decisions.values()))
        if prepared.gaps:
            decision["effect"] = str(Effect.DENY)
            decision["gaps"] += prepared.gaps
        answer: dict[str, Any] = {
            "decision": decision,
            "tables": [
                explain.table_json(ref, table, found.decisions[ref], prepared.tables.get(ref))
                for ref, table in found.tables.items()
            ],
            "columns": [],
            "sql": gated.render({ref: ref.name for ref in gated.tables}),
            "window": None,
            "limit": rows,
            "emit_changes": gated.emit_changes,
        }
        self._trail.record(subject, "query.explain", purpose, prepared, decision["effect"], found.tables)
        if decision["effect"] == Effect.ALLOW:
            self._preparer.look(prepared)
            answer["window"] = query_answer.windows(prepared, self._settings)
            answer["columns"] = self._analysed(prepared, rows)
        return answer

    def stream(
        self, subject: Subject, sql: str, purpose: str | None = None, running: Running | None = None
    ) -> Iterator[dict[str, Any]]:
        """A push query: events as they come, beginning with what arrives from now on.

        {"type": "columns", columns, decision} first and whenever a decision changes what shows,
        {"type": "unreadable", unreadable, text} when values did not fit, counted since the query began,
        {"type": "rows", rows, truncated, unreadable}, {"type": "idle"} about every second without news, and at last
        {"type": "end", code, message, reasons}: access ended, or the engine failed. Close the iterator to end it.
        Raises, before the first event, what `run` raises. `running` is ended by the caller.
        """
        live = running or Running("", subject.user, sql, purpose, Stop())
        gated = self._trail.gate(subject, sql, purpose, "query.stream")
        with self._turns.take(subject.user, live.stop):
            prepared = self._prepare(live.now(subject), gated, purpose, "query.stream", live)
            problem = prepared.gated.stream_problem()
            if problem is not None:
                raise self._trail.refused(subject, problem, "query.stream", live)
            self._preparer.look(prepared)
            self._trail.record(subject, "query.stream", purpose, prepared, "allow", running=live)
            columns = self._analysed(prepared, 1)
        begin = {"type": "columns", "columns": columns, "decision": query_answer.decision(prepared)}
        access = Access(self._preparer, subject, prepared, live, self._settings.recheck_seconds, fixed=False)
        stream = Stream(
            access,
            self._preparer,
            self._offsets,
            self._stream_run(live),
            self._header,
            self._settings,
            lambda prepared, found: self._unfit.told(prepared, found, live.on_unreadable),
            live.stop,
            columns,
        )
        return self._pushed(subject, live, prepared, begin, stream.follow(prepared), access)

    def _stream_run(self, live: Running) -> Any:
        return lambda prepared, rows: self._run(prepared, rows, live)

    def _pushed(
        self,
        subject: Subject,
        live: Running,
        prepared: Prepared,
        begin: dict[str, Any],
        events: Iterator[dict[str, Any]],
        access: Access,
    ) -> Iterator[dict[str, Any]]:
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
                live.rows += len(event.get("rows", ()))
                if event["type"] == "unreadable":
                    live.report = UnreadableReport(event["unreadable"], event["text"])
                yield event

    # --- the steps -------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _told(
        self,
        subject: Subject,
        statement: Statement,
        sql: str,
        purpose: str | None,
        rows: int,
        running: Running | None,
    ) -> Iterator[Told]:
        """A turn, and in it the answer to a statement about the catalog."""
        with self._entry(running, subject, sql, purpose) as live, self._turns.take(subject.user, live.stop):
            live.state = RUNNING
            answers = CatalogAnswers(
                self._preparer, self._trail, self._references, self._settings,
                lambda prepared: self._analysed(prepared, 1), lambda query: self.explain(subject, query, purpose),
            )  # fmt: skip
            told = answers.answer(subject, statement, sql, purpose, rows, live.stop)
            live.rows, live.partial = len(told.rows), told.truncated
            yield told

    def _limit(self, limit: int | None, most: int) -> int:
        if limit is None:
            return min(self._settings.default_rows, most)
        if not 0 < limit <= most:
            raise LimitExceeded(f"The limit {limit:,} is not between 1 and {most:,} rows.", details={"limit": "rows"})
        return limit

    @contextlib.contextmanager
    def _entry(self, running: Running | None, subject: Subject, sql: str, purpose: str | None) -> Iterator[Running]:
        if running is not None:
            yield running
            return
        with self.running.during(subject, sql, purpose) as made:
            yield made

    @contextlib.contextmanager
    def _admitted(self, subject: Subject, live: Running, form: str | None = None) -> Iterator[Prepared]:
        """A turn, and under it a query that is decided, looked up and in the audit."""
        gated = self._trail.gate(subject, live.sql, live.purpose, "query", live)
        if gated.emit_changes:
            said = "EMIT CHANGES makes a stream; ask for it at /api/v1/query/stream, or leave it out."
            raise self._trail.refused(subject, said, "query", live)
        with self._turns.take(subject.user, live.stop):
            live.state = RUNNING
            prepared = self._prepare(live.now(subject), gated, live.purpose, "query", live)
            self._preparer.look(prepared)
            live.stop.check()
            self._trail.record(subject, "query", live.purpose, prepared, "allow", running=live, form=form)
            yield prepared

    @contextlib.contextmanager
    def _access(self, subject: Subject, live: Running, prepared: Prepared) -> Iterator[Access]:
        """The right to what the query shows, decided again until the block ends."""
        access = Access(self._preparer, subject, prepared, live, self._settings.recheck_seconds)
        with access.watching():
            yield access

    def _prepare(self, subject: Subject, gated: Gated, purpose: str | None, action: str, running: Running) -> Prepared:
        return self._trail.decided(self._preparer, subject, gated, purpose, action, running)[1]

    def _run(self, prepared: Prepared, rows: int, running: Running) -> Result:
        with self._named(prepared):
            return self._engine.run(prepared.plan(rows, self._settings.seconds, self._settings.max_bytes, running))

    def _fit(self, prepared: Prepared, plan: QueryPlan, live: Running) -> QueryPlan:
        """The plan of an answer that is sent as it comes; where values that do not fit are an error, they are looked
        for first, since what has gone out cannot be taken back."""
        if self._unfit.is_error(live.on_unreadable):
            counting = replace(plan, sql=f"SELECT count(*) FROM ({plan.sql})", limit=1)
            self._unfit.told(prepared, self._engine.run(counting).unreadable, live.on_unreadable)
        return plan

    def _analysed(self, prepared: Prepared, rows: int) -> list[dict[str, Any]]:
        with self._named(prepared):
            return query_answer.header(prepared, self._engine.check(prepared.plan(rows, self._settings.seconds)))

    @contextlib.contextmanager
    def _named(self, prepared: Prepared) -> Iterator[None]:
        """Turns "there is no column" into what is true for this subject: denied, or misspelt; and says where."""
        try:
            yield
        except QueryFailed as error:
            raise told(prepared, error) from None

    def _header(self, prepared: Prepared, result: Result) -> list[dict[str, Any]]:
        return query_answer.header(prepared, [(column.name, column.type) for column in result.columns])
