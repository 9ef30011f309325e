"""Owners downstream of an incident are notified: once, after the lineage of the field is known. A duty of the worker.

An event is about a dataset of those who get it. It does not name the dataset with the incident, of which they may not know;
the page of their own dataset shows what they may.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from catalog.datasets.clusters import Clusters
from catalog.incident_store import UNRESOLVED, Incident, IncidentEntry, IncidentFilter
from catalog.model import DatasetId, Owner
from catalog.node_ids import read_id
from catalog.ports import CatalogStore, Clock, EventSink
from catalog.records import DatasetRecord

NOTIFIED = "notified"
"""Kind of the step in an incident's history that states it was done."""
_MOST = 1000
_MOST_EVENTS = 100
"""Events of one incident: one for each set of owners."""

FlowsOf = Callable[[DatasetId, str | None], Sequence[str]]
"""Ids of the nodes that a field, or a dataset, goes to, nearest first. Raises Unavailable."""


@dataclass(slots=True)
class DownstreamNotices:
    """Notifies owners downstream of incidents that nobody was notified of yet."""

    store: CatalogStore
    flows: FlowsOf
    clusters: Clusters
    events: EventSink
    clock: Clock
    _done: set[str]

    def step(self) -> bool:
        """Do what is due; nothing is left to do at once. Raises Unavailable where lineage does not answer: it is done later."""
        unresolved = self.store.incidents(IncidentFilter(states=UNRESOLVED), _MOST)
        self._done &= {each.id for each in unresolved}
        for incident in unresolved:
            if incident.id not in self._done and not incident.reads:
                self._notify(incident)
                self._done.add(incident.id)
        return False

    def _notify(self, incident: Incident) -> None:
        if self._is_notified(incident):
            return
        affected = self._affected(incident)
        with self.store.transaction():
            if self._is_notified(incident):
                return
            for owners, records in list(affected.items())[:_MOST_EVENTS]:
                nearest = records[0]
                data = {
                    "incident": incident.id,
                    "dataset": nearest.reference,
                    "more": len(records) - 1,
                    "people": [each.name for each in owners if each.kind == "user"],
                    "group": [each.name for each in owners if each.kind != "user"],
                }
                self.events.emit("incident.affects", nearest.reference, data)
            count = sum(map(len, affected.values()))
            text = (
                f"Owners of {count:,} datasets downstream were notified."
                if count
                else "Nobody else owns data downstream."
            )
            if len(affected) > _MOST_EVENTS:
                text = (
                    f"{text} Of {len(affected) - _MOST_EVENTS:,} further sets of owners nobody was: there are too many."
                )
            entry = IncidentEntry(uuid.uuid4().hex, incident.id, self.clock(), NOTIFIED, None, text)
            self.store.add_incident_entry(entry)

    def _is_notified(self, incident: Incident) -> bool:
        return any(each.kind == NOTIFIED for each in self.store.incident_entries(incident.id))

    def _affected(self, incident: Incident) -> dict[tuple[Owner, ...], list[DatasetRecord]]:
        """Owners -> their datasets downstream, nearest first; without those who own the dataset itself."""
        own = self.store.dataset(incident.key.dataset)
        known = set(own.owners) if own is not None else set()
        affected: dict[tuple[Owner, ...], list[DatasetRecord]] = {}
        seen = {incident.key.dataset}
        for node in self.flows(incident.key.dataset, incident.path):
            parts = read_id(node)
            dataset = self.clusters.resolve(parts[1], parts[2]) if parts is not None else incident.key.dataset
            if dataset in seen:
                continue
            seen.add(dataset)
            record = self.store.dataset(dataset)
            others = tuple(sorted(set(record.owners) - known, key=str)) if record is not None else ()
            if record is not None and record.deleted_at is None and others:
                affected.setdefault(others, []).append(record)
        return affected
