"""Incidents as one caller may see them: of datasets whose schema they may know, with figures as pages of the dataset show them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from api.features.incidents import answers
from api.visibility.sight import Sight, reads_whole, shows_figures
from catalog.errors import NotAllowed, NotFound
from catalog.incident_store import Incident, IncidentFilter, RecordPlace, Resolution
from catalog.incidents.service import Incidents
from catalog.model import DatasetId
from catalog.records import DatasetRecord, rfc3339
from policies.decision.visibility import DatasetKnowledge
from policies.model import Subject

MOST_LOOKED_AT = 5000
"""Incidents that are looked through for a page of those that the caller may know."""
MOST_AFFECTED = 100

RecordOf = Callable[[DatasetId], DatasetRecord | None]
Downstream = Callable[[Incident], tuple[list[str], bool, str | None]]
"""References of what is downstream of an incident, as far as the caller may know; whether there is more; why it is not known."""


@dataclass(slots=True)
class ShownIncidents:
    """The service for one caller."""

    incidents: Incidents
    caller: Subject
    record_of: RecordOf
    known: Callable[[DatasetRecord], DatasetKnowledge]
    sight: Callable[[DatasetRecord], Sight]
    downstream: Downstream
    _records: dict[DatasetId, DatasetRecord | None] = field(default_factory=dict)

    def all(self, where: IncidentFilter, limit: int) -> answers.Incidents:
        """Those of datasets that the caller may know."""
        listed = self.incidents.all(where, MOST_LOOKED_AT)
        shown = [each for each in listed if self._record(each) is not None]
        return answers.Incidents(
            incidents=[self._incident(each) for each in shown[:limit]],
            more=len(shown) > limit or len(listed) == MOST_LOOKED_AT,
        )

    def broken(self) -> list[answers.BrokenDataset]:
        """Datasets with an incident that is not resolved, by reference."""
        counts = self.incidents.unresolved()
        known = [(record, counts[id]) for id in counts if (record := self.record(id)) is not None]
        return [
            answers.BrokenDataset(
                dataset=record.reference, namespace=record.id.namespace, name=record.id.name, incidents=count
            )
            for record, count in sorted(known, key=lambda pair: pair[0].reference)
        ]

    def get(self, id: str) -> answers.IncidentDetails:
        """Raises NotFound, for one of a dataset that the caller may not know too."""
        incident = self._require(id)
        steps = [
            answers.IncidentStep(
                at=rfc3339(each.at),
                kind=each.kind,
                by=each.by,
                text=each.text if each.by is not None or self._counts(incident) else "",
                event=each.event,
            )
            for each in self.incidents.history(id)
        ]
        affected, more, problem = self.downstream(incident)
        return answers.IncidentDetails(
            **self._incident(incident).model_dump(),
            history=steps,
            affected=affected[:MOST_AFFECTED],
            affectedMore=more or len(affected) > MOST_AFFECTED,
            affectedProblem=problem,
        )

    # --- changes -----------------------------------------------------------------------------------------------------

    def acknowledge(self, id: str) -> answers.IncidentDetails:
        """Raises NotFound, NotAllowed, Conflict, as the others."""
        self._require_change(id)
        self.incidents.acknowledge(id, self.caller.user)
        return self.get(id)

    def assign(self, id: str, to: str | None) -> answers.IncidentDetails:
        self._require_change(id)
        self.incidents.assign(id, to, self.caller.user)
        return self.get(id)

    def comment(self, id: str, text: str) -> answers.IncidentDetails:
        self._require_change(id)
        self.incidents.comment(id, text, self.caller.user)
        return self.get(id)

    def resolve(self, id: str, resolution: Resolution, text: str) -> answers.IncidentDetails:
        self._require_change(id)
        self.incidents.resolve(id, resolution, text, self.caller.user)
        return self.get(id)

    def require(self, id: str) -> DatasetRecord:
        """The dataset of an incident that the caller may know. Raises NotFound."""
        record = self._record(self._require(id))
        assert record is not None  # otherwise it is not found
        return record

    def record(self, dataset: DatasetId) -> DatasetRecord | None:
        """The dataset where the caller may know its incidents."""
        if dataset not in self._records:
            record = self.record_of(dataset)
            seen = record is not None and record.deleted_at is None and self._is_known(record)
            self._records[dataset] = record if seen else None
        return self._records[dataset]

    def _is_known(self, record: DatasetRecord) -> bool:
        known = self.known(record)
        return known.existence and known.schema

    def _record(self, incident: Incident) -> DatasetRecord | None:
        """The dataset of an incident that the caller may know; of one that checks saw by other datasets, who reads those too."""
        record = self.record(incident.key.dataset)
        return record if record is not None and all(map(self._reads, incident.reads)) else None

    def _reads(self, dataset: str) -> bool:
        namespace, _, name = dataset.rpartition("/")
        record = self.record_of(DatasetId(namespace, name))
        return record is not None and self._is_known(record) and reads_whole(self.sight(record))

    def _require(self, id: str) -> Incident:
        incident = self.incidents.get(id)
        if self._record(incident) is None:
            raise NotFound(f"There is no incident {id!r}; weir incident list shows them.", details={"incident": id})
        return incident

    def _require_change(self, id: str) -> None:
        incident = self._require(id)
        if not self._may_change(incident):
            raise NotAllowed(
                "Only owners and stewards of the dataset, its assignee, and those who manage or review may change an incident.",
                details={"incident": id, "reasons": ["owner"]},
            )

    def _may_change(self, incident: Incident) -> bool:
        is_own = incident.assignee == self.caller.user and self.caller.agent is None
        return is_own or self._sight(incident).everything

    def _sight(self, incident: Incident) -> Sight:
        record = self._record(incident)
        return self.sight(record) if record is not None else Sight()

    def _counts(self, incident: Incident) -> bool:
        return shows_figures(self._sight(incident), incident.path)

    def _incident(self, incident: Incident) -> answers.Incident:
        record = self._record(incident)
        assert record is not None  # only incidents of known datasets are shown
        counts = self._counts(incident)
        cut = incident if counts else replace(incident, reason="", records=None, share=None, first=None, last=None)
        return answers.Incident(
            id=cut.id,
            dataset=record.reference,
            namespace=record.id.namespace,
            name=record.id.name,
            cause=str(cut.key.cause),
            source=cut.key.source,
            rule=cut.key.rule,
            field=cut.path,
            title=cut.title,
            reason=cut.reason,
            state=str(cut.state),
            assignee=cut.assignee,
            openedAt=rfc3339(cut.opened_at),
            seenAt=rfc3339(cut.seen_at),
            checks=cut.checks,
            records=cut.records,
            share=cut.share,
            first=_place(cut.first),
            last=_place(cut.last),
            faultEndedAt=rfc3339(cut.fault_ended_at),
            resolvedAt=rfc3339(cut.resolved_at),
            resolution=str(cut.resolution) if cut.resolution is not None else None,
            resolvedBy=cut.resolved_by,
            withheld=not counts,
            may=answers.IncidentMayDo(change=self._may_change(incident)),
        )


def _place(place: RecordPlace | None) -> Any:
    return (
        answers.IncidentPlace(time=place.time, partition=place.partition, offset=place.offset)
        if place is not None
        else None
    )
