"""The record store as one reader may know of it. For reading only: what is written through it would lose what it hides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from api.visibility.horizon import Horizon
from api.visibility.reads import PassesOn
from catalog.errors import InvalidInput
from catalog.model import DatasetId, NodeId, SchemaVersion
from catalog.ports import CatalogStore
from catalog.records import (
    KEY_TYPE,
    ClassificationEvent,
    ClassificationRecord,
    DatasetFilter,
    DatasetOutline,
    DatasetRecord,
    FieldNote,
    FieldTag,
    Page,
    StoredSchema,
)
from catalog.signals import JointReads
from policies.decision.visibility import DatasetKnowledge

_OF_FIELDS = ("unscanned", "problems", "error")
"""What of the last scan names fields."""


def _visible_sources(evidence: Mapping[str, Any], sees: Callable[[str], bool]) -> Mapping[str, Any]:
    listed = evidence.get("from")
    if not isinstance(listed, (list, tuple)):
        return evidence
    kept = [each for each in listed if sees(str(each))]
    return evidence if len(kept) == len(listed) else {**evidence, "from": kept, "hidden": len(listed) - len(kept)}


class SeenStore(PassesOn):
    """`catalog.ports.CatalogStore`, its reads. A dataset that the reader may not know of is not there."""

    _READS = frozenset(
        {
            "cluster",
            "clusters",
            "aliases",
            "document",
            "documents",
            "scan",
            "scans",
            "last_scan",
            "changes",
            "ping",
            "facts",
            "report_members",
            "report_namespaces",
            "clicks",
            "is_writing",
        }
    )

    def __init__(self, store: CatalogStore, horizon: Horizon) -> None:
        self._whole = self._store = store
        self._horizon = horizon

    # datasets
    def dataset(self, dataset: DatasetId) -> DatasetRecord | None:
        return self._cut(self._store.dataset(dataset))

    def datasets(self, where: DatasetFilter, limit: int | None = None, offset: int = 0) -> Page:
        results = [each for record in self._store.datasets(where).items if (each := self._cut(record)) is not None]
        if where.entity is not None:
            results = [record for record in results if self._horizon.of(record.outline).evidence]
        return Page(tuple(results[offset : None if limit is None else offset + limit]), len(results))

    def named(self, name: str) -> list[DatasetRecord]:
        return [each for record in self._store.named(name) if (each := self._cut(record)) is not None]

    def names(self) -> list[tuple[str, str]]:
        nothing = self._horizon.parted.nothing
        if not nothing:
            return self._store.names()
        live = self._store.datasets(DatasetFilter()).items
        return sorted((d.cluster or d.id.namespace, d.id.name) for d in live if d.id not in nothing)

    def outlines(self) -> list[DatasetOutline]:
        nothing = self._horizon.parted.nothing
        return [each for each in self._store.outlines() if each.id not in nothing]

    def schema(self, dataset: DatasetId, version: int | None = None) -> StoredSchema | None:
        return self._store.schema(dataset, version) if self._known(dataset).schema else None

    def current_schema(self, dataset: DatasetId) -> SchemaVersion | None:
        return self._store.current_schema(dataset) if self._known(dataset).schema else None

    def schemas(self, dataset: DatasetId) -> list[StoredSchema]:
        return self._store.schemas(dataset) if self._known(dataset).schema else []

    def notes(self, dataset: DatasetId) -> list[FieldNote]:
        return self._store.notes(dataset) if self._known(dataset).schema else []

    def schema_versions(self) -> Mapping[DatasetId, int]:
        hidden = self._horizon.parted.nothing | self._horizon.parted.bare
        return {each: number for each, number in self._store.schema_versions().items() if each not in hidden}

    def noted(self) -> set[DatasetId]:
        return self._store.noted() - self._horizon.parted.nothing - self._horizon.parted.bare

    def term_carriers(self, terms: Collection[str]) -> list[DatasetId]:
        return [each for each in self._store.term_carriers(terms) if self._known(each).schema]

    # personal data
    def classifications(self, dataset: DatasetId) -> list[ClassificationRecord]:
        if not self._known(dataset).evidence:
            return []
        return [self._without_sources(each) for each in self._store.classifications(dataset)]

    def all_classifications(
        self, entities: Collection[str] | None = None
    ) -> list[tuple[DatasetId, ClassificationRecord]]:
        hidden = self._without_evidence
        return [
            (dataset, self._without_sources(each))
            for dataset, each in self._store.all_classifications(entities)
            if dataset not in hidden
        ]

    def field_tags(self, entities: Collection[str] | None = None) -> list[FieldTag]:
        hidden = self._without_evidence
        return [each for each in self._store.field_tags(entities) if each.dataset not in hidden]

    @property
    def _without_evidence(self) -> Collection[DatasetId]:
        """Datasets of whose personal data the reader knows nothing."""
        parted = self._horizon.parted
        return parted.nothing | parted.bare | parted.plain

    def classification_history(
        self, dataset: DatasetId | None, until: datetime
    ) -> list[tuple[DatasetId, ClassificationEvent]]:
        results = self._store.classification_history(dataset, until)
        return [
            (each, event if event.record is None else replace(event, record=self._without_sources(event.record)))
            for each, event in results
            if self._known(each).evidence
        ]

    def _without_sources(self, record: ClassificationRecord) -> ClassificationRecord:
        cut = self._evidence(record.evidence)
        return record if cut is record.evidence else replace(record, evidence=cut)

    def _evidence(self, evidence: Mapping[str, Any]) -> Mapping[str, Any]:
        """Without the columns that lineage names of datasets whose lineage or fields are hidden; they are counted."""
        cut = _visible_sources(evidence, self._sees_node)
        leak = evidence.get("leak")
        if isinstance(leak, Mapping) and (shorter := _visible_sources(leak, self._sees_node)) is not leak:
            cut = {**cut, "leak": shorter}
        return cut

    def _sees_node(self, node: str) -> bool:
        try:
            known = self._known(NodeId.parse(node).dataset)
        except InvalidInput:
            return False
        return known.lineage and known.schema

    # signals and reports
    def together(self, dataset: DatasetId, at: datetime) -> dict[DatasetId, JointReads]:
        return {d: each for d, each in self._store.together(dataset, at).items() if self._known(d).existence}

    def report_homes(self, written: Collection[DatasetId]) -> dict[DatasetId, DatasetId]:
        results = self._store.report_homes(written)
        return {name: home for name, home in results.items() if self._known(home).existence}

    def _known(self, dataset: DatasetId) -> DatasetKnowledge:
        return self._horizon.of_id(dataset)

    def _cut(self, record: DatasetRecord | None) -> DatasetRecord | None:
        if record is None:
            return None
        known = self._horizon.of_record(record)
        if not known.existence:
            return None
        if known.schema and known.evidence and known.lineage:
            return record
        scan = dict(record.scan)
        if not known.schema:
            scan = {name: value for name, value in scan.items() if name not in _OF_FIELDS}
        reported = dict(record.reported) if known.lineage else {}
        record = replace(record, scan=scan, reported=reported)
        if known.schema:
            return record
        format = {part: name for part, name in record.format.items() if part != KEY_TYPE}
        return replace(record, format=format, declared_ddl=None)
