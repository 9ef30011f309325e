"""Whose word an item waits for, and what is reviewed by which scope."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from catalog.errors import NotAllowed, NotFound
from policies.declared.directory import GROUP, MEMBER, NAME, USER
from policies.ports import Change
from policies.spellings import name_key
from tests.campaign_world import REVIEW, CampaignWorld, company, grant


def reviewed(world: CampaignWorld, **more: Any) -> dict[str, dict[str, Any]]:
    campaign = world.campaigns.start(world.user("mia"), name="r", spec={**REVIEW, **more})
    return world.items(campaign.id)


def test_who_owns_all_that_a_role_opens_decides_on_it_and_else_the_fallback() -> None:
    world = company()
    world.declare(("User", "kim", {"roles": ["senior"]}))
    scope = {"datasets": ["prod/*"]}
    items = reviewed(world, scope=scope)
    assert items["role senior kim"]["reviewers"] == ["petra"]  # otto owns one of both
    assert items["role senior kim"]["why"] == "petra, as nobody else is known"
    assert items["role reader ana"]["reviewers"] == ["otto"]


def test_without_a_fallback_those_who_manage_decide_but_never_on_themselves() -> None:
    world = company()
    world.declare(("Grant", "mine", grant({"user": "mia"}, "prod/stock")), ("Grant", "ottos", grant({"user": "otto"})))
    spec = {"reviewers": {"users": ["mia"]}, "scope": {"datasets": ["prod/*"]}}
    items = reviewed(world, **spec)
    assert items["grant mine mia"]["reviewers"] == ["admin"]
    assert items["grant mine mia"]["why"] == "those who manage, in place of its holder"
    assert items["grant ottos otto"]["reviewers"] == ["mia"]


def test_a_member_does_not_decide_on_a_grant_to_the_group() -> None:
    world = company()
    world.declare(("Group", "sales", {"members": ["ben", "otto"], "roles": ["reader"]}))
    campaign = world.campaigns.start(world.user("mia"), "personal")
    items = world.items(campaign.id)
    assert items["grant sales-fraud group sales"]["reviewers"] == ["petra"]
    assert items["group sales otto"]["reviewers"] == ["petra"]
    with pytest.raises(NotFound):
        number = items["grant sales-fraud group sales"]["number"]
        world.campaigns.decide(world.user("otto"), campaign.id, [number], "keep", "x")
    assert items["group sales ben"]["reviewers"] == ["otto"]
    # Who joins the group meanwhile is a holder too.
    world.declare(("Group", "sales", {"members": ["ben", "otto", "petra"], "roles": ["reader"]}))
    with pytest.raises(NotFound):
        world.campaigns.decide(world.user("petra"), campaign.id, [number], "keep", "x")


def test_another_spelling_of_a_name_is_the_same_person() -> None:
    world = company()
    world.declare(("User", "OTTO", {}), ("Grant", "upper", grant({"user": "OTTO"})))
    assert reviewed(world)["grant upper OTTO"]["reviewers"] == ["petra"]


def test_a_delegate_decides_in_place_of_a_reviewer_and_not_on_that_ones_rights() -> None:
    world = company()
    world.declare(("User", "dora", {}))
    world.delegations.set(world.user("otto"), ["dora"], world.now + timedelta(days=30))
    campaign = world.campaigns.start(world.user("mia"), "personal")
    dora = world.user("dora")
    assert world.campaigns.waiting(dora) == 4
    number = world.items(campaign.id)["role reader ana"]["number"]
    world.campaigns.decide(dora, campaign.id, [number], "keep", "asked otto")
    kept = world.items(campaign.id)["role reader ana"]
    assert (kept["by"], kept["insteadOf"]) == ("dora", "otto")
    with pytest.raises(NotAllowed):
        world.campaigns.decide(world.user("otto"), campaign.id, [number], "undo")


def test_scopes_narrow() -> None:
    world = company()
    world.declare(
        ("User", "kim", {"roles": ["clerk", "auditor"]}), ("Grant", "kim-stock", grant({"user": "kim"}, "prod/stock"))
    )
    everything = {"datasets": ["*"]}
    assert "grant kim-stock kim" in reviewed(world, scope=everything)
    assert set(reviewed(world, scope={"domains": ["sales"]})) == {
        "grant ana-fraud ana",
        "grant sales-fraud group sales",
        "role reader ana",
        "group sales ben",
    }
    assert set(reviewed(world, scope={"people": ["KIM"]})) == {
        "grant kim-stock kim",
        "role clerk kim",
        "role auditor kim",
    }
    assert set(reviewed(world, scope={"roles": ["audit*", "admin"]})) == {
        "role auditor kim",
        "role admin mia",
        "role admin admin",
    }
    assert set(reviewed(world, scope=everything, items=["owners"])) == {
        "owner prod/orders otto",
        "owner prod/stock petra",
    }
    disabled = ("User", "ana", {"roles": ["reader"], "disabled": True})
    world.declare(disabled)
    assert "grant ana-fraud ana" not in reviewed(world)


def test_what_the_directory_gives_ends_only_there() -> None:
    world = company()
    rules = {"rights": [{"group": "Sales EU", "roles": ["reader"]}]}
    world.declare(("DirectoryRights", "company", rules))
    changes = [
        Change(USER, "1", {"user": "zoe", "active": True, "created": "x", "resource": {}}),
        Change(NAME, name_key("zoe"), {"id": "1", "user": "zoe"}),
        Change(GROUP, "9", {"name": "Sales EU", "created": "x", "resource": {}}),
        Change(MEMBER, "9/1", {}),
    ]
    world.policies.apply(changes, world.now)
    world.declare(("User", "zoe", {"roles": ["reader"]}))
    campaign = world.campaigns.start(world.user("mia"), "personal")
    item = world.items(campaign.id)["role reader zoe"]
    assert item["sources"] == ["User zoe", "directory"]
    world.campaigns.decide(world.user("otto"), campaign.id, [item["number"]], "revoke", "left")
    item = world.items(campaign.id)["role reader zoe"]
    assert item["outcome"] == "partly" and item["leftAt"] == ["directory", "declared User zoe"]
    assert "campaign.ends_at_source" in world.events_told()
    campaign = world.campaigns.start(world.user("mia"), name="again", spec=REVIEW)
    item = world.items(campaign.id)["role reader zoe"]
    world.campaigns.decide(world.user("otto"), campaign.id, [item["number"]], "revoke", "left")
    item = world.items(campaign.id)["role reader zoe"]
    assert item["outcome"] == "at-source" and item["leftAt"] == ["directory"]
    assert world.campaigns.show(world.user("mia"), campaign.id).shown.counts.at_source == 1


def test_the_evidence_has_what_is_left_without_the_right() -> None:
    world = company()
    items = reviewed(world)
    (seen,) = items["role reader ana"]["evidence"]["datasets"]
    assert (seen["shows"], seen["without"]) == ("clear", "clear")  # by the grant
    (seen,) = items["grant ana-fraud ana"]["evidence"]["datasets"]
    assert (seen["shows"], seen["without"]) == ("clear", "clear")  # by the role
    (seen,) = items["group sales ben"]["evidence"]["datasets"]
    assert (seen["shows"], seen["without"]) == ("clear", "none")
    world.audit.record("ana", "query", "prod/orders", "allow", [], {"grants": ["ana-fraud"]})
    items = reviewed(world)
    assert items["grant ana-fraud ana"]["unused"] is False and items["role reader ana"]["unused"] is False
    assert items["grant ana-fraud ana"]["evidence"]["lastUsed"] == "2026-06-01T12:00:00Z"
    assert items["group sales ben"]["unused"]


def test_who_is_named_decides_though_nobody_declared_them_and_who_is_gone_does_not() -> None:
    world = company()
    assert reviewed(world, reviewers={"users": ["guest"]})["role reader ana"]["reviewers"] == ["guest"]
    world.declare(("User", "guest", {"disabled": True}))
    assert reviewed(world, reviewers={"users": ["guest"]})["role reader ana"]["reviewers"] == ["admin", "mia"]


def test_a_group_that_only_a_provider_knows_decides_beside_those_who_manage() -> None:
    world = company()
    provider = {
        "issuer": "https://id.example",
        "clientId": "weir",
        "rights": [{"claim": "groups", "value": "x", "groups": ["privacy"]}],
    }
    world.policies.apply([Change("IdentityProvider", "company", provider)], world.now)
    assert world.state.view().providers, world.state.view().problems
    item = reviewed(world, reviewers={"groups": ["privacy"]})["role reader ana"]
    assert item["reviewers"] == ["admin", "mia"]
    assert item["why"] == "group privacy, or those who manage, as none of these has signed in"
