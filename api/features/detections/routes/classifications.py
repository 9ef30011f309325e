"""Personal data across all datasets and in one of them, and its review, one by one or many at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import Query
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Limit, Name, Offset, Text
from api.features.detections import answers
from api.features.detections.service import PERMISSION, Detections
from api.guard.guards import KNOWN, OWNERS, Caller, needs, signed_in
from api.guard.powers import Session
from api.guard.router import FeatureRouter
from api.guard.services import From
from catalog.datasets.reviews import MAX_ITEMS, Decision, DetectionFilter, DetectionOrder
from catalog.errors import InvalidInput
from catalog.model import DatasetId, ReviewState

router = FeatureRouter(tags=["catalog"])


@router.get("/datasets/{namespace}/{name}/classifications", dependencies=[signed_in(KNOWN)])
def classifications(
    detections: From[Detections], caller: Caller, namespace: Name, name: Name
) -> list[answers.Classification]:
    """The kinds of personal data found in each field, with evidence and review state."""
    return detections.of_dataset(caller, DatasetId(namespace, name))


class ReviewBody(RequestBody):
    """A steward's decision on one classification."""

    path: str = Field(examples=["value.customer.email"])
    entity: str = Field(examples=["EMAIL_ADDRESS"])
    state: ReviewState
    reason: Text = ""


@router.post(
    "/datasets/{namespace}/{name}/classifications", dependencies=[needs(PERMISSION, others=OWNERS, agents=True)]
)
def review_one(
    detections: From[Detections], caller: Caller, later: Session, namespace: Name, name: Name, body: ReviewBody
) -> answers.Classification:
    """Confirm or reject a suggested classification; a rejection sticks through rescans. Owners may review their own."""
    decision = Decision(DatasetId(namespace, name), body.path, body.entity, body.state, body.reason or None)
    return detections.review_one(caller, later, decision)


@router.get("/classifications", dependencies=[signed_in(KNOWN)])
def list_classifications(
    detections: From[Detections],
    caller: Caller,
    state: ReviewState | None = None,
    entity: Annotated[Text | None, Query(description="A kind of personal data; PII for any.")] = None,
    dataset: Annotated[Text | None, Query(description="CLUSTER/TOPIC; * matches anything.")] = None,
    path: Annotated[Text | None, Query(description="Field path; * matches anything.")] = None,
    recognizer: Annotated[Text | None, Query(description="Found by this recognizer.")] = None,
    changed: Annotated[bool | None, Query(description="Whose last look differs from the one before.")] = None,
    doubtful: Annotated[bool | None, Query(description="Suggestions that rest on little, by their score.")] = None,
    order: Annotated[
        DetectionOrder, Query(description="By dataset, path and kind; or those first that rest on the least.")
    ] = DetectionOrder.DATASET,
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.Classifications:
    """Classifications of every dataset, with evidence, and how many there are by state, entity and dataset.

    `mayReview` of each: whether the caller may confirm or reject it, as a reviewer (of its domain) or an owner of its dataset.
    """
    where = DetectionFilter(
        state=state,
        entity=entity,
        dataset=dataset,
        path=path,
        recognizer=recognizer,
        changed=changed,
        doubtful=doubtful,
    )
    return detections.page(caller, where, limit, offset, order)


class ReviewItem(RequestBody):
    """A steward's decision on one classification. `state`, `reason` and `instead` may be given once for all items."""

    namespace: str = Field(examples=["prod"], description="Or the cluster's name.")
    name: str = Field(examples=["orders"])
    path: str = Field(examples=["value.customer.email"])
    entity: str = Field(examples=["EMAIL_ADDRESS"])
    state: ReviewState | None = None
    reason: Text | None = None
    instead: Text | None = Field(
        None,
        description="The kind that it is in truth: confirmed with the rejection, both or neither.",
        examples=["PHONE_NUMBER"],
    )


class ReviewsBody(RequestBody):
    """Decisions on many classifications."""

    items: Annotated[list[ReviewItem], Field(max_length=MAX_ITEMS, min_length=1)]
    state: ReviewState | None = None
    reason: Text | None = None
    instead: Text | None = Field(None, description="The kind that all of them are in truth; they are rejected.")

    def decisions(self) -> Iterator[Decision]:
        """Raises InvalidInput for an item without a state."""
        for number, item in enumerate(self.items):
            instead = item.instead or self.instead or None
            state = item.state or self.state or (ReviewState.REJECTED if instead else None)
            if state is None:
                raise InvalidInput(f"Item {number + 1} has no state: write confirmed, rejected or suggested.")
            dataset = DatasetId(item.namespace, item.name)
            reason = item.reason or self.reason or None
            yield Decision(dataset, item.path, item.entity, state, reason, instead)


@router.post("/classifications/review", dependencies=[needs(PERMISSION, others=OWNERS)])
def review(detections: From[Detections], caller: Caller, later: Session, body: ReviewsBody) -> answers.ReviewOutcomes:
    """Confirm or reject many classifications, or name the kind they are instead. Owners may review their own.

    Each item is decided for itself: `results` names, in order, what each became or why it could not be taken.
    """
    return detections.review(caller, later, list(body.decisions()))
