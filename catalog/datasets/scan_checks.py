"""Several looks at what a scan learned, one after the other, in the transaction that records it."""

from __future__ import annotations

from catalog.model import SchemaVersion
from catalog.ports import ScanChecks
from catalog.records import DatasetRecord


class AllChecks:
    """See `catalog.ports.ScanChecks`."""

    def __init__(self, *checks: ScanChecks) -> None:
        self._checks = checks

    def scanned(self, record: DatasetRecord, scanned: SchemaVersion, before: SchemaVersion | None) -> None:
        for each in self._checks:
            each.scanned(record, scanned, before)
