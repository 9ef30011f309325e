"""Queries without Spark, for tests of what surrounds the engine.

It keeps the promises of `tests/contract/test_query_engine.py` and knows no SQL: it answers the one form
`SELECT * FROM one table`, with an optional list of plain columns, over columns that are shown as they are stored. A
mask, a filter or anything else in the query is refused, since the answer might differ from Spark's.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from typing import Any

from catalog.datatypes import DataType, StructType, to_ddl
from catalog.paths import FieldPath
from policies.plan.errors import QueryFailed
from policies.plan.model import Batches, QueryPlan, Range, Result, ResultColumn, TablePlan, Window
from policies.sql.windows import AsOf
from tests.twins.policies import values as memory_values

_SELECT = re.compile(r"SELECT (?P<columns>\*|`[^`]+`(?:, `[^`]+`)*) FROM `(?P<view>[^`]+)` AS `[^`]+`\Z")
_STORED = re.compile(r"weir_value\.`(?P<field>[^`]+)`\Z|weir_(?P<part>key|value|partition|offset|timestamp)\Z")
_TYPES = {"partition": "int", "offset": "bigint", "timestamp": "timestamp"}


class MemoryTopics:
    """Topics of one partition: name -> records {key, value} in the order of their offsets. Also `Offsets`.

    A value in bytes is JSON as it was sent.
    """

    def __init__(self, topics: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self.topics = {name: list(records) for name, records in topics.items()}

    def window(self, kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
        end = len(self.topics[topic])
        start = max(0, end - limit)
        if as_of.earliest:
            return Window((Range(0, 0, min(end, limit)),), end <= limit)
        return Window((Range(0, start, end),), start == 0)


class MemoryEngine:
    """Implements `policies.plan.ports.Engine` over `MemoryTopics`."""

    def __init__(self, topics: MemoryTopics) -> None:
        self._topics = topics

    def run(self, plan: QueryPlan) -> Result:
        table, columns = self._read(plan)
        slips: Counter[str] = Counter()
        rows = []
        for window in table.window.ranges:
            for offset in range(window.start, window.end):
                record = _decoded(table.value.kind, self._topics.topics[table.topic][offset], slips)
                rows.append([_value(sql, record, offset) for _, sql in columns])
        kinds = tuple(ResultColumn(name, kind) for name, kind in self.check(plan))
        counted = {path: slips[path] for _, path in table.watched if slips[path]}
        unreadable = {table.view: counted} if counted else {}
        return Result(kinds, rows[: plan.limit], len(rows) > plan.limit, unreadable=unreadable)

    def open(self, plan: QueryPlan) -> AbstractContextManager[Batches]:
        raise QueryFailed("The engine of the tests gives no batches.")

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        table, columns = self._read(plan)
        return [(name, _type(sql, table)) for name, sql in columns]

    def _read(self, plan: QueryPlan) -> tuple[TablePlan, list[tuple[str, str]]]:
        match = _SELECT.match(plan.sql)
        table = next((t for t in plan.tables if match and t.view == match["view"]), None)
        if match is None or table is None or table.filters or table.conditions:
            raise QueryFailed("The engine of the tests answers SELECT * of one topic only.")
        if match["columns"] == "*":
            return table, list(table.columns)
        columns = {name.lower(): (name, sql) for name, sql in table.columns}
        chosen = []
        for name in match["columns"].strip("`").split("`, `"):
            if name.lower() not in columns:
                details = {"condition": "UNRESOLVED_COLUMN.WITH_SUGGESTION", "name": f"`{name}`"}
                raise QueryFailed(f"There is no column {name}.", details=details)
            chosen.append((name, columns[name.lower()][1]))
        return table, chosen


def _decoded(kind: DataType, record: Mapping[str, Any], slips: Counter[str]) -> Mapping[str, Any]:
    body = record.get("value")
    if not isinstance(body, bytes):
        return record
    try:
        parsed = json.loads(body, parse_float=Decimal)
    except ValueError:
        slips["value"] += 1
        return {**record, "value": None}
    return {**record, "value": memory_values.read(kind, parsed, FieldPath("value"), slips)}


def _match(sql: str) -> re.Match[str]:
    match = _STORED.match(sql)
    if match is None:
        raise QueryFailed("The engine of the tests shows stored values only; it computes no masks.")
    return match


def _value(sql: str, record: Mapping[str, Any], offset: int) -> Any:
    match = _match(sql)
    if match["field"]:
        value = record.get("value")
        return value.get(match["field"]) if isinstance(value, Mapping) else None
    return {"partition": 0, "offset": offset, "timestamp": None}.get(match["part"], record.get(match["part"]))


def _type(sql: str, table: TablePlan) -> str:
    match = _match(sql)
    kind: DataType | None = table.key.kind if match["part"] == "key" else table.value.kind
    if match["part"] in _TYPES:
        return _TYPES[match["part"]]
    if match["field"] and isinstance(kind, StructType):
        kind = kind.get(match["field"])
    return to_ddl(kind).lower().replace("`", "").replace(", ", ",").replace(": ", ":") if kind else "void"
