"""Incidents as they are kept: something is wrong with a dataset, from when it was seen until it is resolved.

No value of a record is among it. What opens and ends incidents is in `catalog.incidents`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from catalog.model import DatasetId

MOST_RESOLVED = 200
"""Resolved incidents that are kept of one dataset; the oldest are forgotten first. Those that are not are all kept."""


class IncidentCause(StrEnum):
    """CONTRACT: a rule of a contract is broken. QUALITY: a series of quality left its usual course."""

    CONTRACT = "contract"
    QUALITY = "quality"


class IncidentState(StrEnum):
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


UNRESOLVED = (IncidentState.OPEN, IncidentState.ACKNOWLEDGED)


class Resolution(StrEnum):
    """Why an incident is over.

    RECOVERED    a later check saw nothing wrong
    WITHDRAWN    what it was about is gone: the rule, the contract or the dataset
    FIXED        a person states that the cause is removed; if it is not, the incident opens again
    ACCEPTED, FALSE_ALARM  a person states that nothing is to be done; it stays resolved while the same fault lasts
    """

    RECOVERED = "recovered"
    WITHDRAWN = "withdrawn"
    FIXED = "fixed"
    ACCEPTED = "accepted"
    FALSE_ALARM = "falseAlarm"


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Where a record is. `time`: RFC 3339, None where it has none."""

    partition: int
    offset: int
    time: str | None = None

    @property
    def order(self) -> tuple[str, int, int]:
        """By Kafka's time, then partition and offset."""
        return self.time or "", self.partition, self.offset


@dataclass(frozen=True, slots=True)
class IncidentKey:
    """What an incident is about; one that lasts is joined by its key.

    source  name of the contract, or of the kind of series
    rule    id of the rule, or of the series; unique within its source and dataset
    """

    dataset: DatasetId
    cause: IncidentCause
    source: str
    rule: str


@dataclass(frozen=True, slots=True)
class Incident:
    """Something wrong with a dataset.

    id           made when it opens; its address
    path         the field it is about; None for the records or the topic
    title        what is promised or usual, one sentence without its end
    reason       what the last check saw of it, one sentence; no value of a record
    opened_at    when a check saw it first; seen_at: when a check saw it last
    fault_ended_at  when a check saw nothing wrong any more; None while the fault lasts, whatever its state
    checks       how many checks saw it
    records      records that broke it, where checks know; share: of those of the last check, 0..1
    first, last  the first and the last of them
    resolution   None while it is not resolved; resolved_by: None where no person did it
    reads        other datasets, as NAMESPACE/NAME, that checks saw it by. Only who may read those may know of it: it is not
                 counted, and no event reports it
    """

    id: str
    key: IncidentKey
    title: str
    opened_at: datetime
    seen_at: datetime
    path: str | None = None
    reason: str = ""
    state: IncidentState = IncidentState.OPEN
    assignee: str | None = None
    checks: int = 1
    records: int | None = None
    share: float | None = None
    first: RecordPlace | None = None
    last: RecordPlace | None = None
    fault_ended_at: datetime | None = None
    resolved_at: datetime | None = None
    resolution: Resolution | None = None
    resolved_by: str | None = None
    reads: tuple[str, ...] = ()

    @property
    def is_resolved(self) -> bool:
        return self.state is IncidentState.RESOLVED


@dataclass(frozen=True, slots=True)
class IncidentEntry:
    """One step in the history of an incident.

    kind   opened, again, notified (owners downstream), acknowledged, assigned, commented, resolved
    by     None where no person did it
    text   what they wrote, or a sentence
    event  id of the event that it goes with
    """

    id: str
    incident: str
    at: datetime
    kind: str
    by: str | None = None
    text: str = ""
    event: str | None = None


@dataclass(frozen=True, slots=True)
class IncidentFilter:
    """Which incidents to list; None and empty: all. `datasets`: only of these."""

    states: Collection[IncidentState] = ()
    datasets: Collection[DatasetId] | None = None
    causes: Collection[IncidentCause] = ()
    sources: Collection[str] = ()
    assignee: str | None = None
    since: datetime | None = None

    def matches(self, incident: Incident) -> bool:
        return (
            (not self.states or incident.state in self.states)
            and (self.datasets is None or incident.key.dataset in self.datasets)
            and (not self.causes or incident.key.cause in self.causes)
            and (not self.sources or incident.key.source in self.sources)
            and (self.assignee is None or incident.assignee == self.assignee)
            and (self.since is None or incident.seen_at >= self.since)
        )


def incident_order(incident: Incident) -> tuple[bool, float, str]:
    """Those that are not resolved before those that are, each the newest first."""
    moment = incident.resolved_at if incident.is_resolved and incident.resolved_at else incident.opened_at
    return incident.is_resolved, -moment.timestamp(), incident.id


class IncidentStore(Protocol):
    """Keeps incidents and their history; the twins in memory and SQL have one contract."""

    def put_incident(self, incident: Incident) -> None:
        """Insert or replace by id; of the resolved ones of its dataset the newest `MOST_RESOLVED` stay."""

    def incident(self, id: str) -> Incident | None: ...

    def last_incident(self, key: IncidentKey) -> Incident | None:
        """The one of this key that opened last."""

    def incidents(self, where: IncidentFilter, limit: int) -> list[Incident]:
        """Those that are not resolved, then those that are; each the newest first."""

    def count_unresolved(self) -> dict[DatasetId, int]:
        """Dataset -> how many incidents of it are not resolved; datasets with none are left out, and so are
        incidents with `reads`, which not everybody may know of."""

    def add_incident_entry(self, entry: IncidentEntry) -> None: ...

    def incident_entries(self, incident: str) -> list[IncidentEntry]:
        """Its history, the oldest first."""
