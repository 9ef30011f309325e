"""CREATE, DROP and SHOW of stream views at the query door. Who declares them is behind a port: this room knows no views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from catalog.errors import SqlRefused
from policies.audit.actions import AuditAction
from policies.model import Subject
from policies.query.catalog_statements import StatementResult
from policies.query.door import AuditedGate
from policies.sql.literals import without_literals
from policies.sql.statements import fits
from policies.sql.view_statements import ViewAction, ViewStatement

ACTION: AuditAction = "query.view"


class ViewStatements(Protocol):
    """What declares views. Raises NotAllowed for who may not, SqlRefused for a query that cannot stream."""

    def create(self, subject: Subject, statement: ViewStatement, purpose: str | None) -> str:
        """Declare the view; what was done: create | update | unchanged. Raises Conflict, InvalidInput."""

    def drop(self, subject: Subject, statement: ViewStatement) -> str:
        """delete | unchanged. Raises NotFound."""

    def all(self, subject: Subject) -> Sequence[tuple[str, str, str, str]]:
        """(name, state, sources, sink) of every view."""


def answer(
    views: ViewStatements | None,
    trail: AuditedGate,
    subject: Subject,
    statement: ViewStatement,
    sql: str,
    purpose: str | None,
    limit: int,
) -> StatementResult:
    """The answer to a statement; it is in the audit. Raises as the port."""
    if views is None:
        raise SqlRefused("There are no stream views here.", details={"line": 1, "column": 1, "reasons": ["statement"]})
    with trail.refusals(subject, sql, purpose, ACTION):
        if statement.action is ViewAction.SHOW:
            rows: list[list[object]] = [
                [*each] for each in views.all(subject) if statement.pattern is None or fits(statement.pattern, each[0])
            ]
            answered = StatementResult(
                [(name, "string") for name in ("name", "state", "sources", "sink")], rows[:limit], len(rows) > limit
            )
            if not rows:
                answered.notes.append(
                    "There is no such view; CREATE MATERIALIZED VIEW name AS SELECT ... declares one."
                )
        else:
            create = statement.action is ViewAction.CREATE
            done = views.create(subject, statement, purpose) if create else views.drop(subject, statement)
            answered = StatementResult([("name", "string"), ("action", "string")], [[statement.name, done]])
            if create:
                answered.notes.append(f"It is kept up to date from now on; SELECT ... FROM {statement.name} reads it.")
    text = without_literals(statement.query) if statement.query else f"{statement.action} {statement.name}".upper()
    trail.catalog(subject, ACTION, purpose, text, "allow", ())
    return answered
