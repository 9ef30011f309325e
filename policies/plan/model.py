"""What the engine is asked to do: governed tables and one query over them. Plain data, no I/O.

The stored record, before any rule, has these columns inside the engine, and nobody but the engine's own expressions
can name them:

    weir_key, weir_value   the decoded key and value, of the declared or inferred type (NULL where undecodable)
    weir_headers           MAP<STRING, STRING> of the headers (of several with one name the last)
    weir_raw               the value's bytes
    weir_partition INT, weir_offset BIGINT, weir_timestamp TIMESTAMP
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from catalog.datatypes import DataType
from policies.plan.cancellation import Stop


@dataclass(frozen=True, slots=True)
class PartRead:
    """How one part of a record (key or value) is read.

    format   json | text | csv | avro | protobuf | ... ; everything but json, text and csv goes through a Decoder
    kind     the type to read it as
    schemas  what the decoder needs besides the bytes (registered schemas by id, a delimiter...), JSON-ready
    """

    format: str
    kind: DataType
    schemas: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Range:
    """Offsets [start, end) of one partition."""

    partition: int
    start: int
    end: int

    @property
    def count(self) -> int:
        return max(0, self.end - self.start)


@dataclass(frozen=True, slots=True)
class Window:
    """What a query reads of one topic. `complete` = nothing that was asked for was left out by the limit."""

    ranges: tuple[Range, ...]
    complete: bool = True
    since: str | None = None
    until: str | None = None

    @property
    def records(self) -> int:
        return sum(r.count for r in self.ranges)


@dataclass(frozen=True, slots=True)
class Rows:
    """Which records of a topic are the rows of a stream view: those whose header `header` is `value`; of these, with
    `newest`, the last of each key, and none where that has no value.

    keys  columns that the key is made of; their values are in the header `key_header` as a JSON object, also of a record
          without a value
    run_header  of rows without a key: `BATCH,RUN`; a batch that was run again is the rows of its last run
    """

    header: str
    value: str
    newest: bool
    keys: tuple[str, ...] = ()
    key_header: str = ""
    run_header: str = ""


@dataclass(frozen=True, slots=True)
class ByKey:
    """Of a topic whose records replace one another by key: a record without a value takes the row of its key away, and so
    does one that a row filter hides. Such a record has nothing but its key.

    fields  (field of the value, SQL over `weir_key`, the type of that as DDL) of the fields that the key holds; a record in which
            one differs from its key ends the query
    """

    fields: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TablePlan:
    """One governed view.

    view         its name in the session
    topic        Kafka topic; `kafka` = Spark's Kafka options (bootstrap servers, security), secrets included
    filters      BOOLEAN SQL over the stored columns; a record is there only when all are true
    conditions   name -> BOOLEAN SQL over the stored columns, at hand for `columns`
    columns      (name, SQL over stored columns and conditions), in order
    watched      (column, path) of the places whose values are counted where they cannot be read: those that the asker
                 sees unmasked. `value` and `key` mean whole records
    rows         see `QueryTable.rows`
    by_key       None: each record counts for itself
    enough       any so many records of the window serve as well as all; None: every one is needed
    """

    view: str
    topic: str
    kafka: Mapping[str, str] = field(repr=False)
    window: Window
    key: PartRead
    value: PartRead
    filters: tuple[str, ...] = ()
    conditions: tuple[tuple[str, str], ...] = ()
    columns: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    case_sensitive: bool = False
    watched: tuple[tuple[str, str], ...] = ()
    rows: Rows | None = None
    by_key: ByKey | None = None
    enough: int | None = None


@dataclass(frozen=True, slots=True)
class PositionOutput:
    """A column of a query that asks for positions alone: `function` is count, min or max; `column` offset, partition or
    timestamp. `type` as in `ResultColumn`."""

    name: str
    type: str
    function: str
    column: str = ""


@dataclass(frozen=True, slots=True)
class PositionTotals:
    """Of the records of a window: how many there are, and the least and greatest of their positions and times (milliseconds
    since 1970; -1 for a record without a time). Without records nothing but the count.

    read  how many of them were read for this; the others were counted by their offsets
    """

    records: int
    read: int
    offset: tuple[int, int] | None = None
    partition: tuple[int, int] | None = None
    timestamp: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """Governed tables and the gated text that runs over them. `limit` rows, `seconds` of time, `most_bytes` of result.

    stop   ends the query, for who has it, while it runs
    ansi   whether a value that cannot be cast fails the query, or is NULL as it is inside the views
    progress  receives now and then which share of the work is done, 0..1; it may go back when more work turns up
    asker  the user it runs for
    positions  what the query asks for, where that is nothing but positions of its one table
    """

    sql: str
    tables: tuple[TablePlan, ...]
    limit: int
    seconds: float
    most_bytes: int = 64 * 1024 * 1024
    stop: Stop = field(default_factory=Stop, compare=False, repr=False)
    ansi: bool = True
    progress: Callable[[float], None] = field(default=lambda share: None, compare=False, repr=False)
    asker: str = field(default="", compare=False)
    positions: tuple[PositionOutput, ...] = ()


Unreadable = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """`type` is Spark's DDL name in lower case (`struct<name:string>`)."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Result:
    """JSON-ready rows: decimals as text, times RFC 3339 in UTC, dates ISO 8601, bytes base64, NaN and infinities as text,
    structs and maps as objects (keys as text), intervals ISO 8601. `truncated` = there was at least one row more,
    cut off by `limit`: rows | bytes.

    unreadable  view -> path -> how many values of the records that were read do not fit their type, or whole records
                (path `value` or `key`) that cannot be decoded; None where a cut left them uncounted
    notes       how the rows were got, where that was not by reading all records
    """

    columns: tuple[ResultColumn, ...]
    rows: list[list[object]]
    truncated: bool
    limit: str | None = None
    unreadable: Unreadable | None = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Batches(Protocol):
    """A result as it comes, for who sends it on. `schema` is a pyarrow.Schema, known before the first record.

    Iterating gives pyarrow.RecordBatch objects and raises what `Engine.run` raises; `limit` is set, once the last one
    was given, when rows were cut off by it: rows | bytes.
    """

    @property
    def schema(self) -> Any: ...

    @property
    def columns(self) -> tuple[ResultColumn, ...]: ...

    def rows(self, batches: Sequence[Any]) -> list[list[object]]:
        """Rows as `Result` holds them."""
        ...

    @property
    def limit(self) -> str | None: ...

    @property
    def unreadable(self) -> Unreadable | None:
        """See `Result`; known once the last batch was given."""
        ...

    def __iter__(self) -> Iterator[Any]: ...
