"""Profile a column of values at once: the hot loop of a scan.

Values of one path are taken together, level by level: objects are grouped by their keys, and what is to be done for a set
of keys is worked out once, so that the rest happens inside C loops (`map`, `zip`, `chain`). Objects and arrays are taken
apart at once, a few hundred records at a time, while the processor's cache holds them; scalars are gathered and counted
when the batch ends. Each value carries the number of its record, by which the first place of a type and the shape of a
record are known. Runs in Spark's workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import Any, Protocol

from scanners.columns import scalars
from scanners.columns.distinct_values import CountedTexts, ListedIntegers
from scanners.columns.grouping import by_keys, by_type
from scanners.columns.key_plans import KeyPlans
from scanners.columns.scalar_columns import Detect, ScalarColumns, TextObserver
from scanners.sketch.nodes import First, Node, path_hash

MAX_DEPTH = 64


class Gathered(Protocol):
    """Scalars that were gathered elsewhere (`scanners.tape.fold.Fold`)."""

    def scalars(self, into: ScalarColumns, /) -> None:
        """Hand them over, column by column."""
        ...


_CONTAINERS = frozenset({dict, list, tuple})


class _Column:
    """Scalars of one path that wait for the end of the batch."""

    __slots__ = ("chunks", "depth", "names", "node", "part")

    def __init__(self, part: str, node: Node, names: tuple[str, ...], depth: int) -> None:
        self.part = part
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


class Profiler:
    """Adds columns to nodes. One per topic and task; holds values only between `start` and `finish`.

    `places` gives (timestamp, partition, offset) by record number, `in_order` whether they rise; `shape` and `coarse`
    collect the hash of each record's paths, over all levels and over the first two; `keys` counts the keys of all objects
    met. `part` is the part that values are added of; `problems` counts by part and reason, with the earliest place.
    """

    def __init__(self, salt: str, detect: Detect | None = None) -> None:
        self.scalars = ScalarColumns(salt, detect, self._embed)
        self._waiting: dict[Node, _Column] = {}
        self._plans = KeyPlans(self.gather)
        self.part = "value"
        self.problems: dict[tuple[str, str], tuple[int, First]] = {}
        self.places: Sequence[First] = ()
        self._earliest: First = (0, 0, 0)
        self.in_order = True
        self.keys = 0
        self.shape: list[int] = []
        self.coarse: list[int] = []

    def start(self, places: Sequence[First]) -> None:
        """Begin a batch of records."""
        self.places = places
        self.in_order = sorted(places) == list(places)
        self._earliest = min(places[:1] if self.in_order else places, default=(0, 0, 0))
        self.shape = [0] * len(places)
        self.coarse = [0] * len(places)
        self._waiting.clear()

    def finish(self, observer: TextObserver | None = None, gathered: Iterable[Gathered] = ()) -> None:
        """Count the scalars that were gathered; `observer` is shown the texts of each column, before anything of them."""
        self.scalars.observer = observer
        for each in gathered:
            each.scalars(self.scalars)
        # Documents in texts bring further scalars.
        while self._waiting:
            waiting, self._waiting = self._waiting, {}
            for column in waiting.values():
                self.part = column.part
                self._scalars(column)

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
        containers = kinds & _CONTAINERS
        if not containers:
            self.gather(node, values, rows, names, depth)
        elif len(kinds) == 1:
            self._container(node, kinds.pop(), values, rows, names, depth, shaped)
        else:
            parts = by_type(values, rows)
            plain: tuple[list[Any], list[int]] = ([], [])
            for kind in sorted(kinds, key=lambda k: k.__name__):
                if kind in _CONTAINERS:
                    self._container(node, kind, *parts[kind], names, depth, shaped)
                else:
                    plain[0].extend(parts[kind][0])
                    plain[1].extend(parts[kind][1])
            if plain[0]:
                self.gather(node, *plain, names, depth)

    def header(self, root: Node, name: str, values: Sequence[Any], rows: Sequence[int]) -> None:
        """Take in the values of one header; `root` is the node of all headers."""
        node = root.fields.get(name)
        if node is None:
            node = root.fields[name] = Node()
            node.hash = path_hash(root.hash, name)
        self.add(node, values, rows, (name,), 1, shaped=False)

    def gather(
        self, node: Node, values: Sequence[Any], rows: Sequence[int], names: tuple[str, ...], depth: int
    ) -> None:
        """Keep scalars that the node has counted for the end of the batch."""
        column = self._waiting.get(node)
        if column is None:
            column = self._waiting[node] = _Column(self.part, node, names, depth)
        column.chunks.append((values, rows))

    def _seen(self, node: Node, kind: str, rows: Sequence[int]) -> None:
        entry = node.types.get(kind)
        if entry is None:
            node.types[kind] = [len(rows), self._first(rows)]
            return
        entry[0] += len(rows)
        # Batches mostly come in order: then none of this one's records can be earlier than what is known.
        if self._earliest < entry[1]:
            entry[1] = min(entry[1], self._first(rows))

    def _problem(self, reason: str, count: int, rows: Sequence[int]) -> None:
        place = self._first(rows)
        earlier, first = self.problems.get((self.part, reason), (0, place))
        self.problems[self.part, reason] = (earlier + count, min(first, place))

    def _first(self, rows: Sequence[int]) -> First:
        """The earliest place of some records."""
        return self.places[min(rows)] if self.in_order else min(map(self.places.__getitem__, rows))

    def _scalars(self, column: _Column) -> None:
        node, names = column.node, column.names
        every, records = column.joined()
        kinds = set(map(type, every))
        parts = {next(iter(kinds)): (every, records)} if len(kinds) == 1 else by_type(every, records)
        for kind in sorted(kinds, key=lambda k: k.__name__):
            values, rows = parts[kind]
            if kind is int:
                for width, at in scalars.widths(values, rows).items():
                    self._seen(node, width, at)
                self.scalars.integers(node, names, ListedIntegers(values))
                continue
            self._seen(node, scalars.name_of(kind), rows)
            if kind is str:
                listed = lambda values=values, rows=rows: (values, rows)  # noqa: E731
                self.scalars.texts(node, names, column.depth, CountedTexts(Counter(values)), listed)
            elif kind is bool:
                listed = lambda values=values, rows=rows: (["true" if v else "false" for v in values], rows)  # noqa: E731
                self.scalars.booleans(node, values.count(True), values.count(False), listed)
            elif kind is float:
                self.scalars.floats(node, scalars.doubles(values))
            else:
                self.scalars.others(node, names, kind, values)

    def _embed(
        self, node: Node, documents: Sequence[Any], rows: Sequence[int], names: tuple[str, ...], depth: int
    ) -> bool:
        """Profile documents that were found in texts; not when they are too deep."""
        if depth >= MAX_DEPTH:
            return False
        if node.embedded is None:
            node.embedded = Node()
        self.add(node.embedded, documents, rows, names, depth + 1, shaped=False)
        return True

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
            self._problem("too_deep", len(values), rows)
        elif kind is dict:
            self._objects(node, values, rows, names, depth, shaped)
        else:
            inside = list(chain.from_iterable(values))
            where = list(chain.from_iterable(map(repeat, rows, sizes)))
            self.add(self._plans.elements(node), inside, where, names, depth + 1, shaped=False)

    def _objects(
        self,
        node: Node,
        values: Sequence[dict[str, object]],
        rows: Sequence[int],
        names: tuple[str, ...],
        depth: int,
        shaped: bool,
    ) -> None:
        groups = by_keys(values, rows)
        plans = self._plans.by_keys(node)
        columns: dict[Node, tuple[str, list[Any], list[int]]] = {}
        entries: tuple[list[str], list[Any], list[int]] = ([], [], [])
        for keys, (dicts, where) in groups.items():
            plan = plans.get(keys) or self._plans.add(node, keys, where[0], names, depth)
            if shaped:
                self._shape(plan.code, where, depth)
            for key, child, column in zip(keys, plan.children, zip(*map(dict.values, dicts), strict=True), strict=True):
                if child is None:
                    entries[0].extend(repeat(key, len(column)))
                    entries[1].extend(column)
                    entries[2].extend(where)
                    continue
                gathered = columns.get(child)
                if gathered is None:
                    columns[child] = (
                        key,
                        list(column),
                        where if len(groups) == 1 and isinstance(where, list) else list(where),
                    )
                else:
                    gathered[1].extend(column)
                    gathered[2].extend(where)
        if entries[0]:
            self.add(node.map_keys(), entries[0], entries[2], names, depth + 1, shaped=False)
            self.add(node.map_values(), entries[1], entries[2], names, depth + 1, shaped=False)
            node.traits["entries"] = node.traits.get("entries", 0) + len(entries[0])
            if self._plans.full and not node.is_map:
                self._problem("too_many_fields", len(set(entries[2])), entries[2])
        for child, (key, child_values, at) in columns.items():
            self.add(child, child_values, at, (*names, key), depth + 1, shaped)

    def elements(self, node: Node) -> Node:
        """The node of an array's elements."""
        return self._plans.elements(node)

    def child(self, node: Node, key: str, row: int, names: tuple[str, ...], depth: int) -> Node | None:
        """The node of an object's field, first met in a record; None when the key is data or there are too many."""
        return self._plans.add(node, (key,), row, names, depth).children[0]

    def _shape(self, code: int, where: Sequence[int], depth: int) -> None:
        shape = self.shape
        for row in where:
            shape[row] += code
        if depth <= 1:
            coarse = self.coarse
            for row in where:
                coarse[row] += code
