"""Governed queries: SQL over topics, answered under the decision for who asks and why.

    gate -> tables -> decide -> govern (views) -> offsets -> audit -> engine -> answer

Nothing is cached: not a plan, not a decision, not a result; each query decides for itself, at its own time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.errors import LimitExceeded, SqlRefused
from policies import explain, gate
from policies.masks.keys import MaskKeys
from policies.model import Effect, Subject
from policies.plan import Result
from policies.query_audit import entry
from policies.query_errors import QueryFailed
from policies.query_limits import Turns
from policies.query_ports import Decider, Engine, Offsets, QueryAudit, QueryTable, TableSource
from policies.query_prepare import Prepared, Preparer, check_environment
from policies.query_refusals import not_allowed, unknown_column
from policies.query_settings import QuerySettings
from policies.query_stream import Stream
from policies.sql import trace
from policies.sql.names import fold
from policies.sql.tables import TableRef

_WITHHELD = "offsets are withheld: with a row filter they would count the rows that are not there"


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """columns [{name, type, decision: {effect, text, ...}}], rows (see `policies.plan.Result`), decision {effect,
    reasons, gaps, grants, filters, expires}, window {tables: [...]}; truncated = the limit cut rows off."""

    columns: list[dict[str, Any]]
    rows: list[list[object]]
    decision: dict[str, Any]
    window: dict[str, Any]
    truncated: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": self.columns,
            "rows": self.rows,
            "decision": self.decision,
            "window": self.window,
            "truncated": self.truncated,
        }


class GovernedQuery:
    """The service behind `POST /api/v1/query`, its explanation, and push queries. Safe for threads."""

    def __init__(
        self,
        tables: TableSource,
        decide: Decider,
        engine: Engine,
        offsets: Offsets,
        audit: QueryAudit,
        keys: MaskKeys,
        settings: QuerySettings | None = None,
    ) -> None:
        self._settings = settings or QuerySettings()
        self._preparer = Preparer(tables, decide, offsets, keys, self._settings)
        self._engine = engine
        self._offsets = offsets
        self._audit = audit
        self._turns = Turns(self._settings)

    def run(self, subject: Subject, sql: str, purpose: str | None = None, limit: int | None = None) -> QueryAnswer:
        """Run a query.

        Raises SqlRefused (not understood or not allowed, with the place), DatasetNotFound, NotAllowed (details:
        reasons, columns, ask), QueryFailed (the engine cannot run these words), LimitExceeded, Unavailable.
        """
        rows = self._limit(limit)
        with self._turns.take(subject.user):
            prepared = self._prepare(subject, sql, purpose, "query")
            if prepared.gated.emit_changes:
                raise SqlRefused(
                    "EMIT CHANGES makes a stream; ask for it at /api/v1/query/stream, or leave it out.",
                    details={"line": 1, "column": 1, "reasons": ["stream"]},
                )
            self._preparer.look(prepared)
            self._record(subject, "query", purpose, prepared, "allow")
            result = self._run(prepared, rows)
        return QueryAnswer(
            self._header(prepared, result),
            result.rows,
            explain.decision_json(prepared.decisions),
            self._windows(prepared),
            result.truncated,
        )

    def explain(
        self, subject: Subject, sql: str, purpose: str | None = None, limit: int | None = None
    ) -> dict[str, Any]:
        """What a query would do: {decision, tables [{name, dataset, effect, reasons, gaps, filters, grants, fields,
        columns}], columns, sql, window, limit, emit_changes}. No record is read.

        A query that would be denied is explained too. Raises SqlRefused, DatasetNotFound, QueryFailed.
        """
        rows = self._limit(limit)
        gated = gate.check(sql)
        found = self._preparer.find(subject, gated, purpose)
        prepared = self._preparer.govern(gated, found)
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
        self._record(subject, "query.explain", purpose, prepared, decision["effect"], found.tables)
        if decision["effect"] == Effect.ALLOW:
            check_environment(prepared)
            self._preparer.look(prepared)
            answer["window"] = self._windows(prepared)
            with self._named(prepared):
                schema = self._engine.check(prepared.plan(rows, self._settings.seconds))
            answer["columns"] = self._columns(prepared, schema)
        return answer

    def stream(self, subject: Subject, sql: str, purpose: str | None = None) -> Iterator[dict[str, Any]]:
        """A push query: events as they come, beginning with what arrives from now on.

        {"type": "columns", columns, decision} first and whenever a decision changes what shows,
        {"type": "rows", rows, truncated}, {"type": "idle"} about every second without news, and at last
        {"type": "end", code, message, reasons}: access ended, or the engine failed. Close the iterator to end it.
        Raises, before the first event, what `run` raises.
        """
        with self._turns.take(subject.user):
            prepared = self._prepare(subject, sql, purpose, "query.stream")
            problem = prepared.gated.stream_problem()
            if problem is not None:
                raise SqlRefused(problem, details={"line": 1, "column": 1, "reasons": ["stream"]})
            self._preparer.look(prepared)
            self._record(subject, "query.stream", purpose, prepared, "allow")
        stream = Stream(subject, purpose, self._preparer, self._offsets, self._run, self._header, self._settings)
        return stream.follow(prepared)

    def _limit(self, limit: int | None) -> int:
        if limit is None:
            return self._settings.default_rows
        if not 0 < limit <= self._settings.max_rows:
            raise LimitExceeded(
                f"The limit {limit:,} is not between 1 and {self._settings.max_rows:,} rows.", details={"limit": "rows"}
            )
        return limit

    def _prepare(self, subject: Subject, sql: str, purpose: str | None, action: str) -> Prepared:
        try:
            gated = gate.check(sql)
        except SqlRefused as error:
            self._audit.record(entry(subject, action, purpose, sql, "refused", error.details.get("reasons", ())))
            raise
        found = self._preparer.find(subject, gated, purpose)
        prepared = self._preparer.govern(gated, found)
        denied = [d for d in found.decisions.values() if d.effect is Effect.DENY]
        if denied or prepared.gaps:
            self._record(subject, action, purpose, prepared, "deny", found.tables)
            raise not_allowed(denied or list(found.decisions.values()), prepared.gaps, purpose)
        check_environment(prepared)
        return prepared

    def _run(self, prepared: Prepared, rows: int) -> Result:
        with self._named(prepared):
            return self._engine.run(prepared.plan(rows, self._settings.seconds))

    @contextlib.contextmanager
    def _named(self, prepared: Prepared) -> Iterator[None]:
        """Turns "there is no column" into what is true for this subject: denied, or misspelt."""
        try:
            yield
        except QueryFailed as error:
            name = error.details.get("name")
            if not isinstance(name, str):
                raise
            raise unknown_column(list(prepared.tables.values()), name, error) from None

    def _header(self, prepared: Prepared, result: Result) -> list[dict[str, Any]]:
        return self._columns(prepared, [(column.name, column.type) for column in result.columns])

    def _columns(self, prepared: Prepared, schema: list[tuple[str, str]]) -> list[dict[str, Any]]:
        outputs = trace.outputs(prepared.gated.tree, prepared.columns())
        if len(outputs) != len(schema):
            by_name = {fold(output.name): output for output in outputs}
            sources = [by_name.get(fold(name)) for name, _ in schema]
        else:
            sources = list(outputs)
        return [
            {"name": name, "type": kind, "decision": explain.header(source, prepared.tables)}
            for (name, kind), source in zip(schema, sources, strict=True)
        ]

    def _windows(self, prepared: Prepared) -> dict[str, Any]:
        return {"tables": [self._window(prepared, ref) for ref in prepared.tables]}

    def _window(self, prepared: Prepared, ref: TableRef) -> dict[str, Any]:
        governed, window = prepared.tables[ref], prepared.windows[ref]
        shown: dict[str, Any] = {
            "dataset": governed.table.reference,
            "complete": window.complete,
            "since": window.since,
            "until": window.until,
            "limit": self._settings.window_records,
        }
        if governed.filters and not self._settings.positions_beside_row_filters:
            return {**shown, "note": _WITHHELD}
        partitions = [{"partition": r.partition, "start": r.start, "end": r.end} for r in window.ranges]
        return {**shown, "records": window.records, "partitions": partitions}

    def _record(
        self,
        subject: Subject,
        action: str,
        purpose: str | None,
        prepared: Prepared,
        outcome: str,
        found: Mapping[TableRef, QueryTable] | None = None,
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
                    governed.table.reference: (governed, [names for at, names in used if at == ref])
                    for ref, governed in prepared.tables.items()
                },
                decisions=prepared.decisions,
            )
        )
