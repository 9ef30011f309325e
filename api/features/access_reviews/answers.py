"""Answers of `/access-reviews`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, FreeForm, Time, about
from api.features.access.answers import ShownFields, Shows

ReviewKind = Literal["grant", "role", "group", "owner"]
ReviewItemState = Literal["open", "kept", "revoked", "gone"]
ReviewOutcome = Literal["", "confirmed", "unconfirmed", "ended", "partly", "at-source", "ended-elsewhere"]


class ReviewCounts(Answer):
    """Items of an access review; of a reviewer who does not see all: those of theirs."""

    items: int
    open: int
    kept: int
    unconfirmed: int = about("Kept since nobody decided; among `kept`.")
    revoked: int
    at_source: int = about("Something of the right has to be ended at its source too.")
    gone: int = about("Ended by something else before anybody decided.")
    unused: int


class AccessReview(Answer):
    """One run of an access review."""

    id: str
    review: str | None = about("The declared AccessReview; null: its terms were given by hand.")
    state: Literal["open", "closing", "closed", "failed"]
    description: str
    started_at: Time
    started_by: str
    due_at: Time
    closed_at: Time | None
    closed_by: str | None
    on_no_answer: Literal["revoke", "keep"] = about("What becomes of what nobody confirmed.")
    notes: list[str] = about("What is not known, in sentences.")
    hash: str | None = about("SHA-256 of the evidence at the close.")
    audit: int | None = about("The audit's entry of the close.")
    counts: ReviewCounts
    to_decide: int = about("Items that wait for the caller's word.")
    manages: bool = about("The caller may see and decide all items, and close the review.")


class AccessReviews(Answer):
    """A page of access reviews, newest first."""

    reviews: list[AccessReview]
    total: int
    to_decide: int = about("Rights that wait for the caller's word, in all reviews.")


class ReviewProgress(Answer):
    """How far the items of one set of reviewers are."""

    why: str = about("Who decides, in words.")
    users: list[str]
    items: int
    open: int


class OneAccessReview(AccessReview):
    """An access review, and how far its reviewers are."""

    reviewers: list[ReviewProgress] = about("Empty for those who may not see how far all are.")


class SeenByRight(Answer):
    """What a right lets its holder see of one dataset."""

    dataset: str = about("CLUSTER/TOPIC.")
    shows: Shows
    without: Shows | None = about("What is left without the right; null: not known.")
    fields: ShownFields
    masks: list[str]
    personal: list[str] = about("Kinds of personal data in the dataset.")


class ReviewEvidence(Answer):
    """What a right lets its holder see, and when it was last used, as it was when the review began."""

    datasets: list[SeenByRight]
    more_datasets: int
    last_used: Time | None
    looked_since: Time = about("The audit was searched for use from then on.")
    young: bool = about("The right is too young to count as unused.")


class ReviewRecord(Answer):
    """One right under review."""

    number: int
    kind: ReviewKind
    name: str = about("Of the grant, role or group; of an owner: CLUSTER/TOPIC.")
    holder: str
    person: str | None = about("null: the right is a group's or a role's.")
    dataset: str | None
    purpose: str | None
    since: Time | None
    until: Time | None
    sources: list[str] = about("Where the right comes from.")
    evidence: ReviewEvidence
    unused: bool
    state: ReviewItemState
    outcome: ReviewOutcome
    by: str | None
    at: Time | None
    reason: str
    instead_of: str | None = about("In whose place it was decided.")
    changed: bool = about("The right is not what it was when the review began, or when it was confirmed.")
    left_at: list[str] = about("Sources where the right has to be ended too; there it continues, or comes back.")
    audit: int | None = about("The audit's entry of the decision.")


class ReviewedRight(ReviewRecord):
    """One right under review, as its reviewers see it."""

    right: str
    opens: int = about("Datasets of the review that it opens.")
    reviewers: list[str]
    why: str = about("Who decides it, in words.")
    ended: bool = about("It ended by something else meanwhile; nothing is left to decide.")
    can_decide: bool
    can_undo: bool


class ReviewedRights(Answer):
    """A page of items, by number."""

    items: list[ReviewedRight]
    total: int


class DecidedItem(Answer):
    """An item that was decided."""

    number: int
    state: ReviewItemState
    outcome: ReviewOutcome
    left_at: list[str]


class RefusedItem(Answer):
    """An item that was not decided, and why."""

    number: int
    code: str
    message: str


class ReviewDecisions(Answer):
    """What became of each item, and how far the review is."""

    decided: list[DecidedItem]
    refused: list[RefusedItem]
    campaign: OneAccessReview


class ReviewedCampaign(Answer):
    """The campaign, as its hash has it."""

    id: str
    review: str | None
    terms: FreeForm = about("The spec as it was when it began.")
    state: str
    started_at: Time
    started_by: str
    due_at: Time
    on_no_answer: str
    declared_on_no_answer: str = about("As it was declared when the review began.")
    close_reason: str = about("Why who closed it by hand chose another answer.")
    closed_at: Time | None
    closed_by: str | None
    notes: list[str]


class ReportedItem(ReviewRecord):
    """One right in the evidence."""

    there: bool = about("It was revoked and is there now: at another source, or given again.")


class AccessReviewReport(Answer):
    """Who decided what, when, why, from which evidence."""

    campaign: ReviewedCampaign
    counts: ReviewCounts
    hash: str | None = about(
        "SHA-256 over the canonical JSON of the campaign and of each item, a line each; at the close."
    )
    holds: bool | None = about(
        "The evidence has the hash of the audit's entry of the close; null before it, and where that entry is not kept."
    )
    problem: str | None = about("Why it does not hold, or could not be compared.")
    audit: int | None
    audit_entries: str = about("Where the audit's entries of it are.")
    items: list[ReportedItem]
