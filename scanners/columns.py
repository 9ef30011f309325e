"""Profile a column of values at once: the hot loop of a scan.

Values of one path are taken together, level by level: objects are grouped by their keys, so that the interpreter works
once per distinct set of keys and the rest happens inside C loops (`map`, `zip`, `chain`). Each value carries the number
of its record, by which the first place of a type and the shape of a record are known. Runs in Spark's workers.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from itertools import chain, repeat
from typing import Any
from uuid import UUID

from scanners import jsontext
from scanners.formats import as_text
from scanners.nodes import MAX_FIELDS, First, Node, path_hash
from scanners.textforms import DATA_KEY, embedded_text, text_form

MAX_DEPTH = 64
MAX_NODES = 20_000

Detect = Callable[[Node, tuple[str, ...], Mapping[str, int]], None]

_SIMPLE = {
    bool: "boolean", bytes: "binary", datetime: "timestamp", date: "date", UUID: "uuid", time: "string",
}  # fmt: skip
_INT32 = 2**31
_INT64 = 2**63
_MASK = 2**64 - 1


class Profiler:
    """Adds columns to nodes. One per topic and task; holds values only while `add` runs.

    `places` gives (timestamp, partition, offset) by record number; `shape` and `coarse` collect the hash of each
    record's paths, over all levels and over the first two.
    """

    def __init__(self, salt: str, detect: Detect | None = None) -> None:
        self._salt = salt
        self._detect = detect
        self._nodes = 0
        self.problems: Counter[str] = Counter()
        self.places: Sequence[First] = ()
        self._earliest: First = (0, 0, 0)
        self.shape: list[int] = []
        self.coarse: list[int] = []

    def start(self, places: Sequence[First]) -> None:
        """Begin a batch of records."""
        self.places = places
        self._earliest = min(places, default=(0, 0, 0))
        self.shape = [0] * len(places)
        self.coarse = [0] * len(places)

    def add(
        self,
        node: Node,
        values: list[Any],
        rows: list[int],
        names: tuple[str, ...],
        depth: int = 0,
        shaped: bool = True,
    ) -> None:
        """Take in the values of one path; `rows[i]` is the record of `values[i]`.

        `names` are the names on the path, for detectors. `shaped` is False below arrays and maps, whose content does
        not make a shape.
        """
        if not values:
            return
        node.count += len(values)
        kinds = set(map(type, values))
        if len(kinds) == 1:
            self._add_kind(node, kinds.pop(), values, rows, names, depth, shaped)
            return
        grouped: dict[type, tuple[list[Any], list[int]]] = {kind: ([], []) for kind in kinds}
        for value, row in zip(values, rows, strict=True):
            group = grouped[type(value)]
            group[0].append(value)
            group[1].append(row)
        for kind in sorted(kinds, key=lambda k: k.__name__):
            self._add_kind(node, kind, *grouped[kind], names, depth, shaped)

    def header(self, root: Node, name: str, values: list[Any], rows: list[int]) -> None:
        """Take in the values of one header; `root` is the node of all headers."""
        node = root.fields.get(name)
        if node is None:
            node = root.fields[name] = Node()
            node.hash = path_hash(root.hash, name)
        self.add(node, values, rows, (name,), 1, shaped=False)

    def _add_kind(
        self,
        node: Node,
        kind: type,
        values: list[Any],
        rows: list[int],
        names: tuple[str, ...],
        depth: int,
        shaped: bool,
    ) -> None:
        if kind is str:
            self._texts(node, values, rows, names, depth)
        elif kind is dict:
            self._objects(node, values, rows, names, depth, shaped)
        elif kind is int:
            self._integers(node, values, rows, names)
        elif kind is float:
            self._floats(node, values, rows)
        elif kind is type(None):
            self._seen(node, "null", values, rows)
        elif kind is list:
            self._arrays(node, values, rows, names, depth)
        elif kind is Decimal:
            self._decimals(node, values, rows)
        elif kind is tuple:
            self._arrays(node, list(map(list, values)), rows, names, depth)
        else:
            self._others(node, kind, values, rows, names)

    def _seen(self, node: Node, kind: str, values: Sequence[Any], rows: list[int]) -> None:
        known = node.types.get(kind)
        if known is None:
            node.types[kind] = [len(values), min(map(self.places.__getitem__, rows))]
            return
        known[0] += len(values)
        # Batches mostly come in order: then none of this one's records can be earlier than what is known.
        if self._earliest < known[1]:
            known[1] = min(known[1], min(map(self.places.__getitem__, rows)))

    # --- scalars --------------------------------------------------------------------------------------------------

    def _texts(self, node: Node, values: list[str], rows: list[int], names: tuple[str, ...], depth: int) -> None:
        self._seen(node, "string", values, rows)
        counts = Counter(values)
        sizes = list(map(len, counts))
        node.widen("lengths", min(sizes), max(sizes))
        self._distinct(node, counts)
        forms: Counter[str] = Counter()
        for text, count in counts.items():
            form = text_form(text)
            if form:
                forms[form] += count
        for form, count in forms.items():
            node.formats[form] = node.formats.get(form, 0) + count
        if forms["json"] + forms["base64"]:
            counts = self._embedded(node, values, rows, counts, names, depth)
        if self._detect is not None and counts:
            self._detect(node, names, counts)

    def _embedded(
        self, node: Node, values: list[str], rows: list[int], counts: Counter[str], names: tuple[str, ...], depth: int
    ) -> Counter[str]:
        """JSON in texts is profiled below them; what base64 hides is shown to the detectors. Returns what they read."""
        shown: Counter[str] = Counter()
        documents: dict[str, Any] = {}
        for text, count in counts.items():
            plain = embedded_text(text)
            if plain is None:
                shown[text] += count
                continue
            if plain is not text:
                node.traits["base64"] = node.traits.get("base64", 0) + count
            document, _ = (
                jsontext.loads(plain.encode("utf-8", "replace")) if plain.lstrip()[:1] in ("{", "[") else (None, None)
            )
            if isinstance(document, (dict, list)):
                documents[text] = document
            shown[plain] += count
        if documents and depth < MAX_DEPTH:
            node.traits["json"] = node.traits.get("json", 0) + sum(counts[t] for t in documents)
            if node.embedded is None:
                node.embedded = Node()
            inside = [(documents[v], r) for v, r in zip(values, rows, strict=True) if v in documents]
            self.add(node.embedded, [d for d, _ in inside], [r for _, r in inside], names, depth + 1, shaped=False)
        return shown

    def _distinct(self, node: Node, texts: Mapping[Any, int] | set[Any]) -> None:
        update, salt = node.distinct_sketch().update, self._salt
        for text in texts:
            update(f"{salt}{text}")

    def _integers(self, node: Node, values: list[int], rows: list[int], names: tuple[str, ...]) -> None:
        low, high = min(values), max(values)
        if low >= -_INT32 and high < _INT32:
            self._seen(node, "int32", values, rows)
        else:
            widths: dict[str, list[int]] = {}
            for value, row in zip(values, rows, strict=True):
                widths.setdefault(_width(value), []).append(row)
            for kind, where in widths.items():
                self._seen(node, kind, where, where)
        largest = max(abs(low), abs(high))
        smallest = min(map(abs, values))
        node.add_numbers(_digits(smallest) - 1, _digits(largest) - 1, low < 0, _digits(largest), 0, 0)
        distinct = set(values)
        self._distinct(node, distinct)
        if self._detect is not None and largest >= 10_000_000:
            # Card, phone and identity numbers are sometimes sent as numbers.
            counts = Counter(values)
            self._detect(node, names, {str(v): n for v, n in counts.items() if v >= 10_000_000})

    def _floats(self, node: Node, values: list[float], rows: list[int]) -> None:
        self._seen(node, "double", values, rows)
        finite = list(filter(math.isfinite, values))
        if finite:
            sizes = list(map(abs, finite))
            node.add_numbers(
                _exponent(min(sizes)), _exponent(max(sizes)), min(finite) < 0, 0, 0, len(values) - len(finite)
            )
        else:
            node.add_numbers(0, 0, False, 0, 0, len(values))
        self._distinct(node, set(map(repr, values)))

    def _decimals(self, node: Node, values: list[Decimal], rows: list[int]) -> None:
        self._seen(node, "decimal", values, rows)
        for value in values:
            if value.is_finite():
                _, digits, exponent = value.as_tuple()
                scale = max(0, -int(exponent))
                size = value.adjusted() if value else 0
                node.add_numbers(size, size, value < 0, max(len(digits) + max(0, int(exponent)), scale), scale, 0)
            else:
                node.add_numbers(0, 0, False, 0, 0, 1)
        self._distinct(node, set(map(str, values)))

    def _others(self, node: Node, kind: type, values: list[Any], rows: list[int], names: tuple[str, ...]) -> None:
        name = next(
            (n for t, n in _SIMPLE.items() if kind is t), "string" if kind not in (bytearray, memoryview) else "binary"
        )
        self._seen(node, name, values, rows)
        if name == "binary":
            sizes = list(map(len, values))
            node.widen("lengths", min(sizes), max(sizes))
            self._bytes(node, values, names)
        if kind is not bool:
            self._distinct(node, set(map(str, values)))
        if kind is date and self._detect is not None:
            self._detect(node, names, Counter(v.isoformat() for v in values))

    def _bytes(self, node: Node, values: list[Any], names: tuple[str, ...]) -> None:
        """Bytes may be text all the same; what is not can be looked into by nobody."""
        texts = [text for text in map(as_text, map(bytes, values)) if text]
        opaque = sum(map(bool, values)) - len(texts)
        if opaque:
            node.traits["opaque"] = node.traits.get("opaque", 0) + opaque
        if texts and self._detect is not None:
            self._detect(node, names, Counter(texts))

    # --- nested ---------------------------------------------------------------------------------------------------

    def _arrays(self, node: Node, values: list[list[Any]], rows: list[int], names: tuple[str, ...], depth: int) -> None:
        self._seen(node, "array", values, rows)
        sizes = list(map(len, values))
        node.widen("sizes", min(sizes), max(sizes))
        node.filled += len(sizes) - sizes.count(0)
        if depth >= MAX_DEPTH:
            self.problems["too_deep"] += len(values)
            return
        if node.elements is None:
            node.elements = Node()
            self._nodes += 1
        inside = list(chain.from_iterable(values))
        self.add(
            node.elements, inside, list(chain.from_iterable(map(repeat, rows, sizes))), names, depth + 1, shaped=False
        )

    def _objects(
        self,
        node: Node,
        values: list[dict[str, Any]],
        rows: list[int],
        names: tuple[str, ...],
        depth: int,
        shaped: bool,
    ) -> None:
        self._seen(node, "object", values, rows)
        sizes = list(map(len, values))
        node.widen("sizes", min(sizes), max(sizes))
        node.filled += len(sizes) - sizes.count(0)
        if depth >= MAX_DEPTH:
            self.problems["too_deep"] += len(values)
            return
        groups: dict[tuple[str, ...], tuple[list[dict[str, Any]], list[int]]] = defaultdict(lambda: ([], []))
        for keys, value, row in zip(map(tuple, values), values, rows, strict=True):
            group = groups[keys]
            group[0].append(value)
            group[1].append(row)
        columns: dict[str, tuple[list[Any], list[int]]] = {}
        entries: tuple[list[Any], list[int]] = ([], [])
        entry_keys: list[str] = []
        fresh: list[str] = []
        fields = node.fields
        for keys, (dicts, where) in groups.items():
            code = 0
            for key, column in zip(keys, zip(*map(dict.values, dicts), strict=True), strict=True):
                child = fields.get(key)
                if child is None:
                    if node.is_map or DATA_KEY.search(key) or self._nodes >= MAX_NODES or len(fields) >= MAX_FIELDS:
                        entries[0].extend(column)
                        entries[1].extend(where)
                        entry_keys.extend(repeat(key, len(column)))
                        continue
                    child = fields[key] = Node()
                    child.hash = path_hash(node.hash, key)
                    self._nodes += 1
                    fresh.append(key)
                elif not child.hash:
                    child.hash = path_hash(node.hash, key)
                code += child.hash
                known = columns.get(key)
                if known is None:
                    columns[key] = (list(column), list(where) if len(groups) > 1 else where)
                else:
                    known[0].extend(column)
                    known[1].extend(where)
            if shaped:
                self._shape(code & _MASK, where, depth)
        if fresh:
            self._texts(node.map_keys(), fresh, [rows[0]] * len(fresh), names, depth + 1)
            node.map_keys().count += len(fresh)
        if entries[0]:
            self.add(node.map_keys(), entry_keys, entries[1], names, depth + 1, shaped=False)
            self.add(node.map_values(), entries[0], entries[1], names, depth + 1, shaped=False)
            node.traits["entries"] = node.traits.get("entries", 0) + len(entry_keys)
            if len(fields) >= MAX_FIELDS or self._nodes >= MAX_NODES:
                self.problems["too_many_fields"] += 1
        for key, (column_values, where) in columns.items():
            self.add(fields[key], column_values, where, (*names, key), depth + 1, shaped)

    def _shape(self, code: int, where: list[int], depth: int) -> None:
        shape = self.shape
        for row in where:
            shape[row] += code
        if depth <= 1:
            coarse = self.coarse
            for row in where:
                coarse[row] += code


def _width(number: int) -> str:
    return "int32" if -_INT32 <= number < _INT32 else "int64" if -_INT64 <= number < _INT64 else "integer"


def _digits(number: int) -> int:
    return len(str(number)) if number < 10**300 else 301


def _exponent(size: float) -> int:
    return math.floor(math.log10(size)) if size else 0
