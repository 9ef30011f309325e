"""Records of one topic to a sketch: decode, infer, detect, in batches. Runs in Spark's workers.

Whatever is wrong with a record is counted and the scan goes on; values live only until their batch is done.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scanners.columns import Detect, Profiler
from scanners.decode import decode, schema_id
from scanners.formats import choose, rows
from scanners.infer import Sketch, format_key
from scanners.model import PartFormat, RawRecord, TopicFormat
from scanners.nodes import path_hash
from scanners.registered import Schemas
from scanners.shapes import add_shapes, candidate

_SAMPLE = 200
"""Bodies by which a part's format is chosen; a batch with fewer than a tenth of it is looked at again with the next."""

_MASK = 2**64 - 1
_WIRE = frozenset({"avro", "protobuf", "json-schema"})
_MAX_HEADERS = 200


class TopicProfiler:
    """Builds the sketch of one topic from batches of records.

    `formats` are those known before; they win over what the bytes look like. `deadline` is in seconds since 1970.
    """

    def __init__(
        self,
        topic: str,
        schemas: Schemas,
        salt: str = "",
        detect: Detect | None = None,
        formats: TopicFormat | None = None,
        max_bytes: int | None = None,
        deadline: float | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.sketch = Sketch(topic, salt)
        self._schemas = schemas
        self._profiler = Profiler(salt, detect)
        self._known = formats
        self._formats: dict[str, tuple[PartFormat, int]] = {}
        self._max_bytes = max_bytes
        self._deadline = deadline
        self._clock = clock
        for root, node in self.sketch.parts.items():
            node.hash = path_hash(0, root)

    def add(self, records: Sequence[RawRecord]) -> None:
        """Take in a batch. Never raises for what the records hold."""
        records = self._within_limits(records)
        if not records:
            return
        sketch = self.sketch
        places = [(r.timestamp or 0, r.partition, r.offset) for r in records]
        for record in records:
            sketch.partition(record.partition).add(record.offset, record.timestamp)
        sketch.records += len(records)
        self._profiler.start(places)
        self._part("key", [r.key for r in records], places)
        values = self._part("value", [r.value for r in records], places)
        headers = self._headers(records, places)
        self._shapes(values, headers)
        for reason, count in self._profiler.problems.items():
            sketch.problem("value", reason, places[0], count)
        self._profiler.problems.clear()

    def failed(self, records: Sequence[RawRecord]) -> None:
        """Note that a batch could not be profiled by a fault of ours: its fields count as not scanned."""
        first = min((r.timestamp or 0, r.partition, r.offset) for r in records)
        self.sketch.problem("record", "profile_failed", first, len(records))
        for node in self.sketch.parts.values():
            node.unscanned["profile_failed"] = node.unscanned.get("profile_failed", 0) + 1

    def _within_limits(self, records: Sequence[RawRecord]) -> Sequence[RawRecord]:
        late = self._deadline is not None and self._clock() > self._deadline
        kept: list[RawRecord] = []
        for record in records:
            if late or (self._max_bytes is not None and self.sketch.size >= self._max_bytes):
                self.sketch.partition(record.partition).skipped += 1
                self.sketch.problem(
                    "record",
                    "time_limit" if late else "byte_limit",
                    (record.timestamp or 0, record.partition, record.offset),
                )
                continue
            self.sketch.size += record.size
            kept.append(record)
        return kept

    # --- parts ----------------------------------------------------------------------------------------------------

    def _part(self, part: str, bodies: list[bytes | None], places: Sequence[Any]) -> list[Any]:
        """Decode and profile keys or values; returns the values by record, `_ABSENT` where there is none."""
        rows_, values = self._decode(part, part, bodies, places)
        self.sketch.present[part] += sum(body is not None for body in bodies)
        self._profiler.add(self.sketch.parts[part], values, rows_, (), shaped=part == "value")
        by_record: list[Any] = [_ABSENT] * len(bodies)
        for row, value in zip(rows_, values, strict=True):
            by_record[row] = value
        return by_record

    def _decode(
        self, part: str, label: str, bodies: list[bytes | None], places: Sequence[Any], rows_: list[int] | None = None
    ) -> tuple[list[int], list[Any]]:
        form = self._format(part, label, bodies)
        header_row = (
            list(form.options.get("columns") or ()) if form.name == "csv" and not form.options.get("header") else None
        )
        reading = _positional(form)
        key = format_key(form.name, dict(form.options))
        formats = self.sketch.formats.setdefault(label, Counter())
        found: tuple[list[int], list[Any]] = ([], [])
        for index, body in enumerate(bodies):
            if body is None:
                continue
            row = index if rows_ is None else rows_[index]
            if header_row and rows(body.decode("utf-8", "replace"), form.options["delimiter"])[0] == header_row:
                self.sketch.problem(label, "header_record", places[row])
                continue
            decoded = decode(body, reading, self._schemas)
            if decoded.format in _WIRE or decoded.problem == "unknown_schema_id":
                self._schema_id(label, body, decoded.problem)
            formats[key if decoded.format == form.name else (decoded.format, "")] += 1
            if decoded.problem is not None:
                self.sketch.problem(label, decoded.problem, places[row])
            if decoded.usable:
                found[0].append(row)
                found[1].append(decoded.value)
        return found

    def _schema_id(self, label: str, body: bytes, problem: str | None) -> None:
        number = schema_id(body)
        if number is not None:
            self.sketch.ids.setdefault(label, Counter())[number] += 1
            if problem == "unknown_schema_id":
                self.sketch.unknown_ids[number] += 1

    def _format(self, part: str, label: str, bodies: Sequence[bytes | None]) -> PartFormat:
        known = self._formats.get(label)
        if known is not None and known[1] >= _SAMPLE // 10:
            return known[0]
        if self._known is not None and part != "headers":
            declared = self._known.part(part)
            self._formats[label] = (declared, _SAMPLE)
            return declared
        sample = [b for b in bodies if b is not None][:_SAMPLE]
        if known is not None and not sample:
            return known[0]
        form = choose(sample, self._schemas, part)
        self._formats[label] = (form, len(sample))
        return form

    def _headers(self, records: Sequence[RawRecord], places: Sequence[Any]) -> dict[str, list[Any]]:
        by_name: dict[str, tuple[list[bytes | None], list[int]]] = {}
        for row, record in enumerate(records):
            for name, body in record.headers or ():
                bodies, where = by_name.setdefault(name, ([], []))
                bodies.append(body)
                where.append(row)
        root = self.sketch.parts["headers"]
        columns: dict[str, list[Any]] = {}
        values: dict[str, tuple[list[Any], list[int]]] = {}
        for name, (bodies, where) in by_name.items():
            if name not in root.fields and len(root.fields) + len(values) >= _MAX_HEADERS:
                self.sketch.problem("headers", "too_many_headers", places[where[0]], len(where))
                continue
            self.sketch.present[f"headers.{name}"] += len(set(where))
            found_rows, found = self._decode("headers", f"headers.{name}", bodies, places, where)
            nulls = [row for row, body in zip(where, bodies, strict=True) if body is None]
            values[name] = ([*found, *([None] * len(nulls))], [*found_rows, *nulls])
            by_record: list[Any] = [None] * len(records)
            for row, value in zip(found_rows, found, strict=True):
                by_record[row] = value
            columns[name] = by_record
        for name, (column, where) in values.items():
            self._profiler.header(root, name, column, where)
        return columns

    # --- shapes ---------------------------------------------------------------------------------------------------

    def _shapes(self, values: list[Any], headers: Mapping[str, list[Any]]) -> None:
        shaped = [row for row, value in enumerate(values) if value is not _ABSENT and value is not None]
        if not shaped:
            return
        sketch, profiler = self.sketch, self._profiler
        sketch.shaped += len(shaped)
        full = [profiler.shape[row] & _MASK for row in shaped]
        coarse = [profiler.coarse[row] & _MASK for row in shaped]
        held = [values[row] for row in shaped]
        node = sketch.parts["value"]
        add_shapes(sketch.shapes, full, lambda i: paths_of(held[i], node))
        add_shapes(sketch.coarse, coarse, lambda i: paths_of(held[i], node, 2))
        columns: list[tuple[str, list[Any]]] = [
            (f"headers.{name}", [column[row] for row in shaped])
            for name, column in headers.items()
            if candidate(name, 1)
        ]
        dicts = [value if type(value) is dict else {} for value in held]
        for name, child in node.fields.items():
            if "string" in child.types:
                columns.append((f"value.{name}", [d.get(name) for d in dicts]))
            if child.fields:
                columns += [
                    (f"value.{name}.{below}", [_get(d.get(name), below) for d in dicts])
                    for below, deep in child.fields.items()
                    if "string" in deep.types and candidate(below, 2)
                ]
        for path, column in columns:
            sketch.telling.add(path, column, full)
            sketch.telling_coarse.add(path, column, coarse)


_ABSENT = object()


def _get(value: Any, name: str) -> Any:
    return value.get(name) if type(value) is dict else None


def _positional(form: PartFormat) -> PartFormat:
    """Names of a header record are given when the sketch is sealed: a task that did not meet it counts columns."""
    if form.name == "csv" and "columns" in form.options and not form.options.get("header"):
        return PartFormat("csv", {k: v for k, v in form.options.items() if k != "columns"})
    return form


def paths_of(value: Any, node: Any, depth: int = 99) -> list[tuple[str, ...]]:
    """The paths of a record's objects, outside arrays and maps, sorted."""
    found: list[tuple[str, ...]] = []

    def visit(held: Any, known: Any, at: tuple[str, ...]) -> None:
        if type(held) is dict and len(at) < depth:
            for name, below in held.items():
                child = known.fields.get(name)
                if child is not None:
                    path = (*at, name)
                    found.append(path)
                    visit(below, child, path)

    visit(value, node, ())
    return sorted(found)
