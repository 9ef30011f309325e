"""A fault of a dataset, as a check reports it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog.incident_store import IncidentCause, IncidentKey, RecordPlace
from catalog.model import DatasetId


@dataclass(frozen=True, slots=True)
class Fault:
    """What `Incidents.report` takes: one rule or series of a dataset that is wrong at the moment of a check.

    source   name of the contract, or of the kind of series
    rule     id of the rule, or of the series; unique within its source and dataset
    title    what is promised or usual, one sentence without its end
    reason   what was seen, one sentence; no value of a record
    at       the time of the check
    path     the field it is about; None for the records or the topic
    records  records that broke it, where the check knows; share: of those it looked at, 0..1
    is_new   whether no check before counted these records: then they are added to those before
    event    id of the event that reports it
    reads    other datasets, as NAMESPACE/NAME, that it was seen by
    """

    dataset: DatasetId
    cause: IncidentCause
    source: str
    rule: str
    title: str
    reason: str
    at: datetime
    path: str | None = None
    records: int | None = None
    share: float | None = None
    is_new: bool = False
    first: RecordPlace | None = None
    last: RecordPlace | None = None
    event: str | None = None
    reads: tuple[str, ...] = ()

    @property
    def key(self) -> IncidentKey:
        return IncidentKey(self.dataset, self.cause, self.source, self.rule)


def place_of(place: Mapping[str, Any] | None) -> RecordPlace | None:
    """The place of a profile or a result: {time, partition, offset}."""
    if not place:
        return None
    return RecordPlace(int(place["partition"]), int(place["offset"]), place.get("time"))
