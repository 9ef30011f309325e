"""Detections as somebody sees and reviews them: all that were found, and decisions on one or many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from api.features.detections import answers
from api.features.detections.recognizers import own_recognizers
from api.features.detections.review_limits import ReviewLimits
from api.visibility import figures
from api.visibility.readers import Readers
from api.visibility.sight import Sight, SightRules, owns
from catalog.datasets.datasets import Datasets
from catalog.datasets.reviews import Decision, DetectionFilter, DetectionOrder, Outcome, Reviews
from catalog.errors import DatasetNotFound, NotAllowed
from catalog.model import DatasetId, ReviewState
from catalog.ports import CatalogStore
from catalog.records import DatasetRecord
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.decision.agents import require_unmasking
from policies.decision.domains import Power
from policies.decision.visibility import Aspect
from policies.model import Subject

PERMISSION = "review"


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why a decision is not taken, in a sentence; None where it is. `theirs`: whether the subject reviews the dataset at all."""

    problem: str | None = None
    theirs: bool = True


class Detections:
    """The service behind `/classifications`, and behind those of one dataset."""

    def __init__(
        self,
        store: CatalogStore,
        datasets: Datasets,
        reviews: Reviews,
        readers: Readers,
        sights: SightRules,
        identity: Identity,
        limits: ReviewLimits,
        audit: AuditLog,
    ) -> None:
        self._store, self._datasets, self._reviews = store, datasets, reviews
        self._readers, self._sights, self._identity = readers, sights, identity
        self._limits, self._audit = limits, audit

    def page(
        self, subject: Subject, where: DetectionFilter, limit: int, offset: int, order: DetectionOrder
    ) -> answers.Classifications:
        """Part of all that the subject may know of, each cut to what they may see of it."""
        reader = self._readers.of(subject)
        page = reader.reviews.page(where, limit, offset, order)
        sights, declared = self._sights.of(subject), own_recognizers(self._store, subject.user)
        reviews_all = self._reviews_all(subject)
        of_dataset: dict[DatasetId, tuple[Sight, bool]] = {}
        shown = []
        for each in page.items:
            if each.dataset not in of_dataset:
                record = reader.store.dataset(each.dataset)
                seen = sights.of(record) if record is not None else Sight()
                may = reviews_all or (record is not None and self._may_review(subject, record))
                of_dataset[each.dataset] = seen, may
            seen, may = of_dataset[each.dataset]
            cut = figures.classification(each.record, seen, declared)
            shown.append(answers.FoundClassification.in_dataset(each, cut, may))
        return answers.Classifications(total=page.total, counts=page.counts, classifications=shown)

    def of_dataset(self, subject: Subject, dataset: DatasetId) -> list[answers.Classification]:
        """All of one dataset. Raises DatasetNotFound; NotAllowed where the subject may not know of its personal data."""
        reader = self._readers.of(subject)
        record = reader.datasets.get(dataset)
        reader.require(record, Aspect.EVIDENCE)
        seen, own = self._sights.of(subject).of(record), own_recognizers(self._store, subject.user)
        return [
            answers.Classification.of(figures.classification(each, seen, own))
            for each in self._datasets.classifications(record.id)
        ]

    def review_one(self, subject: Subject, later: Callable[[], Subject], decision: Decision) -> answers.Classification:
        """Take one decision. `later`: the subject as they are when it is written. Raises DatasetNotFound, NotAllowed,
        InvalidInput."""
        record = self._readers.of(subject).datasets.get(decision.dataset)
        if decision.state is not ReviewState.CONFIRMED or not self._holds(record, decision):
            require_unmasking(subject, "detections")
        self._require_review(subject, record, decision)
        with self._store.transaction():  # by who they are when it is written
            self._require_review(later(), self._datasets.get(record.id), decision)
            after = self._datasets.review(
                record.id, decision.path, decision.entity, decision.state, decision.reason, subject.user
            )
        target = f"{record.reference}#{decision.path}"
        self._audit.record_by(subject, "classification.review", target, str(decision.state), [decision.entity])
        return answers.Classification.of(after)

    def review(
        self, subject: Subject, later: Callable[[], Subject], decisions: Sequence[Decision]
    ) -> answers.ReviewOutcomes:
        """Take each decision for itself. Raises NotAllowed for who may decide on none of the datasets."""
        refusals = [self._refusal(subject, each) for each in decisions]
        if not any(each.theirs for each in refusals):
            raise NotAllowed(
                f"{subject.user} lacks the permission 'review' and owns none of these datasets; ask an administrator for"
                " a role that carries it.",
                details={"permission": PERMISSION},
            )
        pairs = list(zip(decisions, refusals, strict=True))

        def refused(decision: Decision) -> str | None:
            """By who they are when it is written: a right that ended meanwhile gives nothing."""
            return self._refusal(later(), decision).problem

        allowed = [decision for decision, before in pairs if before.problem is None]
        done = iter(self._reviews.review(allowed, subject.user, refused))
        outcomes = [
            next(done) if before.problem is None else Outcome(decision, problem=before.problem)
            for decision, before in pairs
        ]
        self._record(subject, outcomes)
        counted = Counter(str(each.record.state) if each.record else "refused" for each in outcomes)
        return answers.ReviewOutcomes(
            reviewed=len(outcomes) - counted["refused"],
            refused=counted["refused"],
            results=[answers.ReviewOutcome.of(each) for each in outcomes],
        )

    def _holds(self, record: DatasetRecord, decision: Decision) -> bool:
        """Whether the field carries the tag already, so that a confirmation changes no mask."""
        kept = self._datasets.classifications(record.id)
        return any(each.holds and (each.path, each.entity) == (decision.path, decision.entity) for each in kept)

    def _reviews_all(self, subject: Subject) -> bool:
        return PERMISSION in self._identity.permissions(subject)

    def _may_review(self, subject: Subject, record: DatasetRecord) -> bool:
        return owns(subject, record) or self._identity.may(subject, Power.REVIEW, record.reference)

    def _refusal(self, subject: Subject, decision: Decision) -> _Refusal:
        """Nothing for who reviews everything. A dataset that is not there, or not for them to know of, is nobody else's."""
        if self._reviews_all(subject):
            return _Refusal()
        try:
            record = self._readers.of(subject).datasets.get(decision.dataset)
        except DatasetNotFound as error:
            return _Refusal(error.message)
        if not self._may_review(subject, record):
            return _Refusal(f"{subject.user} does not own {record.reference}.", theirs=False)
        problems = (self._limits.refused(subject, record, part) for part in decision.parts)
        return _Refusal(next((problem for problem in problems if problem is not None), None))

    def _require_review(self, subject: Subject, record: DatasetRecord, decision: Decision) -> None:
        """Raises NotAllowed."""
        if not self._may_review(subject, record):
            raise NotAllowed(
                f"{subject.user} lacks the permission {PERMISSION!r}; ask an administrator for a role that carries it.",
                details={"permission": PERMISSION, "reasons": [f"no role of {subject.user} carries {PERMISSION}"]},
            )
        if problem := self._limits.refused(subject, record, decision):
            raise NotAllowed(f"{subject.user} may not decide so on {record.reference}: {problem}")

    def _record(self, subject: Subject, outcomes: Sequence[Outcome]) -> None:
        """One entry for each dataset and decision; the reasons name the fields."""
        fields_by_decision: dict[tuple[str, str], list[str]] = {}
        for outcome in outcomes:
            if outcome.record is not None:
                record = self._datasets.get(outcome.decision.dataset)
                key = record.reference, str(outcome.record.state)
                fields_by_decision.setdefault(key, []).append(f"{outcome.record.path} {outcome.record.entity}")
                if outcome.decision.instead is not None:
                    confirmed = record.reference, str(ReviewState.CONFIRMED)
                    field = f"{outcome.record.path} {outcome.decision.instead}"
                    fields_by_decision.setdefault(confirmed, []).append(field)
        for (reference, state), fields in fields_by_decision.items():
            self._audit.record_by(subject, "classification.review", reference, state, fields)
