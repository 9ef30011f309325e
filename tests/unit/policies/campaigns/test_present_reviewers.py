"""Who reviews is asked again at each look and each decision: people who own and manage now, not those of the start."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from catalog.errors import NotFound
from policies.model import SubjectMatch
from tests.campaign_world import ORDERS, STOCK, CampaignWorld, company, grant

ANA = "role reader ana"


def owned_by(world: CampaignWorld, **match: frozenset[str]) -> None:
    world.facts.known[ORDERS.reference] = replace(ORDERS, owners=SubjectMatch(**match))  # type: ignore[arg-type]


def test_who_owns_it_no_longer_neither_sees_nor_decides_and_the_new_owner_does() -> None:
    world = company()
    campaign = world.campaigns.start(world.user("mia"), "personal").id
    number = world.items(campaign)[ANA]["number"]
    assert ANA in world.items(campaign, "otto")
    world.declare(("User", "olga", {}))
    owned_by(world, users=frozenset({"olga"}))
    for verdict in ("keep", "revoke"):
        with pytest.raises(NotFound):
            world.campaigns.decide(world.user("otto"), campaign, [number], verdict, "needs it")
    with pytest.raises(NotFound):
        world.campaigns.show(world.user("otto"), campaign)
    assert world.campaigns.waiting(world.user("otto")) == 0 and world.campaigns.waiting(world.user("olga")) == 4
    assert world.campaigns.decide(world.user("olga"), campaign, [number], "keep", "needs it").items


def test_who_owned_it_may_not_take_back_what_they_decided() -> None:
    world = company()
    campaign = world.campaigns.start(world.user("mia"), "personal").id
    number = world.items(campaign)[ANA]["number"]
    world.campaigns.decide(world.user("otto"), campaign, [number], "revoke", "left")
    owned_by(world, users=frozenset({"olga"}))
    with pytest.raises(NotFound):
        world.campaigns.decide(world.user("otto"), campaign, [number], "undo")


def test_those_who_manage_now_decide_where_nobody_else_may() -> None:
    world = company()
    world.declare(("Grant", "mine", grant({"user": "mia"}, "prod/stock")), ("User", "max", {"roles": ["admin"]}))
    spec = {"scope": {"datasets": ["prod/stock"]}, "reviewers": {"users": ["mia"]}, "onNoAnswer": "revoke"}
    campaign = world.campaigns.start(world.user("mia"), name="r", spec=spec).id
    world.declare(("User", "max", {}), ("User", "new", {"roles": ["admin"]}))
    with pytest.raises(NotFound):
        world.items(campaign, "max")
    assert world.campaigns.waiting(world.user("new")) == 1
    # A limit of the token does not make a reviewer of somebody, nor take that away.
    scoped = replace(world.user("new"), scopes=frozenset({"request"}))
    number = world.items(campaign)["grant mine mia"]["number"]
    assert world.campaigns.decide(scoped, campaign, [number], "keep", "needs it").items


def test_who_owns_all_the_datasets_is_asked_now_too() -> None:
    world = company()
    world.declare(("User", "kim", {"roles": ["senior"]}))
    world.facts.known[STOCK.reference] = replace(STOCK, owners=SubjectMatch(users=frozenset({"otto"})))
    spec = {"scope": {"datasets": ["prod/*"]}, "reviewers": {"owners": True}, "onNoAnswer": "revoke"}
    campaign = world.campaigns.start(world.user("mia"), name="r", spec=spec).id
    assert "role senior kim" in world.items(campaign, "otto")
    world.facts.known[STOCK.reference] = STOCK
    assert "role senior kim" not in world.items(campaign, "otto") and ANA in world.items(campaign, "otto")
    del world.facts.known[ORDERS.reference]  # a dataset that is gone has no owner
    with pytest.raises(NotFound):
        world.items(campaign, "otto")


def test_a_delegate_does_not_decide_on_what_the_absent_reviewer_has_by_a_group() -> None:
    world = company()
    world.declare(("User", "quinn", {}), ("User", "rita", {}))
    spec = {"scope": {"datasets": ["prod/orders"]}, "reviewers": {"users": ["otto", "rita"]}, "onNoAnswer": "revoke"}
    world.delegations.set(world.user("otto"), ["quinn"], world.now + timedelta(days=30))
    campaign = world.campaigns.start(world.user("mia"), name="r", spec=spec).id
    world.declare(("Group", "sales", {"members": ["ben", "otto"], "roles": ["reader"]}))
    key = "grant sales-fraud group sales"
    assert key not in world.items(campaign, "quinn") and ANA in world.items(campaign, "quinn")
    number = world.items(campaign)[key]["number"]
    with pytest.raises(NotFound):
        world.campaigns.decide(world.user("quinn"), campaign, [number], "keep", "for otto")
    # Another who is away, and does not have the right, may be represented: the first one does not stand before them.
    world.delegations.set(world.user("rita"), ["quinn"], world.now + timedelta(days=30))
    world.campaigns.decide(world.user("quinn"), campaign, [number], "keep", "for rita")
    assert world.items(campaign)[key]["insteadOf"] == "rita"
