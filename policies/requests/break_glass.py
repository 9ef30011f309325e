"""Break-glass: access at once for those a workflow names, short, loud in the audit, and reviewed afterwards. Pure.

Every workflow that is about what is asked for must allow it: one that does not, forbids it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from catalog.errors import Conflict, InvalidInput, NotAllowed
from catalog.records import rfc3339
from policies.access_request import AccessRequest, RequestState
from policies.matching import Who
from policies.model import SubjectMatch
from policies.workflow import Approvers, BreakGlass, Stage, Workflow

REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms the glass may be broken: for how long at most, who reviews it, within what time."""

    longest: timedelta
    stages: tuple[Stage, ...]
    review_within: timedelta


def terms(who: Who, workflows: Sequence[Workflow], reference: str) -> Terms:
    """The strictest terms of all workflows. Raises NotAllowed where one of them does not let this subject."""
    if not workflows:
        raise NotAllowed(
            f"No workflow is about this part of {reference}, so nobody may use emergency access; make a request.",
            details={"reasons": ["break-glass is declared by a workflow (breakGlass)"]},
        )
    stages: list[Stage] = []
    glasses: list[BreakGlass] = []
    for workflow in workflows:
        glass = workflow.break_glass
        if glass is None or not who.among(glass.subjects):
            why = "has no breakGlass" if glass is None else f"does not name {who.user} for it"
            raise NotAllowed(
                f"{who.user} may not use emergency access to {reference}: workflow {workflow.name} {why}. Make a request.",
                details={"reasons": [f"workflow {workflow.name} {why}"]},
            )
        glasses.append(glass)
        name = REVIEW if not stages else f"{workflow.name}/{REVIEW}"
        reviewers = Approvers(people=glass.review) if glass.review != SubjectMatch() else Approvers(owners=True)
        if not any(s.approvers == reviewers for s in stages):
            stages.append(Stage(name, reviewers))
    return Terms(min(g.max_duration for g in glasses), tuple(stages), min(g.review_within for g in glasses))


def check(
    user: str, reason: str, wished: timedelta | None, allowed: Terms, earlier: Sequence[AccessRequest], now: datetime
) -> timedelta:
    """How long the access lasts.

    Raises InvalidInput (no reason, too long), Conflict while an earlier use of the same person was not reviewed in
    time (what nobody reviews is not used again), or was denied by its reviewer less than `review_within` ago.
    """
    if not reason.strip():
        raise InvalidInput(
            "Emergency access needs a reason, as in --reason 'incident 4711'.", details={"field": "reason"}
        )
    if wished is not None and not timedelta(0) < wished <= allowed.longest:
        hours = allowed.longest.total_seconds() / 3600
        raise InvalidInput(f"Break-glass access lasts at most {hours:g} hours here; ask for less.")
    overdue = [r for r in earlier if r.requester == user and r.state is RequestState.REVIEW and now >= r.expires_at]
    if overdue:
        raise Conflict(
            f"{user} broke the glass before ({overdue[0].id}), and it was not reviewed in time; it must be first.",
            details={"id": overdue[0].id},
        )
    for each in earlier:
        denied = each.break_glass and each.requester == user and each.state is RequestState.DENIED
        if denied and each.votes and now < each.votes[-1].at + allowed.review_within:
            until = rfc3339(each.votes[-1].at + allowed.review_within)
            raise Conflict(
                f"{user} broke the glass before ({each.id}), and its reviewer denied that; it is barred until {until}."
                " Make a request.",
                details={"id": each.id, "until": until},
            )
    return wished or allowed.longest
