"""The record store in memory: datasets, their schemas and notes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from catalog.model import DatasetId, SchemaVersion
from catalog.records import (
    DatasetFilter,
    DatasetOutline,
    DatasetRecord,
    FieldNote,
    Page,
    StoredSchema,
)
from tests.twins.catalog.quality import MemoryQuality
from tests.twins.catalog.signals import MemorySignals
from tests.twins.catalog.state import Stateful, counted


class MemoryDatasets(Stateful, MemorySignals, MemoryQuality):
    """See `catalog.ports.DatasetStore`."""

    @counted
    def put_dataset(self, dataset: DatasetRecord, quiet: bool = False) -> DatasetRecord:
        with self._lock:
            before = self._state.datasets.get(dataset.id)
            stored = replace(
                dataset,
                revision=before.revision + (not quiet) if before else 1,
                indexed_revision=before.indexed_revision if before else 0,
                usage=before.usage if before else dataset.usage,
            )
            self._state.datasets[dataset.id] = stored
            return stored

    @counted
    def delete_dataset(self, dataset: DatasetId) -> None:
        state = self._state
        for table in (state.datasets, state.documents_written, state.schemas, state.notes, state.tags, state.positions):
            table.pop(dataset, None)
        state.history = [(d, e) for d, e in state.history if d != dataset]
        self._move_signals(dataset, None)
        self._move_quality(dataset, None)

    def dataset(self, dataset: DatasetId) -> DatasetRecord | None:
        return self._state.datasets.get(dataset)

    def datasets(self, where: DatasetFilter, limit: int | None = None, offset: int = 0) -> Page:
        records = sorted(
            (d for d in self._state.datasets.values() if self._fits(d, where)),
            key=lambda d: (d.cluster or "", d.id.namespace, d.id.name),
        )
        end = None if limit is None else offset + limit
        return Page(tuple(records[offset:end]), len(records))

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

    def outlines(self) -> list[DatasetOutline]:
        return [self._state.datasets[key].outline for key in sorted(self._state.datasets)]

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

    @counted
    def add_schema(self, dataset: DatasetId, schema: StoredSchema) -> None:
        self._state.schemas[dataset][schema.baseline.version] = schema

    @counted
    def clear_schemas(self, dataset: DatasetId) -> None:
        self._state.schemas.pop(dataset, None)

    @counted
    def set_current_schema(self, dataset: DatasetId, version: int, current: SchemaVersion) -> None:
        versions = self._state.schemas[dataset]
        versions[version] = replace(versions[version], current=current)

    def current_schema(self, dataset: DatasetId) -> SchemaVersion | None:
        stored = self.schema(dataset)
        return stored.current if stored is not None else None

    def schema(self, dataset: DatasetId, version: int | None = None) -> StoredSchema | None:
        versions = self._state.schemas.get(dataset, {})
        return versions.get(version if version is not None else max(versions, default=0))

    def schemas(self, dataset: DatasetId) -> list[StoredSchema]:
        return [schema for _, schema in sorted(self._state.schemas.get(dataset, {}).items())]

    def notes(self, dataset: DatasetId) -> list[FieldNote]:
        return sorted(self._state.notes.get(dataset, []), key=lambda n: n.path)

    @counted
    def put_notes(self, dataset: DatasetId, notes: Iterable[FieldNote]) -> None:
        self._state.notes[dataset] = list(notes)

    def schema_versions(self) -> dict[DatasetId, int]:
        return {dataset: max(schemas) for dataset, schemas in self._state.schemas.items() if schemas}

    def noted(self) -> set[DatasetId]:
        return {dataset for dataset, notes in self._state.notes.items() if notes}

    def term_carriers(self, terms: Collection[str]) -> list[DatasetId]:
        wanted = set(terms)
        return [
            record.id
            for record in self._live()
            if wanted & {*record.terms, *(term for note in self._state.notes.get(record.id, []) for term in note.terms)}
        ]
