"""The record store in memory: the twin of the SQL one for fast tests, held to the same contract."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from catalog.adapters.memory.events import MemoryEvents
from catalog.adapters.memory.reports import MemoryReports
from catalog.adapters.memory.signals import MemorySignals
from catalog.event_model import DeliveryState, Event
from catalog.model import DatasetId, SchemaVersion
from catalog.records import (
    ClassificationEvent,
    ClassificationRecord,
    ClusterRecord,
    DatasetFilter,
    DatasetRecord,
    DeclaredDocument,
    FieldNote,
    Page,
    ScanPosition,
    ScanRecord,
    ScanState,
    StoredSchema,
)


@dataclass
class _State:
    """Everything stored. Values are frozen, so a copy two levels deep is a snapshot."""

    clusters: dict[str, ClusterRecord] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    datasets: dict[DatasetId, DatasetRecord] = field(default_factory=dict)
    documents_written: dict[DatasetId, int] = field(default_factory=dict)
    schemas: defaultdict[DatasetId, dict[int, StoredSchema]] = field(default_factory=lambda: defaultdict(dict))
    notes: dict[DatasetId, list[FieldNote]] = field(default_factory=dict)
    tags: defaultdict[DatasetId, dict[tuple[str, str], ClassificationRecord]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    history: list[tuple[DatasetId, ClassificationEvent]] = field(default_factory=list)
    documents: dict[tuple[str, str], DeclaredDocument] = field(default_factory=dict)
    scans: dict[str, ScanRecord] = field(default_factory=dict)
    positions: defaultdict[DatasetId, dict[int, ScanPosition]] = field(default_factory=lambda: defaultdict(dict))
    events: list[Event] = field(default_factory=list)
    deliveries: dict[str, DeliveryState] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    reports: dict[DatasetId, Any] = field(default_factory=dict)
    clicks: dict[tuple[str, DatasetId], float] = field(default_factory=dict)
    together: dict[tuple[DatasetId, DatasetId], tuple[int, float]] = field(default_factory=dict)

    def snapshot(self) -> _State:
        deep = {"schemas", "tags", "positions"}
        parts: dict[str, Any] = {}
        for name, part in vars(self).items():
            parts[name] = copy(part)
            if name in deep:
                for key in part:
                    parts[name][key] = copy(part[key])
        return _State(**parts)


_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


def _counted(change: Callable[_Given, _Answer]) -> Callable[_Given, _Answer]:
    """A change that raises the store's number of changes, once it is made."""

    @wraps(change)
    def counted(*given: _Given.args, **named: _Given.kwargs) -> _Answer:
        try:
            return change(*given, **named)
        finally:
            store: Any = given[0]
            with store._lock:
                store._changes += 1

    return counted


class MemoryCatalogStore(MemoryEvents, MemoryReports, MemorySignals):
    """See `catalog.ports.CatalogStore`."""

    _state: _State

    def __init__(self) -> None:
        self._state = _State()
        self._lock = threading.RLock()
        self._depth = 0
        self._later: list[Callable[[], None]] = []
        self._changes = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock:
            before = self._state.snapshot() if self._depth == 0 else None
            self._depth += 1
            try:
                yield
            except BaseException:
                if before is not None:
                    self._state = before
                    self._later.clear()
                raise
            finally:
                self._depth -= 1
            due = [] if self._depth else self._later[:]
            del self._later[: len(due)]
        for action in due:
            action()

    def after_commit(self, action: Callable[[], None]) -> None:
        with self._lock:  # another thread's transaction is not ours to wait for, and is over once the lock is had
            if self._depth:
                self._later.append(action)
                return
        action()

    def changes(self) -> int | None:
        with self._lock:  # another thread's transaction is over once the lock is had
            return None if self._depth else self._changes

    def ping(self) -> None: ...

    # clusters
    @_counted
    def put_cluster(self, cluster: ClusterRecord) -> None:
        self._state.clusters[cluster.name] = cluster

    def cluster(self, name: str) -> ClusterRecord | None:
        return self._state.clusters.get(name)

    def clusters(self) -> list[ClusterRecord]:
        return sorted(self._state.clusters.values(), key=lambda c: c.name)

    @_counted
    def delete_cluster(self, name: str) -> None:
        gone = self._state.clusters.pop(name, None)
        if gone is None:
            return
        if all(c.namespace != gone.namespace for c in self._state.clusters.values()):
            for alias in [a for a, n in self._state.aliases.items() if n == gone.namespace]:
                del self._state.aliases[alias]
        for key, record in self._state.datasets.items():
            if record.cluster == name:
                self._state.datasets[key] = replace(record, cluster=None, revision=record.revision + 1)

    @_counted
    def put_aliases(self, namespace: str, aliases: Collection[str]) -> None:
        for alias in aliases:
            self._state.aliases[alias] = namespace

    def aliases(self) -> dict[str, str]:
        return dict(self._state.aliases)

    @_counted
    def rename_namespace(self, old: str, new: str) -> list[DatasetId]:
        moved = []
        state = self._state
        for key in [d for d in state.datasets if d.namespace == old]:
            target = DatasetId(new, key.name)
            if target in state.datasets:
                continue
            record = state.datasets.pop(key)
            state.datasets[target] = replace(record, id=target, revision=record.revision + 1)
            tables: list[dict[DatasetId, Any]] = [
                state.documents_written, state.schemas, state.notes, state.tags, state.positions,
            ]  # fmt: skip
            for table in tables:
                if key in table:
                    table[target] = table.pop(key)
            state.history = [(target if d == key else d, e) for d, e in state.history]
            self._move_signals(key, target)
            moved.append(target)
        return moved

    # datasets
    @_counted
    def put_dataset(self, dataset: DatasetRecord, quiet: bool = False) -> DatasetRecord:
        with self._lock:
            known = self._state.datasets.get(dataset.id)
            stored = replace(
                dataset,
                revision=known.revision + (not quiet) if known else 1,
                indexed_revision=known.indexed_revision if known else 0,
                usage=known.usage if known else dataset.usage,
            )
            self._state.datasets[dataset.id] = stored
            return stored

    @_counted
    def delete_dataset(self, dataset: DatasetId) -> None:
        state = self._state
        for table in (state.datasets, state.documents_written, state.schemas, state.notes, state.tags, state.positions):
            table.pop(dataset, None)
        state.history = [(d, e) for d, e in state.history if d != dataset]
        self._move_signals(dataset, None)

    def dataset(self, dataset: DatasetId) -> DatasetRecord | None:
        return self._state.datasets.get(dataset)

    def datasets(self, where: DatasetFilter, limit: int | None = None, offset: int = 0) -> Page:
        found = sorted(
            (d for d in self._state.datasets.values() if self._fits(d, where)),
            key=lambda d: (d.cluster or "", d.id.namespace, d.id.name),
        )
        end = None if limit is None else offset + limit
        return Page(tuple(found[offset:end]), len(found))

    def _fits(self, record: DatasetRecord, where: DatasetFilter) -> bool:
        entities = {t.entity for t in self._state.tags[record.id].values() if t.holds}
        return all(
            (
                where.cluster is None or record.cluster == where.cluster,
                where.namespace is None or record.id.namespace == where.namespace,
                where.owner is None or where.owner in {o.name for o in record.owners},
                where.tag is None or where.tag in record.tags,
                where.entity is None or where.entity in entities,
                where.text is None or where.text.lower() in record.id.name.lower(),
                where.scanned is None or (record.scanned_at is not None) is where.scanned,
                where.deleted is None or (record.deleted_at is not None) is where.deleted,
            )
        )

    def named(self, name: str) -> list[DatasetRecord]:
        return [d for d in self._live() if d.id.name == name]

    def names(self) -> list[tuple[str, str]]:
        return sorted((d.cluster or d.id.namespace, d.id.name) for d in self._live())

    def _live(self) -> list[DatasetRecord]:
        return sorted((d for d in self._state.datasets.values() if d.deleted_at is None), key=lambda d: d.id)

    def unindexed(self, limit: int) -> list[DatasetRecord]:
        dirty = [d for d in self._state.datasets.values() if d.indexed_revision < d.revision]
        return sorted(dirty, key=lambda d: d.id)[:limit]

    def claim_index(self, dataset: DatasetId, documents: int) -> int:
        written = self._state.documents_written
        written[dataset] = max(written.get(dataset, 0), documents)
        return written[dataset]

    def mark_indexed(self, dataset: DatasetId, revision: int, documents: int) -> None:
        with self._lock:
            record = self._state.datasets.get(dataset)
            if record is not None and revision >= record.indexed_revision:
                self._state.datasets[dataset] = replace(record, indexed_revision=revision)
                self._state.documents_written[dataset] = documents

    def add_usage(self, dataset: DatasetId, reads: int) -> None:
        with self._lock:
            record = self._state.datasets.get(dataset)
            if record is not None:
                self._state.datasets[dataset] = replace(record, usage=record.usage + reads)

    @_counted
    def add_schema(self, dataset: DatasetId, schema: StoredSchema) -> None:
        self._state.schemas[dataset][schema.baseline.version] = schema

    @_counted
    def clear_schemas(self, dataset: DatasetId) -> None:
        self._state.schemas.pop(dataset, None)

    @_counted
    def set_current_schema(self, dataset: DatasetId, version: int, current: SchemaVersion) -> None:
        versions = self._state.schemas[dataset]
        versions[version] = replace(versions[version], current=current)

    def schema(self, dataset: DatasetId, version: int | None = None) -> StoredSchema | None:
        versions = self._state.schemas.get(dataset, {})
        return versions.get(version if version is not None else max(versions, default=0))

    def schemas(self, dataset: DatasetId) -> list[StoredSchema]:
        return [schema for _, schema in sorted(self._state.schemas.get(dataset, {}).items())]

    def notes(self, dataset: DatasetId) -> list[FieldNote]:
        return sorted(self._state.notes.get(dataset, []), key=lambda n: n.path)

    @_counted
    def put_notes(self, dataset: DatasetId, notes: Iterable[FieldNote]) -> None:
        self._state.notes[dataset] = list(notes)

    def described(self) -> set[DatasetId]:
        return {dataset for held in (self._state.schemas, self._state.notes) for dataset, some in held.items() if some}

    def term_carriers(self, terms: Collection[str]) -> list[DatasetId]:
        wanted = set(terms)
        return [
            record.id
            for record in self._live()
            if wanted & {*record.terms, *(term for note in self._state.notes.get(record.id, []) for term in note.terms)}
        ]

    # classifications
    def classifications(self, dataset: DatasetId) -> list[ClassificationRecord]:
        return [r for _, r in sorted(self._state.tags.get(dataset, {}).items())]

    def all_classifications(
        self, entities: Collection[str] | None = None
    ) -> list[tuple[DatasetId, ClassificationRecord]]:
        return [
            (record.id, tag)
            for record in self._live()
            for tag in self.classifications(record.id)
            if entities is None or tag.entity in entities
        ]

    @_counted
    def put_classifications(
        self,
        dataset: DatasetId,
        records: Iterable[ClassificationRecord],
        ended: Iterable[tuple[str, str]],
        at: datetime,
    ) -> None:
        tags = self._state.tags[dataset]
        for record in records:
            tags[record.key] = record
            self._state.history.append((dataset, ClassificationEvent(*record.key, at, record)))
        for key in ended:
            if tags.pop(key, None) is not None:
                self._state.history.append((dataset, ClassificationEvent(*key, at, None)))

    def classification_history(
        self, dataset: DatasetId | None, until: datetime
    ) -> list[tuple[DatasetId, ClassificationEvent]]:
        steps = [(d, e) for d, e in self._state.history if (dataset is None or d == dataset) and e.at <= until]
        return sorted(steps, key=lambda step: step[1].at)

    # documents
    @_counted
    def put_document(self, document: DeclaredDocument) -> None:
        self._state.documents[document.kind, document.key] = document

    def document(self, kind: str, key: str) -> DeclaredDocument | None:
        return self._state.documents.get((kind, key))

    def documents(self, kind: str | None = None) -> list[DeclaredDocument]:
        return [d for (k, _), d in sorted(self._state.documents.items()) if kind is None or k == kind]

    @_counted
    def delete_document(self, kind: str, key: str) -> None:
        self._state.documents.pop((kind, key), None)

    # scans
    def put_scan(self, scan: ScanRecord) -> None:
        self._state.scans[scan.id] = scan

    def scan(self, scan_id: str) -> ScanRecord | None:
        return self._state.scans.get(scan_id)

    def scans(self, limit: int, offset: int = 0) -> list[ScanRecord]:
        newest = sorted(self._state.scans.values(), key=lambda s: (s.created_at, s.id), reverse=True)
        return newest[offset : offset + limit]

    def claim_scan(self, worker: str, now: datetime, stale_before: datetime) -> ScanRecord | None:
        def stale(scan: ScanRecord) -> bool:
            return scan.state is ScanState.RUNNING and (scan.heartbeat_at or scan.created_at) < stale_before

        with self._lock:
            busy = [s for s in self._state.scans.values() if s.state is ScanState.RUNNING and not stale(s)]
            for scan in sorted(self._state.scans.values(), key=lambda s: (s.created_at, s.id)):
                free = scan.state is ScanState.QUEUED or stale(scan)
                if free and not any(scan.overlaps(other) for other in busy):
                    return self.update_scan(
                        scan.id,
                        {
                            "state": ScanState.RUNNING,
                            "worker": worker,
                            "heartbeat_at": now,
                            "started_at": scan.started_at or now,
                        },
                    )
            return None

    def last_scan(self, requested_by: str) -> ScanRecord | None:
        mine = [s for s in self._state.scans.values() if s.requested_by == requested_by]
        return max(mine, key=lambda s: s.created_at, default=None)

    def update_scan(self, scan_id: str, changes: Mapping[str, Any]) -> ScanRecord | None:
        with self._lock:
            scan = self._state.scans.get(scan_id)
            if scan is None:
                return None
            self._state.scans[scan_id] = replace(scan, **changes)
            return self._state.scans[scan_id]

    def positions(self, dataset: DatasetId) -> list[ScanPosition]:
        return [p for _, p in sorted(self._state.positions.get(dataset, {}).items())]

    def put_positions(self, dataset: DatasetId, positions: Iterable[ScanPosition]) -> None:
        for position in positions:
            self._state.positions[dataset][position.partition] = position
