"""What the parts of this room hand to each other. Plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypedDict

from catalog.datatypes import DataType
from policies.plan.model import TablePlan

GENERATION_HEADER, KEY_HEADER, ROW_HEADER = "weir-generation", "weir-key", "weir-row"
"""Headers of the records of a view's topic."""

Positions = Mapping[int, int]
"""Partition -> the next offset to read."""


class State(StrEnum):
    """Of a view as its readers know it."""

    STARTING = "starting"
    CATCHING_UP = "catching up"
    RUNNING = "running"
    PAUSED = "paused"
    RESTARTING = "restarting"
    FAILED = "failed"
    STOPPED = "stopped"
    UNKNOWN = "unknown"
    """Never kept: what is shown while no runner answers."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the result. `type` is Spark's DDL name in lower case (`struct<name:string>`)."""

    name: str
    type: str
    kind: DataType


Wish = TypedDict("Wish", {"paused": bool, "restart": int, "rebuild": int, "from": str | None}, total=False)
"""What people want of a view. `restart`, `rebuild`: how often that was wished; `from`: where a rebuild begins."""


@dataclass(frozen=True, slots=True)
class Registered:
    """The Avro schema of a topic's values, with the number that the registry gave it."""

    id: int
    schema: str


@dataclass(frozen=True, slots=True)
class Start:
    """Where the first batch begins. `earliest`, `latest`, or a time; `offsets` (of a single topic) go before it."""

    at: str | datetime = "earliest"
    offsets: Positions | None = None


@dataclass(frozen=True, slots=True)
class Watermark:
    """Records of a table whose `column` is more than `delay` behind the newest are late."""

    column: str
    delay: timedelta


@dataclass(frozen=True, slots=True)
class StreamTable:
    """A governed table that is followed. `table.window` is not used. `tabular`: its newest record of each key counts.
    `compacted`: its records replace one another by key."""

    table: TablePlan
    watermark: Watermark | None = None
    tabular: bool = False
    compacted: bool = False


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """One generation of a view, as the engine runs it.

    sql         the gated text over the views of `tables`
    mode        append | update, Spark's output modes
    keys        columns of the result that are a row's key; none: each row is kept, or with `single` there is one row
    topic       the view's topic; kafka: Spark's Kafka options for it, secrets included
    checkpoint  folder or URL that the engine writes its state to
    most_offsets  records that a batch takes at most, over all partitions
    copy_to     of a masked copy: the partitions of its topic, to which each record keeps its own; else 0
    compacted   of a masked copy: whether its topic keeps the newest record of each key
    run         the number of this start of the stream, higher than of those before
    strict      whether a value that does not fit ends the query
    schema      the registered Avro schema that values are written with; None: values are JSON
    """

    view: str
    generation: str
    sql: str
    tables: tuple[StreamTable, ...]
    mode: str
    keys: tuple[str, ...]
    start: Start
    topic: str
    kafka: Mapping[str, str] = field(repr=False)
    checkpoint: str
    trigger: timedelta
    most_offsets: int
    single: bool = False
    schema: Registered | None = None
    strict: bool = False
    run: int = 0
    copy_to: int = 0
    compacted: bool = False


@dataclass(frozen=True, slots=True)
class Unfit:
    """A record of a followed topic with values that do not fit, at `fields` (paths that the subject sees unmasked)."""

    topic: str
    partition: int
    offset: int
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """What the engine reported since it was asked last: of one batch or several.

    batch    number of the last whole batch, -1 before the first
    batches  whole batches that ended since the report before this one; 0: nothing is new
    before   those among them but the last, oldest first
    missed   batches since then that the engine did not keep a report of
    starts   as offsets, where this batch began; without what was not known then
    unfit_values  values of this batch that did not fit their type, and were NULL
    offsets  source topic -> partition -> next offset that the batches so far contain
    """

    batch: int = -1
    batches: int = 0
    starts: Mapping[str, Positions] = field(default_factory=dict)
    offsets: Mapping[str, Positions] = field(default_factory=dict)
    rows_in: int = 0
    rows_out: int = 0
    seconds: float = 0.0
    state_rows: int = 0
    state_bytes: int = 0
    late_rows: int = 0
    unfit_values: int = 0
    before: tuple[Progress, ...] = ()
    missed: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a view. `values` JSON-ready by column; `key` is the JSON list of the key's values, the row's identity."""

    key: str
    values: Mapping[str, object]
    offset: int = 0
    partition: int = 0


def identity(values: Sequence[object]) -> str:
    """The `Row.key` of a key's values."""
    if all(type(value) is int for value in values):
        return f"[{','.join(map(repr, values))}]"
    return _encode(list(values))


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode
