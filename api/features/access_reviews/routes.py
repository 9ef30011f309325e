"""`/access-reviews`: campaigns in which rights are confirmed or revoked; items, decisions, evidence."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.openapi import answers_with
from api.edge.parameters import Count, Label, Limit, Name, Offset, Text
from api.features.access_reviews import answers
from api.features.access_reviews.service import AccessReviews
from api.formats.listing import as_file
from api.guard.guards import Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from policies.audit.log import AuditLog
from policies.campaigns.deciding import LONGEST_REASON, MOST_AT_ONCE
from policies.campaigns.report import COLUMNS
from policies.campaigns.service import ItemQuery

router = FeatureRouter("/access-reviews", tags=["access reviews"])


class ReviewStartBody(RequestBody):
    """A declared review, or a name with a spec as `kind: AccessReview` has it."""

    review: Text | None = Field(None, description="Name of a declared AccessReview.", examples=["personal-data"])
    name: Label | None = Field(None, min_length=1, max_length=200, description="With `spec`: what the id begins with.")
    spec: dict[str, object] | None = Field(None, description="As in YAML; `schedule` is not used.")


class ReviewDecisionBody(RequestBody):
    """Items and the word on them."""

    items: list[Count] = Field(min_length=1, max_length=MOST_AT_ONCE, description="Numbers of items.")
    verdict: Literal["keep", "revoke", "undo"]
    reason: str = Field(
        "", max_length=LONGEST_REASON, description="Needed to revoke, and to keep a right that was not used."
    )


class ReviewCloseBody(RequestBody):
    """How a review is closed before its time."""

    on_no_answer: Literal["revoke", "keep"] | None = Field(
        None, description="What becomes of what nobody confirmed; as declared when absent."
    )
    reason: str = Field(
        "", max_length=LONGEST_REASON, description="Needed where another answer is chosen than the declared one."
    )


@router.get(
    "",
    dependencies=[
        signed_in(
            "with items for the caller, those of their domain; all for `manage`, `report:read` and `audit:read`",
            scope="report:read",
        )
    ],
)
def list_reviews(
    reviews: From[AccessReviews],
    caller: Caller,
    state: Annotated[
        Literal["open", "closing", "closed", "failed"] | None, Query(description="Only of this state.")
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.AccessReviews:
    """Reviews with items for the caller; all of them, with their counts, for those who manage, report or audit.
    So are reviews of a domain for its admins."""
    campaigns = reviews.campaigns
    collected = campaigns.all(caller, state)
    waiting = campaigns.waiting(caller)
    page = [answers.AccessReview(**answers.AccessReview.keys(each)) for each in collected[offset : offset + limit]]
    return answers.AccessReviews(reviews=page, total=len(collected), to_decide=waiting)


@router.post(
    "",
    dependencies=[needs("manage", others="admins of a domain, reviews of it")],
    status_code=201,
)
def start(reviews: From[AccessReviews], caller: Caller, body: ReviewStartBody) -> answers.OneAccessReview:
    """Start a review now: its items are the rights of this moment. For those who manage, and of a domain for its admins."""
    campaigns = reviews.campaigns
    campaign = campaigns.start(caller, body.review, body.name, body.spec)
    return answers.OneAccessReview.of(campaigns.show(caller, campaign.id))


@router.get(
    "/{id}",
    dependencies=[
        needs(
            "audit:read",
            "manage",
            "report:read",
            others="its reviewers, of their items; admins of the domain that it is of",
            unseen=True,
            scope="report:read",
        )
    ],
)
def get_review(reviews: From[AccessReviews], caller: Caller, id: Name) -> answers.OneAccessReview:
    """One review, and how far its reviewers are."""
    return answers.OneAccessReview.of(reviews.campaigns.show(caller, id))


@router.get(
    "/{id}/items",
    dependencies=[
        needs(
            "audit:read",
            "manage",
            "report:read",
            others="its reviewers, of their items; admins of the domain that it is of",
            unseen=True,
            scope="report:read",
        )
    ],
)
def items(
    reviews: From[AccessReviews],
    caller: Caller,
    id: Name,
    mine: Annotated[bool, Query(description="Only those that the caller is a reviewer of.")] = False,
    state: Literal["open", "kept", "revoked", "gone"] | None = None,
    person: Annotated[Text | None, Query(description="Only this holder's.")] = None,
    dataset: Annotated[Text | None, Query(description="Only rights that open this dataset: CLUSTER/TOPIC.")] = None,
    unused: Annotated[bool | None, Query(description="Only rights that were not used, or that were.")] = None,
    kind: answers.ReviewKind | None = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.ReviewedRights:
    """Items that the caller may decide, and all of them for those who manage or run its domain; with evidence, by number."""
    query = ItemQuery(mine=mine, state=state, person=person, dataset=dataset, unused=unused, kind=kind)
    shown, total = reviews.campaigns.items(caller, id, query, offset, limit)
    return answers.ReviewedRights(items=[answers.ReviewedRight.of(each) for each in shown], total=total)


@router.post(
    "/{id}/decisions",
    dependencies=[
        needs(
            "manage",
            others="its reviewers, and admins of the domain that it is of, never on their own rights",
            unseen=True,
        )
    ],
)
def decide(reviews: From[AccessReviews], caller: Caller, id: Name, body: ReviewDecisionBody) -> answers.ReviewDecisions:
    """Keep or revoke rights, or take decisions back while the review is open. A revocation takes effect at once.

    Items that could not be decided are in `refused`; where none could, the answer is the first one's error.
    """
    decided = reviews.campaigns.decide(caller, id, body.items, body.verdict, body.reason)
    return answers.ReviewDecisions.of(decided)


@router.post(
    "/{id}/close",
    dependencies=[needs("manage", others="admins of the domain that it is of", unseen=True)],
)
def close(
    reviews: From[AccessReviews], caller: Caller, id: Name, body: ReviewCloseBody | None = None
) -> answers.OneAccessReview:
    """Close a review before its time. For those who manage or run its domain.

    Open items about their own rights are settled as declared.
    """
    body = body or ReviewCloseBody()
    return answers.OneAccessReview.of(reviews.campaigns.close(caller, id, body.on_no_answer, body.reason))


@router.get(
    "/{id}/report",
    dependencies=[needs("audit:read", "manage", others="admins of the domain that it is of", scope="report:read")],
    response_model=answers.AccessReviewReport,
    responses=answers_with(answers.AccessReviewReport, "text/csv", "text/html"),
)
def report(
    reviews: From[AccessReviews],
    audit: From[AuditLog],
    caller: Caller,
    id: Name,
    format: Literal["json", "csv", "html"] = "json",
) -> answers.AccessReviewReport | Response:
    """The evidence: who decided what, when, why, from which evidence. For those who manage, audit or run its domain."""
    evidence = reviews.report(caller, id)
    audit.record_by(caller, "report.access-review", id, "allow", [format])
    if format == "csv":
        return as_file(evidence.rows(), COLUMNS, "csv", "access-review", evidence.campaign.notes)
    if format == "html":
        return StreamingResponse(evidence.html(caller.user), media_type="text/html")
    return answers.AccessReviewReport.of(evidence)
