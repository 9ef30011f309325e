"""A round of the worker: rights that came back are reported once each, and one campaign that fails keeps no other."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.errors import Conflict, Unavailable
from policies.campaigns.closing import Closing
from tests.campaign_world import REVIEW, CampaignWorld, Sink, company, grant

ANA = ("User", "ana", {"roles": ["reader"]})


def step(world: CampaignWorld, **span: float) -> int:
    world.sleep(**(span or {"minutes": 6}))
    return world.reviews.duty.step()


def returned(world: CampaignWorld) -> list[Any]:
    sink = world.stores[3]
    assert isinstance(sink, Sink)
    return [data for kind, _, data in sink.told if kind == "campaign.came_back"]


def closed(review: str | None = "personal") -> CampaignWorld:
    world = company()
    spec = {} if review else {"name": "r", "spec": REVIEW}
    campaign = world.campaigns.start(world.user("mia"), review, **spec)  # type: ignore[arg-type]
    world.campaigns.close(world.user("mia"), campaign.id)
    return world


@pytest.mark.parametrize("review", ["personal", None])
def test_a_revoked_right_that_comes_back_is_reported_once_each_time(review: str | None) -> None:
    world = closed(review)
    step(world)
    assert returned(world) == []
    world.declare(ANA)
    step(world)
    step(world)
    (event,) = returned(world)
    assert (event["right"], event["holder"], event["sources"]) == ("role reader", "ana", ["User ana"])
    assert event["people"] == ["admin", "mia"] and event["path"] and event["title"]
    assert world.actions().count("campaign.came_back") == 1
    after = world.again()  # another process does not report it again
    step(after)
    assert len(returned(world)) == 1
    world.declare(("User", "ana", {"roles": []}))
    step(world)
    world.declare(ANA)
    step(world)
    assert len(returned(world)) == 2


def test_the_evidence_holds_though_rights_came_back() -> None:
    world = closed()
    world.declare(ANA)
    step(world)
    (campaign,) = world.store.campaigns()
    assert returned(world) and world.reviews.report(world.user("mia"), campaign.id).head().holds is True


def test_a_right_that_comes_back_during_the_next_run_is_reported_and_behind_it_no_more() -> None:
    world = closed()
    world.sleep(days=1)
    world.declare(("Grant", "bens", grant({"user": "ben"})))
    following = world.campaigns.start(world.user("mia"), "personal").id
    world.declare(ANA)  # too late to be an item of it
    step(world)
    assert len(returned(world)) == 1
    world.campaigns.close(world.user("mia"), following)
    world.declare(("User", "ana", {"roles": []}))
    step(world)
    world.declare(ANA)
    step(world)
    assert len(returned(world)) == 1


@pytest.mark.parametrize("error", [Conflict("it ends at this instant"), KeyError("a fault")])
def test_a_campaign_that_fails_keeps_no_other_from_being_done(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = company()
    world.declare(("AccessReview", "due", {**REVIEW, "schedule": {"every": "monthly"}}))
    bad, good = (world.campaigns.start(world.user("mia"), name=name, spec=REVIEW).id for name in ("bad", "good"))
    finish = Closing.finish

    def fails(self: Closing, campaign: str) -> Any:
        if campaign == bad:
            raise error
        return finish(self, campaign)

    monkeypatch.setattr(Closing, "finish", fails)
    step(world, days=15)
    states = {c.id: str(c.state) for c in world.store.campaigns()}
    assert (states[good], states[bad]) == ("closed", "closing")
    assert any(each.startswith("due-") for each in states)
    monkeypatch.setattr(Closing, "finish", finish)
    step(world)
    assert str(world.store.get(bad).state) == "closed"


def test_a_store_that_does_not_answer_is_tried_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    world = company()
    world.campaigns.start(world.user("mia"), "personal")

    def away(self: Closing, campaign: str) -> Any:
        raise Unavailable("the store does not answer")

    monkeypatch.setattr(Closing, "finish", away)
    with pytest.raises(Unavailable):
        step(world, days=15)
