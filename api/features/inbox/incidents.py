"""Incidents that a person looks after: those given to them, and those of their own datasets that no contract has a row for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from api.features.inbox.person import Person
from api.features.inbox.rows import Row, few, page, verb
from api.features.incidents.answers import Incident
from api.features.incidents.shown import ShownIncidents
from catalog.incident_store import UNRESOLVED, IncidentFilter

MOST = 500
"""Incidents that are looked through, those that opened last."""


def incidents(person: Person, shown: ShownIncidents) -> Sequence[Row]:
    """One row an incident that is not resolved; broken contracts of own datasets have their own rows."""
    own = {each.reference for each in person.datasets.values() if person.owns(each)}
    listed = shown.all(IncidentFilter(states=UNRESOLVED), MOST).incidents
    return few(
        [each for each in listed if _concerns(each, person, own)],
        partial(_row, person),
        lambda n: (f"{n:,} more {verb(n, 'incident', 'incidents')}", verb(n, "waits", "wait") + " for you"),
        page("/incidents"),
    )


def _concerns(incident: Incident, person: Person, own: set[str]) -> bool:
    if incident.dataset in own:
        return incident.cause != "contract" and incident.assignee in (None, person.subject.user)
    return incident.assignee == person.subject.user


def _row(person: Person, incident: Incident) -> Row:
    return Row(
        kind="incident",
        duty="owner",
        tone="broken" if incident.state == "open" else "waiting",
        subject=incident.dataset,
        text=f"has an incident{' of yours' if incident.assignee == person.subject.user else ''}: {incident.title}",
        action="Look",
        link=f"/incidents/{incident.id}",
        since=datetime.fromisoformat(incident.openedAt),
    )
