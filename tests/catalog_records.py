"""Records of a catalog for tests of its stores."""

from __future__ import annotations

from datetime import UTC, datetime

from catalog.model import DatasetId, FieldProfile, ReviewState, ScanWindow, SchemaVersion, Shape
from catalog.ports import CatalogStore
from catalog.records import ClassificationRecord, DatasetRecord
from tests.catalog_samples import NAMESPACE

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ODD = "value.`a\x00b\ud800`"


def put(store: CatalogStore, name: str = "orders", **more: object) -> DatasetRecord:
    """Store a dataset of the cluster prod."""
    return store.put_dataset(DatasetRecord(DatasetId(NAMESPACE, name), cluster="prod", created_at=NOW, **more))  # type: ignore[arg-type]


def schema(version: int, *paths: str) -> SchemaVersion:
    """A schema with fields at these paths."""
    fields = tuple(FieldProfile(p, {"string": 1.0}, 10, 1.0, lengths=(1, 9), details={"formats": ["x"]}) for p in paths)
    window = ScanWindow(({"partition": 0, "ranges": [[0, 10]]},), 10, strategy="full", complete=True)
    shapes = (Shape(1.0, paths, {"value.type": "a"}),)
    return SchemaVersion({"value": "json"}, fields, shapes, window, version, "2026-03-01T12:00:00Z", ({"m": 1},))


def tag(path: str, entity: str = "EMAIL_ADDRESS", **more: object) -> ClassificationRecord:
    """A classification that a scan suggests."""
    return ClassificationRecord(path, entity, 0.9, ReviewState.SUGGESTED, {"matched": 9, "sampled": 10}, **more)  # type: ignore[arg-type]
