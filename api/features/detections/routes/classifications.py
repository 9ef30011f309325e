"""`/classifications`: personal data across all datasets, and its review, many at once."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.openapi import answers_with
from api.edge.parameters import Limit, Offset, Text
from api.guard.guards import KNOWN, OWNERS, Caller, needs, signed_in
from api.guard.powers import Session
from api.guard.services import InstanceOf
from api.features.detections.answers import Classifications, ReviewOutcomes
from api.joins.domains import ReviewLimits
from api.features.detections.recognizers import own_recognizers
from api.visibility import sight
from api.visibility.readers import Readers
from api.visibility.sight import SightRules, owns
from catalog.datasets.datasets import Datasets
from catalog.datasets.reviews import MAX_ITEMS, Decision, Outcome, Reviews, Wanted
from catalog.errors import DatasetNotFound, InvalidInput, NotAllowed
from catalog.model import DatasetId, ReviewState
from catalog.ports import CatalogStore
from catalog.records import DatasetRecord
from policies.access.identity import Identity
from policies.audit import AuditLog
from policies.decision.domains import Power

router = APIRouter(prefix="/classifications", tags=["catalog"])


@router.get("", dependencies=[signed_in(KNOWN)], responses=answers_with(Classifications))
def list_classifications(
    built: InstanceOf,
    subject: Caller,
    state: ReviewState | None = None,
    entity: Annotated[Text | None, Query(description="A kind of personal data; PII for any.")] = None,
    dataset: Annotated[Text | None, Query(description="CLUSTER/TOPIC; * matches anything.")] = None,
    path: Annotated[Text | None, Query(description="Field path; * matches anything.")] = None,
    recognizer: Annotated[Text | None, Query(description="Found by this recognizer.")] = None,
    changed: Annotated[bool | None, Query(description="Whose last look differs from the one before.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> dict[str, Any]:
    """Classifications of every dataset, with evidence, and how many there are by state, entity and dataset.

    `mayReview` of each: whether the caller may confirm or reject it, as a reviewer (of its domain) or an owner of its dataset.
    """
    filters = Wanted(state=state, entity=entity, dataset=dataset, path=path, recognizer=recognizer, changed=changed)
    reader = built[Readers].of(subject)
    listing = reader.reviews.page(filters, limit, offset)
    page = listing.to_json()
    steward = "review" in built[Identity].permissions(subject)
    own: dict[tuple[str, str], bool] = {}
    for row in page["classifications"]:
        key = (row["namespace"], row["name"])
        if key not in own:
            record = None if steward else reader.store.dataset(DatasetId(*key))
            own[key] = steward or (record is not None and _reviews(built, subject, record))
        row["mayReview"] = own[key]
    sights, declared = built[SightRules].of(subject), own_recognizers(built[CatalogStore], subject.user)
    seen: dict[DatasetId, sight.Sight] = {}
    for row, each in zip(page["classifications"], listing.items, strict=True):
        if each.dataset not in seen:
            record = reader.store.dataset(each.dataset)
            seen[each.dataset] = sights.of(record) if record is not None else sight.Sight()
        row |= sight.classification(each.record, seen[each.dataset], declared)
    return page


class ReviewItem(RequestBody):
    """A steward's word on one classification. `state` and `reason` may be given once for all items instead."""

    namespace: str = Field(examples=["prod"], description="Or the cluster's name.")
    name: str = Field(examples=["orders"])
    path: str = Field(examples=["value.customer.email"])
    entity: str = Field(examples=["EMAIL_ADDRESS"])
    state: ReviewState | None = None
    reason: str | None = None


class ReviewItems(RequestBody):
    items: Annotated[list[ReviewItem], Field(max_length=MAX_ITEMS, min_length=1)]
    state: ReviewState | None = None
    reason: str | None = None


@router.post("/review", dependencies=[needs("review", others=OWNERS)], responses=answers_with(ReviewOutcomes))
def review(built: InstanceOf, subject: Caller, later: Session, body: ReviewItems) -> dict[str, Any]:
    """Confirm or reject many classifications; a rejection sticks through rescans. Owners may review their own.

    Each item is decided for itself: `results` names, in order, what each became or why it could not be taken.
    """
    steward = "review" in built[Identity].permissions(subject)
    outcomes: list[Outcome | None] = []
    decisions: list[Decision] = []
    may = False
    for number, item in enumerate(body.items):
        state = item.state or body.state
        if state is None:
            raise InvalidInput(f"Item {number + 1} has no state: write confirmed, rejected or suggested.")
        decision = Decision(
            DatasetId(item.namespace, item.name), item.path, item.entity, state, item.reason or body.reason or None
        )
        problem = None if steward else _not_theirs(built, subject, decision)
        unknown = None if steward else _unknown(built, subject, decision)
        outcomes.append(None if problem is None and unknown is None else Outcome(decision, problem=problem or unknown))
        may = may or problem is None
        if problem is None and unknown is None:
            decisions.append(decision)
    if not may:
        raise NotAllowed(
            f"{subject.user} lacks the permission 'review' and owns none of these datasets; ask an administrator for a"
            " role that carries it.",
            details={"permission": "review"},
        )

    def refused(decision: Decision) -> str | None:
        """By who they are when it is written: a right that ended meanwhile gives nothing."""
        now = later()
        if "review" in built[Identity].permissions(now):
            return None
        return _not_theirs(built, now, decision) or _unknown(built, now, decision)

    done = iter(built[Reviews].review(decisions, subject.user, refused))
    results = [outcome or next(done) for outcome in outcomes]
    _audit(built, subject, results)
    counted = Counter(str(r.record.state) if r.record else "refused" for r in results)
    return {
        "reviewed": len(results) - counted["refused"],
        "refused": counted["refused"],
        "results": [r.to_json() for r in results],
    }


def _reviews(built: InstanceOf, subject: Caller, record: DatasetRecord) -> bool:
    return owns(subject, record) or built[Identity].may(subject, Power.REVIEW, record.reference)


def _not_theirs(built: InstanceOf, subject: Caller, decision: Decision) -> str | None:
    """Why someone without the permission may not decide; None for an owner, and for a dataset that is not there."""
    try:
        record = built[Readers].of(subject).datasets.get(decision.dataset)
    except DatasetNotFound:
        return None
    return None if _reviews(built, subject, record) else f"{subject.user} does not own {record.reference}."


def _unknown(built: InstanceOf, subject: Caller, decision: Decision) -> str | None:
    """That the dataset is not there, or not for the caller to know of; or why a steward of its domain may not decide so."""
    try:
        record = built[Readers].of(subject).datasets.get(decision.dataset)
    except DatasetNotFound as error:
        return error.message
    return built[ReviewLimits].refused(subject, record, decision)


def _audit(built: InstanceOf, subject: Caller, results: list[Outcome]) -> None:
    """One entry for each dataset and decision; the reasons name the fields."""
    fields_by_decision: dict[tuple[str, str], list[str]] = {}
    for result in results:
        if result.record is not None:
            record = built[Datasets].get(result.decision.dataset)
            key = record.reference, str(result.record.state)
            fields_by_decision.setdefault(key, []).append(f"{result.record.path} {result.record.entity}")
    for (reference, state), fields in fields_by_decision.items():
        built[AuditLog].record_by(subject, "classification.review", reference, state, fields)
