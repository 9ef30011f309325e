"""Whether a fault opens an incident, joins the one that lasts, or opens it again. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum

from catalog.incident_store import Incident, IncidentState, RecordPlace, Resolution
from catalog.incidents.fault import Fault

SETTLING = timedelta(minutes=30)
"""A fault that comes back sooner after it ended is the same incident: its owners were notified of it."""
GRACE = timedelta(minutes=15)
"""How long after a person resolved an incident as fixed the fault may still be seen, in records from before."""


class Course(StrEnum):
    """What a fault does. QUIET: a person decided that nothing is to be done about it."""

    OPENS = "opens"
    JOINS = "joins"
    REOPENS = "reopens"
    QUIET = "quiet"


def course_of(last: Incident | None, fault: Fault) -> Course:
    """`last`: the newest incident of the fault's key."""
    if last is None:
        return Course.OPENS
    if not last.is_resolved:
        return Course.JOINS
    if last.fault_ended_at is None:
        over = last.resolved_at or last.seen_at
        is_late = last.resolution is Resolution.FIXED and fault.at - over > GRACE
        return Course.REOPENS if is_late else Course.QUIET
    soon = timedelta(0) <= fault.at - last.fault_ended_at <= SETTLING
    return Course.REOPENS if soon and last.resolution is Resolution.RECOVERED else Course.OPENS


def joined(incident: Incident, fault: Fault) -> Incident:
    """The incident with what one more check saw of it. A clock that went back does not take it back in time."""
    if fault.is_new:
        records = _sum(incident.records, fault.records)
    else:
        records = max((n for n in (incident.records, fault.records) if n is not None), default=None)
    return replace(
        incident,
        title=fault.title,
        reason=fault.reason,
        seen_at=max(incident.seen_at, fault.at),
        checks=incident.checks + 1,
        records=records,
        share=fault.share if fault.share is not None else incident.share,
        reads=tuple(sorted({*incident.reads, *fault.reads})),
        first=_least(incident.first, fault.first),
        last=_most(incident.last, fault.last or fault.first),
    )


def reopened(incident: Incident, fault: Fault) -> Incident:
    """As `joined`, and not resolved any more."""
    return replace(
        joined(incident, fault),
        state=IncidentState.OPEN,
        fault_ended_at=None,
        resolved_at=None,
        resolution=None,
        resolved_by=None,
    )


def ended(incident: Incident, at: datetime, resolution: Resolution) -> Incident:
    """The incident after the fault ended: resolved, unless a person resolved it before."""
    at = max(at, incident.opened_at)
    if incident.is_resolved:
        return replace(incident, fault_ended_at=at)
    return replace(
        incident,
        state=IncidentState.RESOLVED,
        fault_ended_at=at,
        resolved_at=at,
        resolution=resolution,
        resolved_by=None,
    )


def _sum(before: int | None, more: int | None) -> int | None:
    return before if more is None else more + (before or 0)


def _least(*places: RecordPlace | None) -> RecordPlace | None:
    return min((p for p in places if p is not None), key=lambda p: p.order, default=None)


def _most(*places: RecordPlace | None) -> RecordPlace | None:
    return max((p for p in places if p is not None), key=lambda p: p.order, default=None)
