"""`/namespaces/{namespace}/datasets`: datasets and the versions of their schemas."""

from __future__ import annotations

from collections.abc import Sequence

from api.edge.parameters import Limit, Name, Offset
from api.features.marquez import shapes
from api.features.marquez.answers import (
    MarquezDataset,
    MarquezDatasets,
    MarquezDatasetVersion,
    MarquezDatasetVersions,
)
from api.features.marquez.graphs import made_of
from api.features.marquez.reported import with_reported
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Reader, Readers
from catalog.datasets.reported import is_reported
from catalog.errors import DatasetNotFound, NotFound
from catalog.model import DatasetId, SchemaVersion
from lineage.model import Node

router = FeatureRouter("/namespaces/{namespace}/datasets", tags=["marquez"], tolerant=True)


@router.get("", dependencies=[signed_in(KNOWN)])
def get_marquez_datasets(
    readers: From[Readers], caller: Caller, namespace: Name, limit: Limit = 100, offset: Offset = 0
) -> MarquezDatasets:
    """The datasets of a namespace that lineage knows."""
    reader = readers.of(caller)
    nodes = reader.lineage.named_in("dataset", namespace, limit, offset)
    total = reader.lineage.namespaces().get(nodes[0].namespace if nodes else namespace, (0, 0))[0]
    scanned = {node.id: _scanned(_versions(reader, node)) for node in nodes}
    datasets = [shapes.dataset(node, (), scanned[node.id]) for node in nodes]
    return MarquezDatasets(datasets=with_reported(reader, nodes, datasets, scanned), totalCount=total)


@router.get("/{dataset}", dependencies=[signed_in(KNOWN)])
def get_marquez_dataset(readers: From[Readers], caller: Caller, namespace: Name, dataset: Name) -> MarquezDataset:
    """A dataset with the fields of its scanned schema, else those that lineage knows of it, and its newest version."""
    reader = readers.of(caller)
    node, fields = reader.lineage.dataset(DatasetId(namespace, dataset).node_id)
    versions = _versions(reader, node)
    upstream = reader.lineage.lineage(node.id, "upstream", 1, "column")
    scanned = _scanned(versions)
    (shown,) = with_reported(reader, [node], [shapes.dataset(node, fields, scanned)], {node.id: scanned})
    return shown.model_copy(
        update={
            "currentVersion": shapes.version_id(node, versions[0].version) if versions else None,
            "columnLineage": made_of(upstream, node),
        }
    )


@router.get("/{dataset}/versions", dependencies=[signed_in(KNOWN)])
def get_marquez_versions(
    readers: From[Readers], caller: Caller, namespace: Name, dataset: Name, limit: Limit = 100, offset: Offset = 0
) -> MarquezDatasetVersions:
    """The versions of a dataset's schema that scans found, newest first; before a scan, the one that producers report."""
    reader = readers.of(caller)
    node, _fields = reader.lineage.dataset(DatasetId(namespace, dataset).node_id)
    versions = _versions(reader, node)
    page = [shapes.version(node, each) for each in versions[offset : offset + limit]]
    return MarquezDatasetVersions(versions=page, totalCount=len(versions))


@router.get("/{dataset}/versions/{version}", dependencies=[signed_in(KNOWN)])
def get_marquez_version(
    readers: From[Readers], caller: Caller, namespace: Name, dataset: Name, version: Name
) -> MarquezDatasetVersion:
    """One version of a dataset's schema, by the id its list gives."""
    reader = readers.of(caller)
    node, _fields = reader.lineage.dataset(DatasetId(namespace, dataset).node_id)
    for each in _versions(reader, node):
        if shapes.version_id(node, each.version) == version:
            return shapes.version(node, each)
    raise NotFound(f"{node.name} has no version {version}; its versions are listed at .../versions.", details={})


def _scanned(versions: Sequence[SchemaVersion]) -> SchemaVersion | None:
    """The newest of a dataset's versions; None where only producers report it."""
    return versions[0] if versions and not is_reported(versions[0]) else None


def _versions(reader: Reader, node: Node) -> list[SchemaVersion]:
    """What scans found of a dataset, newest first."""
    try:
        return [stored.baseline for stored in reader.datasets.schemas(DatasetId(node.namespace, node.name))]
    except DatasetNotFound:
        return []
