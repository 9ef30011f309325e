"""The parts of an answer beside its rows, as JSON has them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class ShownMask(TypedDict):
    """A mask to apply; `expression` is Spark SQL, of a CUSTOM mask."""

    type: str
    expression: str | None
    params: dict[str, object]


class ColumnEffect(TypedDict):
    """How one column is shown."""

    effect: Literal["clear", "masked", "derived", "denied", "withheld"]
    text: str
    masks: NotRequired[list[str]]
    fields: NotRequired[list[str]]
    """Paths that are masked or denied in it."""
    opened: NotRequired[list[str]]
    """Why it is unmasked, in sentences."""


class AnswerColumn(TypedDict):
    """One column; `type` is Spark's."""

    name: str
    type: str
    decision: ColumnEffect


class TableFilter(TypedDict):
    """A condition that rows of a dataset must meet."""

    dataset: str
    where: str


class QueryDecision(TypedDict):
    """The decision on all tables of a query together; a reason is {dataset, field?, kind, name, text}."""

    effect: str
    reasons: list[dict[str, str]]
    gaps: list[str]
    grants: list[str]
    filters: list[TableFilter]
    expires: str | None


class PartitionOffsets(TypedDict):
    """Offsets [start, end) of one partition."""

    partition: int
    start: int
    end: int


class TableWindow(TypedDict):
    """Which records of a table were read. A row filter withholds `records` and `partitions`, and `note` reports that."""

    dataset: str
    complete: bool
    since: str | None
    until: str | None
    limit: int
    records: NotRequired[int]
    partitions: NotRequired[list[PartitionOffsets]]
    note: NotRequired[str]


class QueryWindow(TypedDict):
    """Which records were read, table by table."""

    tables: list[TableWindow]


class Partial(TypedDict):
    """Which limit cut an answer, in words too."""

    limit: Literal["rows", "bytes"]
    text: str


class ExplainedField(TypedDict):
    """What is decided of one field; `mask` is a name."""

    path: str
    effect: str
    mask: str | None
    clearWhen: str | None
    reasons: list[dict[str, str]]


class ExplainedColumn(TypedDict):
    """How one column of a table would be shown."""

    name: str
    shown: bool
    decision: ColumnEffect


class ExplainedTable(TypedDict):
    """What is decided of one table; `columns` where it may be read."""

    name: str
    dataset: str
    effect: str
    reasons: list[dict[str, str]]
    gaps: list[str]
    filters: list[str]
    grants: list[str]
    fields: list[ExplainedField]
    columns: NotRequired[list[ExplainedColumn]]


class Explanation(TypedDict):
    """What a query would do. Where it would be denied, `columns` is empty and `window` None."""

    decision: QueryDecision
    tables: list[ExplainedTable]
    columns: list[AnswerColumn]
    sql: str
    window: QueryWindow | None
    limit: int
    emitChanges: bool
