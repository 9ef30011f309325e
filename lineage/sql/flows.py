"""SQL of a run -> flows between its datasets: the tables of the text are matched with the datasets of the run.

A table that none of them is, or that several could be, stays unmatched: what comes from it is left out, not guessed.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import orjson
from cachetools import LRUCache

from catalog.field_names import FieldNames
from catalog.model import DatasetId
from catalog.paths import quote
from lineage.names import Names
from lineage.sql.columns import columns_from_sql
from lineage.sql.model import DIRECT, ColumnEdge, Columns, Origin, SqlLineage, Way
from lineage.sql.table_names import named

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it logs statements it cannot read, values included

Flow = tuple[DatasetId, str, DatasetId, str | None, bool, bool]
"""Source, field, target, field (None: the whole), raw, explicit (never): a row as `statements.settle` takes it."""
KnownColumns = Callable[[DatasetId], Columns | None]
"""The catalog's learned columns of a dataset; None for one it does not know."""

_KEPT = 500


class KnownNames:
    """A `Resolve` that also has what the catalog has learned.

    columns   of a dataset, nested; fields: of a dataset, by the ways to write them; None for one it does not know
    learned   dataset -> version of its schema, and a value that is another one once other fields may be known
    """

    def __init__(
        self,
        resolve: Callable[[str, str], DatasetId],
        columns: KnownColumns,
        fields: Callable[[DatasetId], FieldNames | None] = lambda _: None,
        learned: Callable[[], Mapping[DatasetId, tuple[int, object]]] = dict,
    ) -> None:
        self._resolve, self.columns, self.fields, self.learned = resolve, columns, fields, learned

    def __call__(self, namespace: str, name: str) -> DatasetId:
        return self._resolve(namespace, name)


class _Kept:
    """The newest readings: one run's text is read for each of its reports otherwise."""

    def __init__(self, most: int = _KEPT) -> None:
        self._readings: LRUCache[Any, SqlLineage] = LRUCache(most)
        self._lock = threading.Lock()

    def read(self, text: str, dialect: str, match: Match) -> SqlLineage:
        key = (text, dialect, match.digest())
        with self._lock:
            reading = self._readings.get(key)
        if reading is None:
            reading = columns_from_sql(text, dialect, match.columns)
            with self._lock:
                self._readings[key] = reading
        return reading


_kept = _Kept()


class Match:
    """Tables of a text as datasets of a run."""

    def __init__(
        self,
        ins: Collection[DatasetId],
        outs: Collection[DatasetId],
        schemas: Mapping[DatasetId, Columns],
        names: Names,
    ) -> None:
        self.ins, self.outs = sorted(ins), sorted(outs)
        self._schemas = dict(schemas)
        for dataset in {*ins, *outs} - schemas.keys():
            learned = names.columns(dataset)
            if learned is not None:
                self._schemas[dataset] = learned
        self._spellings = {d: [m.name for m in names.component(d)] for d in {*ins, *outs}}

    def digest(self) -> tuple[Any, ...]:
        rows = [(str(d), tuple(s), orjson.dumps(self._schemas.get(d))) for d, s in sorted(self._spellings.items())]
        return (*map(str, self.ins), "->", *map(str, self.outs), *rows)

    def columns(self, table: str) -> Columns | None:
        dataset = self.source(table, None) or self.target(table, None)
        return self._schemas.get(dataset) if dataset is not None else None

    def source(self, table: str, topic: str | None) -> DatasetId | None:
        candidates = self._fitting(table, topic, self.ins)
        return _only(candidates) if candidates else self._one(table, topic, self.outs)

    def target(self, table: str, topic: str | None) -> DatasetId | None:
        if not table:  # a plain query, of a run with one output: that is where it goes
            return self.outs[0] if len(self.outs) == 1 else None
        return self._one(table, topic, self.outs)

    def _one(self, table: str, topic: str | None, among: Iterable[DatasetId]) -> DatasetId | None:
        return _only(self._fitting(table, topic, among))

    def _fitting(self, table: str, topic: str | None, among: Iterable[DatasetId]) -> list[DatasetId]:
        """All that it could be, by the closest kind of likeness."""
        if topic is not None:
            return [d for d in among if topic in self._spellings[d]]
        return named(table, among, self._spellings.__getitem__)


def _only(candidates: list[DatasetId]) -> DatasetId | None:
    return candidates[0] if len(candidates) == 1 else None


def flows_from_sql(
    texts: Iterable[tuple[str, str]],
    schemas: Mapping[DatasetId, Columns],
    ins: Collection[DatasetId],
    outs: Collection[DatasetId],
    names: Names,
) -> tuple[list[Flow], set[DatasetId]]:
    """Flows between columns that a run's SQL shows, and the outputs of which it does not show all."""
    rows: list[Flow] = []
    doubtful: set[DatasetId] = set()
    if not outs:
        return rows, doubtful
    match = Match(ins, outs, schemas, names)
    for text, dialect in sorted(texts):
        sql_lineage = _kept.read(text, dialect, match)
        targets = {match.target(table, sql_lineage.topics.get(table)) for table in sql_lineage.outputs}
        if sql_lineage.unknown:
            doubtful |= {target for target in targets if target is not None}
        for edge in through(sql_lineage, partial(_stands, match, sql_lineage)):
            source = match.source(edge.source.table, sql_lineage.topics.get(edge.source.table))
            target = match.target(edge.target, sql_lineage.topics.get(edge.target))
            if source is not None and target is not None:
                field = None if edge.field is None else field_of(target, edge.field)
                raw = edge.way.type == DIRECT and not edge.way.masking
                if edge.way.type == DIRECT or field is None:
                    rows.append((source, field_of(source, edge.source.path), target, field, raw, False))
                else:  # a condition for one column is, in the graph, a condition for the dataset
                    rows.append((source, field_of(source, edge.source.path), target, None, False, False))
            elif target is not None and source is None:
                doubtful.add(target)
    return rows, doubtful


def _stands(match: Match, sql_lineage: SqlLineage, table: str) -> bool:
    return match.source(table, sql_lineage.topics.get(table)) is not None


def through(sql_lineage: SqlLineage, stands: Callable[[str], bool]) -> set[ColumnEdge]:
    """The edges, with tables that the text itself makes and that are not datasets replaced by what they are made of."""
    by_target: dict[str, list[ColumnEdge]] = {}
    for edge in sql_lineage.edges:
        by_target.setdefault(edge.target.lower(), []).append(edge)
    edges: set[ColumnEdge] = set()
    todo = [(edge, 0) for edge in sql_lineage.edges]
    seen: set[ColumnEdge] = set(sql_lineage.edges)
    while todo and len(seen) < 200_000:
        edge, depth = todo.pop()
        parts = by_target.get(edge.source.table.lower())
        if not parts or depth > 50 or stands(edge.source.table):
            edges.add(edge)
            continue
        for part in parts:
            joined = _joined(part, edge)
            if joined is not None and joined not in seen:
                seen.add(joined)
                todo.append((joined, depth + 1))
    return edges


def _joined(first: ColumnEdge, then: ColumnEdge) -> ColumnEdge | None:
    if first.field is None:
        return replace(then, source=first.source, field=None, way=first.way)
    size = len(first.field)
    if then.source.path[:size] != first.field:
        return None
    rest = then.source.path[size:]
    source = (
        Origin(first.source.table, (*first.source.path, *rest)) if first.way.subtype == "IDENTITY" else first.source
    )
    way = (
        then.way
        if then.way.type != DIRECT
        else (
            first.way.then(then.way.subtype, then.way.masking)
            if first.way.type == DIRECT
            else Way("INDIRECT", first.way.subtype)
        )
    )
    return ColumnEdge(source, then.target, then.field, way)


def field_of(dataset: DatasetId, path: tuple[str, ...]) -> str:
    """A place as the graph names it: in a topic a field path, elsewhere names joined with dots."""
    if not dataset.namespace.startswith("kafka"):
        return path_text(path)
    return path[0] if path[0].startswith("_") else f"value.{path_text(path, quote)}"


def path_text(path: Iterable[str], spelled: Callable[[str], str] = str) -> str:
    """Names joined with dots, `[]` after the array that it is in."""
    text = ""
    for part in path:
        text += part if part == "[]" else ("." if text else "") + spelled(part)
    return text


def columns_of(text: str) -> Columns:
    """A schema fact's columns."""
    columns = orjson.loads(text)
    return columns if isinstance(columns, dict) else {}
