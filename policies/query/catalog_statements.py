"""Answers about the catalog: SHOW, DESCRIBE and EXPLAIN, under the decision for who asks.

What a `SELECT *` of theirs would leave out is left out: datasets they may not read, columns they may not see. EXPLAIN is
Weir's own explanation; the engine's plans hold the keys of masks. No record is read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from catalog.datatypes import StructType, to_ddl
from catalog.errors import DatasetNotFound, LimitExceeded, NotAllowed, Unavailable
from catalog.near_names import did_you_mean
from policies.audit.actions import AuditAction
from policies.gate import gate
from policies.model import Effect, Subject
from policies.plan import explain
from policies.plan.answer_parts import AnswerColumn, Explanation, QueryDecision
from policies.plan.cancellation import Stop
from policies.plan.errors import QueryFailed
from policies.plan.model import Window
from policies.plan.prepare import PreparedQuery, Preparer
from policies.plan.refusals import not_allowed
from policies.plan.settings import QuerySettings
from policies.plan.views import SYSTEM_TYPES, GovernedTable
from policies.query import answer as query_answer
from policies.query.door import AuditedGate
from policies.sql import inventory, trace
from policies.sql.errors import place
from policies.sql.names import fold, name_sql, nearest
from policies.sql.statements import About, Statement, names_table

ACTION: AuditAction = "query.catalog"
References = Callable[[], Iterable[str]]
"""Every topic of the catalog, as `CLUSTER/TOPIC`."""
Types = Callable[[PreparedQuery], list[AnswerColumn]]
"""The columns of a query's result, by analysis alone."""
Explain = Callable[[str], Explanation]

_DESCRIBED = (("col_name", "string"), ("data_type", "string"), ("comment", "string"))
_MOST_FIELDS = 200


@dataclass(slots=True)
class StatementResult:
    """An answer: (name, type) of its columns, its rows, whether a limit cut them, sentences beside them."""

    columns: list[tuple[str, str]]
    rows: list[list[object]]
    truncated: bool = False
    notes: list[str] = field(default_factory=list)

    def header(self) -> list[AnswerColumn]:
        """The columns, as queries have them."""
        return [
            {"name": name, "type": kind, "decision": {"effect": "clear", "text": "from the catalog"}}
            for name, kind in self.columns
        ]

    def decision(self) -> QueryDecision:
        """Of an answer that shows nothing of a record."""
        return explain.decision_json([])


@dataclass(slots=True)
class CatalogAnswers:
    """Answers one statement for one subject. `types` and `explain` are the engine's analysis and Weir's explanation."""

    preparer: Preparer
    trail: AuditedGate
    references: References
    settings: QuerySettings
    types: Types
    explain: Explain

    def answer(
        self, subject: Subject, statement: Statement, sql: str, purpose: str | None, limit: int, stop: Stop
    ) -> StatementResult:
        """Raises SqlRefused, DatasetNotFound, NotAllowed (in the audit), QueryFailed, LimitExceeded, Unavailable."""
        match statement.about:
            case About.PLAN:
                rows: list[list[object]] = [[line] for line in plan_lines(self.explain(statement.query or ""))]
                return _cut(StatementResult([("plan", "string")], rows), limit)
            case About.RESULT:
                return _cut(self._result(statement), limit)
            case About.DESCRIPTION | About.COLUMNS:
                return _cut(self._dataset(subject, statement, sql, purpose), limit)
        answer = self._listed(subject, statement, purpose, limit, stop)
        self.trail.catalog(subject, ACTION, purpose, statement.without_literals(), "allow", ())
        return answer

    # --- lists -----------------------------------------------------------------------------------------------------

    def _listed(
        self, subject: Subject, statement: Statement, purpose: str | None, limit: int, stop: Stop
    ) -> StatementResult:
        if statement.about is About.FUNCTIONS:
            names = [n for n, f in inventory.functions().items() if f.verdict == "allowed" and statement.fits(n)]
            return _cut(StatementResult([("function", "string")], [[name] for name in sorted(names)]), limit)
        readable = self._readable(subject, statement, purpose, stop)
        if statement.about is About.CLUSTERS:
            word = "catalog" if statement.word.endswith("CATALOGS") else "namespace"
            clusters: dict[str, None] = {}
            for cluster, _ in readable:
                clusters.setdefault(cluster)
            return _cut(StatementResult([(word, "string")], [[name] for name in clusters]), limit)
        answer = StatementResult([("namespace", "string"), ("tableName", "string"), ("isTemporary", "boolean")], [])
        for cluster, topic in readable:
            if len(answer.rows) == limit:
                answer.truncated = True
                break
            answer.rows.append([cluster, topic, False])
        if not answer.rows:
            answer.notes.append(
                "No topic that you may read has such a name; the catalog lists the others, with how to ask."
            )
        return answer

    def _readable(
        self, subject: Subject, statement: Statement, purpose: str | None, stop: Stop
    ) -> Iterator[tuple[str, str]]:
        """(cluster, topic) of what the subject may read, in order. Of a list of clusters, each is looked at until one is."""
        until = time.monotonic() + self.settings.seconds
        cluster_key = fold(".".join(statement.name))
        clusters = statement.about is About.CLUSTERS
        seen: set[str] = set()
        known: set[str] = set()
        for reference in sorted(self.preparer.shown(subject, self.references())):
            cluster, _, topic = reference.partition("/")
            known.add(cluster)
            if (cluster_key and fold(cluster) != cluster_key) or (clusters and cluster in seen):
                continue
            if not statement.fits(cluster if clusters else topic):
                continue
            stop.check()
            if time.monotonic() > until:
                text = "There are too many topics to look at all; narrow them down, as in SHOW TABLES LIKE 'order*'."
                raise LimitExceeded(text, details={"limit": "seconds"})
            if self.preparer.may_read(subject, reference, purpose):
                seen.add(cluster)
                yield cluster, topic
        if cluster_key and cluster_key not in map(fold, known):
            near = nearest(cluster_key, known)
            hint = did_you_mean(near, ".", "; ")
            text = f"There is no cluster {'.'.join(statement.name)}{hint}"
            raise DatasetNotFound(text, details={"reference": ".".join(statement.name), "nearest": near})

    # --- one dataset or query ----------------------------------------------------------------------------------------

    def _dataset(self, subject: Subject, statement: Statement, sql: str, purpose: str | None) -> StatementResult:
        gated = self.trail.gate(subject, names_table(statement, sql), purpose, ACTION)
        resolved, prepared = self.trail.decided(self.preparer, subject, gated, purpose, ACTION, explained=True)
        (ref,) = gated.tables
        reference, decision = resolved.tables[ref].reference, resolved.decisions[ref]
        text = statement.without_literals()
        if decision.effect is not Effect.ALLOW or prepared.gaps:
            self.trail.catalog(subject, ACTION, purpose, text, "deny", [decision], [reference])
            raise not_allowed([decision], prepared.gaps, purpose)
        self.trail.catalog(subject, ACTION, purpose, text, "allow", [decision], [reference])
        governed = prepared.tables[ref]
        fields = [c.name for c in governed.shown if c.name not in governed.system]
        if statement.about is About.COLUMNS:
            return StatementResult([("col_name", "string")], [[name] for name in fields], notes=_beside(governed))
        if statement.column:
            try:
                return StatementResult(
                    list(_DESCRIBED), self._described(governed, ".".join(map(name_sql, statement.column)))
                )
            except (QueryFailed, NotAllowed) as error:
                line, column = place(sql, statement.column_at)
                error.details = {**error.details, "line": line, "column": column}
                raise
        answer = StatementResult(
            list(_DESCRIBED), self._described(governed, ", ".join(map(name_sql, fields))), notes=_beside(governed)
        )
        if statement.extended:
            answer.rows += self._described(governed, ", ".join(map(name_sql, governed.system)))
            answer.rows += _details(governed, self.settings)
        return answer

    def _described(self, governed: GovernedTable, names: str) -> list[list[object]]:
        """(name, type, decision) of columns, as a query gives them; types as the catalog has them where the engine is away."""
        if not names:
            return []
        cluster, _, topic = governed.table.reference.partition("/")
        gated = gate.check(f"SELECT {names} FROM {name_sql(cluster)}.{name_sql(topic)}")
        (ref,) = gated.tables
        prepared = PreparedQuery(gated, {ref: governed}, {ref: Window(())})
        try:
            columns = self.types(prepared)
        except (Unavailable, LimitExceeded):
            outputs = [output.name for output in trace.outputs(gated.tree, prepared.columns())]
            columns = query_answer.header(prepared, [(name, _stored(governed, name)) for name in outputs])
        return [[c["name"], c["type"], c["decision"]["text"]] for c in columns]

    def _result(self, statement: Statement) -> StatementResult:
        explanation = self.explain(statement.query or "")
        if explanation["decision"]["effect"] != Effect.ALLOW:
            names = [table["dataset"] for table in explanation["tables"] if table["effect"] != Effect.ALLOW]
            raise NotAllowed(
                f"You may not read {', '.join(names)}. Request access; the reasons name what is missing.",
                details={"reasons": explanation["decision"]["reasons"], "datasets": names, "columns": []},
            )
        rows: list[list[object]] = [[c["name"], c["type"], c["decision"]["text"]] for c in explanation["columns"]]
        return StatementResult(list(_DESCRIBED), rows)


def plan_lines(explanation: Explanation) -> Iterator[str]:
    """An explanation (see `GovernedQuery.explain`) line by line: what would be decided, read and shown."""
    yield f"Query: {' '.join(explanation['sql'].split())}"
    yield f"Decision: {explanation['decision']['effect']}"
    yield from (f"  {text}" for text in dict.fromkeys(gap for gap in explanation["decision"]["gaps"]))
    windows = {table["dataset"]: table for table in (explanation["window"] or {"tables": []})["tables"]}
    for table in explanation["tables"]:
        yield f"Table {table['name']}: {table['dataset']}, {table['effect']}"
        yield from (f"  because {reason['text']}" for reason in table["reasons"])
        yield from (f"  rows where {where}" for where in table["filters"])
        window = windows.get(table["dataset"])
        if window is not None:
            amount = f" {window['records']:,}" if "records" in window else ""
            yield f"  reads {'all' if window['complete'] else 'the newest'}{amount} records"
        if table["effect"] == Effect.ALLOW:
            changed = [each for each in table["fields"] if each["mask"] or each["effect"] != Effect.ALLOW]
            for each in changed[:_MOST_FIELDS]:
                why = "; ".join(dict.fromkeys(reason["text"] for reason in each["reasons"]))
                effect = each["mask"] if each["effect"] == Effect.ALLOW else "left out"
                yield f"  field {each['path']}: {effect}{f' ({why})' if why else ''}"
            if len(changed) > _MOST_FIELDS:
                yield f"  and {len(changed) - _MOST_FIELDS:,} more fields that are masked or left out"
    for column in explanation["columns"]:
        yield f"Column {column['name']}: {column['type']}, {column['decision']['text']}"
    yield "Nothing was read. The engine's own plan is not shown, since it holds the keys of masks."


def _beside(governed: GovernedTable) -> list[str]:
    """What a star does not include, and what is left out, in sentences."""
    notes = [f"Beside these there are {', '.join(governed.system)}, by their names only."] if governed.system else []
    denied = sum(column.sql is None and not column.system for column in governed.columns)
    if denied:
        notes.append(f"Left out, as you may not read them: {denied:,} of its columns. The explanation has the reasons.")
    return notes


def _details(governed: GovernedTable, settings: QuerySettings) -> Iterator[list[object]]:
    table = governed.table
    yield ["# Detail", "", ""]
    yield ["Dataset", table.reference, ""]
    yield ["Format", f"key {table.key.format}, value {table.value.format}", ""]
    yield ["Records of a query", f"the newest {settings.window_records:,}, where it names no window", ""]
    for each in governed.decision.filters:
        yield ["Row filter", each.where, ""]


def _stored(governed: GovernedTable, name: str) -> str:
    kind = governed.table.value.kind
    stored = kind.get(name) if isinstance(kind, StructType) else kind
    return to_ddl(stored).lower() if stored is not None else SYSTEM_TYPES.get(name, "string").lower()


def _cut(answer: StatementResult, limit: int) -> StatementResult:
    return replace(answer, rows=answer.rows[:limit], truncated=answer.truncated or len(answer.rows) > limit)
