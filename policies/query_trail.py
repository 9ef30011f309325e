"""A query's way through the audit: let in or not before the first row, and what went out at the end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from catalog.errors import SqlRefused, WeirError
from policies import gate
from policies.gate import Gated
from policies.model import Decision, Subject
from policies.query_audit import end_entry, entry
from policies.query_errors import QueryCancelled
from policies.query_ports import QueryAudit, QueryTable
from policies.query_prepare import Prepared
from policies.query_running import Running
from policies.sql import statements, trace
from policies.sql.statements import Statement
from policies.sql.tables import TableRef


class Trail:
    """Writes the entries of queries. What it raises stops the query."""

    def __init__(self, audit: QueryAudit) -> None:
        self._audit = audit

    def gate(
        self, subject: Subject, sql: str, purpose: str | None, action: str, running: Running | None = None
    ) -> Gated:
        """The gated query; a refusal is in the audit. Raises SqlRefused."""
        try:
            return gate.check(sql)
        except SqlRefused as error:
            reasons = error.details.get("reasons", ())
            self._audit.record(entry(subject, action, purpose, sql, "refused", reasons, running=running))
            raise

    def statement(self, subject: Subject, sql: str, purpose: str | None, action: str) -> Statement | None:
        """The statement about the catalog, None for a query; a refusal is in the audit. Raises SqlRefused."""
        try:
            return statements.read(sql)
        except SqlRefused as error:
            reasons = error.details.get("reasons", ())
            self._audit.record(entry(subject, action, purpose, sql, "refused", reasons))
            raise

    def refused(self, subject: Subject, sentence: str, action: str, running: Running) -> SqlRefused:
        """The refusal of a query that could run at another door only; it is in the audit."""
        details = {"line": 1, "column": 1, "reasons": ["stream"]}
        self._audit.record(entry(subject, action, running.purpose, running.sql, "refused", ["stream"], running=running))
        return SqlRefused(sentence, details=details)

    @contextlib.contextmanager
    def ending(self, subject: Subject, running: Running, prepared: Prepared) -> Iterator[None]:
        """What went out, in the audit, however the block ends."""
        outcome = "failed"
        try:
            yield
            outcome = "done"
            if not running.whole:
                outcome = "failed" if running.problem not in (None, QueryCancelled.code) else "cancelled"
        except QueryCancelled:
            outcome = "cancelled"
            raise
        except GeneratorExit:
            outcome = "cancelled"
            raise
        except WeirError as error:
            outcome = "cancelled" if running.stop.stopped else "failed"
            running.ended_by(error)
            raise
        finally:
            datasets = list(dict.fromkeys(governed.table.reference for governed in prepared.tables.values()))
            self._audit.record(end_entry(subject, running, datasets, outcome))

    def catalog(
        self,
        subject: Subject,
        action: str,
        purpose: str | None,
        text: str,
        outcome: str,
        decisions: Sequence[Decision],
        datasets: Sequence[str] = (),
    ) -> None:
        """A statement about the catalog. `text` holds no literals."""
        made = entry(subject, action, purpose, "", outcome, (), datasets=datasets, decisions=decisions)
        self._audit.record(replace(made, sql=text))

    def record(
        self,
        subject: Subject,
        action: str,
        purpose: str | None,
        prepared: Prepared,
        outcome: str,
        found: Mapping[TableRef, QueryTable] | None = None,
        running: Running | None = None,
        form: str | None = None,
    ) -> None:
        tables = {ref: governed.table for ref, governed in prepared.tables.items()} | dict(found or {})
        used = trace.used(prepared.gated.tree, prepared.columns())
        self._audit.record(
            entry(
                subject,
                action,
                purpose,
                prepared.gated.sql,
                outcome,
                (),
                datasets=[table.reference for table in tables.values()],
                governed={
                    governed.table.reference: (governed, _names(used, ref)) for ref, governed in prepared.tables.items()
                },
                decisions=prepared.decisions,
                running=running,
                form=form,
            )
        )


def _names(used: set[trace.Source], ref: TableRef) -> Sequence[tuple[str, ...]]:
    return [names for at, names in used if at == ref]
