"""Incidents: faults that checks report open, join and end them; people look after them. The rules are in `course.py`."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import datetime

from catalog.errors import Conflict, InvalidInput, NotFound
from catalog.incident_store import (
    UNRESOLVED,
    Incident,
    IncidentCause,
    IncidentEntry,
    IncidentFilter,
    IncidentKey,
    IncidentState,
    Resolution,
)
from catalog.incidents.course import Course, course_of, ended, joined, reopened
from catalog.incidents.fault import Fault
from catalog.model import DatasetId
from catalog.ports import CatalogStore, Clock, EventSink
from catalog.records import rfc3339

BY_PEOPLE = (Resolution.FIXED, Resolution.ACCEPTED, Resolution.FALSE_ALARM)
MOST_UNRESOLVED = 1000
"""Incidents of one dataset that are looked through when a contract or a dataset goes."""


class Incidents:
    """The service behind incidents. Each method is one transaction, and joins one that is under way."""

    def __init__(self, store: CatalogStore, clock: Clock, events: EventSink | None = None) -> None:
        self._store, self._clock, self._events = store, clock, events

    # --- of checks ---------------------------------------------------------------------------------------------------

    def report(self, fault: Fault) -> Incident:
        """A check sees a fault: it opens an incident, joins the one that lasts, or opens again one that seemed over.

        The same call for every kind of check. Two checks at once are one incident, as writers of the record store come
        one after another.
        """
        with self._store.transaction():
            last = self._store.last_incident(fault.key)
            match course_of(last, fault):
                case Course.OPENS:
                    return self._open(fault)
                case Course.REOPENS if last is not None:
                    again = reopened(last, fault)
                    return self._changed(again, "again", f"It is seen again: {fault.reason}", event=fault.event)
                case _:
                    assert last is not None  # only these courses have none
                    lasting = joined(last, fault)
                    self._store.put_incident(lasting)
                    return lasting

    def recovered(
        self, key: IncidentKey, at: datetime, reason: str = "", *, event: str | None = None, withdrawn: bool = False
    ) -> Incident | None:
        """A check sees nothing wrong any more: the incident of this key is over. None where none lasted.

        `withdrawn`: what it was about is gone, so that nobody can see it.
        """
        with self._store.transaction():
            last = self._store.last_incident(key)
            if last is None or last.fault_ended_at is not None:
                return None
            was_resolved = last.is_resolved
            over = ended(last, at, Resolution.WITHDRAWN if withdrawn else Resolution.RECOVERED)
            if was_resolved:
                self._store.put_incident(over)
                return over
            return self._changed(over, "resolved", reason, event=event)

    def withdraw(self, cause: IncidentCause, source: str, reason: str, datasets: set[DatasetId] | None = None) -> None:
        """The contract, or the kind of series, is gone, of all datasets or of some: its incidents are over."""
        with self._store.transaction():
            where = IncidentFilter(states=UNRESOLVED, datasets=datasets, causes=(cause,), sources=(source,))
            for each in self._store.incidents(where, MOST_UNRESOLVED):
                self.recovered(each.key, self._clock(), reason, withdrawn=True)

    def _open(self, fault: Fault) -> Incident:
        incident = Incident(
            id=uuid.uuid4().hex,
            key=fault.key,
            title=fault.title,
            opened_at=fault.at,
            seen_at=fault.at,
            path=fault.path,
            reason=fault.reason,
            records=fault.records,
            share=fault.share,
            first=fault.first,
            last=fault.last or fault.first,
            reads=fault.reads,
        )
        return self._changed(incident, "opened", fault.reason, event=fault.event)

    # --- of people ---------------------------------------------------------------------------------------------------

    def get(self, id: str) -> Incident:
        """Raises NotFound."""
        incident = self._store.incident(id)
        if incident is None:
            raise NotFound(f"There is no incident {id!r}; weir incident list shows them.", details={"incident": id})
        return incident

    def all(self, where: IncidentFilter, limit: int) -> list[Incident]:
        """Those that are not resolved, then those that are; each the newest first."""
        return self._store.incidents(where, limit)

    def history(self, id: str) -> list[IncidentEntry]:
        """The oldest first."""
        return self._store.incident_entries(id)

    def unresolved(self) -> dict[DatasetId, int]:
        """Dataset -> how many incidents of it are not resolved."""
        return self._store.count_unresolved()

    def assign(self, id: str, to: str | None, by: str) -> Incident:
        """`to` None: to nobody. One who takes an open incident for themselves acknowledges it. Raises NotFound, Conflict."""
        with self._store.transaction():
            incident = self._unresolved(id)
            if incident.assignee == to:
                return incident
            taken = replace(incident, assignee=to)
            if to == by and incident.state is IncidentState.OPEN:
                taken = replace(taken, state=IncidentState.ACKNOWLEDGED)
            return self._changed(taken, "assigned", to or "", by)

    def acknowledge(self, id: str, by: str) -> Incident:
        """Somebody looks at it. Raises NotFound, Conflict for one that is resolved."""
        with self._store.transaction():
            incident = self._unresolved(id)
            if incident.state is IncidentState.ACKNOWLEDGED:
                return incident
            return self._changed(replace(incident, state=IncidentState.ACKNOWLEDGED), "acknowledged", "", by)

    def comment(self, id: str, text: str, by: str) -> Incident:
        """Raises NotFound, InvalidInput for an empty text."""
        if not text.strip():
            raise InvalidInput("A comment has a text.", details={"field": "text"})
        with self._store.transaction():
            return self._changed(self.get(id), "commented", text, by)

    def resolve(self, id: str, resolution: Resolution, text: str, by: str) -> Incident:
        """A person states that it is over, and why. Raises NotFound, Conflict, InvalidInput for what only checks state."""
        if resolution not in BY_PEOPLE:
            raise InvalidInput(
                f"A person resolves an incident as {', '.join(BY_PEOPLE)}, not as {resolution}: checks state that.",
                details={"field": "resolution"},
            )
        with self._store.transaction():
            incident = self._unresolved(id)
            done = replace(
                incident,
                state=IncidentState.RESOLVED,
                resolved_at=max(self._clock(), incident.opened_at),
                resolution=resolution,
                resolved_by=by,
            )
            return self._changed(done, "resolved", text, by)

    def _unresolved(self, id: str) -> Incident:
        incident = self.get(id)
        if incident.is_resolved:
            raise Conflict(f"The incident {id} is resolved, so it cannot be changed.", details={"incident": id})
        return incident

    # --- what every change does --------------------------------------------------------------------------------------

    def _changed(
        self, incident: Incident, kind: str, text: str, by: str | None = None, event: str | None = None
    ) -> Incident:
        self._store.put_incident(incident)
        at = self._clock()
        emitted = self._emit(incident, kind, by)
        self._store.add_incident_entry(
            IncidentEntry(uuid.uuid4().hex, incident.id, at, kind, by, text, event or emitted)
        )
        if kind in ("opened", "again", "resolved"):
            self._index_again(incident.key.dataset)
        return incident

    def _emit(self, incident: Incident, kind: str, by: str | None) -> str | None:
        """`incident.opened` and so on, without what people wrote: events are read by more people than incidents."""
        if self._events is None or incident.reads:
            return None
        record = self._store.dataset(incident.key.dataset)
        reference = record.reference if record is not None else str(incident.key.dataset)
        data: dict[str, object] = {
            "incident": incident.id,
            "dataset": reference,
            "cause": str(incident.key.cause),
            "source": incident.key.source,
            "rule": incident.key.rule,
            "title": incident.title,
            "state": str(incident.state),
            "field": incident.path,
            "openedAt": rfc3339(incident.opened_at),
            "path": f"/incidents/{incident.id}",
        }
        data |= {"assignee": incident.assignee} if incident.assignee else {}
        data |= {"resolution": str(incident.resolution)} if incident.resolution else {}
        data |= {"by": by} if by else {}
        return self._events.emit(f"incident.{kind}", reference, data).id

    def _index_again(self, dataset: DatasetId) -> None:
        """Search shows which datasets are broken, so the dataset's document changes."""
        record = self._store.dataset(dataset)
        if record is not None:
            self._store.put_dataset(record)
