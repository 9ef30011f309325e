"""The record store in memory: classifications with their history, and declared documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from catalog.model import DatasetId
from catalog.records import (
    ClassificationEvent,
    ClassificationRecord,
    DeclaredDocument,
    FieldTag,
)
from tests.twins.catalog.datasets import MemoryDatasets
from tests.twins.catalog.state import counted


class MemoryTags(MemoryDatasets):
    """See `catalog.ports.ClassificationStore` and `DocumentStore`."""

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

    def field_tags(self, entities: Collection[str] | None = None) -> list[FieldTag]:
        return [
            FieldTag(dataset, tag.path, tag.entity, tag.score, tag.state)
            for dataset, tag in self.all_classifications(entities)
        ]

    @counted
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

    @counted
    def put_document(self, document: DeclaredDocument) -> None:
        self._state.documents[document.kind, document.key] = document

    def document(self, kind: str, key: str) -> DeclaredDocument | None:
        return self._state.documents.get((kind, key))

    def documents(self, kind: str | None = None) -> list[DeclaredDocument]:
        return [d for (k, _), d in sorted(self._state.documents.items()) if kind is None or k == kind]

    @counted
    def delete_document(self, kind: str, key: str) -> None:
        self._state.documents.pop((kind, key), None)
