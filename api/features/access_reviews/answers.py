"""Answers of `/access-reviews`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal, Self

from api.edge.answer import Answer, FreeForm, Time, about
from api.features.access.answers import ShownFields, Shows
from catalog.records import rfc3339
from policies.campaigns.closing import Summary
from policies.campaigns.model import Campaign, Item
from policies.campaigns.report import Report
from policies.campaigns.service import CampaignPage, Decided, ShownCampaign, ShownItem

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

    @classmethod
    def of(cls, counts: Summary) -> Self:
        return cls(**asdict(counts))


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

    @staticmethod
    def keys(shown: ShownCampaign) -> dict[str, object]:
        """What every answer about a campaign has, by the names of attributes."""
        campaign = shown.campaign
        return {
            "id": campaign.id,
            "review": campaign.review,
            "state": campaign.state,
            "description": str(campaign.terms.get("description", "")),
            "started_at": rfc3339(campaign.started_at),
            "started_by": campaign.started_by,
            "due_at": rfc3339(campaign.due_at),
            "closed_at": rfc3339(campaign.closed_at),
            "closed_by": campaign.closed_by,
            "on_no_answer": campaign.no_answer,
            "notes": list(campaign.notes) if shown.counts_all else [],
            "hash": campaign.digest,
            "audit": campaign.audit,
            "counts": ReviewCounts.of(shown.counts),
            "to_decide": shown.to_decide,
            "manages": shown.manages,
        }


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

    @classmethod
    def of(cls, page: CampaignPage) -> Self:
        reviewers = [
            ReviewProgress(why=each.why, users=list(each.users), items=each.items, open=each.open)
            for each in page.reviewers
        ]
        return cls(reviewers=reviewers, **cls.keys(page.shown))


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

    @staticmethod
    def keys(item: Item) -> dict[str, object]:
        """What every answer about an item has, by the names of attributes."""
        right = item.right
        return {
            "number": item.number,
            "kind": right.kind,
            "name": right.name,
            "holder": right.holder,
            "person": right.person,
            "dataset": right.dataset,
            "purpose": right.purpose,
            "since": rfc3339(right.since),
            "until": rfc3339(right.until),
            "sources": list(right.sources),
            "evidence": item.evidence,
            "unused": item.unused,
            "state": item.state,
            "outcome": item.outcome,
            "by": item.by,
            "at": rfc3339(item.at),
            "reason": item.reason,
            "instead_of": item.instead_of,
            "changed": item.changed,
            "left_at": list(item.left_at),
            "audit": item.audit,
        }


class ReviewedRight(ReviewRecord):
    """One right under review, as its reviewers see it."""

    right: str
    opens: int = about("Datasets of the review that it opens.")
    reviewers: list[str]
    why: str = about("Who decides it, in words.")
    ended: bool = about("It ended by something else meanwhile; nothing is left to decide.")
    can_decide: bool
    can_undo: bool

    @classmethod
    def of(cls, shown: ShownItem) -> Self:
        keys = cls.keys(shown.item) | {"changed": shown.changed}
        return cls(
            right=shown.item.right.text,
            opens=shown.opens,
            reviewers=list(shown.reviewers),
            why=shown.why,
            ended=shown.ended,
            can_decide=shown.can_decide,
            can_undo=shown.can_undo,
            **keys,
        )


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

    @classmethod
    def of(cls, item: Item) -> Self:
        return cls(number=item.number, state=item.state, outcome=item.outcome, left_at=list(item.left_at))


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

    @classmethod
    def of(cls, decided: Decided) -> Self:
        return cls(
            decided=[DecidedItem.of(each) for each in decided.items],
            refused=[
                RefusedItem(number=each.number, code=each.error.code, message=each.error.message)
                for each in decided.refused
            ],
            campaign=OneAccessReview.of(decided.page),
        )


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

    @classmethod
    def of(cls, campaign: Campaign) -> Self:
        return cls(**campaign.record(), state=campaign.state)


class ReportedItem(ReviewRecord):
    """One right in the evidence."""

    there: bool = about("It was revoked and is there now: at another source, or given again.")

    @classmethod
    def of(cls, item: Item, there: bool) -> Self:
        return cls(there=there, **cls.keys(item))


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

    @classmethod
    def of(cls, report: Report) -> Self:
        head, campaign = report.head(), report.campaign
        return cls(
            campaign=ReviewedCampaign.of(campaign),
            counts=ReviewCounts.of(head.counts),
            hash=campaign.digest,
            holds=head.holds,
            problem=head.problem,
            audit=campaign.audit,
            audit_entries=head.audit_entries,
            items=[ReportedItem.of(item, there) for item, there in report.items()],
        )
