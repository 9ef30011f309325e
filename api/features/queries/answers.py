"""Answers of `/query` and `/queries`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal, TypedDict

from api.edge.answer import Answer, Time, about, absent
from api.edge.reason import Effect, Reason
from catalog.records import rfc3339
from policies.plan.seen_query import ENDED, SeenQuery
from policies.query import check, complete


class PlacedReason(Reason):
    """A reason, with what it is about."""

    dataset: str = absent("CLUSTER/TOPIC.")
    field: str = absent("Path.")


class ColumnDecision(Answer):
    """How one column is shown."""

    effect: Literal["clear", "masked", "derived", "denied", "withheld"]
    text: str = about("One sentence.")
    masks: list[str] = absent("Names of masks.")
    fields: list[str] = absent("Paths that are hidden in it.")
    opened: list[str] = absent("Why it is unmasked: grants, roles, ownership.")


class QueryColumn(Answer):
    """One column of an answer."""

    name: str
    type: str = about("Spark's type.")
    decision: ColumnDecision


class RowFilter(Answer):
    """A condition that rows of a dataset must meet."""

    dataset: str = about("CLUSTER/TOPIC.")
    where: str


class QueryDecision(Answer):
    """The decision on all tables of a query together."""

    effect: Effect
    reasons: list[PlacedReason]
    gaps: list[str]
    grants: list[str]
    filters: list[RowFilter]
    expires: Time | None = about("When the earliest grant it rests on ends.")


class TablePartition(Answer):
    """Offsets of a partition that were read, the end exclusive."""

    partition: int
    start: int
    end: int


class TableWindow(Answer):
    """Which records of a table were read."""

    dataset: str = about("CLUSTER/TOPIC.")
    complete: bool = about("Every retained record.")
    since: Time | None
    until: Time | None
    limit: int = about("At most so many records.")
    records: int = absent("Offsets in the window; absent where a row filter holds.")
    partitions: list[TablePartition] = absent("Absent where a row filter holds.")
    note: str = absent("Why they are.")


class QueryWindow(Answer):
    """Which records were read, table by table."""

    tables: list[TableWindow]


class QueryPartial(Answer):
    """Which limit cut an answer."""

    limit: Literal["rows", "bytes"]
    text: str = about("One sentence.")


class LeftOut(Answer):
    """Something that an answer leaves out."""

    kind: Literal["window", "limit", "hiddenRows"]
    text: str = about("One sentence. It counts no hidden rows.")


class QueryAnswer(Answer):
    """Columns, rows, and the decision behind them."""

    columns: list[QueryColumn]
    rows: list[list[Any]] = about("A value for each column; decimals and times as texts.")
    decision: QueryDecision
    window: QueryWindow
    truncated: bool = about("A limit cut rows off.")
    partial: QueryPartial | None
    unreadable: dict[str, int] | None = about("Column -> values that do not fit it; null: not counted.")
    unreadable_text: str | None = about("The same as one sentence, with the fix.")
    notes: list[str] = about("What of the question was not done, or does not mean what it looks like.")
    left_out: list[LeftOut] = about("Empty where the answer has all that the query asks for.")


class ExplainedField(Answer):
    """What is decided of one field."""

    path: str
    effect: Effect
    mask: str | None = about("Name of the mask.")
    clear_when: str | None = about("Condition under which it shows unmasked.")
    reasons: list[Reason]


class ExplainedColumn(Answer):
    """How one column of a table would be shown."""

    name: str
    shown: bool
    decision: ColumnDecision


class ExplainedTable(Answer):
    """What is decided of one table."""

    name: str = about("As the query writes it.")
    dataset: str = about("CLUSTER/TOPIC.")
    effect: Effect
    reasons: list[Reason]
    gaps: list[str]
    filters: list[str]
    grants: list[str]
    fields: list[ExplainedField]
    columns: list[ExplainedColumn] = absent("Where the table may be read.")


class Explanation(Answer):
    """What a query would do; nothing was read."""

    decision: QueryDecision
    tables: list[ExplainedTable]
    columns: list[QueryColumn] = about("Empty where it would be denied.")
    sql: str = about("As it would run.")
    window: QueryWindow | None = about("Null where it would be denied.")
    limit: int = about("Rows.")
    emit_changes: bool


class SqlProblem(Answer):
    """A problem of a statement; lines and columns from 1, the end exclusive."""

    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    suggestion: str | None


class CheckedTable(Answer):
    """A table of a statement."""

    name: str
    dataset: str = about("CLUSTER/TOPIC.")
    effect: Effect
    line: int
    column: int


class QueryCheck(Answer):
    """A statement looked at without reading a record."""

    ok: bool
    problems: list[SqlProblem]
    columns: list[QueryColumn] = about("Empty where it would not run.")
    tables: list[CheckedTable]
    types: Literal["engine", "none"] = about("Where the types come from; none: the engine was not asked.")
    emit_changes: bool

    @classmethod
    def of(cls, checked: check.CheckedQuery) -> QueryCheck:
        return cls(
            ok=checked.ok,
            problems=[SqlProblem(**asdict(each)) for each in checked.problems],
            columns=[QueryColumn.model_validate(each) for each in checked.columns],
            tables=[
                CheckedTable(
                    name=each.name, dataset=each.dataset, effect=each.effect.value, line=each.line, column=each.column
                )
                for each in checked.tables
            ],
            types=checked.types,
            emit_changes=checked.emit_changes,
        )


class Proposal(Answer):
    """What may be written at the cursor."""

    label: str
    kind: Literal["table", "column", "function", "keyword"]
    detail: str
    insert: str


class Completion(Answer):
    """Proposals; `sql[from:to]` is what `insert` replaces."""

    items: list[Proposal]
    from_: int = about("Characters before it.", alias="from")
    to: int

    @classmethod
    def of(cls, proposals: complete.Proposals) -> Completion:
        items = [
            Proposal(label=each.label, kind=each.kind, detail=each.detail, insert=each.insert)
            for each in proposals.items
        ]
        return cls(items=items, from_=proposals.start, to=proposals.end)


class RunningQuery(Answer):
    """A query that waits, runs, streams or ended lately."""

    id: str
    user: str
    sql: str = about("Without literals where it is another's, or another process of Weir runs it.")
    state: str = about("queued, running, streaming, stopping or ended.")
    since: Time
    seconds: float
    rows: int = about("Sent so far.")
    bytes: int = about("Sent so far.")
    progress: float | None = about("0 to 1; null before the engine reports it.")
    datasets: list[str] = about("CLUSTER/TOPIC of each.")
    purpose: str | None
    mine: bool
    unreadable: dict[str, int] | None
    unreadable_text: str | None

    @classmethod
    def of(cls, query: SeenQuery, reader: str) -> RunningQuery:
        """As a user may see it."""
        return RunningQuery(**_of_running(query, reader))


class RunningQueries(Answer):
    """Queries that wait, run or stream."""

    queries: list[RunningQuery]


class EndedQuery(RunningQuery):
    """A query that ended lately."""

    whole: bool = about("All of its answer was sent.")
    partial: bool = about("A limit cut the answer.")
    problem: str | None = about("Code of the error that ended it.")
    message: str | None = about("Sentence of the error that ended it; null where another process of Weir ran it.")
    left_out: list[LeftOut] = about("What its answer leaves out.")

    @classmethod
    def of(cls, query: SeenQuery, reader: str) -> EndedQuery:
        """As a user may see it."""
        return EndedQuery(
            **_of_running(query, reader),
            whole=query.whole,
            partial=query.partial,
            problem=query.problem,
            message=query.message,
            left_out=[LeftOut.model_validate({"kind": kind, "text": text}) for kind, text in query.left_out],
        )


class _OfRunning(TypedDict):
    """What queries that run and those that ended have in common."""

    id: str
    user: str
    sql: str
    state: str
    since: str
    seconds: float
    rows: int
    bytes: int
    progress: float | None
    datasets: list[str]
    purpose: str | None
    mine: bool
    unreadable: dict[str, int] | None
    unreadable_text: str | None


def _of_running(query: SeenQuery, reader: str) -> _OfRunning:
    counts = query.unreadable
    return {
        "id": query.id,
        "user": query.user,
        "sql": query.sql_for(reader),
        "state": query.state,
        "since": rfc3339(query.since),
        "seconds": query.seconds,
        "rows": query.rows,
        "bytes": query.bytes,
        "progress": query.progress,
        "datasets": list(query.datasets),
        "purpose": query.purpose,
        "mine": query.user == reader,
        "unreadable": None if counts is None else dict(counts),
        "unreadable_text": query.unreadable_text,
    }


def running_or_ended(query: SeenQuery, reader: str) -> RunningQuery | EndedQuery:
    """A query as a user may see it, with how it ended where it did."""
    return EndedQuery.of(query, reader) if query.state == ENDED else RunningQuery.of(query, reader)


class CancelledQuery(Answer):
    """A query that was stopped."""

    id: str
    user: str
    state: str = about("cancelled, or stopping while the engine still works on it.")
