"""Access at once, reviewed afterwards; and delegates of approvers who are away."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from catalog.errors import Conflict, InvalidInput, NotAllowed, NotFound
from policies.access.grants import Grants
from policies.access_request import AccessRequest, RequestState
from policies.requests.approvals import Approvals
from policies.requests.grant_notices import GrantNotices
from policies.requests.view import OpenedField, RequestView
from tests.unit.policies.world import GOVERNANCE, ORDERS, World, company

EMAIL = "value.customer.email"
GLASS = {
    "subjects": {"groups": ["on-call"]},
    "maxDuration": "2h",
    "review": {"groups": ["privacy"]},
    "reviewWithin": "24h",
}


class Told:
    """An event sink that remembers."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []

    def emit(self, type: str, subject: str, data: Any = None) -> Any:
        self.events.append((type, subject))


@pytest.fixture
def outbox() -> Told:
    return Told()


@pytest.fixture
def world(outbox: Told) -> World:
    firm = company()
    spec = next(s for kind, _, s in GOVERNANCE if kind == "Workflow")
    firm.declare(
        ("Workflow", "personal-data", {**spec, "breakGlass": GLASS}),
        ("User", "grace", {"groups": ["on-call"], "roles": ["analyst"]}),
        ("User", "vera", {"groups": ["privacy"]}),
    )
    firm.approvals = Approvals(firm.state, firm.facts, firm.identity, firm.audit, firm.clock, events=outbox)
    firm.grants = Grants(firm.state, firm.facts, firm.identity, firm.audit, firm.clock, events=outbox)
    return firm


def smash(world: World, user: str = "grace", **more: Any) -> AccessRequest:
    more = {"fields": [EMAIL], "purpose": "incident", "reason": "incident 4711", **more}
    return world.approvals.emergency.use(world.user(user), "prod/orders", **more)


def mask_of(world: World, user: str) -> Any:
    return world.state.decide(world.user(user), ORDERS).column(EMAIL).mask  # type: ignore[union-attr]


def test_the_glass_opens_at_once_for_a_short_time_and_is_loud(world: World, outbox: Told) -> None:
    assert mask_of(world, "grace") is not None
    request = smash(world)
    assert mask_of(world, "grace") is None
    assert (request.state, request.break_glass, request.current.name) == (RequestState.REVIEW, True, "review")
    assert AccessRequest.from_json(request.to_json()) == request
    (entry,) = world.entries.rows
    assert (entry.actor, entry.action, list(entry.reasons)) == ("grace", "breakglass.use", ["incident 4711"])
    assert outbox.events == [("breakglass.used", request.id), ("grant.issued", request.grant)]
    assert world.state.view().grants[request.grant or ""].break_glass
    world.sleep(hours=2)
    assert mask_of(world, "grace") is not None


def test_a_review_that_objects_ends_the_access(world: World, outbox: Told) -> None:
    request = smash(world)
    assert [r.id for r in world.approvals.list(world.user("petra"), to_decide=True)] == [request.id]
    assert world.approvals.list(world.user("ana")) == []
    with pytest.raises(NotAllowed):
        world.approvals.approve(world.user("otto"), request.id)
    denied = world.approvals.deny(world.user("petra"), request.id, "no incident")
    assert denied.state is RequestState.DENIED and mask_of(world, "grace") is not None
    assert ("grant.revoked", request.grant) in outbox.events and ("access.decided", request.id) in outbox.events


def test_a_review_that_accepts_leaves_the_grant(world: World) -> None:
    request = smash(world)
    done = world.approvals.approve(world.user("petra"), request.id)
    assert done.state is RequestState.APPROVED and done.grant == request.grant and mask_of(world, "grace") is None
    with pytest.raises(Conflict):
        world.approvals.deny(world.user("vera"), request.id)


def test_nobody_reviews_their_own(world: World) -> None:
    world.declare(("User", "grace", {"groups": ["on-call", "privacy"]}))
    request = smash(world)
    assert world.approvals.list(world.user("grace"), to_decide=True) == []
    with pytest.raises(NotAllowed):
        world.approvals.approve(world.user("grace"), request.id)


def test_who_may_not(world: World) -> None:
    for user, more, error in (
        ("ana", {}, NotAllowed),
        ("grace", {"reason": " "}, InvalidInput),
        ("grace", {"purpose": " "}, InvalidInput),
        ("grace", {"lasting": timedelta(hours=3)}, InvalidInput),
        ("grace", {"lasting": timedelta(0)}, InvalidInput),
        ("grace", {"fields": ["value.order_id"]}, NotAllowed),
        ("grace", {"fields": ["value.nope"]}, InvalidInput),
    ):
        with pytest.raises(error):
            smash(world, user, **more)
    assert not world.entries.rows and not world.state.view().grants


def test_every_workflow_must_allow_it(world: World) -> None:
    stages = [{"name": "boss", "approvers": {"users": ["otto"]}}]
    world.declare(("Workflow", "mails", {"match": {"tags": ["EMAIL_ADDRESS"]}, "stages": stages}))
    with pytest.raises(NotAllowed, match="workflow mails has no breakGlass"):
        smash(world)
    shorter = {**GLASS, "maxDuration": "30m", "review": {"users": ["otto"]}, "reviewWithin": "1h"}
    world.declare(
        ("Workflow", "mails", {"match": {"tags": ["EMAIL_ADDRESS"]}, "stages": stages, "breakGlass": shorter})
    )
    request = smash(world)
    assert request.valid_to - request.valid_from == timedelta(minutes=30)
    assert request.expires_at - request.created_at == timedelta(hours=1) and len(request.stages) == 2
    half = world.approvals.approve(world.user("otto"), request.id)
    assert half.state is RequestState.REVIEW
    assert world.approvals.approve(world.user("petra"), request.id).state is RequestState.APPROVED


def test_the_review_is_forced(world: World, outbox: Told) -> None:
    request = smash(world)
    smash(world)  # an earlier use that can still be reviewed in time does not stand in the way
    world.sleep(hours=25)
    with pytest.raises(Conflict, match="not reviewed in time"):
        smash(world)
    notices = GrantNotices(world.state, outbox, world.clock)
    assert notices.step() == 2 and ("breakglass.overdue", request.id) in outbox.events
    world.sleep(minutes=1)
    assert notices.step() == 0
    shown = RequestView(world.state, world.approvals.deciders, world.clock).one(world.user("petra"), request)
    assert shown.overdue and shown.can_decide


def test_a_denied_use_bars_its_user(world: World) -> None:
    request = smash(world)
    world.sleep(hours=1)
    reviewer = next(u for u in ("otto", "petra") if world.approvals.deciders.can_decide(world.user(u), request))
    denied = world.approvals.deny(world.user(reviewer), request.id, "no incident")
    assert denied.state is RequestState.DENIED
    with pytest.raises(Conflict, match="barred until 2026-06-02T13:00:00Z"):
        smash(world)
    world.sleep(hours=23, minutes=59)
    with pytest.raises(Conflict, match="denied"):
        smash(world)
    world.sleep(minutes=2)
    assert smash(world).state is RequestState.REVIEW


def test_a_grant_that_ends_soon_is_announced_once(world: World, outbox: Told) -> None:
    request = world.approvals.create(
        world.user("ana"), "prod/orders", ["value.order_id"], purpose="x", valid_to=world.now + timedelta(days=5)
    )
    done = world.approvals.approve(world.user("otto"), request.id)
    notices = GrantNotices(world.state, outbox, world.clock)
    assert notices.step() == 0
    world.sleep(days=4, minutes=1)
    assert notices.step() == 1 and outbox.events[-1] == ("grant.expiring", done.grant)
    world.sleep(minutes=5)
    assert notices.step() == 0
    assert [kind for kind, _ in outbox.events][:3] == ["access.requested", "grant.issued", "access.decided"]


# --- delegates ---------------------------------------------------------------------------------------------------------


def ask(world: World, user: str = "ana") -> AccessRequest:
    return world.approvals.create(world.user(user), "prod/orders", [EMAIL], purpose="campaign")


def away(world: World, user: str, *delegates: str, **more: Any) -> None:
    until = world.now + timedelta(days=7)
    world.approvals.delegations.set(world.user(user), delegates, until, **more)


def test_a_delegate_decides_in_place_of_one_who_is_away(world: World) -> None:
    request = ask(world)
    assert not world.approvals.deciders.can_decide(world.user("grace"), request)
    away(world, "otto", "grace")
    view = RequestView(world.state, world.approvals.deciders, world.clock)
    (shown,) = view.show(world.user("grace"), world.approvals.list(world.user("grace"), to_decide=True))
    assert (shown.can_decide, shown.instead_of, shown.opens) == (
        True,
        "otto",
        (OpenedField(EMAIL, ("EMAIL_ADDRESS",), True),),
    )
    after = world.approvals.approve(world.user("grace"), request.id)
    assert after.current.name == "privacy" and after.votes[0].instead_of == "otto"
    assert AccessRequest.from_json(after.to_json()) == after
    assert world.entries.rows[-1].details["insteadOf"] == "otto"
    assert view.one(world.user("petra"), after).holders == 2, "otto and petra are excepted from the masks"


def test_a_place_speaks_once(world: World) -> None:
    world.declare(
        ("User", "max", {}),
        (
            "Workflow",
            "personal-data",
            {
                "match": {"tags": ["PII"]},
                "stages": [{"name": "privacy", "approvers": {"groups": ["privacy"]}, "quorum": 2}],
            },
        ),
    )
    request = ask(world)
    away(world, "petra", "max", "vera")
    world.approvals.approve(world.user("petra"), request.id)
    with pytest.raises((NotAllowed, NotFound)):
        world.approvals.approve(world.user("max"), request.id)
    assert world.approvals.approve(world.user("vera"), request.id).state is RequestState.APPROVED
    other = ask(world)
    world.approvals.approve(world.user("max"), other.id)
    with pytest.raises(Conflict, match="in place of petra already"):
        world.approvals.approve(world.user("petra"), other.id)
    assert world.approvals.approve(world.user("vera"), other.id).state is RequestState.APPROVED


def test_what_a_delegate_may_not(world: World) -> None:
    world.declare(("User", "max", {}))
    mine = ask(world, "otto")
    away(world, "otto", "grace")
    with pytest.raises((NotAllowed, NotFound)):  # of the absent person's own request
        world.approvals.approve(world.user("grace"), mine.id)
    own = ask(world, "grace")
    with pytest.raises(NotAllowed):  # of one's own
        world.approvals.approve(world.user("grace"), own.id)
    away(world, "grace", "max")
    other = ask(world)
    with pytest.raises((NotAllowed, NotFound)):  # delegates of delegates
        world.approvals.approve(world.user("max"), other.id)
    world.sleep(days=8)
    with pytest.raises((NotAllowed, NotFound)):  # after its time
        world.approvals.approve(world.user("grace"), ask(world).id)


def test_delegations_are_ones_own(world: World) -> None:
    delegations = world.approvals.delegations
    until = world.now + timedelta(days=1)
    for delegates, end in (
        ([], until),
        (["otto"], until),
        (["grace"], world.now),
        (["grace"], until + timedelta(days=999)),
    ):
        with pytest.raises(InvalidInput):
            delegations.set(world.user("otto"), delegates, end)
    with pytest.raises(NotAllowed):
        delegations.set(world.user("ana"), ["ana2"], until, user="otto")
    delegations.set(world.user("admin"), ["grace"], until, user="otto")
    assert delegations.of("otto") is not None and delegations.for_delegate("grace") == ["otto"]
    delegations.end(world.user("otto"))
    assert delegations.of("otto") is None
    with pytest.raises(NotFound):
        delegations.end(world.user("otto"))
