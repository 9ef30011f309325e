"""The service of what is declared: round trips, checks, and what an unreadable document does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from catalog.errors import InvalidInput, NotFound
from policies.declared.state import Checks, GovernanceState
from policies.model import Effect, Subject
from policies.ports import Change
from tests.twins.policies.stores import MemoryPolicyStore
from tests.unit.policies.world import ORDERS, START, World, company


@pytest.fixture
def world() -> World:
    return company()


def test_a_document_is_put_once(world: World) -> None:
    before = world.state.version()
    assert not world.state.put("User", "ana", {"name": "ana"}, {"roles": ["analyst"]})
    assert world.state.version() == before
    assert world.state.put("User", "ana", {"name": "ana"}, {"roles": []}, "petra")
    assert world.state.version() == before + 1
    assert world.state.get("User", "ana").by == "petra"


def test_what_was_declared_comes_back(world: World) -> None:
    spec = {"type": "mask", "match": {"tags": ["PII"]}, "mask": {"type": "Last-4"}}
    assert world.state.check("Policy", "p", spec) == spec
    world.state.put("Policy", "p", {"name": "p", "labels": {"a": "b"}}, spec)
    answer = world.state.get("Policy", "p")
    assert (answer.spec, answer.metadata) == (spec, {"labels": {"a": "b"}})
    assert "p" in [d.name for d in world.state.documents("Policy")]
    assert world.state.delete("Policy", "p") and not world.state.delete("Policy", "p")
    assert "p" not in [d.name for d in world.state.documents()]


def test_what_is_wrong_is_not_stored(world: World) -> None:
    with pytest.raises(InvalidInput, match="Policy p"):
        world.state.put("Policy", "p", {}, {"type": "mask"})
    with pytest.raises(NotFound, match="weir get Policy"):
        world.state.get("Policy", "p")


def test_sql_is_checked_by_who_knows_it(world: World) -> None:
    def refuse(text: str) -> None:
        raise InvalidInput(f"No SQL: {text}.")

    state = GovernanceState(MemoryPolicyStore(), world.clock, checks=Checks(refuse, refuse))
    for kind, spec, field in (
        (
            "Policy",
            {"type": "mask", "match": {"tags": ["a"]}, "mask": {"type": "CUSTOM", "expression": "x"}},
            "spec.mask.expression",
        ),
        ("Policy", {"type": "row-filter", "match": {"tags": ["a"]}, "where": "x"}, "spec.where"),
        ("Role", {"rowFilters": [{"dataset": "*", "where": "x"}]}, "spec.rowFilters.0.where"),
        (
            "Grant",
            {
                "subject": {"user": "a"},
                "dataset": "*",
                "purpose": "p",
                "status": "approved",
                "rows": "x",
                "validFrom": "2026-01-01T00:00:00Z",
                "validTo": "2026-02-01T00:00:00Z",
            },
            "spec.rows",
        ),
    ):
        with pytest.raises(InvalidInput, match=r"No SQL: x\.") as raised:
            state.put(kind, "n", {}, spec)
        assert raised.value.details["field"] == field


def test_built_in_roles_are_there_and_cannot_be_declared(world: World) -> None:
    assert {"admin", "steward", "auditor", "producer"} <= world.state.view().roles.keys()
    with pytest.raises(InvalidInput, match="built in"):
        world.state.put("Role", "admin", {}, {"read": [{"dataset": "*"}]})


def test_without_an_inherited_role_its_heirs_are_denied(world: World) -> None:
    assert world.state.delete("Role", "analyst")
    decision = world.state.decide(world.user("grace"), ORDERS)
    assert decision.effect is Effect.DENY and "inherits analyst, which is not declared" in decision.gaps[0]


def test_the_past_decides_by_what_was_declared_then(world: World) -> None:
    world.sleep(hours=1)
    world.state.delete("User", "ana")
    world.state.delete("Policy", "mask-email")
    past = world.state.view(START + timedelta(minutes=5))
    decision = past.decide(past.subject("ana"), ORDERS, None, START)
    column = decision.column("value.customer.email")
    assert column is not None and str(column.mask and column.mask.type) == "MASK_HASH"
    present = world.state.view()
    assert present.decide(present.subject("ana"), ORDERS, None, START).effect is Effect.DENY


def test_an_unreadable_policy_closes_everything_it_may_be_about(world: World) -> None:
    world.store.apply([Change("Policy", "bad", {"type": "mask", "made": "by hand"})], START)
    decision = world.state.decide(world.user("otto"), ORDERS)
    assert decision.effect is Effect.DENY
    assert "Policy bad" in decision.gaps[0] and "Declare it again" in decision.gaps[0]


def test_an_unreadable_role_closes_for_its_holders_alone(world: World) -> None:
    world.store.apply([Change("Role", "analyst-eu", {"nonsense": 1})], START)
    assert world.state.decide(world.user("grace"), ORDERS).effect is Effect.DENY
    assert world.state.decide(world.user("ana"), ORDERS).effect is Effect.ALLOW


def test_groups_bring_members_and_roles(world: World) -> None:
    world.declare(("Group", "analysts", {"members": ["zoe"], "roles": ["analyst"]}))
    assert world.user("zoe") == Subject("zoe", frozenset({"analysts"}), frozenset({"analyst"}))
    assert world.state.decide(world.user("zoe"), ORDERS).effect is Effect.ALLOW


def test_a_view_is_kept_until_something_changes(world: World) -> None:
    first = world.state.view()
    assert world.state.view() is first
    world.declare(("User", "zoe", {}))
    assert world.state.view() is not first
