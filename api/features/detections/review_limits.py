"""What stewards of a domain may not decide on detections, since a tag of a field may open it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from api.visibility.sight import owns
from catalog.datasets.reviews import Decision
from catalog.model import DatasetId, ReviewState
from catalog.records import ClassificationRecord, DatasetRecord
from policies.access.identity import Identity
from policies.decision.domains import Power
from policies.declared.domain_documents import opening, tag_refused
from policies.declared.state import GovernanceState
from policies.model import Subject


class ReviewLimits:
    """What a steward of a domain may not decide on a detection. `classified` gives the detections of a dataset."""

    def __init__(
        self,
        identity: Identity,
        state: GovernanceState,
        classified: Callable[[DatasetId], Iterable[ClassificationRecord]],
    ) -> None:
        self._identity, self._state, self._classified = identity, state, classified

    def refused(self, subject: Subject, record: DatasetRecord, decision: Decision) -> str | None:
        """Why the decision is refused, in a sentence: what they confirm or bring back becomes a tag of the field, and may open
        it. None for owners, and for who reviews by a permission or decides on access."""
        permitted = "review" in self._identity.permissions(subject)
        if decision.state is ReviewState.REJECTED or owns(subject, record) or permitted:
            return None
        if self._identity.may(subject, Power.APPROVE, record.reference):
            return None
        view = self._state.view()
        problem = tag_refused(decision.entity, opening(view.roles.values(), view.grants.values(), record.reference))
        if problem is None:
            return None
        classified = self._classified(record.id)
        there = any(each.holds and (each.path, each.entity) == (decision.path, decision.entity) for each in classified)
        return None if there else problem
