"""Scan jobs and where scans ended, as they are kept. Records are frozen; times are aware, UTC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from catalog.model import DatasetId


class ScanState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def over(self) -> bool:
        return self in (ScanState.DONE, ScanState.FAILED, ScanState.CANCELLED)


@dataclass(frozen=True, slots=True)
class ScanRecord:
    """A scan job.

    request    {cluster, topics, sample...} as asked
    progress   0..1
    datasets   [{namespace, name, state, records, version, error?...}], one for each topic of the scan
    problems   [{dataset?, message...}] sentences, never values
    """

    id: str
    state: ScanState
    request: Mapping[str, Any]
    created_at: datetime
    requested_by: str | None = None
    progress: float = 0.0
    datasets: tuple[Mapping[str, Any], ...] = ()
    problems: tuple[Mapping[str, Any], ...] = ()
    started_at: datetime | None = None
    finished_at: datetime | None = None
    heartbeat_at: datetime | None = None
    worker: str | None = None
    cancel_requested: bool = False

    def overlaps(self, other: ScanRecord) -> bool:
        """True when both may read one topic: of the same cluster, unless both name all their topics in full and share
        none."""
        if self.request.get("cluster") != other.request.get("cluster"):
            return False
        mine, theirs = ([str(t) for t in scan.request.get("topics") or ["*"]] for scan in (self, other))
        if any(set("*?[") & set(topic) for topic in (*mine, *theirs)):
            return True
        return not set(mine).isdisjoint(theirs)


@dataclass(frozen=True, slots=True)
class ScanPosition:
    """Where the last scan of a partition ended. `details`: the ranges read and more, as the scanner wants it back."""

    partition: int
    next_offset: int
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScanTally:
    """Scans of one state; `oldest`: when the oldest of them was asked for."""

    state: ScanState
    scans: int
    oldest: datetime


class ScanStore(Protocol):
    def put_scan(self, scan: ScanRecord) -> None:
        """Insert or replace by id."""

    def scan(self, scan_id: str) -> ScanRecord | None: ...

    def scans(self, limit: int, offset: int = 0) -> list[ScanRecord]:
        """Newest first."""

    def claim_scan(self, worker: str, now: datetime, stale_before: datetime) -> ScanRecord | None:
        """Take the oldest scan that is queued, or running without a sign of life since `stale_before`; no two take one.

        One that may read a topic which a scan under way reads (`ScanRecord.overlaps`) waits for that one's end.
        """

    def scan_tallies(self) -> list[ScanTally]:
        """One for each state that a scan is in."""

    def last_scan(self, requested_by: str) -> ScanRecord | None:
        """The newest scan that was asked for by this name."""

    def update_scan(self, scan_id: str, changes: Mapping[str, Any]) -> ScanRecord | None:
        """Change these attributes only, so that a worker's progress and a user's cancel do not overwrite each other."""

    def positions(self, dataset: DatasetId) -> list[ScanPosition]:
        """By partition."""

    def put_positions(self, dataset: DatasetId, positions: Iterable[ScanPosition]) -> None:
        """Insert or replace by partition."""
