"""Threads, asking back, escalation: the clock, who may decide afterwards, and that nobody decides their own."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import Conflict, InvalidInput, NotAllowed, NotFound, WeirError
from policies.access_request import AccessRequest, RequestState
from policies.model import SubjectMatch
from policies.requests import talk
from policies.requests.approvals import Approvals
from policies.requests.escalations import Escalations
from policies.settings import PolicySettings
from policies.workflow import Approvers, Stage
from tests.unit.policies.world import ORDERS, START, World, company

EMAIL = "value.customer.email"
AFTER = timedelta(hours=48)


@pytest.fixture
def world() -> World:
    return company()


def ask(world: World, user: str = "ana", **more: Any) -> AccessRequest:
    return world.approvals.create(world.user(user), "prod/orders", **({"fields": [EMAIL], "purpose": "p"} | more))


def escalations(world: World, **settings: Any) -> Escalations:
    return Escalations(
        world.state, world.approvals.deciders, world.approvals.records, world.clock, PolicySettings(**settings)
    )


def managers_decide(world: World) -> World:
    """The same company, its setting changed."""
    chosen = PolicySettings(escalated_managers_decide=True)
    world.approvals = Approvals(world.state, world.facts, world.identity, world.audit, world.clock, chosen)
    return world


def current(world: World, request: AccessRequest) -> AccessRequest:
    return world.approvals.get(world.user("admin"), request.id)


def test_a_question_waits_for_the_requesters_answer(world: World) -> None:
    created = ask(world)
    asked = world.approvals.ask_back(world.user("otto"), created.id, " which campaign? ")
    assert (asked.state, asked.thread[0].kind, asked.thread[0].text) == (
        RequestState.ASKED_BACK,
        "question",
        "which campaign?",
    )
    assert created.id not in [r.id for r in world.approvals.list(world.user("otto"), to_decide=True)]
    with pytest.raises(Conflict, match="only a pending one"):
        world.approvals.ask_back(world.user("otto"), created.id, "again")
    more = world.approvals.comment(world.user("otto"), created.id, "take your time")
    assert more.state is RequestState.ASKED_BACK
    world.sleep(hours=30)
    answered = world.approvals.comment(world.user("ana"), created.id, "the one in spring")
    assert answered.state is RequestState.PENDING and answered.thread[-1].kind == "answer"
    assert answered.waiting_since == START + timedelta(hours=30)
    assert AccessRequest.from_json(answered.to_json()) == answered
    assert [e.action for e in world.entries.rows][1:] == ["request.ask-back", "request.comment", "request.comment"]
    assert "spring" not in str([e.details for e in world.entries.rows])


def test_who_may_not_decide_cannot_ask_back_and_strangers_see_nothing(world: World) -> None:
    created = ask(world)
    with pytest.raises(NotAllowed):
        world.approvals.ask_back(world.user("petra"), created.id, "?")
    with pytest.raises(NotAllowed):
        world.approvals.ask_back(world.user("ana"), created.id, "?")
    for act in (world.approvals.ask_back, world.approvals.comment):
        with pytest.raises(NotFound):
            act(world.user("grace"), created.id, "?")
    with pytest.raises(InvalidInput):
        world.approvals.comment(world.user("ana"), created.id, "  ")


def test_a_question_does_not_stop_a_decision_nor_time(world: World) -> None:
    created = ask(world)
    world.approvals.ask_back(world.user("otto"), created.id, "?")
    approved = world.approvals.approve(world.user("otto"), created.id)
    assert approved.state is RequestState.PENDING and approved.asked_back_at is None
    other = ask(world, purpose="q")
    world.approvals.ask_back(world.user("otto"), other.id, "?")
    world.sleep(days=8)
    assert current(world, other).state is RequestState.EXPIRED
    with pytest.raises(Conflict):
        world.approvals.approve(world.user("otto"), other.id)
    third = ask(world, purpose="r")
    world.approvals.ask_back(world.user("otto"), third.id, "?")
    assert world.approvals.cancel(world.user("ana"), third.id).state is RequestState.CANCELLED


def test_a_comment_on_an_approved_request_makes_no_second_grant(world: World) -> None:
    created = ask(world)
    world.approvals.approve(world.user("otto"), created.id)
    done = world.approvals.approve(world.user("petra"), created.id)
    world.grants.revoke(world.user("ana"), done.grant or "")
    world.approvals.comment(world.user("ana"), created.id, "thanks")
    assert str(world.state.view().grants[done.grant or ""].status) == "revoked"


def test_silence_is_no_consent_those_who_manage_do_not_decide_by_default(world: World) -> None:
    created = ask(world)
    world.sleep(hours=97)
    assert escalations(world).step() == 1
    assert "admin" in current(world, created).thread[-1].people
    assert world.approvals.deciders.people(current(world, created), ORDERS) == ["otto"]
    with pytest.raises(NotAllowed):
        world.approvals.approve(world.user("admin"), created.id)


def test_the_owners_of_a_topic_below_a_view_are_never_replaced(world: World) -> None:
    managers_decide(world)
    below = Stage("owner of prod/payments", Approvers(owners=True, of="prod/payments"))
    created = replace(ask(world), stages=(below,), escalated=talk.MANAGERS)
    deciders = world.approvals.deciders
    assert deciders.standing(world.user("admin"), created, below, ORDERS) is None
    own = Stage("owner", Approvers(owners=True))
    escalated = deciders.standing(world.user("admin"), replace(created, stages=(own,)), own, ORDERS)
    assert escalated is not None and escalated.escalated


def test_nobody_answers_delegates_then_managers(world: World) -> None:
    managers_decide(world)
    duty = escalations(world)
    world.approvals.delegations.set(world.user("otto"), ["grace"], START + timedelta(days=30))
    created = ask(world, valid_to=START + timedelta(days=20))
    world.sleep(hours=47)
    assert duty.step() == 0
    world.sleep(hours=1)
    assert duty.step() == 1
    assert (current(world, created).escalated, current(world, created).thread[-1].people) == (
        talk.DELEGATES,
        ("grace",),
    )
    with pytest.raises(NotAllowed):  # not yet
        world.approvals.approve(world.user("admin"), created.id)
    assert escalations(world).step() == 0  # after a restart
    world.sleep(hours=48)
    assert duty.step() == 1
    assert "admin" in current(world, created).thread[-1].people
    assert "admin" in world.approvals.deciders.people(current(world, created), None)
    moved = world.approvals.approve(world.user("admin"), created.id)
    assert moved.votes[-1].escalated and (moved.current.name, moved.escalated) == ("privacy", 0)
    with pytest.raises(NotAllowed):  # the clock of the next stage begins again
        world.approvals.approve(world.user("admin"), created.id)
    assert world.audit.verify().holds


def test_a_managers_own_request_is_not_theirs_to_decide_after_escalation(world: World) -> None:
    managers_decide(world)
    world.declare(("User", "mara", {"roles": ["admin"]}))
    created = ask(world, "mara")
    world.sleep(hours=97)
    assert escalations(world).step() == 1
    assert "mara" not in current(world, created).thread[-1].people
    with pytest.raises(NotAllowed):
        world.approvals.approve(world.user("mara"), created.id)


def test_without_delegates_it_goes_to_those_who_manage_at_once(world: World) -> None:
    created = ask(world)
    world.sleep(hours=48)
    assert escalations(world).step() == 1 and current(world, created).escalated == talk.MANAGERS


def test_a_workflow_sets_its_own_time_and_zero_is_never(world: World) -> None:
    spec = dict(world.state.get("Workflow", "personal-data").spec or {})
    created = ask(world)
    world.sleep(hours=3)
    assert escalations(world, escalate_after_hours=0).step() == 0
    world.declare(("Workflow", "personal-data", {**spec, "escalateAfter": "2h"}))
    assert escalations(world).step() == 1 and current(world, created).escalated == talk.MANAGERS


def test_a_question_stops_the_clock(world: World) -> None:
    created = ask(world)
    world.sleep(hours=40)
    world.approvals.ask_back(world.user("otto"), created.id, "?")
    world.sleep(hours=50)
    assert escalations(world).step() == 0
    world.approvals.comment(world.user("ana"), created.id, "!")
    world.sleep(hours=7)
    assert escalations(world).step() == 0
    world.sleep(hours=1)
    assert escalations(world).step() == 1


def test_a_right_that_ended_is_none_at_the_moment_of_decision(world: World) -> None:
    created = ask(world)
    otto = world.user("otto")
    world.declare(("User", "otto", {"disabled": True}))
    with pytest.raises(NotAllowed, match="is disabled"):
        world.approvals.approve(otto, created.id)
    world.declare(("User", "otto", {}))
    world.facts.known["prod/orders"] = replace(ORDERS, owners=SubjectMatch(users=frozenset({"grace"})))
    with pytest.raises((NotAllowed, NotFound)):  # not an owner any more
        world.approvals.approve(otto, created.id)


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["approve", "deny", "ask_back", "comment", "cancel", "sleep", "escalate"]),
        st.sampled_from(["ana", "otto", "petra", "grace", "admin", "mara"]),
        st.integers(1, 60),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["ana", "otto", "petra", "mara"]), ACTS)
def test_whatever_people_do_nobody_decides_their_own(requester: str, acts: list[tuple[str, str, int]]) -> None:
    world = managers_decide(company())
    world.declare(("User", "mara", {"roles": ["admin"], "groups": ["privacy"]}))
    created = ask(world, requester)
    duty = escalations(world)
    for what, who, hours in acts:
        try:
            if what == "sleep":
                world.sleep(hours=hours)
            elif what == "escalate":
                duty.step()
            elif what in ("ask_back", "comment"):
                getattr(world.approvals, what)(world.user(who), created.id, "text")
            else:
                getattr(world.approvals, what)(world.user(who), created.id)
        except WeirError:
            continue
    matches = AccessRequest.from_json(world.approvals.records.document(created.id).spec or {})
    assert all(v.by != requester and v.instead_of != requester for v in matches.votes)
    assert AccessRequest.from_json(matches.to_json()) == matches
    grants = list(world.state.view().grants.values())
    assert len(grants) == (matches.state is RequestState.APPROVED)
    if matches.state is RequestState.APPROVED:
        assert {v.stage for v in matches.votes if v.verdict == "approve"} == {s.name for s in matches.stages}
