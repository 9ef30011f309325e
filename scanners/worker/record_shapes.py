"""The shapes of a batch's records, and what may distinguish them: fields, headers, the registered schema.

Runs in Spark's workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scanners.columns.profiler import Profiler
from scanners.columns.scalar_columns import Listed, TextObserver
from scanners.decode.records import schema_id
from scanners.schemas.registered import Schemas
from scanners.sketch.nodes import Node, at_steps
from scanners.sketch.shapes import MASK, SUBJECT, add_shapes, alike, candidate
from scanners.sketch.topic import Sketch

_SUBJECT = Node()
"""Means the schema of a record, which is not a place in the record."""


class RecordShapes:
    """Counts shapes into a sketch, batch by batch: `start`, `count` as values are profiled, then `teller` and `subjects`."""

    def __init__(self, sketch: Sketch, profiler: Profiler, schemas: Schemas) -> None:
        self._sketch = sketch
        self._profiler = profiler
        self._schemas = schemas
        self._records = 0
        self._shaped: list[Sequence[int]] = []

    def start(self, records: int) -> None:
        """A new batch: no record has a shape yet."""
        self._records = records
        self._shaped.clear()

    def count(self, values: Sequence[Any], where: Sequence[int]) -> None:
        """Count the shapes of records whose values were just profiled."""
        if any(value is None for value in values):
            where = [row for row, value in zip(where, values, strict=True) if value is not None]
            values = [value for value in values if value is not None]
        if values:
            self.count_at(where, values.__getitem__)

    def count_at(self, where: Sequence[int], value_at: Callable[[int], Any]) -> None:
        """The same of records none of whose values is null; `value_at(i)` is that of `where[i]`, asked for seldom."""
        sketch, profiler = self._sketch, self._profiler
        sketch.shaped += len(where)
        self._shaped.append(where)
        full = list(map(profiler.shape.__getitem__, where))
        coarse = list(map(profiler.coarse.__getitem__, where))
        node = sketch.parts["value"]
        add_shapes(sketch.shapes, full, lambda i: _paths_of(value_at(i), node))
        add_shapes(sketch.coarse, coarse, lambda i: _paths_of(value_at(i), node, 2))

    def subjects(self, bodies: Sequence[bytes | None], observer: TextObserver) -> None:
        """The registered schemas of a topic may distinguish its shapes, by the name of their records or their subject."""
        if not self._schemas.tell(self._sketch.ids.get("value", ())):
            return
        texts: list[str] = []
        where: list[int] = []
        for row, body in enumerate(bodies):
            label = self._schemas.label(body) if body and schema_id(body) is not None else None
            if label is not None:
                texts.append(label)
                where.append(row)
        if texts:
            observer(_SUBJECT, Counter(texts), lambda: (texts, where))

    def teller(self) -> Teller:
        """The counter of how often the values of fields and headers come with each shape, for those that may distinguish
        shapes."""
        all_shaped = sum(map(len, self._shaped)) == self._records
        shapeless = set() if all_shaped else set(range(self._records)).difference(*self._shaped)
        return Teller(self._sketch, self._profiler, shapeless)


class Teller:
    """Receives texts and their records, once all shapes of a batch are known."""

    def __init__(self, sketch: Sketch, profiler: Profiler, shapeless: set[int]) -> None:
        self._sketch = sketch
        self._shapeless = shapeless
        self._codes = profiler.shape
        # A record's paths over all levels determine those over the first two.
        records = 1 if alike(profiler.shape) else len(profiler.shape)
        pairs = dict(zip(profiler.shape[:records], profiler.coarse[:records], strict=True))
        self._coarse = {code & MASK: rough & MASK for code, rough in pairs.items()}
        value = sketch.parts["value"]
        paths = {child: f"value.{name}" for name, child in value.fields.items()}
        for name, child in value.fields.items():
            paths |= {deep: f"value.{name}.{below}" for below, deep in child.fields.items() if candidate(below, 2)}
        # The row of a table of events, in a change of Debezium in an envelope of Kafka Connect.
        row = at_steps(value, (".payload", ".after"))
        fields = row.fields if row is not None else {}
        paths |= {deep: f"value.payload.after.{name}" for name, deep in fields.items() if candidate(name, 2)}
        paths |= {child: f"headers.{name}" for name, child in sketch.parts["headers"].fields.items()}
        paths[_SUBJECT] = SUBJECT
        out = sketch.telling.ruled_out() & sketch.telling_coarse.ruled_out()
        self._paths = {node: path for node, path in paths.items() if path not in out}

    def wants(self, node: Node) -> bool:
        return node in self._paths

    def __call__(self, node: Node, counts: Mapping[str, int], listed: Listed) -> None:
        path = self._paths.get(node)
        if path is None:
            return
        if self._shapeless:
            pairs = [(text, row) for text, row in zip(*listed(), strict=True) if row not in self._shapeless]
            texts, where = [text for text, _ in pairs], [row for _, row in pairs]
            counts = Counter(texts)
            listed = lambda: (texts, where)  # noqa: E731
        telling, rough = self._sketch.telling, self._sketch.telling_coarse
        in_full, in_rough = telling.admits(path, counts), rough.admits(path, counts)
        if not counts or not (in_full or in_rough):
            return
        if len(self._coarse) == 1:
            (code,) = self._coarse
            met = {(text, code): count for text, count in counts.items()}
        else:
            met = self._met(*listed())
        if in_full:
            telling.add(path, met.items())
        if in_rough:
            rough.add(path, (((text, self._coarse[code]), n) for (text, code), n in met.items()))

    def _met(self, texts: Sequence[str], where: Sequence[int]) -> dict[tuple[str, int], int]:
        """How often each text comes with each shape."""
        met: dict[tuple[str, int], int] = {}
        for (text, whole), count in Counter(zip(texts, map(self._codes.__getitem__, where), strict=True)).items():
            met[text, whole & MASK] = met.get((text, whole & MASK), 0) + count
        return met


def _paths_of(value: Any, node: Any, depth: int = 99) -> list[tuple[str, ...]]:
    """The paths of a record's objects, outside arrays and maps, sorted."""
    paths: list[tuple[str, ...]] = []

    def visit(content: Any, at_node: Any, at: tuple[str, ...]) -> None:
        if type(content) is dict and len(at) < depth:
            for name, below in content.items():
                child = at_node.fields.get(name)
                if child is not None:
                    path = (*at, name)
                    paths.append(path)
                    visit(below, child, path)

    visit(value, node, ())
    return sorted(paths)
