"""What a judged catalog holds before it is recorded: datasets with their fields, and what each of them is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from catalog.datasets.clusters import Clusters
from catalog.datasets.datasets import Datasets
from catalog.declared.cluster_specs import ClusterSpec
from catalog.declared.dataset_specs import DatasetSpec
from catalog.model import Classification, DatasetId, DatasetScan, FieldProfile, ReviewState, ScanWindow, SchemaVersion
from catalog.ports import CatalogStore
from catalog.records import DeclaredDocument
from catalog.topics import ClusterDescription

NOW = datetime(2026, 11, 20, 18, tzinfo=UTC)
RECORDS = 1000


@dataclass(frozen=True, slots=True)
class Field:
    """`concept` is what the field means, for judging; the product never sees it."""

    path: str
    type: str = "string"
    entities: tuple[str, ...] = ()
    description: str = ""
    concept: str = ""
    symbols: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Planned:
    """A dataset as it will be recorded.

    domain, subject   what it is about, for judging; the product never sees them
    lesser            deprecated or a test: related to what its live twins answer, never the thing wanted
    spec              what people declare: description, owners, tags, terms, format...
    usage             how often it was read
    """

    name: str
    fields: tuple[Field, ...]
    spec: Mapping[str, Any] = field(default_factory=dict)
    domain: str = ""
    subject: str = ""
    lesser: bool = False
    usage: int = 0
    format: Mapping[str, str] = field(default_factory=lambda: {"key": "string", "value": "json"})

    def owners(self) -> set[str]:
        return {str(name) for owner in self.spec.get("owners", ()) for name in owner.values()}

    def paths(self) -> list[str]:
        """Of the fields that search lists: a list's elements are not a field of their own."""
        return [f.path for f in self.fields if not f.path.endswith(("[]", "{}"))]


class NoIndex:
    """An indexer that does nothing: the index is built once, when all datasets are recorded."""

    def changed(self, datasets: Iterable[DatasetId]) -> None: ...


def record(
    store: CatalogStore, cluster: str, planned: Iterable[Planned], terms: Mapping[str, Mapping[str, Any]] | None = None
) -> int:
    """Write them through the services that scans and declarations use; gives how many. The index is left alone."""
    clusters = Clusters(store, lambda: NOW)
    datasets = Datasets(store, NoIndex(), lambda: NOW, clusters)
    address = f"{cluster}.kafka.example.com:9092"
    spec = ClusterSpec.model_validate({"type": "kafka", "bootstrapServers": address})
    holder = datasets.register_cluster(cluster, spec, ClusterDescription(f"id-of-{cluster}", (address,)))
    for name, term in (terms or {}).items():
        store.put_document(DeclaredDocument("GlossaryTerm", name, {"name": name}, term, NOW, "judge"))
    count = 0
    batch: list[Planned] = []
    for one in planned:
        batch.append(one)
        count += 1
        if len(batch) == 200:
            _write(store, datasets, holder.namespace, batch)
            batch = []
    _write(store, datasets, holder.namespace, batch)
    return count


def _write(store: CatalogStore, datasets: Datasets, namespace: str, batch: list[Planned]) -> None:
    with store.transaction():
        for one in batch:
            dataset = DatasetId(namespace, one.name)
            datasets.record_scan(_scan(dataset, one))
            if one.spec or any(f.description or f.terms for f in one.fields):
                datasets.declare(dataset, DatasetSpec.model_validate(_spec(one)), "judge")
            if one.usage:
                store.add_usage(dataset, one.usage)


def _scan(dataset: DatasetId, one: Planned) -> DatasetScan:
    profiles = tuple(
        FieldProfile(
            f.path,
            {f.type: 1.0},
            RECORDS,
            1.0,
            details={"registered": {"symbols": list(f.symbols)}} if f.symbols else {},
        )
        for f in one.fields
    )
    parts = tuple(
        Classification(
            f.path,
            entity,
            0.97,
            ReviewState.SUGGESTED,
            {"matched": 97, "sampled": 100, "recognizers": [{"name": f"{entity}-recognizer", "version": "1"}]},
        )
        for f in one.fields
        for entity in f.entities
    )
    schema = SchemaVersion(dict(one.format), profiles, window=ScanWindow((), RECORDS, complete=True))
    return DatasetScan(dataset, schema, parts)


def _spec(one: Planned) -> dict[str, Any]:
    notes = {n["path"]: dict(n) for n in one.spec.get("fields", ())}
    for f in one.fields:
        if f.description or f.terms:
            notes[f.path] = {"path": f.path, "description": f.description, "terms": list(f.terms)}
    return {**one.spec, "fields": list(notes.values())}
