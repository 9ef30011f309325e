"""What the catalog knows of topics before a scan: their last scans, and what people declared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from catalog.model import DatasetId, ScanWindow
from catalog.ports import CatalogStore
from catalog.records import DatasetFilter, DatasetRecord
from scanners.model import TopicFormat


class LastWindows(Mapping[str, ScanWindow]):
    """The windows of last scans, each read from the store when it is asked for: most topics of a large scan need none."""

    def __init__(self, store: CatalogStore, datasets: Mapping[str, DatasetId]) -> None:
        self._store, self._datasets = store, datasets

    def __getitem__(self, topic: str) -> ScanWindow:
        schema = self._store.current_schema(self._datasets[topic])
        if schema is None:
            raise KeyError(topic)
        return schema.window

    def __iter__(self) -> Iterator[str]:
        return (topic for topic in self._datasets if self.get(topic) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True)
class LastScans:
    """By topic: the windows and bases of the last scans, see `scanners.scan.service.Scanner.scan`; declared formats and columns."""

    windows: Mapping[str, ScanWindow]
    bases: dict[str, str] = field(default_factory=dict)
    formats: dict[str, TopicFormat] = field(default_factory=dict)
    declared: dict[str, str] = field(default_factory=dict)


def last_scans(store: CatalogStore, namespace: str, topics: Collection[str], reread_after: timedelta) -> LastScans:
    """A scan that read its topic longer ago than `reread_after` gives no basis."""
    since, wanted = datetime.now(UTC) - reread_after, set(topics)
    page = store.datasets(DatasetFilter(namespace=namespace, deleted=None))
    records = {record.id.name: record for record in page.items if record.id.name in wanted}
    known = LastScans(LastWindows(store, {name: record.id for name, record in records.items()}))
    declared_formats = {d.key: d.spec["format"] for d in store.documents("Dataset") if d.spec.get("format")}
    for topic, record in records.items():
        if basis := _basis(record, since):
            known.bases[topic] = basis
        if record.declared_ddl:
            known.declared[topic] = record.declared_ddl
        if record.reference in declared_formats:
            known.formats[topic] = TopicFormat.from_mapping(declared_formats[record.reference])
    return known


def _basis(record: DatasetRecord, since: datetime) -> str:
    """Of the scan that the dataset was read by last; empty where a later one failed."""
    scan = record.scan
    if not scan.get("basis") or scan.get("error") or record.deleted_at is not None:
        return ""
    return str(scan["basis"]) if datetime.fromisoformat(scan["at"]) > since else ""
