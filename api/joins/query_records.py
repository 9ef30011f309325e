"""What follows from a query that ran: its audit entry, a dataset's rank in search, a scan where values do not fit."""

from __future__ import annotations

from collections.abc import Callable

from catalog.datasets.datasets import Datasets
from catalog.errors import WeirError
from catalog.ports import CatalogStore, Clock
from catalog.scans.drift import DriftScans
from catalog.scans.scans import Scans
from policies.audit.log import AuditLog
from policies.plan.ports import Drift, QueryRecord
from policies.plan.settings import QuerySettings
from policies.ports import FactsSource
from policies.purposes import NO_PURPOSES, Purposes


class QueriesRecorded:
    """Queries in the audit chain (`policies.plan.ports.QueryAudit`); reads also raise a dataset's rank in search."""

    def __init__(
        self,
        audit: AuditLog,
        datasets: Datasets,
        facts: FactsSource,
        purposes: Callable[[], Purposes] = lambda: NO_PURPOSES,
    ) -> None:
        self._audit, self._datasets, self._facts, self._purposes = audit, datasets, facts, purposes

    def record(self, entry: QueryRecord) -> None:
        details = {
            "sql": entry.sql,
            "purpose": entry.purpose,
            "purposePath": self._purposes().recorded(entry.purpose) if entry.purpose is not None else None,
            "roles": sorted(entry.subject.roles),
            "fields": {name: list(paths) for name, paths in entry.fields.items()},
            "masked": {name: list(paths) for name, paths in entry.masked.items()},
            "grants": list(entry.grants),
            "rows": entry.rows,
            "bytes": entry.bytes,
            "seconds": entry.seconds,
            "format": entry.format,
            "query": entry.id,
        } | entry.subject.sign_in_method
        target = ", ".join(entry.datasets) or "(no dataset)"
        self._audit.record(entry.subject.user, entry.action, target, entry.outcome, entry.reasons, details)
        if entry.outcome == "allow" and entry.action != "query.catalog":
            self._datasets.count_query([self._facts.facts(reference).id for reference in entry.datasets])


def drift_scans(store: CatalogStore, scans: Scans, settings: QuerySettings, now: Clock) -> Drift | None:
    """What queries call when values do not fit; None where that queues no scan."""
    if not settings.scan_on_drift:
        return None
    drift = DriftScans(store, scans, now, settings.scan_on_drift_seconds)

    def seen(reference: str) -> str | None:
        try:
            scan = drift.seen(reference)
        except WeirError:
            return None  # the answer does not need it
        return scan.id if scan is not None else None

    return seen
