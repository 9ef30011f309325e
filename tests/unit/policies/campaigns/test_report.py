"""The evidence holds only if it has the hash that the chain of the audit has of its close."""

from __future__ import annotations

from dataclasses import replace

from policies.audit.log import AuditLog
from policies.campaigns.closing import evidence
from policies.campaigns.model import digest_of
from policies.campaigns.report import Report
from tests.campaign_world import CampaignWorld, company
from tests.twins.policies.stores import MemoryAuditStore


def closed() -> tuple[CampaignWorld, str]:
    world = company()
    campaign = world.campaigns.start(world.user("mia"), "personal").id
    world.campaigns.close(world.user("mia"), campaign)
    return world, campaign


def report(world: CampaignWorld, campaign: str) -> Report:
    return world.reviews.report(world.user("mia"), campaign)


def test_items_that_were_changed_with_the_hash_beside_them_do_not_hold() -> None:
    world, campaign = closed()
    assert report(world, campaign).head().holds is True
    store = world.store
    item = store.item(campaign, 1)
    store.change_item(replace(item, by="somebody", reason="invented"))
    head = report(world, campaign).head()
    assert head.holds is False and "changed after the close" in (head.problem or "")
    kept = store.get(campaign)
    forged = store.change(replace(kept, digest=digest_of(evidence(store, kept))))
    head = report(world, campaign).head()
    assert head.holds is False and "not the one of audit entry" in (head.problem or "")
    # Nor with an entry of the audit that was added to fit.
    entry = world.audit.record("mia", "campaign.close", campaign, details={"hash": forged.digest})
    store.change(replace(forged, audit=entry.seq))
    assert report(world, campaign).head().holds is False
    assert "DOES NOT HOLD" in "".join(report(world, campaign).html("mia"))


def test_a_hash_that_was_taken_away_does_not_hold_either() -> None:
    world, campaign = closed()
    world.store.change(replace(world.store.get(campaign), digest=None))
    assert report(world, campaign).head().holds is False


def test_without_the_entry_of_the_close_nothing_is_claimed() -> None:
    world, campaign = closed()
    left = replace(report(world, campaign), audit=AuditLog(MemoryAuditStore(), world.clock))
    head = left.head()
    assert head.holds is None and "no entry of the close any more" in (head.problem or "")
    assert "not compared" in "".join(left.html("mia"))


def test_before_the_close_there_is_no_hash_to_compare() -> None:
    world = company()
    campaign = world.campaigns.start(world.user("mia"), "personal").id
    before = report(world, campaign)
    head = before.head()
    assert (before.campaign.digest, head.holds, head.problem) == (None, None, None)
    assert "at the close" in "".join(report(world, campaign).html("mia"))
