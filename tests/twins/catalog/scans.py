"""The record store in memory: scan jobs and how far each was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from catalog.model import DatasetId
from catalog.scan_store import ScanPosition, ScanRecord, ScanState, ScanTally
from tests.twins.catalog.state import Stateful


class MemoryScans(Stateful):
    """See `catalog.ports.ScanStore`."""

    def put_scan(self, scan: ScanRecord) -> None:
        self._state.scans[scan.id] = scan

    def scan(self, scan_id: str) -> ScanRecord | None:
        return self._state.scans.get(scan_id)

    def scans(self, limit: int, offset: int = 0) -> list[ScanRecord]:
        newest = sorted(self._state.scans.values(), key=lambda s: (s.created_at, s.id), reverse=True)
        return newest[offset : offset + limit]

    def claim_scan(self, worker: str, now: datetime, stale_before: datetime) -> ScanRecord | None:
        def stale(scan: ScanRecord) -> bool:
            return scan.state is ScanState.RUNNING and (scan.heartbeat_at or scan.created_at) < stale_before

        with self._lock:
            busy = [s for s in self._state.scans.values() if s.state is ScanState.RUNNING and not stale(s)]
            for scan in sorted(self._state.scans.values(), key=lambda s: (s.created_at, s.id)):
                free = scan.state is ScanState.QUEUED or stale(scan)
                if free and not any(scan.overlaps(other) for other in busy):
                    return self.update_scan(
                        scan.id,
                        {
                            "state": ScanState.RUNNING,
                            "worker": worker,
                            "heartbeat_at": now,
                            "started_at": scan.started_at or now,
                        },
                    )
            return None

    def scan_tallies(self) -> list[ScanTally]:
        with self._lock:
            scans = list(self._state.scans.values())
        by_state = {state: [scan.created_at for scan in scans if scan.state is state] for state in ScanState}
        return [ScanTally(state, len(times), min(times)) for state, times in by_state.items() if times]

    def last_scan(self, requested_by: str) -> ScanRecord | None:
        mine = [s for s in self._state.scans.values() if s.requested_by == requested_by]
        return max(mine, key=lambda s: s.created_at, default=None)

    def update_scan(self, scan_id: str, changes: Mapping[str, Any]) -> ScanRecord | None:
        with self._lock:
            scan = self._state.scans.get(scan_id)
            if scan is None:
                return None
            self._state.scans[scan_id] = replace(scan, **changes)
            return self._state.scans[scan_id]

    def positions(self, dataset: DatasetId) -> list[ScanPosition]:
        return [p for _, p in sorted(self._state.positions.get(dataset, {}).items())]

    def put_positions(self, dataset: DatasetId, positions: Iterable[ScanPosition]) -> None:
        for position in positions:
            self._state.positions[dataset][position.partition] = position
