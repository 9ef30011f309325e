"""The mergeable sketch of one field: counts, types, lengths, magnitudes, distinct estimate; never a value.

`merge` is associative and commutative: every part is a sum, a minimum, a maximum, a union of sketches, or a state that
only ever goes one way (a map stays a map). Runs in Spark's workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

MAX_FIELDS = 1000
"""Distinct keys of one object beyond which it is a map: nobody writes a struct of that many fields by hand."""

First = tuple[int, int, int]
"""Where something was first seen: (Kafka timestamp in milliseconds, partition, offset); the smallest counts."""

_LG_K = 9  # an HLL of 2^9 registers: 4.6% standard error, 296 bytes, exact up to some 40 values


_NO_MAGNITUDE = 2**31 - 1


class Node:
    """What is known of one path. The children of an object are `fields`, of an array `elements`, of a map `values`.

    types      type name -> [count, first seen]
    lengths    (shortest, longest): characters of text, bytes of binary
    sizes      (fewest, most): elements of arrays, entries of maps
    numbers    [smallest exponent of ten, largest, negatives seen, most digits, most decimals, not finite]
    formats    what texts look like: date, uuid, integer... -> count
    hits       "ENTITY|recognizer" -> counters of `scanners.detectors.core.base`
    scanned    texts that detectors looked at; `traits` counts other things seen in texts (prose, base64, JSON)
    unscanned  reasons why a detector could not finish
    embedded   profile of the JSON documents found in texts
    filled     arrays that were not empty
    """

    __slots__ = (
        "count",
        "elements",
        "embedded",
        "fields",
        "filled",
        "formats",
        "hash",
        "hits",
        "hll",
        "is_map",
        "keys",
        "lengths",
        "numbers",
        "scanned",
        "sizes",
        "traits",
        "types",
        "unscanned",
        "values",
    )

    def __init__(self) -> None:
        self.count = 0
        self.types: dict[str, list[Any]] = {}
        self.fields: dict[str, Node] = {}
        self.elements: Node | None = None
        self.values: Node | None = None
        self.keys: Node | None = None
        self.embedded: Node | None = None
        self.is_map = False
        self.hll: Any = None
        self.lengths: tuple[int, int] | None = None
        self.sizes: tuple[int, int] | None = None
        self.filled = 0
        self.numbers: list[int] | None = None
        self.formats: dict[str, int] = {}
        self.hits: dict[str, dict[str, int]] = {}
        self.scanned = 0
        self.traits: dict[str, int] = {}
        self.unscanned: dict[str, int] = {}
        self.hash: int = 0  # of the path; filled in while profiling, never serialised

    # --- building -------------------------------------------------------------------------------------------------

    def seen(self, kind: str, count: int, first: First) -> None:
        entry = self.types.get(kind)
        if entry is None:
            self.types[kind] = [count, first]
        else:
            entry[0] += count
            entry[1] = min(entry[1], first)

    def widen(self, name: str, low: int, high: int) -> None:
        """Take in another (low, high) of `lengths` or `sizes`."""
        bounds: tuple[int, int] | None = getattr(self, name)
        setattr(self, name, (low, high) if bounds is None else (min(bounds[0], low), max(bounds[1], high)))

    def add_not_finite(self, count: int) -> None:
        """Numbers that have no magnitude: they take no part in it, however they come together in batches."""
        self.add_numbers(_NO_MAGNITUDE, -_NO_MAGNITUDE, False, 0, 0, count)

    def add_numbers(self, low: int, high: int, negatives: bool, digits: int, decimals: int, not_finite: int) -> None:
        mine = self.numbers
        new = [low, high, int(negatives), digits, decimals, not_finite]
        self.numbers = new if mine is None else _join_numbers(mine, new)

    def distinct_sketch(self) -> Any:
        if self.hll is None:
            self.hll = new_hll()
        return self.hll

    def map_values(self) -> Node:
        if self.values is None:
            self.values = Node()
        return self.values

    def map_keys(self) -> Node:
        if self.keys is None:
            self.keys = Node()
        return self.keys

    def become_map(self) -> None:
        """Give up the fields: their profiles become the profile of the map's values. Cannot be undone."""
        self.is_map = True
        values = self.map_values()
        for child in self.fields.values():
            self.traits["entries"] = self.traits.get("entries", 0) + child.count
            values.merge(child)
        self.fields = {}
        self.types_to_map()

    def types_to_map(self) -> None:
        if "object" in self.types:
            count, first = self.types.pop("object")
            self.seen("map", count, first)

    # --- merging --------------------------------------------------------------------------------------------------

    def merge(self, other: Node) -> None:
        """Take in another sketch of the same path. `other` may not be used afterwards."""
        self.count += other.count
        self.scanned += other.scanned
        self.filled += other.filled
        for kind, (count, first) in other.types.items():
            self.seen(kind, count, tuple(first))
        for name in ("lengths", "sizes"):
            theirs = getattr(other, name)
            if theirs is not None:
                self.widen(name, *theirs)
        if other.numbers is not None:
            self.numbers = other.numbers if self.numbers is None else _join_numbers(self.numbers, other.numbers)
        for counts, theirs in (
            (self.formats, other.formats),
            (self.traits, other.traits),
            (self.unscanned, other.unscanned),
        ):
            for key, count in theirs.items():
                counts[key] = counts.get(key, 0) + count
        for key, counters in other.hits.items():
            mine = self.hits.setdefault(key, {})
            for name, count in counters.items():
                mine[name] = mine.get(name, 0) + count
        if other.hll is not None:
            self.hll = other.hll if self.hll is None else merge_hll(self.hll, other.hll)
        for name in ("elements", "values", "keys", "embedded"):
            self._merge_child(name, getattr(other, name))
        for key, child in other.fields.items():
            mine_child = self.fields.get(key)
            if mine_child is None:
                self.fields[key] = child
            else:
                mine_child.merge(child)
        if other.is_map or self.is_map or len(self.fields) > MAX_FIELDS:
            self.become_map()

    def _merge_child(self, name: str, child: Node | None) -> None:
        if child is None:
            return
        mine: Node | None = getattr(self, name)
        if mine is None:
            setattr(self, name, child)
        else:
            mine.merge(child)

    # --- reading --------------------------------------------------------------------------------------------------

    def type_count(self, *kinds: str) -> int:
        return sum(self.types[k][0] for k in kinds if k in self.types)

    @property
    def distinct(self) -> int | None:
        """By what the sketch holds alone. One that was never merged would estimate by the order of its values too, so that
        the same records, read by another number of tasks, had another estimate."""
        if self.hll is None:
            return None
        twice = merge_hll(self.hll, self.hll)
        estimate: float = merge_hll(twice, self.hll).get_estimate()
        return max(1, round(estimate))

    def walk(self) -> Iterator[Node]:
        yield self
        for child in (*self.fields.values(), self.elements, self.values, self.keys, self.embedded):
            if child is not None:
                yield from child.walk()

    # --- travelling -----------------------------------------------------------------------------------------------

    def pack(self) -> list[Any]:
        """Plain lists for msgpack. Order-independent where the content is."""
        children = [None if c is None else c.pack() for c in (self.elements, self.values, self.keys, self.embedded)]
        return [
            self.count,
            [[k, c, list(f)] for k, (c, f) in sorted(self.types.items())],
            self.lengths,
            self.sizes,
            self.filled,
            self.numbers,
            sorted(self.formats.items()),
            [[k, sorted(v.items())] for k, v in sorted(self.hits.items())],
            self.scanned,
            sorted(self.traits.items()),
            sorted(self.unscanned.items()),
            None if self.hll is None else bytes(self.hll.serialize_compact()),
            self.is_map,
            children,
            [[k, n.pack()] for k, n in sorted(self.fields.items())],
        ]

    @staticmethod
    def unpack(data: list[Any]) -> Node:
        node = Node()
        (
            node.count,
            types,
            lengths,
            sizes,
            node.filled,
            node.numbers,
            formats,
            hits,
            node.scanned,
            traits,
            unscanned,
            hll,
            node.is_map,
            children,
            fields,
        ) = data
        node.types = {k: [c, tuple(f)] for k, c, f in types}
        node.lengths = tuple(lengths) if lengths else None
        node.sizes = tuple(sizes) if sizes else None
        node.formats, node.traits, node.unscanned = dict(formats), dict(traits), dict(unscanned)
        node.hits = {k: dict(v) for k, v in hits}
        node.hll = None if hll is None else load_hll(hll)
        node.elements, node.values, node.keys, node.embedded = (None if c is None else Node.unpack(c) for c in children)
        node.fields = {k: Node.unpack(n) for k, n in fields}
        return node


def at_steps(node: Node | None, steps: Sequence[str]) -> Node | None:
    """The node below another: `.NAME` of an object's field, `[]` of elements, `{}` of a map's values."""
    for step in steps:
        if node is None:
            return None
        node = node.elements if step == "[]" else node.values if step == "{}" else node.fields.get(step[1:])
    return node


def _join_numbers(a: list[int], b: list[int]) -> list[int]:
    return [
        min(a[0], b[0]),
        max(a[1], b[1]),
        max(a[2], b[2]),
        max(a[3], b[3]),
        max(a[4], b[4]),
        a[5] + b[5],
    ]


def new_hll() -> Any:
    import datasketches

    return datasketches.hll_sketch(_LG_K, datasketches.tgt_hll_type.HLL_4)


def load_hll(data: bytes) -> Any:
    import datasketches

    return datasketches.hll_sketch.deserialize(data)


def merge_hll(a: Any, b: Any) -> Any:
    import datasketches

    union = datasketches.hll_union(_LG_K)
    union.update(a)
    union.update(b)
    return union.get_result(datasketches.tgt_hll_type.HLL_4)


def path_hash(parent: int, name: str) -> int:
    """64 bits that name a path, the same in every worker."""
    return int.from_bytes(
        blake2b(name.encode("utf-8", "replace"), digest_size=8, key=parent.to_bytes(8, "big")).digest(), "big"
    )
