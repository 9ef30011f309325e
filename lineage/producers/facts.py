"""Events -> facts of datasets, jobs and runs for the catalog: everything producers report that is not an edge. Pure."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

import orjson

from catalog.report_store import DATASET, JOB, RUN, Fact, Subject
from lineage.fold.event_reading import Reading, mark_of, refs
from lineage.fold.facts import COLUMN, EXPLICIT_COLUMN, EXPLICIT_INFLUENCE, INFLUENCE, links_of
from lineage.fold.micro_batches import SEEN_STEP
from lineage.ingest.events import DatasetEvent, Event, Facets, Name, RunEvent, facet
from lineage.ingest.parse import optional_name
from lineage.producers.facet_values import DATASET_FACETS, ELSEWHERE, RUN_FACETS, items, text

NAMED = "named"
"""Key of the fact that a dataset was named at all."""
COLUMNS, WAYS, SYMLINK, SYMLINK_OF, OTHER = "columns@", "ways@", "symlink:", "symlink-of:", "other:"
"""Beginnings of keys: columns that a job names; how a job makes columns; names of one dataset; facets only in the log."""

ALWAYS = 0
"""Time of facts that are never taken back."""
MAX_WAYS = 20_000
MAX_OTHERS = 100
MAX_COLUMNS = 2000

_THEN = 1
"""The time of a remembered fact, replaced by that of the event."""
_KEPT = 4000


class FactReader:
    """Reads events, and remembers the facts of the newest different ones. One thread."""

    def __init__(self) -> None:
        self._events: OrderedDict[bytes, list[Fact]] = OrderedDict()
        self._said: OrderedDict[bytes, list[Fact]] = OrderedDict()

    def read(self, event: Event, reading: Reading) -> Iterator[Fact]:
        """Every fact of one event; `reading` is what lineage read in it."""
        time = event.time
        if isinstance(event, RunEvent) and event.type in ("RUNNING", None):
            time -= time % SEEN_STEP  # repeats of a report within a minute are passed over before they come here
        for fact in _kept(
            self._events, reading.mark or mark_of(event), lambda: list(self._of_datasets(event, reading))
        ):
            yield fact if fact.time == ALWAYS else fact.at(time)
        for ref in refs(event):
            for key, value in _each(ref.side_facets, DATASET):
                yield Fact(_dataset(ref.id), key, time, value)
        if isinstance(event, DatasetEvent):
            return
        job = Subject(JOB, event.job.id.namespace, event.job.id.name)
        yield from self._facets(event.job.facets, job)
        if isinstance(event, RunEvent):
            for fact in self._facets(event.facets, Subject(RUN, job.namespace, job.name)):
                if fact.time == ALWAYS:
                    yield Fact(job, f"{OTHER}run.{fact.key.removeprefix(OTHER)}", ALWAYS, {})
                else:
                    yield Fact(fact.subject, fact.key, time, fact.value, event.run_id)

    def _of_datasets(self, event: Event, reading: Reading) -> Iterator[Fact]:
        """What an event states of its datasets, at time `_THEN` for the time of any such event."""
        for name in reading.datasets:
            yield Fact(_dataset(name), NAMED, ALWAYS, {})
        for primary, other, kind in links_of(event):
            yield Fact(_dataset(primary), SYMLINK + _mark(other), ALWAYS, [other.namespace, other.name, kind])
            yield Fact(_dataset(other), SYMLINK_OF + _mark(primary), ALWAYS, [primary.namespace, primary.name, kind])
        with_schema = set()
        for ref in refs(event):
            if facet(ref.facets, "schema") is not None:
                with_schema.add(ref.id)
            for key, value in _each(ref.facets, DATASET):
                yield Fact(_dataset(ref.id), key, ALWAYS if key.startswith(OTHER) else _THEN, value)
        job = None if isinstance(event, DatasetEvent) else event.job.id
        yield from self._columns(event, reading, job, with_schema, _THEN)

    def _facets(self, facets: Facets, of: Subject) -> list[Fact]:
        """What the facets of a job or a run state, at time `_THEN`; large facets that are not kept are not read."""
        if not facets:
            return []
        readers = RUN_FACETS if of.kind == RUN else {}
        try:
            parts = [of.kind, of.namespace, of.name, list(facets), {name: facets.get(name) for name in readers}]
            mark = blake2b(orjson.dumps(parts), digest_size=16).digest()
        except TypeError:
            mark = None
        return _kept(
            self._said,
            mark,
            lambda: [
                Fact(of, key, ALWAYS if key.startswith(OTHER) else _THEN, value)
                for key, value in _each(facets, of.kind)
            ],
        )

    def _columns(
        self, event: Event, reading: Reading, job: Name | None, with_schema: set[Name], time: int
    ) -> Iterator[Fact]:
        by_dataset: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in reading.facts:
            if row[0] in (COLUMN, EXPLICIT_COLUMN):
                by_dataset[row[1], row[2]].add(row[3])
                by_dataset[row[4], row[5]].add(row[6])
            elif row[0] in (INFLUENCE, EXPLICIT_INFLUENCE):
                by_dataset[row[1], row[2]].add(row[3])
        by = _mark(job) if job is not None else ""
        for parts, columns in by_dataset.items():
            if (dataset := Name(*parts)) not in with_schema:
                value: dict[str, object] = {"columns": sorted(columns)[:MAX_COLUMNS]}
                if len(columns) > MAX_COLUMNS:
                    value["cut"] = len(columns) - MAX_COLUMNS
                yield Fact(_dataset(dataset), COLUMNS + by, time, value)
        for ref in refs(event):
            content = facet(ref.facets, "columnLineage")
            column_ways = ways(content) if content is not None else None
            if column_ways is not None:
                ways_with_job = {**column_ways, "job": [job.namespace, job.name] if job is not None else None}
                yield Fact(_dataset(ref.id), WAYS + by, time, ways_with_job)


def _kept(cache: OrderedDict[bytes, list[Fact]], mark: bytes | None, make: Callable[[], list[Fact]]) -> list[Fact]:
    """What was made of the same before, else what is made now; the newest are remembered."""
    if mark is None:
        return make()
    facts = cache.get(mark)
    if facts is None:
        facts = cache[mark] = make()
        if len(cache) > _KEPT:
            cache.popitem(last=False)
    else:
        cache.move_to_end(mark)
    return facts


def _each(facets: Facets, kind: str) -> Iterator[tuple[str, Any]]:
    """(key, value) of each facet: what is kept of it, None where it is marked as deleted, its name where nothing is."""
    readers = {DATASET: DATASET_FACETS, RUN: RUN_FACETS}.get(kind, {})
    others = 0
    for name, content in facets.items():
        if not isinstance(name, str) or not isinstance(content, Mapping):
            continue
        read = readers.get(name)
        if read is None:
            others += 1
            if name not in ELSEWHERE[kind] and others <= MAX_OTHERS and (short_name := text(name, 200)):
                yield OTHER + short_name, {}
        elif content.get("_deleted") is True:
            yield name, None
        elif (value := read(content)) is not None:
            yield name, value
    if others > MAX_OTHERS:
        yield OTHER + "(more)", {}


def ways(content: Mapping[str, Any]) -> dict[str, object] | None:
    """How columns are made, of a columnLineage facet.

    {sources: [[namespace, name]], fields: {column: [[source, field, [[type, subtype, masking, description]]]]},
    dataset: [...], cut}. Indirect ways are of the whole dataset, wherever the producer put them.
    """
    sources: dict[Name, int] = {}
    fields: dict[str, list[Any]] = {}
    whole: dict[str, list[Any]] = {}
    left = MAX_WAYS
    cut = 0
    alike: dict[bytes, tuple[list[Any], list[Any]]] = {}  # most columns are made in one of a few ways
    for column, item in _listed(content):
        source, field = optional_name(item), item.get("field")
        if source is None or not isinstance(field, str) or not field:
            continue
        if left <= 0:
            cut += 1
            continue
        at = sources.setdefault(source, len(sources))
        direct, indirect = _transformations(item, alike)
        if column is not None and (direct or not indirect):
            rows = fields.get(column)
            if rows is None:
                rows = fields[column] = []
            rows.append([at, field, direct])
            left -= 1
        if indirect or column is None:
            row = whole.setdefault(f"{at}\x1f{field}", [at, field, []])
            row[2] += [way for way in indirect if way not in row[2]]
            left -= 1
    if not sources:
        return None
    return {
        "sources": [[name.namespace, name.name] for name in sources],
        "fields": fields,
        "dataset": [whole[key] for key in sorted(whole)],
        **({"cut": cut} if cut else {}),
    }


def _listed(content: Mapping[str, Any]) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    """(column, input) of every column; None for inputs of the whole dataset."""
    by_column = content.get("fields")
    for name, entry in by_column.items() if isinstance(by_column, Mapping) else ():
        if isinstance(entry, Mapping):
            for item in items(entry, "inputFields"):
                yield name, item
    for item in items(content, "dataset"):
        yield None, item


def _transformations(
    item: Mapping[str, Any], alike: dict[bytes, tuple[list[Any], list[Any]]]
) -> tuple[list[Any], list[Any]]:
    """Direct and indirect ways: [type, subtype, masking, description]. `alike` has those that were read before."""
    given = item.get("transformations")
    if not given:
        return [], []
    try:
        key = orjson.dumps(given)
    except TypeError:
        return _read_transformations(item)
    known = alike.get(key)
    if known is None:
        known = alike[key] = _read_transformations(item)
    return known


def _read_transformations(item: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    direct: list[Any] = []
    indirect: list[Any] = []
    for way in items(item, "transformations"):
        kind = text(way.get("type"), 50)
        if kind is None:
            continue
        row = [
            kind.upper(),
            text(way.get("subtype"), 100),
            way.get("masking") is True,
            text(way.get("description"), 500),
        ]
        (indirect if row[0] == "INDIRECT" else direct).append(row)
    return direct, indirect


def _dataset(name: Name) -> Subject:
    return Subject(DATASET, name.namespace, name.name)


def _mark(name: Name) -> str:
    """A name as a part of a key: a digest, as names are longer than keys need be."""
    return Subject("", name.namespace, name.name).id
