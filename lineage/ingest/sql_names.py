"""Names of an event's SQL that its producer reports as datasets, replaced by the datasets behind them.

Small parsers (dbt's, Airflow's) end columns at what WITH defines, at an alias of a subquery or at a temporary table. Such
a name is not a dataset: the text shows, column by column, what it is made of.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from cachetools import LRUCache

from lineage.ingest.event_sql import Statement, schema_columns, statement_of
from lineage.ingest.events import DatasetEvent, DatasetRef, Event, JobEvent, Name, RunEvent, facet
from lineage.ingest.parse import optional_name
from lineage.sql.flows import path_text
from lineage.sql.local_tables import LocalTables, local_tables
from lineage.sql.model import DIRECT, IDENTITY, INDIRECT, Columns, Origin, Way, Ways
from lineage.sql.table_names import last_part, named

_KEPT = 500
_readings: LRUCache[Any, LocalTables] = LRUCache(_KEPT)
_lock = threading.Lock()


def with_tables(event: Event) -> Event:
    """The event without names that only its SQL knows. Most events have none and are returned as they are."""
    if isinstance(event, DatasetEvent):
        return event
    statement = statement_of(event)
    if statement is None:
        return event
    with _lock:  # columns of a reading are computed when they are first asked for
        reading = _read(statement, event)
        return _Replacement(event, reading).event() if reading.relations else event


def _read(statement: Statement, event: RunEvent | JobEvent) -> LocalTables:
    refs = {ref.id: ref for ref in (*event.inputs, *event.outputs)}
    schemas = {name: tree for name, ref in refs.items() if (tree := schema_columns(ref))}

    def columns(table: str) -> Columns | None:
        candidates = named(table, schemas, lambda name: (name.name,))
        return schemas[candidates[0]] if len(candidates) == 1 else None

    key = (statement, repr(sorted((str(name), tree) for name, tree in schemas.items())))
    reading = _readings.get(key)
    if reading is None:
        reading = _readings[key] = local_tables(statement.text, statement.dialect, columns)
    return reading


class _Replacement:
    """One event and what its text defines."""

    def __init__(self, event: RunEvent | JobEvent, reading: LocalTables) -> None:
        self._event, self._reading = event, reading
        refs = (*event.inputs, *event.outputs)
        self._tables = {ref.id for ref in refs if not self._is_local_ref(ref)}
        self._schemas = {ref.id: columns for ref in refs if (columns := schema_columns(ref))}
        self._lost = False
        """Whether a source in the column lineage being read could not be followed."""

    def event(self) -> Event:
        event = self._event
        inputs = tuple(self._inputs())
        outputs = self._outputs()
        if inputs == event.inputs and all(one is other for one, other in zip(outputs, event.outputs, strict=False)):
            return event
        return replace(event, inputs=inputs, outputs=outputs)

    # -- datasets -----------------------------------------------------------------------------------------------------

    def _is_local_ref(self, ref: DatasetRef) -> bool:
        """Whether a dataset of the event is only a name of the text. One whose columns were looked up is a table."""
        if facet(ref.facets, "schema") is not None and "." in ref.id.name:
            return False
        return self._is_local(ref.id)

    def _is_local(self, name: Name) -> bool:
        return last_part(name.name) in self._reading.relations and not self._is_outside(name)

    def _is_outside(self, name: Name) -> bool:
        """Whether the text reads or writes a table that this name can mean."""
        return any(self._means(name, table) for table in self._reading.outside)

    def _inputs(self) -> Iterator[DatasetRef]:
        there = set(self._tables)
        for ref in self._event.inputs:
            if ref.id in self._tables:
                yield ref
                continue
            for table in sorted(self._reading.reads.get(last_part(ref.id.name), ())):
                source = self._dataset(table, ref.id)
                if source is not None and source not in there:
                    there.add(source)
                    yield DatasetRef(source)

    def _outputs(self) -> tuple[DatasetRef, ...]:
        """Without temporary tables that the text itself reads."""
        kept = tuple(ref for ref in self._event.outputs if ref.id in self._tables or not self._is_temporary(ref.id))
        return tuple(self._with_sources(ref) for ref in kept or self._event.outputs)

    def _is_temporary(self, name: Name) -> bool:
        own_name = last_part(name.name)
        read = {last_part(table) for table in self._reading.lineage.inputs}
        return own_name in self._reading.temporary and own_name in read

    def _dataset(self, table: str, like: Name) -> Name | None:
        """A table of the text as a dataset: of the event, else named as the producer named `like`."""
        candidates = named(table, sorted(self._tables, key=str), lambda each: (each.name,))
        if candidates:
            return candidates[0] if len(candidates) == 1 else None
        parts, prefix = table.split("."), like.name.split(".")[:-1]
        name = ".".join([*prefix[: max(0, len(prefix) + 1 - len(parts))], *parts])
        longest = max((each.name.count(".") for each in self._tables if each.namespace == like.namespace), default=0)
        return Name(like.namespace, name) if name.count(".") >= longest else None

    # -- columns ------------------------------------------------------------------------------------------------------

    def _with_sources(self, ref: DatasetRef) -> DatasetRef:
        content = facet(ref.facets, "columnLineage")
        if content is None:
            return ref
        self._lost = False
        listed = content.get("fields")
        fields = {
            column: {**entry, "inputFields": items}
            for column, entry in (listed.items() if isinstance(listed, Mapping) else ())
            if isinstance(entry, Mapping) and (items := self._items(entry.get("inputFields"), column)) is not None
        }
        whole = self._items(content.get("dataset"), None)
        if not fields and whole is None:
            return ref
        resolved = {**content, "fields": {**listed, **fields} if isinstance(listed, Mapping) else {}}
        if whole is not None:
            resolved["dataset"] = whole
        return replace(ref, facets={**ref.facets, "columnLineage": resolved}, columns_missing=self._lost)

    def _items(self, listed: Any, column: str | None) -> list[Any] | None:
        """The sources of a column (None: of the whole) as they are now; None where they stay as they are."""
        items: list[Any] = []
        changed = False
        for item in listed if isinstance(listed, list) else ():
            name = optional_name(item)
            ways = self._ways(name, item.get("field"), column) if name is not None else None
            if name is None or ways is None:
                items.append(item)
                continue
            changed = True
            for origin, each in ways.items():
                source = self._dataset(origin.table, name)
                if source is None:
                    self._lost = True
                else:
                    items.append(_item(item, source, path_text(origin.path), each))
        return items if changed else None

    def _ways(self, name: Name, field: Any, column: str | None) -> Ways | None:
        """What a source is made of; None where it stays as it is. What the text does not show is lost."""
        if not isinstance(field, str) or last_part(name.name) not in self._reading.relations:
            return None
        ways = self._reading.column(name.name, field)
        # Where the name is that of a table too, the column tells which of both is meant.
        table = next((each for each in sorted(self._reading.outside) if self._means(name, each)), None)
        if name in self._tables:
            return ways if ways and not self._has(name, field, column, unless_shown=True) else None
        dataset = self._dataset(table, name) if table is not None else None
        if table is not None and dataset is not None and self._has(dataset, field, column, unless_shown=False):
            return {Origin(table, (field,)): frozenset({Way()})}
        self._lost |= ways is None
        return ways or {}

    def _has(self, name: Name, field: str, column: str | None, unless_shown: bool) -> bool:
        """Whether a column comes of this field of a table, as its schema and the whole text show; else `unless_shown`."""
        if name in self._schemas and field.lower() not in {each.lower() for each in self._schemas[name]}:
            return False
        origins = {
            edge.source
            for edge in self._reading.lineage.edges
            if edge.way.type == DIRECT and edge.field and column and edge.field[-1].lower() == column.lower()
        }
        if not origins:
            return unless_shown
        return any(self._means(name, o.table) and path_text(o.path).lower() == field.lower() for o in origins)

    @staticmethod
    def _means(name: Name, table: str) -> bool:
        """Whether a table of the text can be this dataset."""
        return bool(named(table, [name.name], lambda each: (each,)))


def _item(item: Mapping[str, Any], source: Name, field: str, ways: Iterable[Way]) -> dict[str, object]:
    """An input of a column, come through a name of the text from `source`."""
    now = {**item, "namespace": source.namespace, "name": source.name, "field": field}
    listed = item.get("transformations")
    given = [way for way in listed if isinstance(way, Mapping)] if isinstance(listed, list) else []
    inner = sorted(ways)
    if all((way.type, way.subtype, way.masking) == (DIRECT, IDENTITY, False) for way in inner):
        return now
    if given:
        now["transformations"] = [_through(way, then) for way in inner for then in given]
    elif item.get("transformationType") != "MASKED":
        now["transformations"] = [
            {"type": way.type, "subtype": way.subtype, **({"masking": True} if way.masking else {})} for way in inner
        ]
    return now


def _through(way: Way, then: Mapping[str, Any]) -> dict[str, object]:
    """A transformation of the producer's, after one of the text's."""
    if str(then.get("type")).upper() == INDIRECT:
        return dict(then)
    if way.type == INDIRECT:
        return {"type": INDIRECT, "subtype": way.subtype}
    subtype = then.get("subtype")
    if not isinstance(subtype, str) or subtype.upper() == IDENTITY:
        subtype = way.subtype
    masking = {"masking": True} if way.masking else {}
    return {**then, "subtype": subtype, **masking}
