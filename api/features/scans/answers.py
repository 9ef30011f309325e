"""Answers of `/scans`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, FreeForm, Time, about, absent
from api.features.datasets.problem_answers import Problem
from catalog.records import rfc3339
from catalog.scan_store import ScanRecord


class ScannedDataset(Answer):
    """One topic of a scan; without counts where rows are hidden from the reader."""

    namespace: str
    name: str
    state: Literal["done"]
    version: int = about("The schema version after it; 0 where nothing is known.")
    format: dict[str, str] = about("Part (key, value) -> json, avro, ...")
    records: int = absent("Records read.")
    fields: int
    shapes: int
    entities: list[str] = about("Kinds of personal data found.")
    problems: list[str] = about("Sentences.")
    unchanged: bool = absent("Nothing changed since the last scan, so no record was read; the figures are that scan's.")


class Scan(Answer):
    """A scan."""

    id: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    progress: float = about("0 to 1.")
    request: FreeForm = about("{cluster, topics, sample}, as asked.")
    datasets: list[ScannedDataset] = about("Topics done so far.")
    problems: list[Problem]
    requested_by: str | None
    cancel_requested: bool
    created_at: Time
    started_at: Time | None
    finished_at: Time | None

    @classmethod
    def of(cls, scan: ScanRecord) -> Scan:
        return cls(
            id=scan.id,
            state=scan.state.value,
            progress=round(scan.progress, 4),
            request=dict(scan.request),
            datasets=[ScannedDataset.model_construct(**row) for row in scan.datasets],
            problems=[Problem.of(each) for each in scan.problems],
            requested_by=scan.requested_by,
            cancel_requested=scan.cancel_requested,
            created_at=rfc3339(scan.created_at),
            started_at=rfc3339(scan.started_at),
            finished_at=rfc3339(scan.finished_at),
        )


class Scans(Answer):
    """Scans, newest first."""

    scans: list[Scan]
