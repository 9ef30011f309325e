"""Records of one topic to a sketch: decode, infer, detect, in batches. Runs in Spark's workers.

Whatever is wrong with a record is counted and the scan continues; values live only until their batch is done.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from scanners.checks.topic_checks import Expected, RecordChecks
from scanners.columns.profiler import Profiler
from scanners.columns.scalar_columns import Detect
from scanners.containers.wrapping import PACKED
from scanners.decode import bulk, json_text
from scanners.decode.batch import Batch
from scanners.decode.csv_text import rows
from scanners.decode.header_ids import framed
from scanners.decode.records import decode, schema_id
from scanners.model import PartFormat, RawRecord, TopicFormat
from scanners.schemas.known.places import PARTS, containers
from scanners.schemas.registered import Schemas
from scanners.sketch.nodes import at_steps, path_hash
from scanners.sketch.topic import Sketch, format_key
from scanners.tape.avro_parts import QuickAvro
from scanners.tape.json_parts import QuickJson
from scanners.worker.part_formats import PartFormats
from scanners.worker.record_shapes import RecordShapes

_CHUNK_BYTES = 256 * 1024
_CHUNK_RECORDS = 512
"""What is decoded at a time: the trees of so much JSON fit into the processor's cache, which doubles the speed."""

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
        expected: Expected | None = None,
    ) -> None:
        self.sketch = Sketch(topic, salt)
        self._schemas = schemas
        self._profiler = Profiler(salt, detect)
        self._formats = PartFormats(schemas, formats)
        self._json = QuickJson(self.sketch.parts["value"], self._profiler)
        self._avro = QuickAvro(self.sketch.parts["value"], self._profiler, schemas)
        self._shapes = RecordShapes(self.sketch, self._profiler, schemas)
        self._max_bytes = max_bytes
        self._deadline = deadline
        self._clock = clock
        self._checks = RecordChecks(expected, schemas)
        for root, node in self.sketch.parts.items():
            node.hash = path_hash(0, root)

    def add(self, records: Sequence[RawRecord]) -> None:
        """Take in records. Never raises for what they hold."""
        self.add_batch(Batch.of(records))

    def add_batch(self, batch: Batch) -> None:
        """Take in a batch. Never raises for what the records hold."""
        batch = framed(self._within_limits(batch), self._schemas)
        if not len(batch):
            return
        sketch = self.sketch
        self._read(batch)
        sketch.records += len(batch)
        self._profiler.start(batch.places())
        self._keys(batch.keys)
        self._headers(batch.headers)
        self._values(batch.values)
        observer = self._shapes.teller()
        self._profiler.finish(observer, [*self._json.columns(), *self._avro.columns()])
        self._shapes.subjects(batch.values, observer)
        for (part, reason), (count, place) in self._profiler.problems.items():
            sketch.problem(part, reason, place, count)
        self._profiler.problems.clear()

    def done(self) -> Sketch:
        """The sketch of all that was added. What a registered schema calls a map is one, and what it calls a record is
        not, whatever its keys look like."""
        for part in PARTS:
            declared = containers(self.sketch.topic, part, self._schemas, self.sketch.ids.get(part, ()))
            for steps in sorted(declared.get("maps") or (), key=len):
                node = at_steps(self.sketch.parts[part], steps)
                if node is not None and node.fields and not node.is_map:
                    node.become_map()
            for steps in declared.get("structs") or ():
                node = at_steps(self.sketch.parts[part], steps)
                if node is not None:
                    node.traits["record"] = 1
        return self.sketch

    def failed(self, batch: Batch) -> None:
        """Note that a batch could not be profiled by a fault of ours: its fields count as not scanned."""
        self.sketch.problem("record", "profile_failed", min(batch.places()), len(batch))
        for node in self.sketch.parts.values():
            node.unscanned["profile_failed"] = node.unscanned.get("profile_failed", 0) + 1

    def _within_limits(self, batch: Batch) -> Batch:
        sketch = self.sketch
        late = self._deadline is not None and self._clock() > self._deadline
        total = batch.size()
        if not late and (self._max_bytes is None or sketch.size + total <= self._max_bytes):
            sketch.size += total
            return batch
        kept: list[int] = []
        for row, size in enumerate(batch.sizes()):
            if late or (self._max_bytes is not None and sketch.size >= self._max_bytes):
                sketch.partition(batch.partitions[row]).skipped += 1
                place = (batch.timestamps[row] or 0, batch.partitions[row], batch.offsets[row])
                sketch.problem("record", "time_limit" if late else "byte_limit", place)
                continue
            sketch.size += size
            kept.append(row)
        return batch.only(kept)

    def _read(self, batch: Batch) -> None:
        if len(set(batch.partitions)) == 1:
            self.sketch.partition(batch.partitions[0]).add_all(batch.offsets, batch.timestamps)
            return
        where: dict[int, list[int]] = defaultdict(list)
        for row, number in enumerate(batch.partitions):
            where[number].append(row)
        for number, own in where.items():
            some = batch.only(own)
            self.sketch.partition(number).add_all(some.offsets, some.timestamps)

    # --- parts --------------------------------------------------------------------------------------------------------

    def _keys(self, bodies: Sequence[bytes | None]) -> None:
        form = self._formats.of("key", "key", bodies, self._profiler.places)
        self._profiler.part = "key"
        present, where = _present(bodies)
        self.sketch.present["key"] += len(present)
        for values, at in self._decode("key", form, present, where):
            self._profiler.add(self.sketch.parts["key"], values, at, (), shaped=False)

    def _values(self, bodies: Sequence[bytes | None]) -> None:
        self._shapes.start(len(bodies))
        self._profiler.part = "value"
        form = self._formats.of("value", "value", bodies, self._profiler.places)
        present, where = _present(bodies)
        self.sketch.present["value"] += len(present)
        if form.name in ("json", "avro") and not form.options and not self._checks.reads("value", form.name):
            present, where = self._walked(form.name, present, where)
        for values, at in self._decode("value", form, present, where):
            self._profiler.add(self.sketch.parts["value"], values, at, (), shaped=True)
            self._shapes.count(values, at)

    def _walked(self, name: str, bodies: list[bytes], where: Sequence[int]) -> tuple[list[bytes], Sequence[int]]:
        """Plain JSON or Avro by compiled code; gives what is left of the bodies, and their records."""
        left = (self._json if name == "json" else self._avro).read(bodies, where)
        if left is None or len(left) == len(bodies):
            return bodies, where
        alone = set(left)
        rest = [body for index, body in enumerate(bodies) if index not in alone]
        rows = [row for index, row in enumerate(where) if index not in alone]
        self._note("value", name, (), rest, rows)
        self._shapes.count_at(rows, lambda index: bulk.read([rest[index]], PartFormat(name), self._schemas)[0][0])
        return [bodies[index] for index in left], [where[index] for index in left]

    def _note(
        self, label: str, name: str, values: Sequence[Any], bodies: Sequence[bytes], where: Sequence[int]
    ) -> None:
        """Count bodies that have been read by one format."""
        self.sketch.formats.setdefault(label, Counter())[format_key(name, {})] += len(bodies)
        if name in _WIRE:
            for head, count in Counter([body[:5] for body in bodies]).items():
                self.sketch.ids.setdefault(label, Counter())[int.from_bytes(head[1:], "big")] += count
        places = self._profiler.places
        self._checks.seen(self.sketch, label, name, values, bodies, [places[row] for row in where])

    def _decode(
        self, label: str, form: PartFormat, bodies: Sequence[bytes], where: Sequence[int]
    ) -> Iterator[tuple[list[Any], Sequence[int]]]:
        """Values with their records, in pieces; what must be read alone comes last."""
        odd: tuple[list[bytes], list[int]] = ([], [])
        for start, end in _chunks(bodies):
            some, at = bodies[start:end], where[start:end]
            values, left = bulk.read(some, form, self._schemas)
            if left:
                odd[0].extend(some[i] for i in left)
                odd[1].extend(at[i] for i in left)
                alone = set(left)
                kept = [i for i in range(len(some)) if i not in alone]
                some, at, values = [some[i] for i in kept], [at[i] for i in kept], [values[i] for i in kept]
            if values:
                self._note(label, form.name, values, some, at)
                before = self._profiler.keys
                yield values, at
                if form.name == "json":
                    self._duplicates(label, some, values, at, self._profiler.keys - before)
        if odd[0]:
            yield self._alone(label, form, *odd)

    def _duplicates(
        self, label: str, bodies: Sequence[bytes], values: Sequence[Any], where: Sequence[int], keys: int
    ) -> None:
        """Report records in which an object has a key twice; `keys` is how many keys their values have."""
        if json_text.has_key_marks(b"\n".join(bodies), keys):
            return
        for body, value, row in zip(bodies, values, where, strict=True):
            if json_text.has_duplicate_key(body, value):
                self.sketch.problem(label, json_text.DUPLICATE_KEY, self._profiler.places[row])

    def _alone(
        self, label: str, form: PartFormat, bodies: Sequence[bytes], where: Sequence[int]
    ) -> tuple[list[Any], list[int]]:
        """Values of bodies that are read one by one, and the records of those that could be read."""
        header_row = (
            list(form.options.get("columns") or ()) if form.name == "csv" and not form.options.get("header") else None
        )
        reading = self._formats.reading(self._profiler.part, form)
        key = format_key(form.name, dict(form.options))
        formats = self.sketch.formats.setdefault(label, Counter())
        places = self._profiler.places
        column: tuple[list[Any], list[int]] = ([], [])
        for body, row in zip(bodies, where, strict=True):
            if header_row and rows(body.decode("utf-8", "replace"), form.options["delimiter"])[0] == header_row:
                self.sketch.problem(label, "header_record", places[row])
                continue
            decoded = decode(body, reading, self._schemas)
            if decoded.format in _WIRE or decoded.problem == "unknown_schema_id":
                self._schema_id(label, body, decoded.problem)
            formats[key if decoded.format == form.name else (decoded.format, "")] += 1
            if decoded.problem is not None:
                self.sketch.problem(label, decoded.problem, places[row])
            for name in decoded.wrapped:
                self.sketch.problem(label, PACKED + name, places[row])
            if decoded.usable:
                column[0].append(decoded.value)
                column[1].append(row)
                self._checks.seen(self.sketch, label, decoded.format, [decoded.value], [body], [places[row]])
        return column

    def _schema_id(self, label: str, body: bytes, problem: str | None) -> None:
        number = schema_id(body)
        if number is not None:
            self.sketch.ids.setdefault(label, Counter())[number] += 1
            if problem == "unknown_schema_id":
                self.sketch.unknown_ids[self._schemas.guid_of(number) or str(number)] += 1

    def _headers(self, headers: Sequence[Sequence[tuple[str, bytes | None]]]) -> None:
        by_name: dict[str, tuple[list[bytes | None], list[int]]] = {}
        for row, pairs in enumerate(headers):
            for name, body in pairs:
                bodies, where = by_name.setdefault(name, ([], []))
                bodies.append(body)
                where.append(row)
        root = self.sketch.parts["headers"]
        for name, (bodies, where) in by_name.items():
            if name not in root.fields and len(root.fields) >= _MAX_HEADERS:
                self.sketch.problem("headers", "too_many_headers", self._profiler.places[where[0]], len(where))
                continue
            self._profiler.part = f"headers.{name}"
            self.sketch.present[f"headers.{name}"] += len(set(where))
            form = self._formats.of("headers", f"headers.{name}", bodies, self._profiler.places)
            nulls = [row for row, body in zip(where, bodies, strict=True) if body is None]
            self._profiler.header(root, name, [None] * len(nulls), nulls)
            present, at = _present(bodies)
            for values, rows_ in self._decode(f"headers.{name}", form, present, [where[i] for i in at]):
                self._profiler.header(root, name, values, rows_)


def _present(bodies: Sequence[bytes | None]) -> tuple[list[bytes], Sequence[int]]:
    """The bodies that are there, and which they are."""
    where = [row for row, body in enumerate(bodies) if body is not None] if None in bodies else range(len(bodies))
    return [body for body in bodies if body is not None], where


def _chunks(bodies: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Where to cut bodies into chunks."""
    start = size = 0
    for end, length in enumerate(map(len, bodies), 1):
        size += length
        if size >= _CHUNK_BYTES or end - start >= _CHUNK_RECORDS:
            yield start, end
            start, size = end, 0
    if start < len(bodies):
        yield start, len(bodies)
