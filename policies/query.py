"""Governed queries: SQL over topics, answered under the decision for who asks and why.

    gate -> tables -> decide -> govern (views) -> offsets -> audit -> engine -> answer

Nothing is cached: not a plan, not a decision, not a result; each query decides for itself, at its own time.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import structlog

from catalog.errors import DatasetNotFound, InvalidInput, LimitExceeded, NotAllowed, SqlRefused, WeirError
from policies import explain, gate
from policies.masks.keys import MaskKeys
from policies.model import Decision, Effect, Reason, Subject
from policies.plan import QueryPlan, Range, Result, Window
from policies.query_audit import entry
from policies.query_errors import QueryFailed
from policies.query_limits import Turns
from policies.query_ports import Decider, Engine, Offsets, QueryAudit, QueryTable, TableSource
from policies.query_settings import QuerySettings
from policies.sql import trace
from policies.sql.names import fold, nearest
from policies.sql.tables import TableRef
from policies.sql.windows import NEWEST
from policies.views import GovernedTable, govern

_log = structlog.get_logger(__name__)


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
            "columns": self.columns, "rows": self.rows, "decision": self.decision, "window": self.window,
            "truncated": self.truncated,
        }  # fmt: skip


@dataclass(slots=True)
class _Prepared:
    gated: gate.Gated
    tables: dict[TableRef, GovernedTable] = field(default_factory=dict)
    windows: dict[TableRef, Window] = field(default_factory=dict)

    @property
    def decisions(self) -> list[Decision]:
        return [governed.decision for governed in self.tables.values()]

    def columns(self) -> dict[TableRef, list[str]]:
        return {ref: [c.name for c in governed.shown] for ref, governed in self.tables.items()}


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
        self._find = tables
        self._decide = decide
        self._engine = engine
        self._offsets = offsets
        self._audit = audit
        self._keys = keys
        self._settings = settings or QuerySettings()
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
                raise SqlRefused("EMIT CHANGES makes a stream; ask for it at /api/v1/query/stream or leave it out.")
            self._look(prepared)
            self._record(subject, "query", purpose, prepared, "allow")
            result = self._run(prepared, rows)
        return QueryAnswer(
            self._header(prepared, result),
            result.rows,
            explain.decision_json(prepared.decisions),
            self._window_json(prepared),
            result.truncated,
        )

    def explain(
        self, subject: Subject, sql: str, purpose: str | None = None, limit: int | None = None
    ) -> dict[str, Any]:
        """What a query would do: decision, per column of each table what shows, what runs, which offsets are read.

        A query that would be denied is explained too; no record is read. Raises SqlRefused, DatasetNotFound,
        QueryFailed.
        """
        rows = self._limit(limit)
        gated = gate.check(sql)
        found = self._tables(gated)
        decisions = {ref: self._decision(subject, table, purpose) for ref, table in found.items()}
        answer: dict[str, Any] = {
            "decision": explain.decision_json(list(decisions.values())),
            "limit": rows,
            "emit_changes": gated.emit_changes,
            "tables": [],
            "columns": [],
            "sql": None,
            "window": None,
        }
        prepared = _Prepared(gated)
        for ref, table in found.items():
            decision = decisions[ref]
            if decision.effect is Effect.ALLOW:
                try:
                    prepared.tables[ref] = govern(
                        table, decision, self._keys, self._settings.positions_beside_row_filters
                    )
                except InvalidInput as error:
                    answer["decision"]["effect"] = str(Effect.DENY)
                    answer["decision"]["gaps"].append(error.message)
            governed = prepared.tables.get(ref)
            answer["tables"].append(_table_json(ref, table, decision, governed))
        names = {ref: ref.name for ref in gated.tables}
        answer["sql"] = gated.render(names)
        self._record(subject, "query.explain", purpose, prepared, answer["decision"]["effect"], found)
        if answer["decision"]["effect"] == Effect.ALLOW:
            self._environment(prepared)
            self._look(prepared)
            answer["window"] = self._window_json(prepared)
            with self._named(prepared):
                schema = self._engine.check(self._plan(prepared, rows))
            outputs = self._outputs(prepared, [name for name, _ in schema])
            answer["columns"] = [
                {"name": name, "type": kind, "decision": explain.header(output, prepared.tables)}
                for (name, kind), output in zip(schema, outputs, strict=True)
            ]
        return answer

    def stream(self, subject: Subject, sql: str, purpose: str | None = None) -> Iterator[dict[str, Any]]:
        """A push query: events as they come, beginning with what arrives from now on.

        {"type": "columns", columns, decision} once and again when a decision changes what shows,
        {"type": "rows", rows}, {"type": "idle"} about every second without news, and at last
        {"type": "end", code, message, reasons}: access was revoked, or the engine failed. Close the iterator to end it.
        Raises, before the first event, what `run` raises.
        """
        prepared = self._prepare(subject, sql, purpose, "query.stream")
        problem = prepared.gated.stream_problem()
        if problem is not None:
            raise SqlRefused(problem, details={"line": 1, "column": 1, "reasons": ["stream"]})
        self._look(prepared)
        self._record(subject, "query.stream", purpose, prepared, "allow")
        return self._follow(subject, sql, purpose, prepared)

    # -- steps ---------------------------------------------------------------------------------------------------

    def _limit(self, limit: int | None) -> int:
        if limit is None:
            return self._settings.default_rows
        if not 0 < limit <= self._settings.max_rows:
            raise LimitExceeded(
                f"The limit {limit:,} is not between 1 and {self._settings.max_rows:,} rows.", details={"limit": "rows"}
            )
        return limit

    def _prepare(self, subject: Subject, sql: str, purpose: str | None, action: str) -> _Prepared:
        try:
            gated = gate.check(sql)
        except SqlRefused as error:
            self._audit.record(entry(subject, action, purpose, sql, "refused", error.details.get("reasons", ())))
            raise
        found = self._tables(gated)
        decisions = {ref: self._decision(subject, table, purpose) for ref, table in found.items()}
        prepared = _Prepared(gated)
        denied = [d for d in decisions.values() if d.effect is Effect.DENY]
        gaps: list[str] = []
        if not denied:
            for ref, table in found.items():
                try:
                    prepared.tables[ref] = govern(
                        table, decisions[ref], self._keys, self._settings.positions_beside_row_filters
                    )
                except InvalidInput as error:
                    gaps.append(f"{table.reference}: {error.message}")
        if denied or gaps:
            self._record(subject, action, purpose, prepared, "deny", found)
            raise _not_allowed(denied or list(decisions.values()), gaps, purpose)
        self._environment(prepared)
        return prepared

    def _tables(self, gated: gate.Gated) -> dict[TableRef, QueryTable]:
        found = {}
        for ref in gated.tables:
            try:
                found[ref] = self._find.find(ref.name)
            except DatasetNotFound as error:
                line, column = gated.places[ref]
                raise DatasetNotFound(
                    error.message, details={**error.details, "line": line, "column": column}
                ) from error
        return found

    def _decision(self, subject: Subject, table: QueryTable, purpose: str | None) -> Decision:
        """The decision; where it cannot be taken, a denial that names the gap."""
        try:
            return self._decide(subject, table.facts, purpose)
        except Exception as error:
            # Whatever keeps the rules from being read keeps the data from being shown.
            _log.error("decision failed", dataset=table.reference, error=type(error).__name__)
            text = "The policies could not be read, so nothing is shown; try again or tell an administrator."
            return Decision(
                table.facts.id, table.reference, Effect.DENY, reasons=(Reason("gap", "decision", text),), gaps=(text,)
            )

    def _environment(self, prepared: _Prepared) -> None:
        """`user` and the like are columns, or Spark would answer with a name of the server."""
        columns = {fold(c.name) for governed in prepared.tables.values() for c in governed.shown}
        for name, (line, column) in prepared.gated.environment.items():
            if name not in columns:
                raise SqlRefused(
                    f"There is no column {name}. (line {line}, column {column})",
                    details={"line": line, "column": column, "reasons": ["environment"]},
                )

    def _look(self, prepared: _Prepared) -> None:
        for ref, governed in prepared.tables.items():
            table = governed.table
            prepared.windows[ref] = self._offsets.window(
                table.kafka, table.topic, ref.as_of, self._settings.window_records
            )

    def _plan(self, prepared: _Prepared, rows: int) -> QueryPlan:
        names = {ref: f"weir_view_{index}" for index, ref in enumerate(prepared.tables)}
        plans = tuple(g.plan(names[ref], prepared.windows[ref]) for ref, g in prepared.tables.items())
        return QueryPlan(prepared.gated.render(names), plans, rows, self._settings.seconds)

    def _run(self, prepared: _Prepared, rows: int) -> Result:
        with self._named(prepared):
            return self._engine.run(self._plan(prepared, rows))

    @contextlib.contextmanager
    def _named(self, prepared: _Prepared) -> Iterator[None]:
        """Turns "there is no column" into what is true for this subject: denied, or misspelt."""
        try:
            yield
        except QueryFailed as error:
            name = error.details.get("name")
            if not isinstance(name, str):
                raise
            parts = [part.replace("``", "`") for part in _split_name(name)]
            raise _unknown_column(prepared, parts, error) from None

    def _outputs(self, prepared: _Prepared, names: list[str]) -> list[trace.Output | None]:
        outputs = trace.outputs(prepared.gated.tree, prepared.columns())
        if len(outputs) == len(names):
            return list(outputs)
        by_name = {fold(o.name): o for o in outputs}
        return [by_name.get(fold(name)) for name in names]

    def _header(self, prepared: _Prepared, result: Result) -> list[dict[str, Any]]:
        outputs = self._outputs(prepared, [c.name for c in result.columns])
        return [
            {"name": column.name, "type": column.type, "decision": explain.header(output, prepared.tables)}
            for column, output in zip(result.columns, outputs, strict=True)
        ]

    def _window_json(self, prepared: _Prepared) -> dict[str, Any]:
        return {"tables": [self._one_window(prepared, ref) for ref in prepared.tables]}

    def _one_window(self, prepared: _Prepared, ref: TableRef) -> dict[str, Any]:
        governed, window = prepared.tables[ref], prepared.windows[ref]
        shown: dict[str, Any] = {"dataset": governed.table.reference, "complete": window.complete}
        shown |= {"since": window.since, "until": window.until, "limit": self._settings.window_records}
        if governed.filters and not self._settings.positions_beside_row_filters:
            shown["note"] = "offsets are withheld: with a row filter they would count the rows that are not there"
            return shown
        shown["records"] = window.records
        shown["partitions"] = [{"partition": r.partition, "start": r.start, "end": r.end} for r in window.ranges]
        return shown

    def _record(
        self, subject: Subject, action: str, purpose: str | None, prepared: _Prepared, outcome: str,
        found: dict[TableRef, QueryTable] | None = None,
    ) -> None:  # fmt: skip
        tables = {ref: g.table for ref, g in prepared.tables.items()} | (found or {})
        used = trace.used(prepared.gated.tree, prepared.columns())
        self._audit.record(
            entry(
                subject, action, purpose, prepared.gated.sql, outcome, (),
                datasets=[t.reference for t in tables.values()],
                governed={prepared.tables[ref].table.reference: (prepared.tables[ref], [n for r, n in used if r == ref])
                          for ref in prepared.tables},
                decisions=prepared.decisions,
            )
        )  # fmt: skip

    # -- push queries --------------------------------------------------------------------------------------------

    def _follow(self, subject: Subject, sql: str, purpose: str | None, prepared: _Prepared) -> Iterator[dict[str, Any]]:
        (ref,) = prepared.tables
        at = {r.partition: r.end for r in prepared.windows[ref].ranges}
        sent: list[dict[str, Any]] | None = None
        checked = said = time.monotonic()
        try:
            while True:
                if time.monotonic() - checked >= self._settings.recheck_seconds:
                    prepared, checked = self._again(subject, sql, purpose, prepared), time.monotonic()
                governed = prepared.tables[ref]
                latest = self._offsets.window(governed.table.kafka, governed.table.topic, NEWEST, 1 << 62)
                ranges = _next_ranges(at, latest, self._settings.batch_records)
                if not any(r.count for r in ranges):
                    if time.monotonic() - said >= 1.0:
                        said = time.monotonic()
                        yield {"type": "idle"}
                    time.sleep(0.2)
                    continue
                # Decided again for each batch: what was revoked a moment ago is not read any more.
                prepared, checked = self._again(subject, sql, purpose, prepared), time.monotonic()
                prepared.windows[ref] = Window(tuple(ranges))
                result = self._run(prepared, self._settings.batch_records)
                at |= {r.partition: r.end for r in ranges}
                header = self._header(prepared, result)
                if header != sent:
                    sent = header
                    yield {"type": "columns", "columns": header, "decision": explain.decision_json(prepared.decisions)}
                if result.rows:
                    said = time.monotonic()
                    yield {"type": "rows", "rows": result.rows}
        except WeirError as error:
            yield {
                "type": "end",
                "code": error.code,
                "message": error.message,
                "reasons": error.details.get("reasons", []),
            }

    def _again(self, subject: Subject, sql: str, purpose: str | None, before: _Prepared) -> _Prepared:
        """The same query under the decision of now. Raises NotAllowed when access ended."""
        now = _Prepared(before.gated)
        for ref, governed in before.tables.items():
            decision = self._decision(subject, governed.table, purpose)
            if decision.effect is Effect.DENY:
                raise _not_allowed([decision], [], purpose, ended=True)
            try:
                now.tables[ref] = govern(
                    governed.table, decision, self._keys, self._settings.positions_beside_row_filters
                )
            except InvalidInput as error:
                raise _not_allowed([decision], [error.message], purpose, ended=True) from error
        now.windows = dict(before.windows)
        return now


def _next_ranges(at: dict[int, int], latest: Window, limit: int) -> list[Range]:
    ranges = []
    for found in latest.ranges:
        start = at.get(found.partition, found.start)
        end = min(found.end, start + max(1, limit // max(1, len(latest.ranges))))
        ranges.append(Range(found.partition, start, max(start, end)))
    return ranges


