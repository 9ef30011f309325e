"""Everything an event states except its time and run. Producers repeat themselves: equal parts are read once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from lineage.fold.facts import Facts, clears_of, datasets_in, drops_of, facts_of, jobs_in, links_of
from lineage.fold.job_ledger import digest_of
from lineage.fold.producer_info import dataset_info
from lineage.ingest.events import DatasetEvent, DatasetRef, Event, Name, RunEvent

_KEPT = 4000


@dataclass(frozen=True, slots=True)
class Reading:
    """What one event states.

    facts     of flows, and their digest
    datasets  every dataset it names; jobs: other jobs it names
    links     (dataset, other name, type); drops: datasets that it reports as dropped
    clears    datasets that it reports as emptied or overwritten
    infos     (dataset, key, value): what it states about datasets
    about     a digest of links, drops, clears and infos; None where there are none
    mark      the event's (see `mark_of`); None where it was not taken
    """

    facts: Facts
    digest: str
    datasets: frozenset[Name]
    jobs: frozenset[Name]
    links: tuple[tuple[Name, Name, str], ...]
    drops: tuple[Name, ...]
    clears: tuple[Name, ...]
    infos: tuple[tuple[Name, str, Any], ...]
    about: str | None
    mark: bytes | None = None


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
        datasets=frozenset(Name(*name) for name in {name for fact in facts for name in datasets_in(fact)})
        | {ref.id for ref in refs(event)},
        jobs=frozenset(Name(*name) for fact in facts for name in jobs_in(fact)),
        links=links,
        drops=drops,
        clears=clears,
        infos=infos,
        about=about,
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
