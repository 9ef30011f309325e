"""What an answer has beside its rows: the columns with the decision on each, and the records that were read. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from catalog.paths import VALUE, FieldPath
from policies.model import Effect
from policies.plan import explain
from policies.plan.answer_parts import AnswerColumn, Partial, QueryDecision, QueryWindow, TableWindow
from policies.plan.prepare import PreparedQuery
from policies.query.blamed import text_of
from policies.sql import trace
from policies.sql.names import fold, name_sql
from policies.sql.tables import TableRef

_WITHHELD = "offsets are withheld: with a row filter they would count the rows that are not there"


def header(prepared: PreparedQuery, schema: Sequence[tuple[str, str]]) -> list[AnswerColumn]:
    """The columns of a result with these (name, type)."""
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


def decision(prepared: PreparedQuery) -> QueryDecision:
    """The decision behind an answer, with the reasons of the fields that the query uses, and of no others.

    `SELECT *` uses the denied fields too: it leaves them out.
    """
    used = trace.used(prepared.gated.tree, prepared.columns())
    star = prepared.gated.tree.find(exp.Star) is not None
    fields: dict[str, set[str]] = {}
    for ref, governed in prepared.tables.items():
        paths = fields.setdefault(governed.table.reference, set())
        for names in (names for at, names in used if at == ref):
            column = explain.find(governed, names[0])
            if column is not None:
                paths |= {d.path for d in explain.within(governed, column, names[1:])}
        if star:
            paths |= {d.path for d in governed.decision.columns if d.effect is Effect.DENY and _in_value(d.path)}
    return explain.decision_json(prepared.decisions, fields)


def _in_value(path: str) -> bool:
    return FieldPath.parse(path).root == VALUE.root


def partial(limit: str | None, rows: int, most_bytes: int) -> Partial | None:
    """None of a whole answer."""
    match limit:
        case "rows":
            return {"limit": "rows", "text": f"Only the first {rows:,} rows; ask for more with a higher limit."}
        case "bytes":
            text = f"Only the rows that fit into {most_bytes:,} bytes; ask for fewer columns, or export the answer."
            return {"limit": "bytes", "text": text}
    return None


def notes(prepared: PreparedQuery) -> list[str]:
    """What of the query was not done, or does not mean what it looks like."""
    texts = ["Hints (/*+ ... */) are ignored; the engine plans each query itself."] if prepared.gated.hints else []
    for each in prepared.gated.compared_with_null():
        texts.append(f"{text_of(each)} is never true; write IS NULL or IS NOT NULL.")
    columns = {fold(c.name): c.name for governed in prepared.tables.values() for c in governed.shown}
    for text in prepared.gated.quoted_texts:
        name = columns.get(fold(text))
        if name is not None:
            texts.append(
                f'"{name}" in double quotes is a text, as Spark reads it, not the column {name}; write {name_sql(name)}.'
            )
    return texts


def windows(prepared: PreparedQuery) -> QueryWindow:
    """Positions are withheld where they would count hidden rows."""
    return {"tables": [_window(prepared, ref) for ref in prepared.tables]}


def _window(prepared: PreparedQuery, ref: TableRef) -> TableWindow:
    governed, window = prepared.tables[ref], prepared.windows[ref]
    answer: TableWindow = {
        "dataset": governed.table.reference,
        "complete": window.complete,
        "since": window.since,
        "until": window.until,
        "limit": prepared.window_limit,
    }
    if not governed.positions:
        return {**answer, "note": _WITHHELD}
    answer["records"] = window.records
    answer["partitions"] = [{"partition": r.partition, "start": r.start, "end": r.end} for r in window.ranges]
    return answer
