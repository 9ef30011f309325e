"""Taking a revocation back gives what was revoked and nothing more, and only where nothing else changed since."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.errors import Conflict
from tests.campaign_world import REVIEW, CampaignWorld, company

ROLE = "role reader ana"
MEMBER = "group sales ben"


def revoked(*keys: str, world: CampaignWorld | None = None, **spec: Any) -> tuple[CampaignWorld, str, list[int]]:
    world = world or company()
    world.declare(("User", "rev", {}))
    campaign = world.campaigns.start(world.user("mia"), name="r", spec={**REVIEW, "reviewers": {"users": ["rev"]}}).id
    items = world.items(campaign)
    numbers = [items[key]["number"] for key in keys]
    world.campaigns.decide(world.user("rev"), campaign, numbers, "revoke", "left")
    return world, campaign, numbers


def undo(world: CampaignWorld, campaign: str, numbers: list[int], by: str = "rev") -> None:
    answer = world.campaigns.decide(world.user(by), campaign, numbers, "undo")
    assert answer.refused == []


def test_a_role_that_carries_more_since_is_given_back_by_those_who_manage_alone() -> None:
    world, campaign, numbers = revoked(ROLE)
    world.declare(("Role", "reader", {"read": [{"dataset": "prod/orders"}], "permissions": ["manage"]}))
    with pytest.raises(Conflict, match="not what it was"):
        undo(world, campaign, numbers)
    assert world.user("ana").roles == frozenset()
    assert world.items(campaign)[ROLE]["state"] == "revoked"
    undo(world, campaign, numbers, by="mia")
    assert world.user("ana").roles == {"reader"}
    assert world.items(campaign)[ROLE]["changed"]


@pytest.mark.parametrize("again", [{"roles": ["clerk"]}, {"roles": []}])
def test_a_person_who_was_declared_since_stays_as_declared(again: dict[str, Any]) -> None:
    world, campaign, numbers = revoked(ROLE)
    if not again["roles"]:
        world.state.delete("User", "ana")
    world.declare(("User", "ana", again))
    for by in ("rev", "mia"):
        with pytest.raises(Conflict, match="declared again"):
            undo(world, campaign, numbers, by)
    assert "reader" not in world.user("ana").roles


def test_a_group_that_got_roles_or_was_declared_since_stays_as_declared() -> None:
    world, campaign, numbers = revoked(MEMBER)
    world.declare(("Group", "sales", {"members": [], "roles": ["reader", "admin"]}))
    with pytest.raises(Conflict, match="declared again"):
        undo(world, campaign, numbers)
    assert world.user("ben").groups == frozenset()


def test_a_member_who_was_disabled_since_does_not_come_back() -> None:
    world = company()
    world.declare(("User", "ben", {}))
    world, campaign, numbers = revoked(MEMBER, world=world)
    world.declare(("User", "ben", {"disabled": True}))
    with pytest.raises(Conflict, match="gone or disabled"):
        undo(world, campaign, numbers)
    assert "ben" not in (world.state.get("Group", "sales").spec or {}).get("members", [])


def test_other_decisions_of_the_same_review_do_not_stand_in_the_way() -> None:
    world = company()
    world.declare(("Group", "sales", {"members": ["ben", "eva", "kim"], "roles": ["reader"]}))
    names = ["group sales ben", "group sales eva", "group sales kim"]
    world, campaign, (ben, eva, kim) = revoked(*names, world=world)
    undo(world, campaign, [eva])
    undo(world, campaign, [ben])
    world.campaigns.decide(world.user("rev"), campaign, [eva], "revoke", "left after all")
    undo(world, campaign, [kim])
    undo(world, campaign, [eva])
    assert set((world.state.get("Group", "sales").spec or {})["members"]) == {"ben", "eva", "kim"}
    world.campaigns.decide(world.user("rev"), campaign, [ben, eva], "revoke", "left")
    world.declare(("Group", "sales", {"members": ["kim"], "roles": ["reader"], "description": "all"}))
    with pytest.raises(Conflict, match="declared again"):
        undo(world, campaign, [ben])


def test_a_grant_that_was_declared_again_is_not_given_back() -> None:
    world, campaign, numbers = revoked("grant ana-fraud ana")
    undo(world, campaign, numbers)
    world.campaigns.decide(world.user("rev"), campaign, numbers, "revoke", "left")
    world.declare(("Grant", "ana-fraud", {**(world.state.get("Grant", "ana-fraud").spec or {}), "unmask": []}))
    with pytest.raises(Conflict, match="was changed"):
        undo(world, campaign, numbers)
