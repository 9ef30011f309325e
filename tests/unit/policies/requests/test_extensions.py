"""Extensions, bundles, templates and ticket ids."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from catalog.errors import Conflict, DatasetNotFound, InvalidInput, NotAllowed, NotFound
from policies.access_request import AccessRequest, RequestState
from policies.requests.approvals import Approvals
from policies.requests.bundles import Bundles, Wish
from policies.requests.extensions import Extensions
from policies.requests.narrowing import Part
from policies.settings import PolicySettings
from tests.unit.policies.world import START, World, company

EMAIL = "value.customer.email"
END = START + timedelta(days=5)


@pytest.fixture
def world() -> World:
    return company()


def extensions(world: World) -> Extensions:
    return Extensions(world.state, world.facts, world.approvals, world.approvals.records, world.clock)


def granted(world: World) -> str:
    created = world.approvals.create(world.user("ana"), "prod/orders", [EMAIL], purpose="p", valid_to=END)
    world.approvals.approve(world.user("otto"), created.id)
    return world.approvals.approve(world.user("petra"), created.id).grant or ""


def end_of(world: World, grant: str) -> Any:
    return world.state.view().grants[grant].valid_to


def test_the_end_moves_only_on_approval(world: World) -> None:
    grant = granted(world)
    later = END + timedelta(days=5)
    created = extensions(world).extend(world.user("ana"), grant, later, "two more")
    assert created.extends == grant and created.expires_at == END and end_of(world, grant) == END
    assert extensions(world).extend(world.user("ana"), grant, later, "two more").id == created.id
    with pytest.raises(Conflict, match="pending extension"):
        extensions(world).extend(world.user("ana"), grant, later + timedelta(days=1))
    with pytest.raises(NotAllowed):
        world.approvals.approve(world.user("ana"), created.id)
    world.approvals.approve(world.user("otto"), created.id)
    assert end_of(world, grant) == END
    done = world.approvals.approve(world.user("petra"), created.id, "", Part(valid_to=later - timedelta(days=2)))
    assert (done.state, done.grant) == (RequestState.APPROVED, grant)
    assert end_of(world, grant) == later - timedelta(days=2) and len(world.state.view().grants) == 1
    assert world.state.view().grants[grant].fields == (EMAIL,)


def test_who_and_what_cannot_be_extended(world: World) -> None:
    grant = granted(world)
    for user in ("grace", "otto", "admin"):
        with pytest.raises(NotAllowed):
            extensions(world).extend(world.user(user), grant, END + timedelta(days=1))
    with pytest.raises(NotAllowed):
        extensions(world).extend(world.user("ana"), "none", END + timedelta(days=1))
    for until in (END, END - timedelta(days=1), END.replace(tzinfo=None) + timedelta(days=9)):
        with pytest.raises(InvalidInput):
            extensions(world).extend(world.user("ana"), grant, until)
    with pytest.raises(InvalidInput, match="too long"):
        extensions(world).extend(world.user("ana"), grant, END + timedelta(days=300))
    declared = {
        "subject": {"user": "ana"},
        "dataset": "prod/orders",
        "purpose": "p",
        "validFrom": "2026-05-01T00:00:00Z",
        "validTo": "2026-07-01T00:00:00Z",
        "status": "approved",
    }
    world.declare(("Grant", "by-hand", declared))
    with pytest.raises(Conflict, match="declared"):
        extensions(world).extend(world.user("ana"), "by-hand", START + timedelta(days=40))
    assert not extensions(world).may_extend(world.user("ana"), "by-hand")
    assert extensions(world).may_extend(world.user("ana"), grant)
    assert not extensions(world).may_extend(world.user("otto"), grant)


def test_a_grant_that_was_revoked_or_is_over_stays_so(world: World) -> None:
    grant = granted(world)
    created = extensions(world).extend(world.user("ana"), grant, END + timedelta(days=5))
    world.approvals.approve(world.user("otto"), created.id)
    world.grants.revoke(world.user("otto"), grant)
    with pytest.raises(Conflict, match="revoked"):
        world.approvals.approve(world.user("petra"), created.id)
    assert str(world.state.view().grants[grant].status) == "revoked"
    world.sleep(days=6)
    assert world.approvals.get(world.user("ana"), created.id).state is RequestState.EXPIRED
    with pytest.raises(Conflict):
        extensions(world).extend(world.user("ana"), grant, START + timedelta(days=20))


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("fields", ["*"]),
        ("unmask", ["*"]),
        ("unmask", []),
        ("rows", "region = 'EU'"),
        ("purpose", "fraud-investigation"),
        ("dataset", "prod/payments"),
        ("subject", {"user": "grace"}),
        ("subject", {"group": "privacy"}),
    ],
)
def test_a_grant_that_changed_meanwhile_is_not_extended(world: World, term: str, value: Any) -> None:
    grant = granted(world)
    created = extensions(world).extend(world.user("ana"), grant, END + timedelta(days=5))
    world.approvals.approve(world.user("otto"), created.id)
    document = world.state.get("Grant", grant)
    before = dict(document.spec or {})
    world.declare(("Grant", grant, {**before, term: value}))
    with pytest.raises(Conflict, match=rf"has changed since its extension was requested \({term}"):
        world.approvals.approve(world.user("petra"), created.id)
    assert end_of(world, grant) == END
    world.declare(("Grant", grant, before))  # as the approvers saw it
    world.approvals.approve(world.user("petra"), created.id)
    assert end_of(world, grant) == END + timedelta(days=5)


def test_an_extension_changes_no_fields(world: World) -> None:
    grant = granted(world)
    created = extensions(world).extend(world.user("ana"), grant, END + timedelta(days=5))
    with pytest.raises(InvalidInput, match="moves the end"):
        world.approvals.approve(world.user("otto"), created.id, "", Part(unmask=()))
    early = Part(valid_to=END - timedelta(days=1))
    with pytest.raises(Conflict, match="ends"):
        world.approvals.approve(world.user("otto"), created.id, "", early)
    world.approvals.approve(world.user("otto"), created.id)


# --- bundles and templates ----------------------------------------------------------------------------------------------


def wish(**more: Any) -> Wish:
    return Wish(**({"fields": ("*",), "purpose": "p"} | more))


def test_each_part_of_a_bundle_is_decided_on_its_own(world: World) -> None:
    bundles = Bundles(world.state, world.approvals, world.clock)
    orders, payments = bundles.create(world.user("ana"), ["prod/orders", "prod/payments", "prod/orders"], wish())
    assert orders.bundle == payments.bundle and (orders.bundle or "").startswith("bun-")
    world.approvals.deny(world.user("otto"), orders.id)
    assert world.approvals.get(world.user("ana"), payments.id).state is RequestState.PENDING
    matches = world.approvals.list(world.user("ana"), bundle=orders.bundle)
    assert {r.id for r in matches} == {orders.id, payments.id}
    again = bundles.create(world.user("ana"), ["prod/payments"], wish())
    assert [r.id for r in again] == [payments.id]


def test_a_part_that_was_pending_alone_joins_the_bundle(world: World) -> None:
    bundles = Bundles(world.state, world.approvals, world.clock)
    [alone] = bundles.create(world.user("ana"), ["prod/payments"], wish())
    orders, payments = bundles.create(world.user("ana"), ["prod/orders", "prod/payments"], wish())
    assert payments.id == alone.id and payments.bundle == orders.bundle is not None
    matches = world.approvals.list(world.user("ana"), bundle=orders.bundle)
    assert {r.id for r in matches} == {orders.id, payments.id}
    again = bundles.create(world.user("ana"), ["prod/orders", "prod/payments"], wish())
    assert [(r.id, r.bundle) for r in again] == [(r.id, orders.bundle) for r in (orders, payments)]
    third, other = bundles.create(world.user("ana"), ["prod/payments", "prod/orders"], wish(purpose="q"))
    assert third.bundle == other.bundle != orders.bundle


def test_a_bundle_is_made_whole_or_not(world: World) -> None:
    bundles = Bundles(world.state, world.approvals, world.clock)
    with pytest.raises(DatasetNotFound):
        bundles.create(world.user("ana"), ["prod/nothing", "prod/orders"], wish())
    with pytest.raises(InvalidInput):
        bundles.create(world.user("ana"), [], wish())
    with pytest.raises(InvalidInput):
        bundles.create(world.user("ana"), [f"prod/{n}" for n in range(51)], wish())
    assert not world.approvals.list(world.user("ana"))


TEMPLATE = {
    "description": "marketing analyst on sales",
    "datasets": ["prod/orders", "prod/payments"],
    "fields": ["*"],
    "unmask": [],
    "purpose": "marketing",
    "duration": "20d",
    "reason": "as agreed",
    "subjects": {"roles": ["analyst"]},
}


def test_a_template_makes_its_requests_for_those_whom_it_is_for(world: World) -> None:
    world.declare(("RequestTemplate", "sales", TEMPLATE))
    bundles = Bundles(world.state, world.approvals, world.clock)
    assert list(bundles.templates(world.user("ana"))) == ["sales"]
    assert bundles.templates(world.user("otto")) == {}
    with pytest.raises(NotFound):
        bundles.from_template(world.user("otto"), "sales")
    created = bundles.from_template(world.user("ana"), "sales")
    assert [(r.dataset, r.template, r.reason, r.unmask) for r in created] == [
        ("prod/orders", "sales", "as agreed", ()),
        ("prod/payments", "sales", "as agreed", ()),
    ]
    assert created[0].valid_to == START + timedelta(days=20)
    with pytest.raises(InvalidInput, match="20d"):
        bundles.from_template(world.user("ana"), "sales", valid_to=START + timedelta(days=21))
    wrongs: tuple[dict[str, Any], ...] = (
        {"datasets": ["prod/*"]}, {"datasets": []}, {"duration": "soon"}, {"fields": ["a b"]},
    )  # fmt: skip
    for wrong in wrongs:
        with pytest.raises(InvalidInput):
            world.state.check("RequestTemplate", "x", TEMPLATE | wrong)


def test_ticket_ids_match_the_pattern(world: World) -> None:
    def approvals(**settings: Any) -> Approvals:
        return Approvals(world.state, world.facts, world.identity, world.audit, world.clock, PolicySettings(**settings))

    def ask(service: Approvals, ticket: str) -> AccessRequest:
        return service.create(world.user("ana"), "prod/orders", [EMAIL], purpose="p", ticket=ticket)

    assert ask(approvals(), " ABC-1 ").ticket == "ABC-1" and ask(approvals(), "").ticket == ""
    strict = approvals(ticket_pattern=r"[A-Z]+-\d+", ticket_required=True)
    assert ask(strict, "ABC-1").to_json()["ticket"] == "ABC-1"
    for wrong in ("", "abc", "ABC-1 x", "ABC-1\nX-2", "A" * 101):
        with pytest.raises(InvalidInput):
            ask(strict, wrong)
    with pytest.raises(ValueError, match="regular expression"):
        PolicySettings(ticket_pattern="(")
