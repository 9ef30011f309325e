"""The sketch of a topic: everything a scan learns of it, mergeable in any order, without a value.

A worker makes a `Sketch` per topic, Spark merges those of one topic, `seal` decides what only the whole can decide
(map or struct, the shapes, their discriminator) and drops what must not leave Spark: the discriminators' tables, the
key of the hashes, and the names that turned out to be keys of maps. Only sealed sketches travel to the driver.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NotRequired, TypedDict

from scanners.sketch.nodes import Node
from scanners.sketch.shapes import Discriminators, Shapes, merge_shapes

ROOTS = ("key", "value", "headers")

Place = tuple[int, int, int]


@dataclass(slots=True)
class PartitionRead:
    """What was read of a partition. Times are milliseconds since 1970; `skipped` counts records beyond a limit."""

    records: int = 0
    first: int | None = None
    last: int | None = None
    time_from: int | None = None
    time_to: int | None = None
    skipped: int = 0

    def add_all(self, offsets: Sequence[int], timestamps: Sequence[int | None]) -> None:
        """Note records that were read."""
        times = [t for t in timestamps if t is not None and t >= 0]
        self.merge(
            PartitionRead(len(offsets), min(offsets), max(offsets), min(times, default=None), max(times, default=None))
        )

    def merge(self, other: PartitionRead) -> None:
        self.records += other.records
        self.skipped += other.skipped
        self.first = _least(self.first, other.first)
        self.time_from = _least(self.time_from, other.time_from)
        self.last = _most(self.last, other.last)
        self.time_to = _most(self.time_to, other.time_to)


def _least(a: int | None, b: int | None) -> int | None:
    return a if b is None else b if a is None else min(a, b)


def _most(a: int | None, b: int | None) -> int | None:
    return a if b is None else b if a is None else max(a, b)


class ShapeCount(NamedTuple):
    """So many records have these paths, as steps, and the values of a discriminator where one distinguishes them."""

    records: int
    paths: list[list[str]]
    when: Mapping[str, object] | None


class SealedEnvelope(TypedDict):
    """What `scanners.sketch.envelopes.PartEnvelope` comes to; `discriminator`: of the value alone."""

    layers: list[str]
    payload: list[list[str]]
    describing: list[list[str]]
    fits: int
    records: int
    discriminator: NotRequired[str | None]


@dataclass(slots=True)
class Sketch:
    """A topic's profile in the making.

    parts      the trees of key, value and headers
    present    records that have a key, a value (not a tombstone), and each header
    formats    part (`key`, `value`, `headers.NAME`) -> format -> records; a format is [name, options as JSON]
    problems   (part, reason) -> [count, first place]
    ids        part -> schema id -> records, for what the wire format names; unknown ones too
    unknown_ids   ids of no known schema, or GUIDs, as text -> records
    shapes     over all levels, and over the first two
    final      after `seal`: the shapes, largest first
    envelopes  after `seal`: part -> its envelope
    """

    topic: str
    salt: str = ""
    records: int = 0
    size: int = 0
    parts: dict[str, Node] = field(default_factory=lambda: {root: Node() for root in ROOTS})
    present: Counter[str] = field(default_factory=Counter)
    formats: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    problems: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    ids: dict[str, Counter[int]] = field(default_factory=dict)
    unknown_ids: Counter[str] = field(default_factory=Counter)
    partitions: dict[int, PartitionRead] = field(default_factory=dict)
    shapes: Shapes = field(default_factory=dict)
    coarse: Shapes = field(default_factory=dict)
    telling: Discriminators = field(default_factory=Discriminators)
    telling_coarse: Discriminators = field(default_factory=Discriminators)
    shaped: int = 0
    final: list[ShapeCount] | None = None
    envelopes: dict[str, SealedEnvelope] = field(default_factory=dict)

    def problem(self, part: str, reason: str, place: Place, count: int = 1) -> None:
        entry = self.problems.get((part, reason))
        if entry is None:
            self.problems[part, reason] = [count, place]
        else:
            entry[0] += count
            entry[1] = min(entry[1], place)

    def partition(self, number: int) -> PartitionRead:
        return self.partitions.setdefault(number, PartitionRead())

    def merge(self, other: Sketch) -> None:
        """Take in another sketch of the same topic that is not sealed; `other` may not be used afterwards."""
        self.records += other.records
        self.size += other.size
        self.shaped += other.shaped
        self.salt = self.salt or other.salt
        for root in ROOTS:
            self.parts[root].merge(other.parts[root])
        self.present.update(other.present)
        for part, formats in other.formats.items():
            self.formats.setdefault(part, Counter()).update(formats)
        for (part, reason), (count, place) in other.problems.items():
            self.problem(part, reason, place, count)
        for part, ids in other.ids.items():
            self.ids.setdefault(part, Counter()).update(ids)
        self.unknown_ids.update(other.unknown_ids)
        for number, read in other.partitions.items():
            self.partition(number).merge(read)
        merge_shapes(self.shapes, other.shapes)
        merge_shapes(self.coarse, other.coarse)
        self.telling.merge(other.telling)
        self.telling_coarse.merge(other.telling_coarse)

    def to_bytes(self) -> bytes:
        import msgpack

        packed = msgpack.packb(
            [
                self.topic,
                self.salt,
                self.records,
                self.size,
                [self.parts[r].pack() for r in ROOTS],
                sorted(self.present.items()),
                [[p, sorted([list(f), n] for f, n in c.items())] for p, c in sorted(self.formats.items())],
                sorted([list(k), c, list(f)] for k, (c, f) in self.problems.items()),
                [[p, sorted(c.items())] for p, c in sorted(self.ids.items())],
                sorted(self.unknown_ids.items()),
                [
                    [n, p.records, p.first, p.last, p.time_from, p.time_to, p.skipped]
                    for n, p in sorted(self.partitions.items())
                ],
                _pack_shapes(self.shapes),
                _pack_shapes(self.coarse),
                self.telling.pack(),
                self.telling_coarse.pack(),
                self.shaped,
                self.final,
                self.envelopes,
            ]
        )
        return zlib.compress(packed, 1)

    @staticmethod
    def from_bytes(data: bytes) -> Sketch:
        import msgpack

        (
            topic,
            salt,
            records,
            size,
            parts,
            present,
            formats,
            problems,
            ids,
            unknown,
            partitions,
            shapes,
            coarse,
            telling,
            telling_coarse,
            shaped,
            final,
            *rest,
        ) = msgpack.unpackb(zlib.decompress(data), strict_map_key=False)
        sketch = Sketch(topic, salt, records, size)
        sketch.parts = {root: Node.unpack(part) for root, part in zip(ROOTS, parts, strict=True)}
        sketch.present = Counter(dict(present))
        sketch.formats = {p: Counter({tuple(f): n for f, n in c}) for p, c in formats}
        sketch.problems = {tuple(k): [c, tuple(f)] for k, c, f in problems}
        sketch.ids = {p: Counter(dict(c)) for p, c in ids}
        sketch.unknown_ids = Counter({str(number): count for number, count in unknown})
        sketch.partitions = {n: PartitionRead(*rest) for n, *rest in partitions}
        sketch.shapes, sketch.coarse = _unpack_shapes(shapes), _unpack_shapes(coarse)
        sketch.telling, sketch.telling_coarse = Discriminators.unpack(telling), Discriminators.unpack(telling_coarse)
        sketch.shaped = shaped
        # A checkpoint of an earlier release has none.
        sketch.envelopes = rest[0] if rest else {}
        sketch.final = None if final is None else [ShapeCount(*each) for each in final]
        return sketch


def _pack_shapes(shapes: Shapes) -> list[Any]:
    """Paths are named once and counted on by number: shapes share most of theirs."""
    names = sorted({tuple(p) for _, paths in shapes.values() for p in paths})
    number = {name: i for i, name in enumerate(names)}
    return [
        [list(n) for n in names],
        [[c.to_bytes(8, "big"), n, [number[tuple(p)] for p in paths]] for c, (n, paths) in sorted(shapes.items())],
    ]


def _unpack_shapes(data: list[Any]) -> Shapes:
    names = [tuple(n) for n in data[0]]
    return {int.from_bytes(code, "big"): [count, [names[i] for i in paths]] for code, count, paths in data[1]}


def merge_all(sketches: Iterable[Sketch]) -> Sketch | None:
    """One sketch of many of the same topic, or None of none."""
    whole: Sketch | None = None
    for sketch in sketches:
        if whole is None:
            whole = sketch
        else:
            whole.merge(sketch)
    return whole


def format_key(name: str, options: Mapping[str, object]) -> tuple[str, str]:
    """A format as a key to count by."""
    return name, json.dumps(options, sort_keys=True, ensure_ascii=False) if options else ""
