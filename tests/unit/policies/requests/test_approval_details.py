"""Access requests in detail: what is written of them, their times and settings, lists, and stores that are changed meanwhile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from catalog.errors import Conflict, InvalidInput, NotAllowed, NotFound
from policies.access_request import AccessRequest, RequestState
from policies.model import DatasetFacts, FieldFacts, GrantStatus, SubjectMatch
from policies.ports import Change
from policies.requests.approvals import Approvals
from policies.settings import PolicySettings
from tests.unit.policies.world import GOVERNANCE, ORDERS, PAYMENTS, START, World, company

EMAIL = "value.customer.email"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
GLASS = {
    "subjects": {"groups": ["on-call"]},
    "maxDuration": "2h",
    "review": {"groups": ["privacy"]},
    "reviewWithin": "24h",
}


class Events:
    """An event sink that remembers."""

    def __init__(self) -> None:
        self.emitted: list[tuple[str, str, Any]] = []

    def emit(self, type: str, subject: str, data: Any = None) -> Any:
        self.emitted.append((type, subject, data))


@pytest.fixture
def events() -> Events:
    return Events()


@pytest.fixture
def world(events: Events) -> World:
    firm = company()
    spec = next(s for kind, _, s in GOVERNANCE if kind == "Workflow")
    firm.declare(
        ("Workflow", "personal-data", {**spec, "breakGlass": GLASS}),
        ("User", "olga", {"groups": ["on-call"], "roles": ["analyst"]}),
    )
    serve(firm, events=events)
    return firm


def serve(world: World, settings: PolicySettings | None = None, **more: Any) -> Approvals:
    world.approvals = Approvals(world.state, world.facts, world.identity, world.audit, world.clock, settings, **more)
    return world.approvals


def ask(world: World, user: str = "ana", fields: Sequence[str] = (EMAIL,), **more: Any) -> AccessRequest:
    more.setdefault("purpose", "campaign")
    return world.approvals.create(world.user(user), more.pop("dataset", "prod/orders"), fields, **more)


def smash(world: World, user: str = "olga", **more: Any) -> AccessRequest:
    given = {"fields": [EMAIL], "purpose": "incident", "reason": "incident 4711", **more}
    return world.approvals.emergency.use(world.user(user), given.pop("dataset", "prod/orders"), **given)


# -- what is written --------------------------------------------------------------------------------------------------


def test_a_request_as_it_is_written(world: World, events: Events) -> None:
    request = ask(world, purpose="  campaign ", rows="a = 1", reason="mailing", unmask=["EMAIL_ADDRESS"])
    assert re.fullmatch(r"req-[0-9a-f]{12}", request.id)
    assert (request.requester, request.dataset, request.fields, request.unmask) == (
        "ana",
        "prod/orders",
        (EMAIL,),
        ("EMAIL_ADDRESS",),
    )
    assert (request.purpose, request.rows, request.reason) == ("campaign", "a = 1", "mailing")
    assert (request.valid_from, request.valid_to) == (START, START + 7 * DAY)
    assert (request.created_at, request.expires_at) == (START, START + 7 * DAY)
    assert (request.state, request.grant, request.break_glass) == (RequestState.PENDING, None, False)
    (document,) = world.store.documents("AccessRequest", label="pending")
    assert (document.name, document.by) == (request.id, "ana")
    (entry,) = world.entries.rows
    assert (entry.actor, entry.action, entry.target, entry.decision) == (
        "ana",
        "request.create",
        "prod/orders",
        "allow",
    )
    assert entry.details["request"] == request.id and entry.details["purpose"] == "campaign"
    ((kind, about, _),) = events.emitted
    assert (kind, about) == ("access.requested", request.id)


def test_all_that_is_asked_for_is_to_be_clear_unless_it_is_named(world: World) -> None:
    assert ask(world).unmask == (EMAIL,) and ask(world, unmask=()).unmask == ()
    everything = world.approvals.create(world.user("ana"), "prod/orders", purpose="x")
    assert everything.reason == ""
    assert everything.fields == everything.unmask == ("*",)


def test_a_use_of_the_glass_as_it_is_written(world: World, events: Events) -> None:
    request = smash(world, purpose=" incident ", reason=" incident 4711 ", rows="a = 1", lasting=HOUR)
    assert re.fullmatch(r"req-[0-9a-f]{12}", request.id)
    assert (request.requester, request.dataset, request.fields, request.unmask) == (
        "olga",
        "prod/orders",
        (EMAIL,),
        (EMAIL,),
    )
    assert (request.purpose, request.reason, request.rows) == ("incident", "incident 4711", "a = 1")
    assert (request.valid_from, request.valid_to, request.created_at) == (START, START + HOUR, START)
    assert (request.expires_at, request.state, request.break_glass) == (START + 24 * HOUR, RequestState.REVIEW, True)
    assert request.grant == f"olga-glass-{request.id.removeprefix('req-')}"
    (document,) = world.store.documents("AccessRequest", label="review")
    assert (document.name, document.by) == (request.id, "olga")
    grant = world.state.view().grants[request.grant]
    assert (grant.subject, grant.valid_from, grant.valid_to, grant.rows) == (
        SubjectMatch(users=frozenset({"olga"})),
        START,
        START + HOUR,
        "a = 1",
    )
    assert (grant.purpose, grant.approved_by, grant.status) == ("incident", (), GrantStatus.APPROVED)
    assert world.state.get("Grant", request.grant).by == "olga"
    (entry,) = world.entries.rows
    assert (entry.action, entry.decision, entry.details["grant"]) == ("breakglass.use", "allow", request.grant)
    whole = world.approvals.emergency.use(world.user("olga"), "prod/orders", purpose="x", reason="y")
    assert whole.fields == ("*",) and whole.valid_to - whole.valid_from == 2 * HOUR


def test_a_use_that_would_open_nothing_is_refused(world: World) -> None:
    """Payments ask for one of two purposes; another one opens nothing, and nobody should think it did."""
    with pytest.raises(
        InvalidInput, match=r"^This would open nothing of prod/payments: .*fraud-investigation"
    ) as raised:
        smash(world, dataset="prod/payments", fields=["value.card"])
    assert raised.value.details == {"field": "purpose"}
    assert not world.entries.rows and not world.store.documents("AccessRequest") and not world.state.view().grants
    assert smash(world, dataset="prod/payments", fields=["value.card"], purpose="chargeback").grant


def test_every_reason_why_a_use_opens_nothing_is_given(world: World) -> None:
    world.state.delete("Policy", "payments-need-a-grant")
    for name in ("card", "currency"):
        fields = [{"dataset": "prod/payments", "path": f"value.{name}"}]
        world.declare(
            ("Policy", f"on-{name}", {"type": "access", "match": {"fields": fields}, "requires": {"purpose": [name]}})
        )
    with pytest.raises(InvalidInput) as raised:
        smash(world, dataset="prod/payments", fields=["*"])
    assert raised.value.message == (
        "This would open nothing of prod/payments: Policy on-card asks for an active grant for card; there is none."
        " Policy on-currency asks for an active grant for currency; there is none."
    )


def test_who_may_not_break_the_glass_learns_of_which_dataset(world: World) -> None:
    with pytest.raises(NotAllowed, match=r"^ana may not use emergency access to prod/orders: workflow personal-data"):
        smash(world, "ana")


def test_other_grants_do_not_count_for_what_a_use_opens(world: World) -> None:
    """It is about what this use opens: not about what its user could read already."""
    world.declare(
        (
            "Grant",
            "g",
            {
                "subject": {"user": "olga"},
                "dataset": "prod/payments",
                "purpose": "chargeback",
                "status": "approved",
                "validFrom": "2026-05-01T00:00:00Z",
                "validTo": "2026-07-01T00:00:00Z",
            },
        )
    )
    with pytest.raises(InvalidInput, match=r"would open nothing"):
        smash(world, dataset="prod/payments", fields=["value.card"])


@pytest.mark.parametrize("opens", [ask, smash])
def test_rows_are_checked_before_anything_is_asked(world: World, opens: Any) -> None:
    seen: list[str] = []

    def check(condition: str) -> Sequence[str]:
        seen.append(condition)
        return [condition.split()[0]]

    serve(world, check_condition=check)
    with pytest.raises(InvalidInput, match=r"names 'amuont'"):
        opens(world, rows="amuont > 1")
    assert opens(world, rows="amount > 1").rows == "amount > 1" and seen == ["amuont > 1", "amount > 1"]
    opens(world)
    assert len(seen) == 2


# -- times and settings -----------------------------------------------------------------------------------------------


def test_the_settings_hold_where_no_workflow_says_otherwise(world: World) -> None:
    serve(world, PolicySettings(default_grant_days=3, max_grant_days=10, request_expires_days=2))
    request = ask(world, fields=["value.amount"])
    assert (request.valid_to, request.expires_at) == (START + 3 * DAY, START + 2 * DAY)
    assert ask(world, fields=["value.amount"], valid_to=START + 10 * DAY).valid_to == START + 10 * DAY
    with pytest.raises(InvalidInput, match=r"allows 10 days"):
        ask(world, fields=["value.amount"], valid_to=START + 11 * DAY)
    personal = ask(world, valid_from=START + DAY)
    assert (personal.valid_from, personal.valid_to) == (START + DAY, START + 4 * DAY)
    assert personal.expires_at == START + 7 * DAY, "the workflow has seven days"
    serve(world, PolicySettings(default_grant_days=30, max_grant_days=10))
    assert ask(world, fields=["value.amount"]).valid_to == START + 10 * DAY
    plain = serve(world)
    assert plain.create(world.user("ana"), "prod/orders", ["value.amount"], purpose="x").expires_at == START + 14 * DAY


@pytest.mark.parametrize(("purpose", "call"), [("", ask), (" ", ask), ("\n", smash)])
def test_a_purpose_is_needed(world: World, purpose: str, call: Any) -> None:
    sentence = "An access request" if call is ask else "Emergency access"
    with pytest.raises(InvalidInput, match=f"^{sentence} needs a purpose, as in --purpose "):
        call(world, purpose=purpose)


def test_no_workflow_can_be_read_no_request(world: World) -> None:
    world.store.apply([Change("Workflow", "other", {"stages": 1})], START)
    for call in (ask, smash):
        with pytest.raises(
            Conflict, match=r"^Access cannot be asked for while a workflow cannot be read: Workflow other"
        ):
            call(world)


def test_a_policy_that_cannot_be_read_does_not_stop_requests(world: World) -> None:
    world.store.apply([Change("Policy", "other", {"type": 1})], START)
    assert ask(world).state is RequestState.PENDING


# -- deciding ---------------------------------------------------------------------------------------------------------


def test_the_grant_is_named_after_requester_and_request(world: World) -> None:
    request = ask(world, fields=["value.amount"])
    done = world.approvals.approve(world.user("otto"), request.id, "fine")
    assert done.grant == f"ana-{request.id.removeprefix('req-')}" and done.votes[0].comment == "fine"
    assert world.state.get("Grant", done.grant).by == "otto"
    assert [d.by for d in world.store.documents("AccessRequest", label="approved")] == ["otto"]
    assert world.entries.rows[-1].details["grant"] == done.grant


def test_what_a_decision_leaves_in_the_audit(world: World, events: Events) -> None:
    first, second, third = (ask(world, fields=["value.amount"], reason=f"r{n}") for n in range(3))
    world.approvals.approve(world.user("otto"), first.id)
    world.approvals.deny(world.user("otto"), second.id)
    world.approvals.cancel(world.user("ana"), third.id)
    rows = [(e.actor, e.action, e.decision, e.details["request"]) for e in world.entries.rows[3:]]
    assert rows == [
        ("otto", "request.approve", "allow", first.id),
        ("otto", "request.deny", "deny", second.id),
        ("ana", "request.cancel", "allow", third.id),
    ]
    for each in (first, second):
        assert [v.comment for v in world.approvals.get(world.user("otto"), each.id).votes] == [""]
    assert [(kind, about) for kind, about, _ in events.emitted if kind == "access.decided"] == [
        ("access.decided", first.id),
        ("access.decided", second.id),
    ]
    assert len(world.state.view().grants) == 1


def test_a_review_makes_no_second_grant_and_its_denial_ends_the_first(world: World) -> None:
    kept, ended = smash(world), smash(world)
    assert world.approvals.approve(world.user("petra"), kept.id).state is RequestState.APPROVED
    assert world.approvals.deny(world.user("petra"), ended.id).state is RequestState.DENIED
    assert [e.decision for e in world.entries.rows[-2:]] == ["allow", "deny"]
    grants = world.state.view().grants
    assert {n: g.status for n, g in grants.items()} == {
        kept.grant: GrantStatus.APPROVED,
        ended.grant: GrantStatus.REVOKED,
    }
    document = world.state.get("Grant", str(ended.grant))
    assert (document.by, document.at, (document.spec or {})["revokedBy"]) == ("petra", START, "petra")
    asked = ask(world)
    world.approvals.deny(world.user("otto"), asked.id)
    assert len(world.state.view().grants) == 2


def test_a_review_is_not_sent_through_new_stages(world: World) -> None:
    """The access is there already; what workflows ask for since then is about requests."""
    request = smash(world)
    world.declare(
        (
            "Workflow",
            "more",
            {
                "match": {"tags": ["EMAIL_ADDRESS"]},
                "stages": [{"name": "boss", "approvers": {"users": ["boss"]}}],
            },
        )
    )
    assert world.approvals.approve(world.user("petra"), request.id).state is RequestState.APPROVED


def test_a_stage_is_added_once_and_voters_keep_their_votes(world: World) -> None:
    request = ask(world, fields=["value.amount"])
    tagged = [replace(f, tags={"IBAN_CODE": ""}) if f.path == "value.amount" else f for f in ORDERS.fields]
    world.facts.known["prod/orders"] = replace(ORDERS, fields=tuple(tagged))
    more = world.approvals.approve(world.user("otto"), request.id)
    assert [s.name for s in more.stages] == ["owner", "privacy"] and more.stage == 1
    assert [(v.by, v.stage) for v in more.votes] == [("otto", "owner")] and more.grant is None
    assert not world.state.view().grants and world.entries.rows[-1].decision == "allow"
    done = world.approvals.approve(world.user("petra"), request.id)
    assert [s.name for s in done.stages] == ["owner", "privacy"] and done.state is RequestState.APPROVED


def test_what_is_wrong_with_the_request_goes_before_who_may_decide_it(world: World) -> None:
    request = ask(world, "otto")
    with pytest.raises(NotAllowed, match=r"otto made access request"):
        world.approvals.approve(world.user("otto"), request.id)
    other = ask(world)
    with pytest.raises(NotAllowed, match="ana made access request"):
        world.approvals.deny(world.user("ana"), other.id)
    world.approvals.cancel(world.user("ana"), other.id)
    with pytest.raises(Conflict, match=r"is cancelled"):
        world.approvals.approve(world.user("petra"), other.id)


def test_a_request_of_a_dataset_that_is_gone_can_be_ended_and_not_granted(world: World) -> None:
    request, other = (ask(world, fields=["value.amount"], reason=reason) for reason in "ab")
    del world.facts.known["prod/orders"]
    assert world.approvals.deny(world.user("admin"), request.id).state is RequestState.DENIED
    with pytest.raises(NotFound):
        world.approvals.approve(world.user("admin"), other.id)
    assert not world.state.view().grants


def test_an_expiry_that_is_noticed_is_written(world: World) -> None:
    request = ask(world)
    world.sleep(days=7)
    with pytest.raises(Conflict, match=r"is expired"):
        world.approvals.cancel(world.user("ana"), request.id)
    (document,) = world.store.documents("AccessRequest", label="expired")
    assert document.name == request.id
    entry = world.entries.rows[-1]
    assert (entry.actor, entry.action, entry.decision) == ("weir", "request.expire", "deny")
    with pytest.raises(Conflict):
        world.approvals.approve(world.user("otto"), request.id)
    assert len([e for e in world.entries.rows if e.action == "request.expire"]) == 1


# -- a store that others change ---------------------------------------------------------------------------------------


@contextmanager
def conflicts(world: World, monkeypatch: pytest.MonkeyPatch, times: int) -> Iterator[list[int]]:
    """The next `times` attempts to write a request find that another was faster."""
    left, real = [times], world.store.apply

    def apply(changes: Sequence[Change], at: Any) -> int:
        if left[0] and changes[0].kind == "AccessRequest":
            left[0] -= 1
            raise Conflict("Another was faster.")
        return real(changes, at)

    with monkeypatch.context() as patch:
        patch.setattr(world.store, "apply", apply)
        yield left


def test_a_decision_looks_again_when_another_was_faster(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    request = ask(world, fields=["value.amount"])
    with conflicts(world, monkeypatch, 4) as left:
        assert world.approvals.approve(world.user("otto"), request.id).state is RequestState.APPROVED
    assert left == [0] and len(world.state.view().grants) == 1


def test_after_some_attempts_the_caller_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    request = ask(world, fields=["value.amount"])
    with conflicts(world, monkeypatch, 9) as left, pytest.raises(Conflict, match=r"Another was faster"):
        world.approvals.approve(world.user("otto"), request.id)
    assert left == [4], "five attempts"
    assert not world.state.view().grants and len(world.entries.rows) == 1


def test_a_request_that_cannot_be_written_leaves_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(world.entries, "append", fail)
        for call in (ask, smash):
            with pytest.raises(RuntimeError):
                call(world)
    assert not world.store.documents("AccessRequest") and not world.state.view().grants


# -- reading ----------------------------------------------------------------------------------------------------------


def test_one_request_for_those_who_may_see_it(world: World) -> None:
    world.declare(("User", "audrey", {"roles": ["auditor"]}))
    request = ask(world)
    for user in ("ana", "otto", "petra", "admin", "audrey"):
        assert world.approvals.get(world.user(user), request.id) == request
    for user in ("grace", "stranger"):
        with pytest.raises(NotFound, match=f"no access request '{request.id}' that you may see"):
            world.approvals.get(world.user(user), request.id)
        with pytest.raises(NotFound, match=f"no access request '{request.id}' that you may see"):
            world.approvals.deny(world.user(user), request.id)


def test_lists_of_requests(world: World) -> None:
    requests = []
    for user, reason in (("ana", ""), ("grace", ""), ("ana", "another")):
        requests.append(ask(world, user, reason=reason))
        world.sleep(hours=1)
    glass = smash(world)
    first, second, third = (r.id for r in requests)
    world.approvals.deny(world.user("otto"), second)

    def ids(user: str, state: str | None = None, **more: Any) -> list[str]:
        return [r.id for r in world.approvals.list(world.user(user), state, **more)]

    assert ids("otto") == [glass.id, third, second, first], "newest first"
    assert ids("otto", "pending") == [third, first] and ids("otto", "denied") == [second]
    assert ids("otto", "review") == [glass.id] and ids("otto", "approved") == []
    assert ids("otto", mine=True) == [] and ids("grace", mine=True) == [second]
    assert ids("ana", "pending", mine=True) == [third, first]
    assert ids("otto", to_decide=True) == [third, first], "the review is for others"
    assert ids("petra", to_decide=True) == [glass.id]
    assert ids("petra", "pending", to_decide=True) == []
    world.sleep(days=7)
    assert ids("ana", "expired") == [third, first] and ids("ana", "pending") == []
    assert ids("otto", to_decide=True) == []
    assert [r.state for r in world.approvals.list(world.user("ana"))] == [RequestState.EXPIRED] * 2
    with pytest.raises(InvalidInput, match=r"^There is no state 'open'; there are pending, approved, denied"):
        world.approvals.list(world.user("ana"), "open")


def test_requests_of_one_moment_have_an_order(world: World) -> None:
    ids = sorted((ask(world, reason=f"r{n}").id for n in range(5)), reverse=True)
    assert [r.id for r in world.approvals.list(world.user("ana"))] == ids


def test_the_default_of_rows_takes_any_condition(world: World) -> None:
    """Without a check of its own the service takes what it is given: the store checks the grant."""
    plain = DatasetFacts(PAYMENTS.id, "prod/payments", (FieldFacts("value.card"),))
    world.facts.known["prod/payments"] = plain
    assert ask(world, dataset="prod/payments", fields=["*"], rows="anything = 1").rows == "anything = 1"
