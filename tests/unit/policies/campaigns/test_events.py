"""Events of a campaign name the people who are to act, the page and a title, as notifications read them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from policies.model import SubjectMatch
from tests.campaign_world import ORDERS, REVIEW, CampaignWorld, Sink, company, grant

PATH = re.compile(r"/(?!/)[\w\-./%?=&]*")
"""What a notice takes for a page of Weir."""


def events(world: CampaignWorld, kind: str) -> list[Any]:
    sink = world.stores[3]
    assert isinstance(sink, Sink)
    return [data for type_, _, data in sink.told if type_ == kind]


def test_the_start_is_for_those_who_may_decide_something_and_not_for_holders() -> None:
    world = company()
    world.declare(("User", "rita", {}), ("Grant", "ritas", grant({"user": "rita"})))
    spec = {**REVIEW, "scope": {"people": ["rita"]}, "items": ["grants"], "reviewers": {"users": ["otto", "rita"]}}
    campaign = world.campaigns.start(world.user("mia"), name="Prüfung a/b ~ <b>", spec=spec).id
    (started,) = events(world, "campaign.started")
    assert started["people"] == ["otto"] and started["waiting"] == {"otto": 1}
    assert started["path"].startswith("/access-reviews/Pr%C3%BCfung%20a%2Fb%20%7E%20%3Cb%3E-")
    assert PATH.fullmatch(started["path"]) and campaign in started["title"]


def test_no_reviewer_is_cut_off() -> None:
    world = company()
    names = [f"r{number:03}" for number in range(120)]
    world.campaigns.start(world.user("mia"), name="r", spec={**REVIEW, "reviewers": {"users": names}})
    (started,) = events(world, "campaign.started")
    assert started["people"] == names and "morePeople" not in started


def test_a_reminder_is_for_those_who_own_it_now_and_have_open_items() -> None:
    world = company()
    world.declare(("User", "olga", {}), ("Grant", "ottos", grant({"user": "otto"})))
    campaign = world.campaigns.start(world.user("mia"), "personal").id
    assert events(world, "campaign.started")[0]["people"] == ["otto", "petra"]
    number = world.items(campaign)["grant ottos otto"]["number"]
    world.campaigns.decide(world.user("petra"), campaign, [number], "keep", "needs it")
    world.facts.known[ORDERS.reference] = replace(ORDERS, owners=SubjectMatch(users=frozenset({"olga"})))
    world.sleep(days=8)
    world.reviews.duty.step()
    (reminder,) = events(world, "campaign.reminder")
    assert reminder["people"] == ["olga"] and reminder["waiting"] == {"olga": 4}
    assert PATH.fullmatch(reminder["path"]) and "4 items are open" in reminder["title"]


def test_a_close_asks_nobody_and_a_review_that_cannot_start_asks_those_who_manage() -> None:
    from policies.campaigns import snapshot

    world = company()
    world.campaigns.start(world.user("mia"), "personal")
    world.sleep(days=15)
    world.reviews.duty.step()
    (closed,) = events(world, "campaign.closed")
    assert closed["people"] == [] and closed["title"] and PATH.fullmatch(closed["path"])
    ends = events(world, "campaign.ends_at_source")
    assert ends and all("people" not in each and PATH.fullmatch(each["path"]) for each in ends)
    world = company()
    world.declare(("AccessReview", "personal", {**REVIEW, "schedule": {"every": "monthly"}}))
    before, snapshot.MOST_ITEMS = snapshot.MOST_ITEMS, 2
    try:
        world.sleep(seconds=11)
        world.reviews.duty.step()
    finally:
        snapshot.MOST_ITEMS = before
    assert events(world, "campaign.failed")[0]["people"] == ["admin", "mia"]
