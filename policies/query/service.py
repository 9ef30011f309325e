"""Governed queries: SQL over topics, answered under the decision for who asks and why.

    gate -> turn -> tables -> decide -> govern (views) -> offsets -> audit -> engine -> answer

Nothing is cached: not a plan, not a decision, not a result; each query decides for itself, at its own time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from functools import partial

from policies.decision.agents import stated_purpose
from policies.model import Effect, RecordWindow, Subject
from policies.plan import explain
from policies.plan.answer_parts import Explanation
from policies.plan.cancellation import Stop
from policies.plan.gathering import require_rows
from policies.plan.given_rows import GivenRows
from policies.plan.prepare import PreparedQuery
from policies.plan.registry import Running
from policies.plan.seen_query import RUNNING
from policies.query import answer as query_answer
from policies.query import view_statements
from policies.query.catalog_statements import ACTION, CatalogAnswers, StatementResult
from policies.query.result import OpenAnswer, QueryAnswer
from policies.query.running_access import Access, AllowedBatches, CountedBatches
from policies.query.steps import Steps
from policies.query.stream import Stream
from policies.query.stream_events import ColumnsEvent, StreamEvent
from policies.sql import live
from policies.sql.statements import Statement
from policies.sql.view_statements import ViewStatement


class GovernedQuery(Steps):
    """The service behind `POST /api/v1/query`, its explanation, and push queries. Safe for threads.

    running   the register of what runs; a caller that gives a `Running` of it can be cancelled by its id
    """

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
        purpose = stated_purpose(subject, purpose)
        rows = self._limit(subject, limit, self._settings.max_rows)
        statement = self._statement(subject, sql, purpose)
        if statement is not None:
            with self._told(subject, statement, sql, purpose, rows, running) as answer:
                return QueryAnswer(
                    columns=answer.header(),
                    rows=answer.rows,
                    decision=answer.decision(),
                    window={"tables": []},
                    truncated=answer.truncated,
                    partial=query_answer.partial("rows" if answer.truncated else None, rows, 0),
                    notes=answer.notes,
                )
        with (
            self._entry(running, subject, sql, purpose) as live,
            self._admitted(subject, live) as prepared,
            self._trail.ending(subject, live, prepared),
            self._access(subject, live, prepared) as access,
        ):
            result = self._run(prepared, rows, live)
            access.over()
            self._take(subject, prepared, len(result.rows))
            live.report = self._unfit.report(prepared, result.unreadable, live.on_unreadable)
            live.rows, live.partial = len(result.rows), result.truncated
        return QueryAnswer(
            columns=self._header(prepared, result),
            rows=result.rows,
            decision=query_answer.decision(prepared),
            window=query_answer.windows(prepared),
            truncated=result.truncated,
            partial=query_answer.partial(
                result.limit or ("rows" if result.truncated else None), rows, self._settings.max_bytes
            ),
            unreadable=live.report,
            notes=[*self._notes(prepared, subject), *result.notes],
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
        """Run a query whose rows are sent on as they come; it keeps its turn until the block is left.

        The sender counts them in `running`; at the end the audit records how many went out. `form` is the format
        they are sent in. Raises what `run` raises, here or while the batches are iterated.
        """
        purpose = stated_purpose(subject, purpose)
        rows = self._limit(subject, limit, self._settings.export_rows)
        statement = self._statement(subject, sql, purpose)
        if statement is not None:
            with self._told(subject, statement, sql, purpose, rows, running) as answer:
                given = GivenRows(answer.columns, answer.rows, "rows" if answer.truncated else None)
                yield OpenAnswer(answer.header(), answer.decision(), {"tables": []}, given, rows, notes=answer.notes)
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
                columns=query_answer.header(prepared, schema),
                decision=query_answer.decision(prepared),
                window=query_answer.windows(prepared),
                batches=CountedBatches(AllowedBatches(batches, access), partial(self._take, subject, prepared)),
                limit=rows,
                unreadable=lambda: self._unfit.report(prepared, batches.unreadable, live.on_unreadable),
                notes=self._notes(prepared, subject),
            )

    def explain(
        self,
        subject: Subject,
        sql: str,
        purpose: str | None = None,
        limit: int | None = None,
        window: RecordWindow = RecordWindow.NEWEST,
    ) -> Explanation:
        """What a query would do. No record is read.

        A query that would be denied is explained too. Raises SqlRefused, DatasetNotFound, QueryFailed.
        """
        purpose = stated_purpose(subject, purpose)
        rows = self._limit(subject, limit, self._settings.max_rows)
        gated = self._trail.gate(subject, sql, purpose, "query.explain")
        resolved, prepared = self._trail.decided(
            self._preparer, subject, gated, purpose, "query.explain", explained=True
        )
        decision = explain.decision_json(list(resolved.decisions.values()))
        if prepared.gaps:
            decision["effect"] = str(Effect.DENY)
            decision["gaps"] += prepared.gaps
        answer: Explanation = {
            "decision": decision,
            "tables": [
                explain.table_json(ref, table, resolved.decisions[ref], prepared.tables.get(ref))
                for ref, table in resolved.tables.items()
            ],
            "columns": [],
            "sql": gated.render({ref: ref.name for ref in gated.tables}),
            "window": None,
            "limit": rows,
            "emitChanges": gated.emit_changes,
        }
        self._trail.record(subject, "query.explain", purpose, prepared, decision["effect"], resolved.tables)
        if decision["effect"] == Effect.ALLOW:
            self._preparer.look(prepared, window)
            answer["window"] = query_answer.windows(prepared)
            answer["columns"] = self._analysed(prepared, rows)
        return answer

    def stream(
        self, subject: Subject, sql: str, purpose: str | None = None, running: Running | None = None
    ) -> Generator[StreamEvent, None, None]:
        """A push query: events as they come, beginning with what arrives from now on. Close the iterator to end it.

        Raises, before the first event, what `run` raises. `running` is ended by the caller.
        """
        purpose = stated_purpose(subject, purpose)
        self._budget.require_left(subject)
        live = running or Running("", subject.user, sql, purpose, Stop())
        gated = self._trail.gate(subject, sql, purpose, "query.stream")
        with self._trail.refusals(subject, sql, purpose, "query.stream", live):
            require_rows(subject, gated.tree)
        with self._turns.take(subject.user, live.stop):
            prepared = self._prepare(live.now(subject), gated, purpose, "query.stream", live)
            problem = prepared.gated.stream_problem() or _followed_view(prepared)
            if problem is not None:
                raise self._trail.refused(subject, problem, "query.stream", live)
            self._preparer.look(prepared)
            self._trail.record(subject, "query.stream", purpose, prepared, "allow", running=live)
            columns = self._analysed(prepared, 1)
        begin: ColumnsEvent = {"type": "columns", "columns": columns, "decision": query_answer.decision(prepared)}
        access = Access(self._preparer, subject, prepared, live, self._recheck(subject), fixed=False)
        stream = Stream(
            access=access,
            preparer=self._preparer,
            offsets=self._offsets,
            run=self._stream_run(live),
            header=self._header,
            settings=self._settings,
            report=lambda prepared, unreadable: self._unfit.report(prepared, unreadable, live.on_unreadable),
            stop=live.stop,
            columns=columns,
        )
        return self._pushed(subject, live, prepared, begin, stream.follow(prepared), access)

    def _statement(self, subject: Subject, sql: str, purpose: str | None) -> Statement | ViewStatement | None:
        """None for a query. Raises SqlRefused for a statement that is not complete."""
        about_views = self._trail.view_statement(subject, sql, purpose, view_statements.ACTION)
        return about_views or self._trail.statement(subject, sql, purpose, ACTION)

    @contextlib.contextmanager
    def _told(
        self,
        subject: Subject,
        statement: Statement | ViewStatement,
        sql: str,
        purpose: str | None,
        rows: int,
        running: Running | None,
    ) -> Iterator[StatementResult]:
        """A turn, and in it the answer to a statement about the catalog."""
        with self._entry(running, subject, sql, purpose) as live, self._turns.take(subject.user, live.stop):
            live.state = RUNNING
            if isinstance(statement, ViewStatement):
                answer = view_statements.answer(self._views, self._trail, subject, statement, sql, purpose, rows)
                live.rows, live.partial = len(answer.rows), answer.truncated
                yield answer
                return
            answers = CatalogAnswers(
                preparer=self._preparer,
                trail=self._trail,
                references=self._references,
                settings=self._settings,
                types=lambda prepared: self._analysed(prepared, 1),
                explain=lambda query: self.explain(subject, query, purpose, window=live.window),
            )
            reply = answers.answer(subject, statement, sql, purpose, rows, live.stop)
            live.rows, live.partial = len(reply.rows), reply.truncated
            yield reply


def _followed_view(prepared: PreparedQuery) -> str | None:
    """Why the query cannot follow its topic: rows of a view replace one another, and some go."""
    ref = live.shape(prepared.gated.tree).source
    if prepared.tables[ref].table.rows is None:
        return None
    return f"{ref.name} is a view, whose changes come from its own address, /views/NAME/changes (`weir view follow`)."
