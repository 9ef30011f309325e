"""The record store in memory: incidents, their history, positions of checks. See `catalog.incident_store`."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

from catalog.check_positions import CheckPosition
from catalog.incident_store import (
    MOST_RESOLVED,
    Incident,
    IncidentEntry,
    IncidentFilter,
    IncidentKey,
    incident_order,
)
from catalog.model import DatasetId


class MemoryIncidents:
    _state: Any
    _lock: threading.RLock

    def put_incident(self, incident: Incident) -> None:
        with self._lock:
            kept = self._state.incidents
            kept[incident.id] = incident
            of_dataset = [each for each in kept.values() if each.key.dataset == incident.key.dataset]
            resolved = sorted((each for each in of_dataset if each.is_resolved), key=incident_order)
            for each in resolved[MOST_RESOLVED:]:
                del kept[each.id]
                self._state.incident_entries.pop(each.id, None)

    def incident(self, id: str) -> Incident | None:
        with self._lock:
            return self._state.incidents.get(id)  # type: ignore[no-any-return]

    def last_incident(self, key: IncidentKey) -> Incident | None:
        with self._lock:
            same = [each for each in self._state.incidents.values() if each.key == key]
            return min(same, key=lambda each: (-each.opened_at.timestamp(), each.id), default=None)

    def incidents(self, where: IncidentFilter, limit: int) -> list[Incident]:
        with self._lock:
            return sorted(filter(where.matches, self._state.incidents.values()), key=incident_order)[:limit]

    def count_unresolved(self) -> dict[DatasetId, int]:
        with self._lock:
            open_ones = (i for i in self._state.incidents.values() if not i.is_resolved and not i.reads)
            return dict(Counter(each.key.dataset for each in open_ones))

    def add_incident_entry(self, entry: IncidentEntry) -> None:
        with self._lock:
            before = self._state.incident_entries.get(entry.incident, ())
            self._state.incident_entries[entry.incident] = (*before, entry)

    def incident_entries(self, incident: str) -> list[IncidentEntry]:
        with self._lock:
            return list(self._state.incident_entries.get(incident, ()))

    def check_position(self, dataset: DatasetId) -> CheckPosition | None:
        with self._lock:
            return self._state.check_positions.get(dataset)  # type: ignore[no-any-return]

    def put_check_position(self, position: CheckPosition) -> None:
        with self._lock:
            self._state.check_positions[position.dataset] = position
