"""Tags follow the data: down column lineage, up to where a job masks it. Masked data that is found raw is reported.

A field that receives a personal value as it is gets the tag too, suggested, with the recognizer `lineage` and the fields
it comes from; a rejection of it holds like any other. Below an edge marked masking no tag is passed on; if a scan finds
the same kind of personal data there all the same, and it comes in by no other way, that is a mask leak (`mask.leak`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from catalog.columns import column_of, path_of
from catalog.datasets.clusters import Clusters
from catalog.datasets.merge import recognizers
from catalog.entities import is_personal
from catalog.errors import InvalidInput
from catalog.event_model import EventDraft
from catalog.model import DatasetId, NodeId, ReviewState
from catalog.ports import CatalogStore, Clock, EventSink, FieldFlows
from catalog.records import ClassificationRecord, ClusterRecord, Source, rfc3339

LINEAGE = "lineage"
MAX_TAGS = 10_000
"""Tagged fields a sweep follows; beyond it the rest waits, and the answer states it."""

Place = tuple[DatasetId, str]


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep changed: tags passed on, tags that ended because nothing flows there any more, leaks found new."""

    inherited: int = 0
    ended: int = 0
    leaks: int = 0
    complete: bool = True


@dataclass(slots=True)
class _Arriving:
    """What comes to one place of one entity: (field id, score) as it is, and field ids masked on the way."""

    raw: dict[str, float]
    masked: set[str]

    def leaks_into(self, record: ClassificationRecord) -> bool:
        """It comes masked and in no other way, and a scan has found it raw all the same."""
        return bool(self.masked) and not self.raw and _found_raw(record)


class TagFlow:
    """Passes tags on. `flows` is the lineage's sliver; `changed` is called with the datasets whose tags changed."""

    def __init__(
        self,
        store: CatalogStore,
        clusters: Clusters,
        flows: FieldFlows,
        clock: Clock,
        events: EventSink | None = None,
        changed: Callable[[Iterable[DatasetId]], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._clusters = clusters
        self._flows = flows
        self._clock = clock
        self._events = events
        self._changed = changed

    def basis(self) -> tuple[list[tuple[DatasetId, ClassificationRecord]], list[ClusterRecord]]:
        """What a sweep rests on beside lineage: the tags there are, and what clusters are called."""
        return self._store.all_classifications(), self._clusters.all()

    def sweep(self) -> Swept:
        """Follow every tag once. Raises Unavailable when lineage does not answer; nothing is changed then."""
        tags = self._store.all_classifications()
        sources = [(d, r) for d, r in tags if r.holds and is_personal(r.entity) and not _inherited(r)]
        arriving = self._arriving(sources[:MAX_TAGS])
        now = self._clock()
        by_dataset: dict[DatasetId, dict[tuple[str, str], ClassificationRecord]] = defaultdict(dict)
        for dataset, record in tags:
            by_dataset[dataset][record.key] = record
        reached = {dataset for (dataset, _), _ in arriving} | {
            d for d, r in tags if _inherited(r) or "leak" in r.evidence
        }
        done = Swept(complete=len(sources) <= MAX_TAGS)
        for dataset in sorted(reached):
            here = {(path, entity): a for ((d, path), entity), a in arriving.items() if d == dataset}
            done = self._settle(dataset, by_dataset[dataset], here, now, done)
        return done

    def _arriving(
        self, sources: Iterable[tuple[DatasetId, ClassificationRecord]]
    ) -> dict[tuple[Place, str], _Arriving]:
        arrivals: dict[tuple[Place, str], _Arriving] = defaultdict(lambda: _Arriving({}, set()))
        tagged = list(sources)
        flows = self._flows.downstream_of_each({(dataset, record.path) for dataset, record in tagged}, None)
        reached = {start: self._reached(each) for start, each in flows.items()}
        for dataset, record in tagged:
            start = (dataset, record.path)
            for place, raw in reached.get(start, ()):
                if place == start:
                    continue
                arriving = arrivals[place, record.entity]
                if raw:
                    arriving.raw[_node_of(dataset, record.path)] = record.score
                else:
                    arriving.masked.add(_node_of(dataset, record.path))
        return arrivals

    def _reached(self, flows: Iterable[Mapping[str, Any]]) -> list[tuple[Place, bool]]:
        """The fields of the catalog that flows end at, and whether values arrive there as they are."""
        reached = []
        for flow in flows:
            try:
                node = NodeId.parse(str(flow["id"]))
                if node.kind != "field" or not node.field:
                    continue
                target = self._clusters.resolve(node.namespace, node.name)
                place = path_of(target, node.field)
                if place is not None:
                    reached.append(((target, place), bool(flow.get("raw", True))))
            except InvalidInput:
                continue
        return reached

    def _settle(
        self,
        dataset: DatasetId,
        known: Mapping[tuple[str, str], ClassificationRecord],
        arriving: Mapping[tuple[str, str], _Arriving],
        now: datetime,
        done: Swept,
    ) -> Swept:
        """Bring one dataset's tags in line with what arrives there."""
        schema, holder = self._store.current_schema(dataset), self._store.dataset(dataset)
        if schema is None or holder is None:
            return done
        fields = {profile.path for profile in schema.fields}
        changed: list[ClassificationRecord] = []
        events: list[EventDraft] = []
        for key, here in arriving.items():
            if key[0] not in fields:
                continue
            record = known.get(key)
            if here.raw and (record is None or _inherited(record)):
                after = _passed_on(record, key, here.raw, now)
                if after != record:
                    changed.append(after)
                    if record is None:
                        done = replace(done, inherited=done.inherited + 1)
                        events.append(("classification.suggested", {"classifications": [_brief(after)]}))
            elif record is not None and here.leaks_into(record) and "leak" not in record.evidence:
                leak = {"at": rfc3339(now), "from": sorted(here.masked)[:20]}
                changed.append(replace(record, evidence={**record.evidence, "leak": leak}))
                done = replace(done, leaks=done.leaks + 1)
                events.append(("mask.leak", {**_brief(record), **leak}))
        ended = []
        for key, record in known.items():
            now_here = arriving.get(key)
            if _inherited(record) and record.state is ReviewState.SUGGESTED and not (now_here and now_here.raw):
                ended.append(key)
            elif "leak" in record.evidence and not (now_here and now_here.leaks_into(record)):
                changed.append(replace(record, evidence={k: v for k, v in record.evidence.items() if k != "leak"}))
        if changed or ended:
            with self._store.transaction():
                self._store.put_classifications(dataset, changed, ended, now)
                self._store.put_dataset(replace(holder, updated_at=now))
                if self._events is not None:
                    for kind, data in events:
                        self._events.emit(kind, holder.reference, {"dataset": holder.reference, **data})
            self._changed([dataset])
        return replace(done, ended=done.ended + len(ended))


def _node_of(dataset: DatasetId, path: str) -> str:
    return dataset.field_node_id(column_of(dataset, path))


def _inherited(record: ClassificationRecord) -> bool:
    """Known from lineage alone: no scan and no person has seen it in the data itself."""
    return recognizers(record.evidence) == (LINEAGE,)


def _found_raw(record: ClassificationRecord) -> bool:
    """A scan has found it in the data, nobody has rejected it, and it was found by the last look."""
    detected = record.evidence.get("change", {}).get("found", True)
    return record.holds and record.seen_at is not None and bool(detected) and not _inherited(record)


def _passed_on(
    before: ClassificationRecord | None, key: tuple[str, str], sources: Mapping[str, float], now: datetime
) -> ClassificationRecord:
    evidence = {
        "recognizers": [{"name": LINEAGE, "version": "1"}],
        "from": sorted(sources)[:20],
        "note": "receives the value as it is, by column lineage",
    }
    score = round(max(sources.values()), 3)
    if before is not None:
        return replace(before, score=score, evidence=evidence)
    return ClassificationRecord(*key, score, ReviewState.SUGGESTED, evidence, Source.SCAN, first_at=now)


def _brief(record: ClassificationRecord) -> dict[str, str | float]:
    return {"path": record.path, "entity": record.entity, "state": str(record.state), "score": record.score}
