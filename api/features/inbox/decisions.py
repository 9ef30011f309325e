"""What waits for a person's word, and what of their own access changes soon."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from api.features.inbox.person import Person
from api.features.inbox.rows import Row, few, first_of, page, plural, verb
from policies.access.grants import Grants
from policies.access_request import AccessRequest, RequestState
from policies.campaigns.service import Campaigns
from policies.matching import is_active
from policies.model import Grant
from policies.requests.approvals import Approvals

SOON = timedelta(days=7)
"""A grant that ends within this time has a row."""


def requests(person: Person, approvals: Approvals) -> Sequence[Row]:
    """Requests of others that this person may decide."""
    waiting = approvals.list(person.subject, to_decide=True)
    if not waiting:
        return []
    return [
        Row(
            kind="request",
            duty="owner",
            tone="waiting",
            count=len(waiting),
            subject=plural(len(waiting), "request"),
            text=verb(len(waiting), "waits", "wait") + " for your decision",
            action="Decide",
            link=_link(waiting, "decide"),
            since=first_of([each.created_at for each in waiting]),
        )
    ]


def questions(person: Person, approvals: Approvals) -> Sequence[Row]:
    """Their own requests that approvers sent back with a question."""
    asked = approvals.list(person.subject, RequestState.ASKED_BACK, mine=True)
    if not asked:
        return []
    return [
        Row(
            kind="question",
            duty="analyst",
            tone="waiting",
            count=len(asked),
            subject=plural(len(asked), "request") + " of yours",
            text=verb(len(asked), "waits", "wait") + " for an answer from you",
            action="Answer",
            link=_link(asked, "mine"),
        )
    ]


def _link(requests: Sequence[AccessRequest], tab: str) -> str:
    """One request by itself, several as their list."""
    return f"/requests/{requests[0].id}" if len(requests) == 1 else page("/requests", show=tab)


def rights(person: Person, campaigns: Campaigns) -> Sequence[Row]:
    """Rights that they confirm or revoke in access reviews."""
    count = campaigns.waiting(person.subject)
    if count == 0:
        return []
    return [
        Row(
            kind="right",
            duty="owner",
            tone="waiting",
            count=count,
            subject=plural(count, "right"),
            text="to confirm in access reviews",
            action="Confirm",
            link="/access-reviews",
        )
    ]


def ending_grants(person: Person, grants: Grants) -> Sequence[Row]:
    """Grants of their own, or of a group of theirs, that end soon."""
    ending = sorted(
        (
            each
            for each in grants.list(person.subject)
            if is_active(each, person.now) and each.valid_to - person.now <= SOON
        ),
        key=lambda each: (each.valid_to, each.name),
    )
    return few(
        ending,
        _ending,
        lambda n: (f"{n:,} more of your grants", verb(n, "ends", "end") + " within 7 days"),
        page("/requests", show="grants"),
    )


def _ending(grant: Grant) -> Row:
    return Row(
        kind="grant",
        duty="analyst",
        tone="news",
        subject=f"Your grant on {grant.dataset}",
        text="ends",
        action="Extend",
        link=page("/requests", show="grants"),
        until=grant.valid_to,
    )
