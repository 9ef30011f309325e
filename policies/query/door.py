"""The one door of everything that is asked in SQL: the gate, the decisions, and the audit of both.

Running, streaming, explaining, checking, completing and testing all come through `AuditedGate`, so that none of them answers
or refuses without an entry. What comes again and again while somebody types is written once in a while."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from cachetools import TTLCache

from catalog.errors import InvalidInput, NotFound, SqlRefused, WeirError
from policies.audit.actions import AuditAction
from policies.gate import gate
from policies.gate.cost.expanded_plan import Most
from policies.gate.gate import Gated
from policies.model import Decision, Effect, Subject
from policies.plan.errors import QueryCancelled
from policies.plan.ports import QueryAudit, QueryTable
from policies.plan.prepare import DecidedTables, PreparedQuery, Preparer, check_possible
from policies.plan.refusals import not_allowed
from policies.plan.registry import Running
from policies.query.audit_entry import end_entry, entry
from policies.sql import statements, trace, view_statements
from policies.sql.expression_sources import Source
from policies.sql.statements import Statement
from policies.sql.tables import TableRef
from policies.sql.view_statements import ViewStatement

_AGAIN_SECONDS = 600.0
_REMEMBERED = 10_000
_UNFINISHED = frozenset({"syntax", "empty", "statement"})
"""Classes of refusals that a text has while it is being written."""


class AuditedGate:
    """Writes the entries of queries. What it raises stops the query."""

    def __init__(
        self, audit: QueryAudit, most: Most | None = None, require: Callable[[str | None], object] = lambda _: None
    ) -> None:
        """`most`: the largest plan that is let in. `require` raises InvalidInput for a purpose that nobody may state."""
        self._audit = audit
        self._require = require
        self._most = most or Most()
        self._lately = _Lately()

    def gate(
        self, subject: Subject, sql: str, purpose: str | None, action: AuditAction, running: Running | None = None
    ) -> Gated:
        """The gated query; a refusal is in the audit. Raises SqlRefused."""
        with self.refusals(subject, sql, purpose, action, running):
            return gate.check(sql, self._most)

    def draft(
        self, subject: Subject, sql: str, purpose: str | None, action: AuditAction, *, view: bool = False
    ) -> Gated:
        """The gated query of somebody who types: as `gate`, but words that are not a query yet are not written. `view`: it is
        that of a view."""
        self.purpose(subject, purpose, action)
        try:
            return gate.check(sql, self._most, final=view)
        except SqlRefused as error:
            reasons = error.details.get("reasons", ())
            if not _UNFINISHED.issuperset(reasons):
                self.looked(subject, action, purpose, sql, "refused", (), reasons)
            raise

    def decided(
        self,
        preparer: Preparer,
        subject: Subject,
        gated: Gated,
        purpose: str | None,
        action: AuditAction,
        running: Running | None = None,
        *,
        explained: bool = False,
    ) -> tuple[DecidedTables, PreparedQuery]:
        """The tables of a query, decided and governed. What is refused or denied is in the audit; what is let in the
        caller records. With `explained` a denial is given back for the caller to explain and record.

        Raises SqlRefused, DatasetNotFound, InvalidInput, NotAllowed.
        """
        with self.refusals(subject, gated.sql, purpose, action, running):
            resolved = preparer.find(subject, gated, purpose)
            if running is not None:
                running.datasets = tuple(dict.fromkeys(table.reference for table in resolved.tables.values()))
            prepared = preparer.govern(gated, resolved)
            denied = [d for d in resolved.decisions.values() if d.effect is Effect.DENY]
            if not denied and not prepared.gaps:
                check_possible(prepared)
                return resolved, prepared
        if not explained:
            self.record(subject, action, purpose, prepared, "deny", resolved.tables, running)
            raise not_allowed(denied or list(resolved.decisions.values()), prepared.gaps, purpose)
        return resolved, prepared

    @contextlib.contextmanager
    def refusals(
        self, subject: Subject, sql: str, purpose: str | None, action: AuditAction, running: Running | None = None
    ) -> Iterator[None]:
        """What the block refuses, or does not find, in the audit; and a purpose that nobody may state."""
        try:
            self._require(purpose)
            yield
        except (InvalidInput, NotFound) as error:
            reasons = error.details.get("reasons") or (error.code,)
            self._audit.record(entry(subject, action, purpose, sql, "refused", reasons, running=running))
            raise

    def purpose(self, subject: Subject, purpose: str | None, action: AuditAction) -> None:
        """Raises InvalidInput for a purpose that nobody may state; that is in the audit, once in a while."""
        try:
            self._require(purpose)
        except InvalidInput:
            self.looked(subject, action, purpose, "", "refused", (), ("purpose",))
            raise

    def looked(
        self,
        subject: Subject,
        action: AuditAction,
        purpose: str | None,
        sql: str,
        outcome: str,
        datasets: Sequence[str],
        reasons: Sequence[str] = (),
    ) -> None:
        """What was looked at while somebody typed. The same again within _AGAIN_SECONDS is not written again."""
        record = entry(subject, action, purpose, sql, outcome, reasons, datasets=list(dict.fromkeys(datasets)))
        if self._lately.is_new(
            (subject.user, subject.agent, subject.tool, action, purpose, record.sql, outcome, record.datasets)
        ):
            self._audit.record(record)

    def statement(self, subject: Subject, sql: str, purpose: str | None, action: AuditAction) -> Statement | None:
        """The statement about the catalog, None for a query; a refusal is in the audit. Raises SqlRefused."""
        with self.refusals(subject, sql, purpose, action):
            return statements.read(sql)

    def view_statement(
        self, subject: Subject, sql: str, purpose: str | None, action: AuditAction
    ) -> ViewStatement | None:
        """The statement about stream views, None for anything else; a refusal is in the audit. Raises SqlRefused."""
        with self.refusals(subject, sql, purpose, action):
            return view_statements.read(sql)

    def refused(self, subject: Subject, sentence: str, action: AuditAction, running: Running) -> SqlRefused:
        """The refusal of a query that could run at another door only; it is in the audit."""
        details = {"line": 1, "column": 1, "reasons": ["stream"]}
        self._audit.record(entry(subject, action, running.purpose, running.sql, "refused", ["stream"], running=running))
        return SqlRefused(sentence, details=details)

    @contextlib.contextmanager
    def ending(self, subject: Subject, running: Running, prepared: PreparedQuery) -> Iterator[None]:
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
        action: AuditAction,
        purpose: str | None,
        text: str,
        outcome: str,
        decisions: Sequence[Decision],
        datasets: Sequence[str] = (),
    ) -> None:
        """A statement about the catalog. `text` holds no literals."""
        record = entry(subject, action, purpose, "", outcome, (), datasets=datasets, decisions=decisions)
        self._audit.record(replace(record, sql=text))

    def record(
        self,
        subject: Subject,
        action: AuditAction,
        purpose: str | None,
        prepared: PreparedQuery,
        outcome: str,
        query_tables: Mapping[TableRef, QueryTable] | None = None,
        running: Running | None = None,
        form: str | None = None,
    ) -> None:
        tables = {ref: governed.table for ref, governed in prepared.tables.items()} | dict(query_tables or {})
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


class _Lately:
    """What was written lately. Safe for threads."""

    def __init__(self) -> None:
        self._seen: TTLCache[tuple[object, ...], bool] = TTLCache(_REMEMBERED, _AGAIN_SECONDS)
        self._lock = threading.Lock()

    def is_new(self, key: tuple[object, ...]) -> bool:
        with self._lock:
            if key in self._seen:
                return False
            self._seen[key] = True
            return True


def _names(used: set[Source], ref: TableRef) -> Sequence[tuple[str, ...]]:
    return [names for at, names in used if at == ref]
