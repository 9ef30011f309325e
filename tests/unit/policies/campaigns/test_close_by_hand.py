"""Who closes a review by hand does not decide on their own rights by that, and gives the reason why it is not as declared."""

from __future__ import annotations

import pytest

from catalog.errors import InvalidInput
from tests.campaign_world import REVIEW, CampaignWorld, company, grant


def opened() -> tuple[CampaignWorld, str]:
    world = company()
    world.declare(
        ("User", "mia", {"roles": ["admin", "reader"]}),
        ("Grant", "mias", grant({"user": "MIA"})),
        ("Group", "sales", {"members": ["ben", "mia"], "roles": ["reader"]}),
    )
    return world, world.campaigns.start(world.user("mia"), name="r", spec=REVIEW).id


def test_another_answer_than_the_declared_one_takes_a_reason() -> None:
    world, campaign = opened()
    for reason in ("", "  "):
        with pytest.raises(InvalidInput, match="declared to revoke"):
            world.campaigns.close(world.user("mia"), campaign, "keep", reason)
    assert world.campaigns.show(world.user("mia"), campaign).shown.campaign.state == "open"
    with pytest.raises(InvalidInput, match="at most"):
        world.campaigns.close(world.user("mia"), campaign, "keep", "x" * 2001)
    assert world.campaigns.close(world.user("mia"), campaign, "revoke").shown.campaign.state == "closed"


def test_what_is_the_closers_own_is_settled_as_declared_and_the_rest_as_chosen() -> None:
    world, campaign = opened()
    world.campaigns.close(world.user("mia"), campaign, "keep", "moved to May")
    items = world.items(campaign)
    revoked = {key for key, item in items.items() if item["state"] == "revoked"}
    assert revoked == {"grant mias MIA", "grant sales-fraud group sales", "role reader mia", "group sales mia"}
    assert {i["state"] for key, i in items.items() if key not in revoked} == {"kept"}
    assert "settled as declared" in items["role reader mia"]["reason"]
    assert "reader" not in world.user("mia").roles


def test_a_process_that_continues_the_close_knows_whose_rights_they_are() -> None:
    world, campaign = opened()
    mia = world.user("mia")
    world.reviews.campaigns._closing.begin(campaign, "mia", "keep", "moved to May", mia)
    after = world.again()
    after.sleep(seconds=11)
    after.reviews.duty.step()
    assert after.items(campaign)["group sales mia"]["state"] == "revoked"


def test_the_report_and_the_audit_have_what_was_declared_and_why_not() -> None:
    world, campaign = opened()
    world.campaigns.close(world.user("mia"), campaign, "keep", "moved to May")
    report = world.reviews.report(world.user("mia"), campaign)
    campaign_record = report.campaign.record()
    chosen = [campaign_record[key] for key in ("onNoAnswer", "declaredOnNoAnswer", "closeReason")]
    assert chosen == ["keep", "revoke", "moved to May"]
    assert "though it was declared that it is revoked: moved to May" in "".join(report.html("mia"))
    (entry,) = [e for e in world.stores[1].chain(0, 1000) if e.action == "campaign.close"]
    assert entry.details["declaredOnNoAnswer"] == "revoke" and "moved to May" in entry.reasons
