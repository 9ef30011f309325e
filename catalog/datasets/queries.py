"""The dataset record: what reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from catalog.datasets.clusters import Clusters
from catalog.datasets.compatibility import Compatibility, compatibility
from catalog.datasets.diff import Change, differences
from catalog.datasets.facts import DatasetFacts, dataset_facts
from catalog.datasets.terms import term_tags
from catalog.entities import tag_matches
from catalog.errors import DatasetNotFound, NotFound
from catalog.model import PERSONAL_DATA_TAG, DatasetId, ScanWindow, SchemaVersion
from catalog.near_names import did_you_mean
from catalog.ports import CatalogStore
from catalog.records import (
    ClassificationRecord,
    DatasetFilter,
    DatasetRecord,
    FieldNote,
    Page,
    StoredSchema,
    rfc3339,
)


@dataclass(frozen=True, slots=True)
class SchemaDiff:
    before: int
    after: int
    changes: tuple[Change, ...] = ()
    compatibility: Compatibility = field(default_factory=lambda: Compatibility(True, True))
    looked_at: Mapping[str, Any] = field(default_factory=dict)


def window_summary(window: ScanWindow) -> dict[str, object]:
    """What a version was learned from: so many records, of these times and offsets (first and last that were read)."""
    return {
        "records": window.records,
        "complete": window.complete,
        "timeFrom": window.time_from,
        "timeTo": window.time_to,
        "partitions": [
            {"partition": p.get("partition"), "first": p.get("first"), "last": p.get("last")}
            for p in window.partitions
            if p.get("read")
        ],
    }


class DatasetReader:
    """Everything that reads the record of datasets. Every dataset id may be given in any alias."""

    def __init__(self, store: CatalogStore, clusters: Clusters) -> None:
        self._store = store
        self.clusters = clusters

    def resolve(self, namespace_or_cluster: str, name: str) -> DatasetId:
        """See `Clusters.resolve`."""
        return self.clusters.resolve(namespace_or_cluster, name)

    def find(self, reference: str) -> DatasetId:
        """See `Clusters.find`."""
        return self.clusters.find(reference).id

    def find_in_any_case(self, reference: str) -> DatasetId:
        """See `Clusters.find_in_any_case`."""
        return self.clusters.find_in_any_case(reference).id

    def get(self, dataset: DatasetId) -> DatasetRecord:
        """Raises DatasetNotFound with the nearest names."""
        resolved = self.resolve(dataset.namespace, dataset.name)
        record = self._store.dataset(resolved) or self._by_symlink(dataset, resolved)
        if record is None:
            nearest = self.clusters.nearest(dataset.name)
            advice = did_you_mean(nearest, " Scan its cluster first (weir scan).", " ")
            raise DatasetNotFound(
                f"There is no dataset {dataset} in the catalog.{advice}",
                details={"namespace": dataset.namespace, "name": dataset.name, "nearest": nearest},
            )
        return record

    def _by_symlink(self, *names: DatasetId) -> DatasetRecord | None:
        """The dataset that producers of lineage know by such a name."""
        homes = self._store.report_homes(names)
        return self._store.dataset(next(iter(homes.values()))) if homes else None

    def page(self, where: DatasetFilter | None = None, limit: int | None = None, offset: int = 0) -> Page:
        """`where.namespace` may be an alias or a cluster's name."""
        where = where or DatasetFilter()
        if where.namespace is not None:
            where = replace(where, namespace=self.clusters.namespace(where.namespace))
        if where.entity == PERSONAL_DATA_TAG:
            holders = {dataset for dataset, _ in self.tagged(PERSONAL_DATA_TAG)}
            records = [d for d in self._store.datasets(replace(where, entity=None)).items if d.id in holders]
            return Page(tuple(records[offset : None if limit is None else offset + limit]), len(records))
        return self._store.datasets(where, limit, offset)

    def schema(self, dataset: DatasetId, version: int | None = None) -> SchemaVersion:
        """The newest schema as the last scan saw it, or an older version as its last scan saw it.

        Version 0, without fields, for a dataset that no scan has looked into. Raises DatasetNotFound; NotFound for a
        version that does not exist.
        """
        record = self.get(dataset)
        stored = self._store.schema(record.id, version)
        if stored is None and version is None:
            return SchemaVersion(format=record.format, fields=())
        return self._version(record, stored, version).current

    def schemas(self, dataset: DatasetId) -> list[StoredSchema]:
        """All versions, newest first, each with its changes to the one before."""
        return self._store.schemas(self.get(dataset).id)[::-1]

    def diff(self, dataset: DatasetId, before: int | None = None, after: int | None = None) -> SchemaDiff:
        """Two versions compared; by default the newest and the one before it."""
        record = self.get(dataset)
        newest = self._store.schema(record.id)
        if newest is None:
            raise NotFound(f"{record.reference} has no schema yet; scan it first (weir scan).")
        last = newest.baseline.version if after is None else after
        first = max(1, last - 1) if before is None else before
        new = self._version(record, self._store.schema(record.id, last), last)
        old = self._version(record, self._store.schema(record.id, first), first)
        changes = () if first == last else differences(old.baseline, new.baseline)
        windows = {"from": window_summary(old.baseline.window), "to": window_summary(new.baseline.window)}
        return SchemaDiff(first, last, changes, compatibility(changes), windows)

    def _version(self, record: DatasetRecord, stored: StoredSchema | None, version: int | None) -> StoredSchema:
        if stored is None:
            newest = self._store.schema(record.id)
            advice = f"versions go from 1 to {newest.baseline.version}" if newest else "it has none; scan it first"
            raise NotFound(
                f"{record.reference} has no schema version {version}; {advice}.", details={"version": version}
            )
        return stored

    def classifications(self, dataset: DatasetId) -> list[ClassificationRecord]:
        """All, rejected ones too, by path and entity."""
        return self._store.classifications(self.get(dataset).id)

    def notes(self, dataset: DatasetId) -> list[FieldNote]:
        return self._store.notes(self.get(dataset).id)

    def facts(self, dataset: DatasetId, as_of: datetime | None = None) -> DatasetFacts:
        """What access decisions need: every leaf field, its tags with evidence, whether it is classified.

        `as_of`: with the schema and the classifications of that moment. Owners, tags of the dataset, terms and a declared
        schema are those of the present: their past is not kept. Raises DatasetNotFound, for a moment before it was known too.
        """
        record = self.get(dataset)
        if as_of is not None:
            return self._facts_then(record, as_of)
        return dataset_facts(
            record,
            self._store.current_schema(record.id),
            self._store.classifications(record.id),
            self._store.notes(record.id),
            term_tags(self._store),
        )

    def _facts_then(self, record: DatasetRecord, as_of: datetime) -> DatasetFacts:
        if record.created_at is not None and record.created_at > as_of:
            raise DatasetNotFound(
                f"{record.reference} was not known at {rfc3339(as_of)}; the catalog has it since {rfc3339(record.created_at)}.",
                details={"dataset": record.reference, "nearest": []},
            )
        older = [
            each
            for each in self._store.schemas(record.id)
            if each.baseline.created_at and datetime.fromisoformat(each.baseline.created_at) <= as_of
        ]
        records: dict[tuple[str, str], ClassificationRecord] = {}
        for _, event in self._store.classification_history(record.id, as_of):
            if event.record is None:
                records.pop((event.path, event.entity), None)
            else:
                records[event.path, event.entity] = event.record
        return dataset_facts(
            record,
            older[-1].baseline if older else None,
            [each for _, each in sorted(records.items())],
            self._store.notes(record.id),
            term_tags(self._store),
        )

    def tagged(self, tag: str) -> list[tuple[DatasetId, ClassificationRecord]]:
        """Every field that carries a tag (`PII`: any kind of personal data), rejected ones left out."""
        return [(d, r) for d, r in self._store.all_classifications() if r.holds and tag_matches(tag, r.entity)]
