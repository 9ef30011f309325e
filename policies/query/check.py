"""Is this query well written, and what would it show? For editors, while somebody types.

The gate, the names, the decisions, and the types by analysis over an empty read: no record is read, no offset looked
up. The audit has the texts that could run, and those that were refused for more than their spelling. A text that the
gate refuses never reaches the engine.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from catalog.errors import Conflict, DatasetNotFound, InvalidInput, LimitExceeded, SqlRefused, Unavailable
from policies.audit.actions import AuditAction
from policies.decision.agents import stated_purpose
from policies.gate.gate import Gated
from policies.model import Decision, Effect, Subject
from policies.plan.answer_parts import AnswerColumn
from policies.plan.errors import QueryFailed
from policies.plan.model import Window
from policies.plan.ports import Engine, QueryTable
from policies.plan.prepare import DecidedTables, PreparedQuery, Preparer, check_possible
from policies.plan.refusals import not_allowed
from policies.plan.settings import QuerySettings
from policies.query import answer as query_answer
from policies.query.door import AuditedGate
from policies.query.failures import explained
from policies.sql import inventory, statements, view_statements
from policies.sql.errors import place
from policies.sql.names import table_sql
from policies.sql.statements import About, names_table
from policies.sql.tables import TableRef
from policies.sql.view_statements import ViewAction

ACTION: AuditAction = "query.check"
_ANALYSES = 2
"""At once: an editor asks at every pause of a typist, and a running query must not wait for that."""
_PATIENCE_SECONDS = 3.0
_PLACE = re.compile(r" \(line \d+, column \d+\)\Z")
_WORD = re.compile(r"`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\w+|\S")
_NAME = re.compile(r"(?:`(?:[^`]|``)*`|\w+)(?:\.(?:`(?:[^`]|``)*`|\w+))*")
_UNKNOWN_FUNCTION = re.compile(r"The function (\S+) is not allowed: it is not a function")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and where: lines and columns from 1, the end exclusive."""

    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class CheckedTable:
    """A table of a text, and its place in it. `dataset`: CLUSTER/TOPIC."""

    name: str
    dataset: str
    effect: Effect
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class CheckedQuery:
    """`columns`: empty where the text would not run. `types`: where the types come from; `none` when
    the engine was busy, away, or not asked."""

    problems: Sequence[Problem] = ()
    tables: Sequence[CheckedTable] = ()
    columns: Sequence[AnswerColumn] = ()
    types: Literal["engine", "none"] = "none"
    emit_changes: bool = False

    @property
    def ok(self) -> bool:
        return not self.problems


class QueryCheck:
    """The service behind `POST /api/v1/query/check`. Safe for threads."""

    def __init__(self, preparer: Preparer, trail: AuditedGate, engine: Engine, settings: QuerySettings) -> None:
        self._preparer, self._trail, self._engine, self._settings = preparer, trail, engine, settings
        self._analyses = threading.BoundedSemaphore(_ANALYSES)

    def check(self, subject: Subject, sql: str, purpose: str | None = None, *, view: bool = False) -> CheckedQuery:
        """The problems of a text, and what it would show. `view`: it is the query of a view.

        Never raises for what is in the text: that is a problem in the answer. Raises Unavailable (record store), NotAllowed for
        an agent that states another purpose than its token's.
        """
        purpose = stated_purpose(subject, purpose)
        try:
            about_views = view_statements.read(sql)
            if about_views is not None:
                if about_views.action is not ViewAction.CREATE:
                    return CheckedQuery()
                return self.check(subject, about_views.query, purpose, view=True)
            statement = statements.read(sql)
            if statement is not None and statement.about in (About.TABLES, About.CLUSTERS, About.FUNCTIONS):
                return CheckedQuery()
            if statement is not None:
                query = statement.query if statement.query is not None else names_table(statement, sql)
                return replace(self.check(subject, query, purpose), columns=())
            gated = self._trail.draft(subject, sql, purpose, ACTION, view=view)
        except SqlRefused as error:
            return CheckedQuery([_refusal(sql, error)])
        answer = self._checked(subject, sql, gated, purpose)
        effects = {table.effect for table in answer.tables}
        outcome = "deny" if Effect.DENY in effects else "allow" if answer.ok else "refused"
        datasets = [table.dataset for table in answer.tables]
        self._trail.looked(subject, ACTION, purpose, sql, outcome, datasets)
        return answer

    def _checked(self, subject: Subject, sql: str, gated: Gated, purpose: str | None) -> CheckedQuery:
        problem = gated.stream_problem() if gated.emit_changes else None
        problems = [_at(sql, max(0, sql.upper().rfind("EMIT")), problem)] if problem else []
        resolved, missing = self._find(subject, gated, purpose)
        problems += missing
        tables = [_table(gated, ref, table, resolved.decisions[ref]) for ref, table in resolved.tables.items()]
        for ref, decision in resolved.decisions.items():
            if decision.effect is Effect.DENY:
                refusal = not_allowed([decision], (), purpose)
                problems.append(_at(sql, _offset(sql, *gated.places[ref]), refusal.message))
        if problems:
            return CheckedQuery(problems, tables, emit_changes=gated.emit_changes)
        prepared = self._preparer.govern(gated, resolved)
        problems = [_at(sql, 0, gap) for gap in prepared.gaps]
        try:
            check_possible(prepared)
        except SqlRefused as error:
            problems.append(_refusal(sql, error))
        if problems:
            return CheckedQuery(problems, tables, emit_changes=gated.emit_changes)
        return self._analysed(sql, prepared, tables)

    def _find(self, subject: Subject, gated: Gated, purpose: str | None) -> tuple[DecidedTables, list[Problem]]:
        """Every table that is there, and a problem for every other."""
        tables: dict[TableRef, QueryTable] = {}
        problems = []
        for ref in gated.tables:
            try:
                tables[ref] = self._preparer.table(ref.name, subject)
            except (DatasetNotFound, InvalidInput, Conflict) as error:
                near = error.details.get("nearest") or self._near(subject, ref)
                at = _offset(gated.sql, *gated.places[ref])
                problems.append(_at(gated.sql, at, error.message, _table_name(ref, near), _NAME))
        decisions = {ref: self._preparer.decide(subject, table, purpose) for ref, table in tables.items()}
        return DecidedTables(tables, decisions), problems

    def _near(self, subject: Subject, ref: TableRef) -> object:
        """What is near the topic's name alone, where `cluster.topic` is near nothing."""
        try:
            return self._preparer.table(ref.parts[-1], subject).reference
        except (DatasetNotFound, InvalidInput, Conflict) as error:
            return error.details.get("nearest") or error.details.get("candidates")

    def _analysed(self, sql: str, prepared: PreparedQuery, tables: Sequence[CheckedTable]) -> CheckedQuery:
        emit = prepared.gated.emit_changes
        prepared.windows = dict.fromkeys(prepared.tables, Window(()))
        if not self._analyses.acquire(timeout=_PATIENCE_SECONDS):
            return CheckedQuery((), tables, emit_changes=emit)
        try:
            schema = self._engine.check(prepared.plan(1, self._settings.seconds))
        except QueryFailed as error:
            return CheckedQuery([_failure(sql, prepared, error)], tables, types="engine", emit_changes=emit)
        except (Unavailable, LimitExceeded):
            return CheckedQuery((), tables, emit_changes=emit)
        finally:
            self._analyses.release()
        return CheckedQuery((), tables, query_answer.header(prepared, schema), "engine", emit)


def _table(gated: Gated, ref: TableRef, table: QueryTable, decision: Decision) -> CheckedTable:
    line, column = gated.places[ref]
    return CheckedTable(ref.name, table.reference, decision.effect, line, column)


def _table_name(ref: TableRef, nearest: object) -> str | None:
    """A reference that the catalog found near, as a query writes it: with its cluster where the query names one."""
    first = nearest[0] if isinstance(nearest, list) and nearest else nearest
    if not isinstance(first, str):
        return None
    cluster, _, topic = first.rpartition("/")
    return table_sql(cluster if len(ref.parts) > 1 else "", topic)


def _refusal(sql: str, error: SqlRefused) -> Problem:
    at = _offset(sql, int(error.details.get("line", 1)), int(error.details.get("column", 1)))
    unknown = _UNKNOWN_FUNCTION.match(error.message)
    near = inventory.near(unknown[1]) if unknown else None
    return _at(sql, at, error.message, near)


def _failure(sql: str, prepared: PreparedQuery, error: QueryFailed) -> Problem:
    """A failed analysis at the part it is about, else at the beginning."""
    failure = explained(prepared, error)
    details = failure.details
    near, at = details.get("nearest"), _offset(sql, details.get("line", 1), details.get("column", 1))
    return _at(sql, at, failure.message, near if isinstance(near, str) else None)


def _at(sql: str, at: int, message: str, suggestion: str | None = None, span: re.Pattern[str] = _WORD) -> Problem:
    line, column = place(sql, at)
    word = span.match(sql, min(at, len(sql)))
    end_line, end_column = place(sql, word.end() if word else min(at + 1, len(sql)))
    return Problem(
        message=_PLACE.sub("", message),
        line=line,
        column=column,
        end_line=end_line,
        end_column=max(end_column, 1),
        suggestion=suggestion,
    )


def _offset(sql: str, line: int, column: int) -> int:
    lines = sql.split("\n")
    return min(sum(len(text) + 1 for text in lines[: line - 1]) + column - 1, len(sql))
