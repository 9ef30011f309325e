"""What the worker does: starts by schedule, reminds, closes; once each, whatever was missed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from tests.campaign_world import REVIEW, START, CampaignWorld, Sink, company


def scheduled(**more: Any) -> CampaignWorld:
    world = company()
    world.declare(("AccessReview", "personal", {**REVIEW, **more}))
    return world


def step(world: CampaignWorld) -> None:
    world.sleep(seconds=11)
    world.reviews.duty.step()


def events(world: CampaignWorld, kind: str) -> list[Any]:
    sink = world.stores[3]
    assert isinstance(sink, Sink)
    return [data for type_, _, data in sink.told if type_ == kind]


def test_a_scheduled_review_starts_once_a_period_and_only_when_the_one_before_is_closed() -> None:
    world = scheduled(schedule={"every": "30d"}, due="10d")
    step(world)
    step(world)
    (first,) = world.store.campaigns()
    assert first.id == "personal-2026-06-01" and first.started_by == "weir"
    world.sleep(days=95)  # nobody worked: three were missed
    step(world)
    step(world)
    assert [(c.id, str(c.state)) for c in world.store.campaigns()] == [
        ("personal-2026-08-30", "closed"),
        ("personal-2026-06-01", "closed"),
    ]
    world = scheduled(schedule={"every": "10d"}, due="25d")
    step(world)
    world.sleep(days=12)
    step(world)
    assert len(world.store.campaigns()) == 1


def test_a_review_without_a_schedule_waits_for_a_hand() -> None:
    world = scheduled()
    step(world)
    assert world.store.campaigns() == []


def test_reminders_come_once_each_and_late_ones_as_one() -> None:
    world = scheduled(remind=["7d", "1d"])
    campaign = world.campaigns.start(world.user("mia"), "personal").id
    step(world)
    assert events(world, "campaign.reminder") == []
    world.sleep(days=7)
    step(world)
    step(world)
    (first,) = events(world, "campaign.reminder")
    assert first["waiting"] == {"otto": 4} and first["open"] == 4
    otto = world.user("otto")
    number = world.items(campaign)["role reader ana"]["number"]
    world.campaigns.decide(otto, campaign, [number], "keep", "needs it")
    world.sleep(days=6)
    world.again().reviews.duty.step()
    assert [e["open"] for e in events(world, "campaign.reminder")] == [4, 3]
    late = scheduled(remind=["7d", "1d"])
    late.campaigns.start(late.user("mia"), "personal")
    late.sleep(days=13, hours=12)
    step(late)
    assert len(events(late, "campaign.reminder")) == 1


def test_a_review_shorter_than_the_usual_reminder_needs_no_reminder() -> None:
    for due, expected in (("2d", 0), ("3d", 0), ("4d", 1)):
        world = company()
        terms = {each: REVIEW[each] for each in ("scope", "reviewers", "onNoAnswer")}
        world.declare(("AccessReview", "short", {**terms, "due": due}))
        world.campaigns.start(world.user("mia"), "short")
        world.sleep(days=1, hours=1)
        step(world)
        assert len(events(world, "campaign.reminder")) == expected


def test_at_its_time_a_review_closes_and_keeps_or_revokes_what_nobody_confirmed() -> None:
    for answer, status in (("revoke", "revoked"), ("keep", "approved")):
        world = scheduled(onNoAnswer=answer)
        campaign = world.campaigns.start(world.user("mia"), "personal").id
        world.sleep(days=14)
        step(world)
        assert str(world.state.view().grants["ana-fraud"].status) == status
        shown = world.campaigns.show(world.user("mia"), campaign).shown
        assert shown.campaign.state == "closed" and shown.counts.open == 0
        assert shown.counts.unconfirmed == (4 if answer == "keep" else 0)
        assert len(events(world, "campaign.closed")) == 1


def test_what_was_confirmed_and_grew_since_is_marked() -> None:
    world = scheduled()
    campaign = world.campaigns.start(world.user("mia"), "personal").id
    number = world.items(campaign)["role reader ana"]["number"]
    world.campaigns.decide(world.user("otto"), campaign, [number], "keep", "needs it")
    world.declare(("Role", "reader", {"read": [{"dataset": "prod/*"}]}))
    world.sleep(days=14)
    step(world)
    kept = world.items(campaign)["role reader ana"]
    assert kept["state"] == "kept" and kept["changed"]


def test_a_review_that_cannot_start_is_kept_as_failed_and_told_once() -> None:
    from policies.campaigns import snapshot

    world = scheduled(schedule={"every": "monthly"})
    before = snapshot.MOST_ITEMS
    snapshot.MOST_ITEMS = 2
    try:
        step(world)
        step(world)
    finally:
        snapshot.MOST_ITEMS = before
    (failed,) = world.store.campaigns()
    assert failed.state == "failed" and "narrow its scope" in failed.notes[0]
    assert len(events(world, "campaign.failed")) == 1
    assert START + timedelta(seconds=11) == failed.started_at
