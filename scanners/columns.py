"""Profile a column of values at once: the hot loop of a scan.

Values of one path are taken together, level by level: objects are grouped by their keys, and what is to be done for a set
of keys is worked out once, so that the rest happens inside C loops (`map`, `zip`, `chain`). Objects and arrays are taken
apart at once, a few hundred records at a time, while the processor's cache holds them; scalars are gathered and counted
when the batch ends. Each value carries the number of its record, by which the first place of a type and the shape of a
record are known. Runs in Spark's workers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice, repeat
from operator import le
from typing import Any

from scanners import jsontext, scalars
from scanners.nodes import MAX_FIELDS, First, Node, path_hash
from scanners.textforms import DATA_KEY, embedded_text

MAX_DEPTH = 64
MAX_NODES = 20_000
_MAX_PLANS = 2000
"""Sets of keys of one object that are remembered."""

Detect = Callable[[Node, tuple[str, ...], Mapping[str, int]], None]
Told = Callable[[Node, Sequence[str], Sequence[int], Mapping[str, int]], None]
"""(node, texts, their records, how often each text is there)"""

_CONTAINERS = frozenset({dict, list, tuple})
_MASK = 2**64 - 1


class _Column:
    """Scalars of one path that wait for the end of the batch."""

    __slots__ = ("chunks", "depth", "names", "node")

    def __init__(self, node: Node, names: tuple[str, ...], depth: int) -> None:
        self.node = node
        self.names = names
        self.depth = depth
        self.chunks: list[tuple[Sequence[Any], Sequence[int]]] = []

    def joined(self) -> tuple[Sequence[Any], Sequence[int]]:
        if len(self.chunks) == 1:
            return self.chunks[0]
        return (
            list(chain.from_iterable(values for values, _ in self.chunks)),
            list(chain.from_iterable(rows for _, rows in self.chunks)),
        )


class _Plan:
    """What a set of keys means at one node: the hash of its paths, and the child of each key (None: a map's entry)."""

    __slots__ = ("children", "code", "odd")

    def __init__(self, code: int, children: list[Node | None]) -> None:
        self.code = code
        self.children = children
        self.odd = None in children


class Profiler:
    """Adds columns to nodes. One per topic and task; holds values only between `start` and `finish`.

    `places` gives (timestamp, partition, offset) by record number; `shape` and `coarse` collect the hash of each
    record's paths, over all levels and over the first two; `keys` counts the keys of all objects met.
    """

    def __init__(self, salt: str, detect: Detect | None = None) -> None:
        self._distinct = scalars.Distinct(salt)
        self._detect = detect
        self._nodes = 0
        self._waiting: dict[Node, _Column] = {}
        self._plans: dict[Node, dict[tuple[str, ...], _Plan]] = {}
        self.problems: Counter[str] = Counter()
        self.places: Sequence[First] = ()
        self._earliest: First = (0, 0, 0)
        self._in_order = True
        self.keys = 0
        self.shape: list[int] = []
        self.coarse: list[int] = []

    def start(self, places: Sequence[First]) -> None:
        """Begin a batch of records."""
        self.places = places
        self._earliest = min(places, default=(0, 0, 0))
        self._in_order = all(map(le, places, islice(places, 1, None)))
        self.shape = [0] * len(places)
        self.coarse = [0] * len(places)
        self._waiting.clear()

    def finish(self, told: Told | None = None) -> None:
        """Count the scalars that were gathered; `told` is shown the texts of each column, before anything of them."""
        # Documents in texts bring further scalars.
        while self._waiting:
            waiting, self._waiting = self._waiting, {}
            for column in waiting.values():
                self._scalars(column, told)

    def add(
        self,
        node: Node,
        values: Sequence[Any],
        rows: Sequence[int],
        names: tuple[str, ...],
        depth: int = 0,
        shaped: bool = True,
    ) -> None:
        """Take in the values of one path; `rows[i]` is the record of `values[i]`. They are complete after `finish`.

        `names` are the names on the path, for detectors. `shaped` is False below arrays and maps, whose content does
        not make a shape.
        """
        if not values:
            return
        node.count += len(values)
        kinds = set(map(type, values))
        held = kinds & _CONTAINERS
        if not held:
            self._wait(node, values, rows, names, depth)
        elif len(kinds) == 1:
            self._container(node, kinds.pop(), values, rows, names, depth, shaped)
        else:
            parts = _split(values, rows)
            plain: tuple[list[Any], list[int]] = ([], [])
            for kind in sorted(kinds, key=lambda k: k.__name__):
                if kind in _CONTAINERS:
                    self._container(node, kind, *parts[kind], names, depth, shaped)
                else:
                    plain[0].extend(parts[kind][0])
                    plain[1].extend(parts[kind][1])
            if plain[0]:
                self._wait(node, *plain, names, depth)

    def header(self, root: Node, name: str, values: Sequence[Any], rows: Sequence[int]) -> None:
        """Take in the values of one header; `root` is the node of all headers."""
        node = root.fields.get(name)
        if node is None:
            node = root.fields[name] = Node()
            node.hash = path_hash(root.hash, name)
        self.add(node, values, rows, (name,), 1, shaped=False)

    def _wait(self, node: Node, values: Sequence[Any], rows: Sequence[int], names: tuple[str, ...], depth: int) -> None:
        column = self._waiting.get(node)
        if column is None:
            column = self._waiting[node] = _Column(node, names, depth)
        column.chunks.append((values, rows))

    def _seen(self, node: Node, kind: str, rows: Sequence[int]) -> None:
        known = node.types.get(kind)
        if known is None:
            node.types[kind] = [len(rows), self._first(rows)]
            return
        known[0] += len(rows)
        # Batches mostly come in order: then none of this one's records can be earlier than what is known.
        if self._earliest < known[1]:
            known[1] = min(known[1], self._first(rows))

    def _first(self, rows: Sequence[int]) -> First:
        """The earliest place of some records."""
        return self.places[min(rows)] if self._in_order else min(map(self.places.__getitem__, rows))

    # --- scalars ------------------------------------------------------------------------------------------------------

    def _scalars(self, column: _Column, told: Told | None) -> None:
        node, names = column.node, column.names
        values, rows = column.joined()
        kinds = set(map(type, values))
        parts = {next(iter(kinds)): (values, rows)} if len(kinds) == 1 else _split(values, rows)
        for kind in sorted(kinds, key=lambda k: k.__name__):
            held, where = parts[kind]
            if kind is str:
                counts = Counter(held)
                if told is not None:
                    told(node, held, where, counts)
                self._texts(column, held, where, counts)
            elif kind is int:
                for width, at in scalars.widths(held, where).items():
                    self._seen(node, width, at)
                self._look(node, names, scalars.integers(node, held, self._distinct, self._detect is not None))
            else:
                if kind is bool and told is not None:
                    texts = ["true" if value else "false" for value in held]
                    told(node, texts, where, {text: texts.count(text) for text in set(texts)})
                self._seen(node, scalars.name_of(kind), where)
                self._look(node, names, scalars.others(node, kind, held, self._distinct))

    def _look(self, node: Node, names: tuple[str, ...], counts: Mapping[str, int] | None) -> None:
        if counts and self._detect is not None:
            self._detect(node, names, counts)

    def _texts(self, column: _Column, values: Sequence[str], rows: Sequence[int], counts: Counter[str]) -> None:
        node = column.node
        self._seen(node, "string", rows)
        forms = scalars.texts(node, counts, self._distinct)
        shown: Mapping[str, int] = counts
        if forms.get("json") or forms.get("base64"):
            shown = self._embedded(column, values, rows, counts)
        self._look(node, column.names, shown)

    def _embedded(
        self, column: _Column, values: Sequence[str], rows: Sequence[int], counts: Counter[str]
    ) -> Counter[str]:
        """JSON in texts is profiled below them; what base64 hides is shown to the detectors. Returns what they read."""
        node = column.node
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
        if documents and column.depth < MAX_DEPTH:
            node.traits["json"] = node.traits.get("json", 0) + sum(counts[t] for t in documents)
            if node.embedded is None:
                node.embedded = Node()
            inside = [(documents[v], r) for v, r in zip(values, rows, strict=True) if v in documents]
            found, where = [d for d, _ in inside], [r for _, r in inside]
            self.add(node.embedded, found, where, column.names, column.depth + 1, shaped=False)
        return shown

    # --- nested -------------------------------------------------------------------------------------------------------

    def _container(
        self,
        node: Node,
        kind: type,
        values: Sequence[Any],
        rows: Sequence[int],
        names: tuple[str, ...],
        depth: int,
        shaped: bool,
    ) -> None:
        self._seen(node, "object" if kind is dict else "array", rows)
        sizes = list(map(len, values))
        node.widen("sizes", min(sizes), max(sizes))
        node.filled += len(sizes) - sizes.count(0)
        if kind is dict:
            self.keys += sum(sizes)
        if depth >= MAX_DEPTH:
            self.problems["too_deep"] += len(values)
        elif kind is dict:
            self._objects(node, values, rows, names, depth, shaped)
        else:
            if node.elements is None:
                node.elements = Node()
                self._nodes += 1
            inside = list(chain.from_iterable(values))
            where = list(chain.from_iterable(map(repeat, rows, sizes)))
            self.add(node.elements, inside, where, names, depth + 1, shaped=False)

    def _objects(
        self,
        node: Node,
        values: Sequence[dict[str, Any]],
        rows: Sequence[int],
        names: tuple[str, ...],
        depth: int,
        shaped: bool,
    ) -> None:
        groups = _grouped(values, rows)
        plans = self._plans.setdefault(node, {})
        columns: dict[Node, tuple[str, list[Any], list[int]]] = {}
        entries: tuple[list[str], list[Any], list[int]] = ([], [], [])
        for keys, (dicts, where) in groups.items():
            plan = plans.get(keys) or self._plan(node, plans, keys, rows[0], names, depth)
            if shaped:
                self._shape(plan.code, where, depth)
            for key, child, column in zip(keys, plan.children, zip(*map(dict.values, dicts), strict=True), strict=True):
                if child is None:
                    entries[0].extend(repeat(key, len(column)))
                    entries[1].extend(column)
                    entries[2].extend(where)
                    continue
                known = columns.get(child)
                if known is None:
                    columns[child] = (
                        key, list(column), where if len(groups) == 1 and isinstance(where, list) else list(where),
                    )  # fmt: skip
                else:
                    known[1].extend(column)
                    known[2].extend(where)
        if entries[0]:
            self.add(node.map_keys(), entries[0], entries[2], names, depth + 1, shaped=False)
            self.add(node.map_values(), entries[1], entries[2], names, depth + 1, shaped=False)
            node.traits["entries"] = node.traits.get("entries", 0) + len(entries[0])
            if self._nodes >= MAX_NODES and not node.is_map:
                self.problems["too_many_fields"] += len(set(entries[2]))
        for child, (key, held, at) in columns.items():
            self.add(child, held, at, (*names, key), depth + 1, shaped)

    def _plan(
        self,
        node: Node,
        plans: dict[tuple[str, ...], _Plan],
        keys: tuple[str, ...],
        row: int,
        names: tuple[str, ...],
        depth: int,
    ) -> _Plan:
        code = 0
        children: list[Node | None] = []
        fresh: list[str] = []
        for key in keys:
            child = node.fields.get(key)
            if child is None:
                if node.is_map or DATA_KEY.search(key) or self._nodes >= MAX_NODES or len(node.fields) >= MAX_FIELDS:
                    children.append(None)
                    if len(node.fields) >= MAX_FIELDS:
                        node.traits["wide"] = 1
                    continue
                child = node.fields[key] = Node()
                self._nodes += 1
                fresh.append(key)
            if not child.hash:
                child.hash = path_hash(node.hash, key)
            code += child.hash
            children.append(child)
        if fresh:
            # The names of a struct may turn out to be the keys of a map.
            self._wait(node.map_keys(), fresh, [row] * len(fresh), names, depth + 1)
            node.map_keys().count += len(fresh)
        if len(plans) >= _MAX_PLANS:
            plans.clear()
        made = plans[keys] = _Plan(code & _MASK, children)
        return made

    def _shape(self, code: int, where: Sequence[int], depth: int) -> None:
        shape = self.shape
        for row in where:
            shape[row] += code
        if depth <= 1:
            coarse = self.coarse
            for row in where:
                coarse[row] += code


def _grouped(
    values: Sequence[dict[str, Any]], rows: Sequence[int]
) -> Mapping[tuple[str, ...], tuple[Sequence[dict[str, Any]], Sequence[int]]]:
    """Objects with the same keys in the same order, with their records."""
    keyed = list(map(tuple, values))
    if keyed.count(keyed[0]) == len(keyed):
        return {keyed[0]: (values, rows)}
    groups: dict[tuple[str, ...], tuple[list[dict[str, Any]], list[int]]] = defaultdict(lambda: ([], []))
    for keys, value, row in zip(keyed, values, rows, strict=True):
        group = groups[keys]
        group[0].append(value)
        group[1].append(row)
    return groups


def _split(values: Sequence[Any], rows: Sequence[int]) -> dict[type, tuple[list[Any], list[int]]]:
    parts: dict[type, tuple[list[Any], list[int]]] = defaultdict(lambda: ([], []))
    for value, row in zip(values, rows, strict=True):
        part = parts[type(value)]
        part[0].append(value)
        part[1].append(row)
    return parts
