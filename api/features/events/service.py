"""Events as one reader may see them: those that name nothing hidden, without what counts hidden records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.features.events import answers
from api.visibility import figures, sight
from api.visibility.readers import Readers
from api.visibility.sight import SightRules
from catalog.datasets.datasets import Datasets
from catalog.errors import NotFound, WeirError
from catalog.event_model import Event, EventFilter
from catalog.events.events import Events
from policies.access.identity import Identity
from policies.decision.visibility import NOTHING, Aspect, DatasetKnowledge
from policies.model import Subject
from policies.requests.approvals import Approvals

_MOST_AT_ONCE = 100
_ASPECTS = (
    ("weir.schema.", Aspect.SCHEMA),
    ("weir.contract.", Aspect.SCHEMA),
    ("weir.classification.", Aspect.EVIDENCE),
    ("weir.mask.leak", Aspect.EVIDENCE),
)
"""What events of a type are about."""


@dataclass(frozen=True, slots=True)
class VisibleEvents:
    """The service behind `/events`."""

    events: Events
    datasets: Datasets
    identity: Identity
    readers: Readers
    sights: SightRules
    approvals: Approvals

    def matching(self, subject: Subject, where: EventFilter, limit: int) -> list[answers.Event]:
        """Events of what the subject may know of: as many as asked for, where there are so many."""
        horizon, most = _Horizon(self.readers, self.datasets, subject), limit
        while True:
            listed = self.events.list(where, most)
            kept = [event for event in listed if horizon.shows(event)]
            if len(kept) >= limit or len(listed) < most:
                return self.shown(subject, kept[:limit])
            most *= 4

    def newest(self) -> int:
        """Sequence of the last event there is; 0 where there is none."""
        return max((event.seq for event in self.events.list(EventFilter(), 1)), default=0)

    def since(self, subject: Subject, sequence: int) -> tuple[list[answers.Event], int]:
        """What the subject may see of what came after a sequence, the oldest first, and the sequence to ask with next."""
        events = self.events.list(EventFilter(after=sequence), _MOST_AT_ONCE)
        horizon = _Horizon(self.readers, self.datasets, subject)
        seen = [e for e in events if self.may_see(subject, e) and (horizon.shows(e) or _is_own(subject, e))]
        return self.shown(subject, seen), max((e.seq for e in events), default=sequence)

    def may_see(self, subject: Subject, event: Event) -> bool:
        """Open events, everything for auditors, and what is of the subject's own: their requests, grants and decisions."""
        if event.is_open or "audit:read" in self.identity.permissions(subject):
            return True
        users = event.data.get("user")
        users_named = {event.data.get("requester"), *(users if isinstance(users, list) else [users])}
        if subject.user in users_named:
            return True
        if not event.type.startswith(("weir.access.", "weir.breakglass.")):
            return False
        try:
            self.approvals.get(subject, event.subject)
        except NotFound:
            return False
        return True

    def shown(self, subject: Subject, events: Sequence[Event]) -> list[answers.Event]:
        """Events without what counts the records of a dataset of which some are hidden from the subject."""
        cuts = _Cuts(self, subject)
        return [answers.Event(**{**event.to_json(self.events.source), "data": cuts.data(event)}) for event in events]


class _Horizon:
    """Which events name nothing that a reader may not know of."""

    def __init__(self, readers: Readers, datasets: Datasets, subject: Subject) -> None:
        self._datasets, self._reader = datasets, readers.of(subject)
        self._known: dict[str, DatasetKnowledge] = {}

    def shows(self, event: Event) -> bool:
        if self._reader.horizon is None:
            return True
        if self._reader.mentions_hidden([event.subject, event.data]):
            return False
        aspect = next((each for begun, each in _ASPECTS if event.type.startswith(begun)), None)
        return aspect is None or self._of(event.subject).of(aspect)

    def _of(self, reference: str) -> DatasetKnowledge:
        if reference not in self._known:
            try:
                record = self._datasets.get(self._datasets.find(reference))
                self._known[reference] = self._reader.known(record)
            except WeirError:
                self._known[reference] = NOTHING
        return self._known[reference]


class _Cuts:
    """The data of events, cut to what one reader may see of it."""

    def __init__(self, visible: VisibleEvents, subject: Subject) -> None:
        self._datasets, self._sights = visible.datasets, visible.sights.of(subject)
        self._hides = visible.readers.of(subject).horizon is not None
        self._known: dict[str, sight.Sight] = {}

    def data(self, event: Event) -> Mapping[str, Any]:
        data = dict(event.data)
        if self._sights.unbounded:
            return data
        if event.type.startswith("weir.scan.") and "scan" not in self._sights.permissions:
            shown = figures.without_counts(data, sight.Sight())
            # How many datasets a scan met counts those that the reader may not know of.
            return {name: shown.get(name) for name in ("cluster", "requestedBy")} if self._hides else shown
        dataset = data.get("dataset")
        if not isinstance(dataset, str):
            return data
        if dataset not in self._known:
            self._known[dataset] = self._sight(dataset)
        seen = self._known[dataset]
        if event.type.startswith("weir.contract."):
            return self._of_contract(data, seen)
        cut: dict[str, object] = figures.without_counts(data, seen)
        return cut

    @staticmethod
    def _of_contract(data: dict[str, object], seen: sight.Sight) -> dict[str, object]:
        """The reason states what the records hold. An event of an earlier version does not name its field."""
        path = data.get("path")
        if seen.everything or ("path" in data and sight.shows_figures(seen, path if isinstance(path, str) else None)):
            return data
        cut: dict[str, object] = figures.without_counts(data, sight.Sight())
        return {name: value for name, value in cut.items() if name != "reason"}

    def _sight(self, dataset: str) -> sight.Sight:
        try:
            return self._sights.of(self._datasets.get(self._datasets.find(dataset)))
        except WeirError:
            return sight.Sight()


def _is_own(subject: Subject, event: Event) -> bool:
    """Of the subject's own requests and grants: they know what they asked for."""
    return not event.is_open and subject.user in (event.data.get("requester"), event.data.get("user"))
