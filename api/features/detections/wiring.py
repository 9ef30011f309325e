"""The services of detections: trials of recognizers, and what stewards of domains may not decide."""

from __future__ import annotations

from api.features.detections.recognizers import Recognizers
from api.features.detections.review_limits import ReviewLimits
from api.features.detections.service import Detections
from api.joins.connections import Connections
from api.visibility.readers import Readers
from api.visibility.sight import SightRules
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.datasets.reviews import Reviews
from catalog.ports import CatalogStore
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from scanners.scan.service import Scanner


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""

    def recognizers() -> Recognizers:
        store = instance[CatalogStore]
        return Recognizers(
            parts.trial_analyzers(),
            instance[Scanner],
            instance[Connections],
            instance[Datasets],
            lambda: store.documents("Recognizer"),
        )

    def review_limits() -> ReviewLimits:
        return ReviewLimits(instance[Identity], instance[GovernanceState], instance[Datasets].classifications)

    def detections() -> Detections:
        return Detections(
            instance[CatalogStore],
            instance[Datasets],
            instance[Reviews],
            instance[Readers],
            instance[SightRules],
            instance[Identity],
            instance[ReviewLimits],
            instance[AuditLog],
        )

    instance.provide(Recognizers, recognizers)
    instance.provide(Detections, detections)
    instance.provide(ReviewLimits, review_limits)
