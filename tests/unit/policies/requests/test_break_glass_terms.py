"""The terms of break-glass and the check of one use, at every edge."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from catalog.errors import Conflict, InvalidInput, NotAllowed
from policies.access_request import AccessRequest, RequestState, Vote
from policies.matching import Who
from policies.model import SubjectMatch, Target
from policies.requests.break_glass import Terms, check, terms
from policies.workflow import Approvers, BreakGlass, Stage, Workflow

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR, TICK = timedelta(hours=1), timedelta(microseconds=1)
GRACE = Who("grace", frozenset({"on-call"}), {})
ON_CALL = SubjectMatch(groups=frozenset({"on-call"}))
PRIVACY, BOSS = SubjectMatch(groups=frozenset({"privacy"})), SubjectMatch(users=frozenset({"boss"}))


def workflow(name: str, glass: BreakGlass | None) -> Workflow:
    return Workflow(name, (Target(dataset="*"),), (), break_glass=glass)


def glass(review: SubjectMatch = PRIVACY, hours: int = 2, within: int = 24, who: SubjectMatch = ON_CALL) -> BreakGlass:
    return BreakGlass(who, hours * HOUR, review, within * HOUR)


def test_the_strictest_terms_of_all_workflows() -> None:
    one = terms(GRACE, [workflow("a", glass())], "prod/orders")
    assert one == Terms(2 * HOUR, (Stage("review", Approvers(people=PRIVACY)),), 24 * HOUR)
    several = [
        workflow("a", glass()),
        workflow("b", glass(BOSS, 1, 48)),
        workflow("c", glass(SubjectMatch(), 3, 12)),
        workflow("d", glass(PRIVACY)),
    ]
    assert terms(GRACE, several, "prod/orders") == Terms(
        HOUR,
        (
            Stage("review", Approvers(people=PRIVACY)),
            Stage("b/review", Approvers(people=BOSS)),
            Stage("c/review", Approvers(owners=True)),
        ),
        12 * HOUR,
    )


def refused(workflows: list[Workflow], who: Who = GRACE) -> tuple[str, Any]:
    with pytest.raises(NotAllowed) as raised:
        terms(who, workflows, "prod/orders")
    return raised.value.message, raised.value.details


def test_who_may_not_and_why() -> None:
    assert refused([]) == (
        "No workflow is about this part of prod/orders, so nobody may use emergency access; make a request.",
        {"reasons": ["break-glass is declared by a workflow (breakGlass)"]},
    )
    assert refused([workflow("a", glass()), workflow("b", None)]) == (
        "grace may not use emergency access to prod/orders: workflow b has no breakGlass. Make a request.",
        {"reasons": ["workflow b has no breakGlass"]},
    )
    assert refused([workflow("a", glass(who=BOSS)), workflow("b", glass())]) == (
        "grace may not use emergency access to prod/orders: workflow a does not name grace for it. Make a request.",
        {"reasons": ["workflow a does not name grace for it"]},
    )


# -- one use ----------------------------------------------------------------------------------------------------------

ALLOWED = Terms(2 * HOUR, (), 24 * HOUR)


def lasts(
    wished: timedelta | None, *earlier: AccessRequest, reason: str = "incident", now: datetime = NOW
) -> timedelta:
    return check("grace", reason, wished, ALLOWED, earlier, now)


def use(
    state: RequestState,
    user: str = "grace",
    ends: timedelta = HOUR,
    denied: timedelta | None = None,
    broke: bool = True,
) -> AccessRequest:
    """An earlier request: to be reviewed until now + `ends`, denied `denied` ago."""
    votes = (
        (Vote("petra", "review", "deny", NOW - 9 * HOUR), Vote("vera", "review", "deny", NOW - denied))
        if denied is not None
        else ()
    )
    return AccessRequest(
        "req-1",
        user,
        "prod/orders",
        ("*",),
        ("*",),
        "x",
        NOW,
        NOW,
        NOW - 30 * HOUR,
        NOW + ends,
        (),
        state=state,
        votes=votes,
        break_glass=broke,
    )


def test_how_long_it_lasts() -> None:
    assert lasts(None) == lasts(2 * HOUR) == 2 * HOUR and lasts(TICK) == TICK
    for wished in (2 * HOUR + TICK, timedelta(0), -HOUR):
        with pytest.raises(InvalidInput, match=r"^Break-glass access lasts at most 2 hours here; ask for less.$"):
            lasts(wished)
    with pytest.raises(InvalidInput, match=r"at most 0.5 hours"):
        check("grace", "x", HOUR, Terms(HOUR / 2, (), HOUR), (), NOW)


@pytest.mark.parametrize("reason", ["", " ", "\n\t"])
def test_a_use_needs_a_reason(reason: str) -> None:
    with pytest.raises(InvalidInput, match=r"^Emergency access needs a reason") as raised:
        lasts(None, reason=reason)
    assert raised.value.details == {"field": "reason"}


def test_a_use_that_was_not_reviewed_in_time_stops_the_next() -> None:
    late = use(RequestState.REVIEW, ends=timedelta(0))
    with pytest.raises(
        Conflict, match=r"^grace broke the glass before \(req-1\), and it was not reviewed in time"
    ) as raised:
        lasts(None, use(RequestState.REVIEW), late)
    assert raised.value.details == {"id": "req-1"}
    for other in (
        use(RequestState.REVIEW, ends=TICK),
        use(RequestState.REVIEW, "ana", ends=-HOUR),
        use(RequestState.APPROVED, ends=-HOUR),
        use(RequestState.DENIED, ends=-HOUR),
    ):
        assert lasts(None, other) == 2 * HOUR


def test_a_use_that_was_denied_bars_for_a_time() -> None:
    with pytest.raises(Conflict, match=r"its reviewer denied that; it is barred until 2026-06-02T11:00:00Z") as raised:
        lasts(None, use(RequestState.DENIED, denied=24 * HOUR), use(RequestState.DENIED, denied=HOUR))
    assert raised.value.details == {"id": "req-1", "until": "2026-06-02T11:00:00Z"}
    with pytest.raises(Conflict):
        lasts(None, use(RequestState.DENIED, denied=24 * HOUR - TICK))
    for other in (
        use(RequestState.DENIED, denied=24 * HOUR),
        use(RequestState.DENIED, "ana", denied=HOUR),
        use(RequestState.DENIED),
        use(RequestState.APPROVED, denied=HOUR),
        use(RequestState.DENIED, denied=HOUR, broke=False),
    ):
        assert lasts(None, other) == 2 * HOUR
