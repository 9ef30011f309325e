"""Everything an event states except its time and run, read once. Producers repeat themselves: equal parts are read once, too.

A batch is then sorted by whom it concerns: the jobs, and the datasets that declare their own lineage.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import orjson

from catalog.node_ids import write_id
from lineage.fold.facts import Facts, clears_of, datasets_in, drops_of, facts_of, jobs_in, links_of
from lineage.fold.job_ledger import digest_of
from lineage.fold.producer_info import dataset_info
from lineage.fold.runs import STREAMING
from lineage.ingest.column_names import with_columns_of_tables
from lineage.ingest.events import DatasetEvent, DatasetRef, Event, JobEvent, Name, RunEvent, facet
from lineage.ingest.record_columns import with_record_columns
from lineage.ingest.sql_names import with_tables

_KEPT = 4000


@dataclass(frozen=True, slots=True)
class Reading:
    """What one event states.

    facts     of flows, their digest, and namespace and name of every dataset in them (named)
    datasets  every dataset it names; jobs: other jobs it names
    links     (dataset, other name, type); drops: datasets that it reports as dropped
    clears    datasets that it reports as emptied or overwritten
    infos     (dataset, key, value): what it states about datasets
    about     a digest of links, drops, clears and infos; None where there are none
    processing  BATCH, STREAMING, ... of the job; snapshot: the report is complete, what it lacks no longer exists
    mark      the event's (see `mark_of`); None where it was not taken
    """

    facts: Facts
    digest: str
    named: frozenset[tuple[str, ...]]
    datasets: frozenset[Name]
    jobs: frozenset[Name]
    links: tuple[tuple[Name, Name, str], ...]
    drops: tuple[Name, ...]
    clears: tuple[Name, ...]
    infos: tuple[tuple[Name, str, Any], ...]
    about: str | None
    processing: str | None = None
    snapshot: bool = False
    mark: bytes | None = None

    def happened(self, event: Event) -> bool:
        """Whether the change of a dataset that the event reports is done: a batch run empties its target when it completes."""
        if not isinstance(event, RunEvent):
            return isinstance(event, DatasetEvent)
        return event.type == "COMPLETE" and self.processing not in STREAMING


class Reader:
    """Reads events, remembering the newest readings. One thread."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, Reading] = OrderedDict()

    def read(self, event: Event) -> Reading:
        mark = mark_of(event)
        if mark is None:
            return read(event)
        reading = self._kept.get(mark)
        if reading is None:
            reading = self._kept[mark] = read(event, mark)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(mark)
        return reading


def read(event: Event, mark: bytes | None = None) -> Reading:
    facts = facts_of(event)
    processing, snapshot = (None, False) if isinstance(event, DatasetEvent) else processing_of(event)
    named = datasets_in(facts)
    links, drops, clears = tuple(links_of(event)), tuple(drops_of(event)), tuple(clears_of(event))
    infos = tuple((ref.id, key, value) for ref in refs(event) for key, value in dataset_info(ref.facets))
    details = [
        sorted((str(primary), str(other), kind) for primary, other, kind in links),
        sorted(map(str, drops)),
        *([sorted(map(str, clears))] if clears else ()),
        sorted((str(name), key, repr(value)) for name, key, value in infos),
    ]
    about = blake2b(repr(details).encode(errors="replace"), digest_size=12).hexdigest() if any(details) else None
    return Reading(
        facts=facts,
        digest=digest_of(facts),
        named=named,
        datasets=frozenset(Name(*name) for name in named) | {ref.id for ref in refs(event)},
        jobs=frozenset(Name(*name) for name in jobs_in(facts)),
        links=links,
        drops=drops,
        clears=clears,
        infos=infos,
        about=about,
        processing=processing,
        snapshot=snapshot,
        mark=mark,
    )


def refs(event: Event) -> Iterator[DatasetRef]:
    """The datasets an event mentions."""
    if isinstance(event, DatasetEvent):
        yield event.dataset
    else:
        yield from event.inputs
        yield from event.outputs


def mark_of(event: Event) -> bytes | None:
    """A digest of all parts of an event that a reading depends on; None where it cannot be taken."""
    parts: list[Any] = [type(event).__name__, *(_ref(ref) for ref in refs(event))]
    if not isinstance(event, DatasetEvent):
        parts += [len(event.inputs), event.job.id.namespace, event.job.id.name, event.job.facets.get("lineage")]
        parts += [event.job.facets.get("sql"), event.job.facets.get("jobType")]
    if isinstance(event, RunEvent) and "sql" in event.job.facets:
        parts.append(event.facets.get("processing_engine"))
    if isinstance(event, RunEvent) and event.parent is not None and event.parent.job is not None:
        parts += [event.parent.job.namespace, event.parent.job.name]
    try:
        return blake2b(orjson.dumps(parts), digest_size=16).digest()
    except TypeError:
        return None


def _ref(ref: DatasetRef) -> list[Any]:
    return [ref.id.namespace, ref.id.name, ref.facets, ref.partial, ref.columns_missing]


def processing_of(event: RunEvent | JobEvent) -> tuple[str | None, bool]:
    """The kind of processing that a job names, and whether each of its reports is complete."""
    kind = facet(event.job.facets, "jobType") or {}
    processing = kind.get("processingType")
    pattern = kind.get("emissionPattern")
    mode = None
    if isinstance(pattern, Mapping):
        mode = pattern.get("eventContentMode") or pattern.get("eventCompleteness")
    return processing.upper() if isinstance(processing, str) else None, mode == "COMPLETE_SNAPSHOT"


@dataclass(slots=True)
class Gathered:
    """A batch, sorted by whom it concerns."""

    events: dict[str, list[tuple[Event, Reading]]] = field(default_factory=lambda: defaultdict(list))
    halves: dict[str, list[tuple[RunEvent, Reading]]] = field(default_factory=lambda: defaultdict(list))
    owners: dict[str, tuple[str, str, bool]] = field(default_factory=dict)
    """Owner -> namespace, name, is a job."""


def normal(event: Event) -> Event:
    """The event with datasets and columns where producers write names that only their engine knows."""
    return with_tables(with_columns_of_tables(with_record_columns(event)))


def gather(events: Iterable[Event], reader: Reader | None = None) -> Gathered:
    reader = reader or Reader()
    gathered = Gathered()
    for event in map(normal, events):
        is_job = not isinstance(event, DatasetEvent)
        name = event.dataset.id if isinstance(event, DatasetEvent) else event.job.id
        reading = reader.read(event)
        gathered.events[_register(gathered, name, is_job)].append((event, reading))
        if isinstance(event, RunEvent) and _is_half(event) and event.parent and event.parent.job:
            gathered.halves[_register(gathered, event.parent.job, True)].append((event, reading))
    return gathered


def _is_half(event: RunEvent) -> bool:
    """A part of a micro-batch: it has datasets on one side only and a run that started it.

    Only Spark reports micro-batches in halves; tasks of a scheduler with one side are whole.
    """
    if event.parent is None or event.parent.run_id is None or event.parent.job in (None, event.job.id):
        return False
    kind = facet(event.job.facets, "jobType") or {}
    return bool(event.inputs or event.outputs) and str(kind.get("integration")).upper() == "SPARK"


def _register(gathered: Gathered, name: Name, is_job: bool) -> str:
    owner = write_id("job" if is_job else "dataset", name.namespace, name.name)
    gathered.owners[owner] = (name.namespace, name.name, is_job)
    return owner
