"""Access requests from asking to grant."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import Conflict, DatasetNotFound, InvalidInput, NotAllowed, NotFound
from catalog.model import DatasetId
from policies import request_transitions as transitions
from policies import workflow
from policies.access_request import AccessRequest, RequestState
from policies.model import DatasetFacts, Effect, FieldFacts, GrantStatus, Subject, SubjectMatch
from policies.ports import Change
from policies.requests.requirements import OWNERS
from policies.requests.scope import check_rows
from tests.unit.policies.world import ORDERS, START, World, company

EMAIL = "value.customer.email"


@pytest.fixture
def world() -> World:
    return company()


def ask(world: World, user: str = "ana", dataset: str = "prod/orders", **more: Any) -> AccessRequest:
    more.setdefault("purpose", "campaign")
    more.setdefault("fields", [EMAIL])
    return world.approvals.create(world.user(user), dataset, **more)


def test_the_whole_story(world: World) -> None:
    request = ask(world, valid_to=START + timedelta(days=3), reason="spring mailing")
    shown = request.to_json()
    assert (shown["state"], shown["stage"], shown["dataset"]) == ("pending", "owner", "prod/orders")
    assert shown["fields"] == shown["unmask"] == [EMAIL] and shown["decisions"] == []

    before = world.state.decide(world.user("ana"), ORDERS)
    request = world.approvals.approve(world.user("otto"), request.id, "fine by me")
    assert (request.state, request.current.name) == (RequestState.PENDING, "privacy")
    assert world.state.decide(world.user("ana"), ORDERS) == before
    request = world.approvals.approve(world.user("petra"), request.id)
    assert request.state is RequestState.APPROVED and request.grant

    grant = world.state.view().grants[request.grant]
    assert grant.approved_by == ("otto", "petra") and grant.requested_by == "ana"
    assert (grant.valid_from, grant.valid_to) == (START, START + timedelta(days=3))
    decision = world.state.decide(world.user("ana"), ORDERS)
    clear = {c.path for c in decision.columns if c.mask is None}
    assert EMAIL in clear and "headers.actor" not in clear and "value.customer.name" not in clear
    assert world.state.decide(world.user("grace"), ORDERS).column(EMAIL) != decision.column(EMAIL)
    actions = [(e.actor, e.action, e.decision) for e in world.entries.rows]
    assert actions == [
        ("ana", "request.create", "allow"),
        ("otto", "request.approve", "allow"),
        ("petra", "request.approve", "allow"),
    ]
    assert world.audit.verify().holds
    world.sleep(days=3)
    assert world.state.decide(world.user("ana"), ORDERS).column(EMAIL) == before.column(EMAIL)


def test_what_is_asked_again_while_it_waits_is_the_same_request(world: World) -> None:
    """A client whose connection broke does not know that it was received."""
    until = START + timedelta(days=3)
    request = ask(world, valid_to=until, reason="mailing")
    world.sleep(seconds=40)
    assert ask(world, valid_to=until + timedelta(seconds=40), reason="mailing") == request
    assert [e.action for e in world.entries.rows] == ["request.create"]
    others: tuple[dict[str, Any], ...] = (
        {"reason": "another"},
        {"reason": "mailing", "purpose": "other"},
        {"reason": "mailing", "unmask": []},
        {"reason": "mailing", "valid_to": until + timedelta(days=1)},
        {"reason": "mailing", "user": "otto"},
        {"reason": "mailing", "fields": ["value.amount"]},
        {"reason": "mailing", "rows": "region = 'EU'"},
    )
    for other in others:
        assert ask(world, **{"valid_to": until, **other}).id != request.id, other
    world.approvals.cancel(world.user("ana"), request.id)
    assert ask(world, valid_to=until, reason="mailing").id != request.id


def test_what_is_asked_again_after_the_clock_jumped_is_the_same_request(world: World) -> None:
    until = START + timedelta(days=3)
    request, fixed = ask(world, reason="mailing"), ask(world, reason="until a day", valid_to=until)
    world.sleep(hours=1)
    assert ask(world, reason="mailing") == request
    assert ask(world, reason="until a day", valid_to=until) == fixed
    later = ask(world, reason="mailing", valid_from=START + timedelta(days=1))
    assert later.id != request.id
    world.sleep(hours=1)
    assert ask(world, reason="mailing", valid_from=START + timedelta(days=1)) == later
    world.sleep(days=2)
    assert ask(world, reason="mailing").id != request.id


def test_a_request_survives_the_way_through_json(world: World) -> None:
    request = ask(world, rows="region = 'EU'", unmask=[])
    assert AccessRequest.from_json(request.to_json()) == request
    request = world.approvals.approve(world.user("otto"), request.id, "x")
    assert AccessRequest.from_json(request.to_json()) == request
    request = world.approvals.approve(world.user("petra"), request.id)
    assert AccessRequest.from_json(request.to_json()) == request


def test_nobody_decides_their_own_request(world: World) -> None:
    request = ask(world, "otto")
    with pytest.raises(NotAllowed, match="another approver must"):
        world.approvals.approve(world.user("otto"), request.id)
    with pytest.raises(NotAllowed):
        world.approvals.deny(world.user("otto"), request.id)


def test_only_approvers_of_the_stage_decide_it(world: World) -> None:
    request = ask(world)
    with pytest.raises(NotFound):  # a stranger does not even see it
        world.approvals.approve(world.user("grace"), request.id)
    with pytest.raises(NotAllowed, match="stage 'owner'"):  # petra decides the next one
        world.approvals.approve(world.user("petra"), request.id)
    with pytest.raises(NotAllowed):  # managing is not approving
        world.approvals.approve(world.user("admin"), request.id)
    world.approvals.approve(world.user("otto"), request.id)
    with pytest.raises(NotAllowed, match="stage 'privacy'"):
        world.approvals.approve(world.user("otto"), request.id)


def test_a_denial_ends_it(world: World) -> None:
    request = ask(world)
    request = world.approvals.deny(world.user("otto"), request.id, "no")
    assert request.state is RequestState.DENIED and request.votes[0].comment == "no"
    assert world.entries.rows[-1].decision == "deny"
    for act in (world.approvals.approve, world.approvals.deny):
        with pytest.raises(Conflict, match="is denied"):
            act(world.user("otto"), request.id)
    with pytest.raises(Conflict, match="is denied"):
        world.approvals.cancel(world.user("ana"), request.id)
    assert not world.state.view().grants


def test_only_the_requester_or_a_manager_cancels(world: World) -> None:
    request = ask(world)
    with pytest.raises(NotAllowed):
        world.approvals.cancel(world.user("otto"), request.id)
    assert world.approvals.cancel(world.user("ana"), request.id).state is RequestState.CANCELLED
    assert world.approvals.cancel(world.user("admin"), ask(world).id).state is RequestState.CANCELLED


def test_a_request_expires(world: World) -> None:
    request = ask(world)
    world.sleep(days=7)
    assert world.approvals.get(world.user("ana"), request.id).state is RequestState.EXPIRED
    with pytest.raises(Conflict, match="is expired"):
        world.approvals.approve(world.user("otto"), request.id)
    assert [r.state for r in world.approvals.list(world.user("ana"), "expired")] == [RequestState.EXPIRED]
    assert world.approvals.list(world.user("ana"), "pending") == []


def test_a_request_ends_with_the_time_it_asks_for(world: World) -> None:
    request = ask(world, valid_to=START + timedelta(hours=1))
    world.sleep(hours=1)
    with pytest.raises(Conflict, match="is expired"):
        world.approvals.approve(world.user("otto"), request.id)


def test_a_quorum_counts_people_not_votes(world: World) -> None:
    world.declare(
        (
            "Workflow",
            "personal-data",
            {
                "match": {"datasets": ["prod/*"]},
                "stages": [{"name": "two", "approvers": {"groups": ["privacy"]}, "quorum": 2}],
            },
        ),
        ("User", "paul", {"groups": ["privacy"]}),
    )
    request = ask(world)
    assert world.approvals.approve(world.user("petra"), request.id).state is RequestState.PENDING
    with pytest.raises(Conflict, match="has decided stage 'two'"):
        world.approvals.approve(world.user("petra"), request.id)
    assert world.approvals.approve(world.user("paul"), request.id).state is RequestState.APPROVED


def test_where_no_workflow_matches_owners_decide(world: World) -> None:
    request = ask(world, fields=["value.amount"])
    assert request.stages == OWNERS
    assert world.approvals.approve(world.user("otto"), request.id).state is RequestState.APPROVED


def test_where_there_is_no_other_owner_a_manager_stands_in(world: World) -> None:
    world.facts.known["prod/orders"] = replace(ORDERS, owners=SubjectMatch(users=frozenset({"ana"})))
    request = ask(world, fields=["value.amount"])
    assert world.approvals.approve(world.user("admin"), request.id).state is RequestState.APPROVED


def test_several_workflows_add_up(world: World) -> None:
    world.declare(
        (
            "Workflow",
            "a-sales",
            {
                "match": {"tags": ["domain.sales"]},
                "maxDuration": "5d",
                "stages": [
                    {"name": "owner", "approvers": {"owners": True}},
                    {"name": "sales", "approvers": {"users": ["sam"]}},
                ],
            },
        ),
    )
    request = ask(world, fields=[EMAIL])
    assert [s.name for s in request.stages] == ["owner", "sales", "privacy"]
    assert request.valid_to - request.valid_from == timedelta(days=5)
    with pytest.raises(InvalidInput, match="allows 5 days"):
        ask(world, valid_to=START + timedelta(days=6))


def test_stages_that_a_new_tag_asks_for_are_added_at_the_end(world: World) -> None:
    request = ask(world, fields=["value.amount"])
    tagged = [replace(f, tags={"IBAN_CODE": ""}) if f.path == "value.amount" else f for f in ORDERS.fields]
    world.facts.known["prod/orders"] = replace(ORDERS, fields=tuple(tagged))
    request = world.approvals.approve(world.user("otto"), request.id)
    assert (request.state, request.current.name) == (RequestState.PENDING, "privacy")
    assert world.approvals.approve(world.user("petra"), request.id).state is RequestState.APPROVED


@pytest.mark.parametrize(
    ("more", "mend"),
    [
        ({"purpose": "  "}, "needs a purpose"),
        ({"fields": ["value.customer.emial"]}, "did you mean value.customer.email?"),
        ({"fields": ["customer.email"]}, "did you mean value.customer.email?"),
        ({"fields": ["IBAN_CODE"]}, "has no field 'IBAN_CODE'"),
        ({"unmask": ["value.nothing"]}, "has no field"),
        ({"unmask": ["PERSON"]}, "is not among the requested fields"),
        ({"valid_to": START}, "later than now"),
        ({"valid_from": START + timedelta(days=2), "valid_to": START + timedelta(days=1)}, "later than from"),
        ({"valid_to": START + timedelta(days=31)}, "allows 30 days"),
        ({"valid_to": (START + timedelta(days=1)).replace(tzinfo=None)}, "zone"),
    ],
)
def test_what_cannot_be_asked_for(world: World, more: dict[str, Any], mend: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        ask(world, **more)
    assert mend in raised.value.message
    assert world.store.documents("AccessRequest") == [] and world.entries.rows == []


def test_a_dataset_that_is_not_there(world: World) -> None:
    with pytest.raises(DatasetNotFound):
        ask(world, dataset="prod/nothing")
    with pytest.raises(NotFound):
        world.approvals.get(world.user("ana"), "req-nothing")


def test_a_workflow_that_cannot_be_read_stops_requests(world: World) -> None:
    world.store.apply([Change("Workflow", "personal-data", {"stages": 1})], START)
    with pytest.raises(Conflict, match="Workflow personal-data"):
        ask(world)


def test_the_grant_says_what_was_asked(world: World) -> None:
    request = ask(world, fields=["*"], unmask=["PERSON"], rows="region = 'EU'", valid_from=START + timedelta(days=1))
    world.approvals.approve(world.user("otto"), request.id)
    world.sleep(hours=2)
    request = world.approvals.approve(world.user("petra"), request.id)
    grant = world.state.view().grants[str(request.grant)]
    assert (grant.fields, grant.unmask, grant.rows, grant.purpose) == (("*",), ("PERSON",), "region = 'EU'", "campaign")
    assert grant.valid_from == START + timedelta(days=1) and grant.status is GrantStatus.APPROVED
    assert world.grants.active(world.user("ana"), "prod/orders") == []


def test_who_sees_which_requests(world: World) -> None:
    request = ask(world)
    other = ask(world, "grace")

    def ids(user: str, **more: Any) -> set[str]:
        return {r.id for r in world.approvals.list(world.user(user), **more)}

    assert ids("ana") == {request.id} and ids("grace") == {other.id}
    assert ids("otto") == ids("petra") == ids("admin") == {request.id, other.id}
    assert ids("stranger") == set()
    assert ids("otto", to_decide=True) == {request.id, other.id} and ids("petra", to_decide=True) == set()
    assert ids("otto", mine=True) == set()
    world.approvals.approve(world.user("otto"), request.id)
    assert ids("otto", to_decide=True) == {other.id} and ids("petra", to_decide=True) == {request.id}
    with pytest.raises(InvalidInput, match="no state 'open'"):
        world.approvals.list(world.user("ana"), "open")


def test_of_two_approvals_at_once_none_is_lost(world: World) -> None:
    world.declare(
        (
            "Workflow",
            "personal-data",
            {
                "match": {"tags": ["PII"]},
                "stages": [{"name": "three", "approvers": {"groups": ["privacy"]}, "quorum": 3}],
            },
        ),
        *(("User", f"p{n}", {"groups": ["privacy"]}) for n in range(3)),
    )
    for _ in range(20):
        request = ask(world)
        barrier = threading.Barrier(3)
        failures: list[BaseException] = []

        def run(name: str, identifier: str, barrier: threading.Barrier, failures: list[BaseException]) -> None:
            barrier.wait()
            try:
                world.approvals.approve(Subject(name, frozenset({"privacy"})), identifier)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=run, args=(f"p{n}", request.id, barrier, failures)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done = world.approvals.get(world.user("ana"), request.id)
        assert failures == [] and done.state is RequestState.APPROVED
        assert done.voted("three") == {"p0", "p1", "p2"}
    assert len(world.state.view().grants) == 20


def test_an_audit_that_fails_stops_the_grant(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    request = ask(world, fields=["value.amount"])

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(world.entries, "append", fail)
    with pytest.raises(RuntimeError):
        world.approvals.approve(world.user("otto"), request.id)
    assert not world.state.view().grants
    assert world.approvals.get(world.user("ana"), request.id).state is RequestState.PENDING


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["ana", "otto", "petra", "p1"]),
        st.sampled_from(["approve", "deny", "cancel"]),
        st.integers(0, 5),
    ),
    max_size=12,
)


@given(ACTS)
def test_the_machine_never_grants_without_its_quorums(acts: list[tuple[str, str, int]]) -> None:
    stages = (
        workflow.Stage("a", workflow.Approvers(owners=True), 1),
        workflow.Stage("b", workflow.Approvers(owners=True), 2),
    )
    request = AccessRequest(
        "r",
        "ana",
        "prod/x",
        ("*",),
        (),
        "p",
        START,
        START + timedelta(days=30),
        START,
        START + timedelta(days=7),
        stages,
    )
    now = START
    for who, act, days in acts:
        now += timedelta(days=days)
        before = request
        try:
            request = transitions.cancel(request, now) if act == "cancel" else transitions.vote(request, who, act, now)
        except (Conflict, NotAllowed):
            assert request == before
            continue
        assert before.state is RequestState.PENDING and now < START + timedelta(days=7)
    assert all(v.by != "ana" for v in request.votes)
    for stage in ("a", "b"):
        voters = [v.by for v in request.votes if v.stage == stage]
        assert len(voters) == len(set(voters))
    full = len(request.voted("a")) >= 1 and len(request.voted("b")) >= 2
    assert (request.state is RequestState.APPROVED) == full
    assert (request.state is RequestState.DENIED) == any(v.verdict == "deny" for v in request.votes)


def test_a_decision_after_approval_by_grant_ends_with_it(world: World) -> None:
    request = ask(world, "zoe", fields=["value.amount"], valid_to=START + timedelta(hours=1))
    world.approvals.approve(world.user("otto"), request.id)
    decision = world.state.decide(world.user("zoe"), ORDERS)
    assert decision.effect is Effect.ALLOW and decision.expires == START + timedelta(hours=1)
    world.sleep(hours=1)
    assert world.state.decide(world.user("zoe"), ORDERS).effect is Effect.DENY


def test_rows_name_fields_that_the_record_has() -> None:
    facts = DatasetFacts(
        DatasetId("kafka://x", "orders"),
        "prod/orders",
        tuple(FieldFacts(p) for p in ("value.region", "value.items[].sku", "key")),
    )
    check_rows(facts, ["Region", "items", "_timestamp"])
    check_rows(DatasetFacts(DatasetId("kafka://x", "new"), "prod/new", ()), ["anything"])
    with pytest.raises(InvalidInput, match="names 'regoin', which prod/orders does not have; did you mean region"):
        check_rows(facts, ["regoin"])
