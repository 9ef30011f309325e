"""A process that dies at any call of a store loses nothing and does nothing twice; of two who act at once, one does it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from catalog.adapters.sql.database import Database
from catalog.errors import Conflict, WeirError
from tests.campaign_world import CampaignWorld, Fuse, Killed, company
from tests.examples import some

MOST_CALLS = 400


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A record store with a campaign under way."""
    path = tmp_path_factory.mktemp("template") / "weir.db"
    database = Database(f"sqlite:///{path}")
    database.migrate()
    world = company(database)
    campaign = world.campaigns.start(world.user("mia"), "personal").id
    database.close()
    yield path, campaign


def opened(kind: str, template: tuple[Path, str], tmp_path: Path, run: int) -> tuple[CampaignWorld, str]:
    if kind == "memory":
        world = company()
        return world, world.campaigns.start(world.user("mia"), "personal").id
    path = tmp_path / f"{run}.db"
    shutil.copy(template[0], path)
    return CampaignWorld(Database(f"sqlite:///{path}")), template[1]


@pytest.mark.parametrize("behind", [False, True], ids=["before the call", "behind the call"])
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_close_that_dies_goes_on_and_does_all_once(
    kind: str, behind: bool, template: tuple[Path, str], tmp_path: Path
) -> None:
    died = 0
    calls = some(range(1, MOST_CALLS))
    for at in calls:
        world, campaign = opened(kind, template, tmp_path, at)
        before = len(world.events_told())
        world.sleep(days=15)
        world.fuse.at, world.fuse.behind, world.fuse.armed = at, behind, True
        try:
            world.reviews.duty.step()
        except Killed:
            died += 1
        else:
            break
        after = world.again()
        after.reviews.duty.step()
        items = after.items(campaign)
        assert {i["state"] for i in items.values()} == {"revoked"}, at
        assert after.campaigns.show(after.user("mia"), campaign).shown.campaign.state == "closed"
        assert after.state.view().subject("ana").roles == frozenset()
        assert after.state.view().subject("ben").groups == frozenset()
        assert {g.status for g in after.state.view().grants.values()} == {"revoked"}
        if kind == "sqlite":  # the twins of audit and outbox do not take back what they were given
            report = after.reviews.report(after.user("mia"), campaign)
            assert report.head().holds is True, at
            actions = after.actions()
            assert actions.count("campaign.revoke") == len(items) and actions.count("grant.revoke") == 2
            assert actions.count("campaign.close") == 1
            sent = after.events_told()[before:]
            assert sent.count("grant.revoked") == 2 and sent.count("campaign.closed") == 1
            seqs = {i["audit"] for i in items.values()}
            assert len(seqs) == len(items)
            assert after.audit.verify().holds
            assert after.database is not None
            after.database.close()
    else:
        pytest.fail("the close has more calls than are tried")
    assert died * calls.step > 20


@pytest.mark.parametrize("behind", [False, True], ids=["before the call", "behind the call"])
@pytest.mark.parametrize("verdict", ["revoke", "undo"])
def test_a_decision_that_dies_is_done_whole_or_not_at_all(
    verdict: str, behind: bool, template: tuple[Path, str], tmp_path: Path
) -> None:
    for at in some(range(1, MOST_CALLS)):
        world, campaign = opened("sqlite", template, tmp_path, at)
        otto = world.user("otto")
        number = world.items(campaign)["grant ana-fraud ana"]["number"]
        if verdict == "undo":
            world.campaigns.decide(otto, campaign, [number], "revoke", "left")
        world.fuse.at, world.fuse.behind, world.fuse.armed = at, behind, True
        try:
            world.reviews.campaigns.decide(otto, campaign, [number], verdict, "left")
        except Killed:
            pass
        else:
            break
        after = world.again()
        item = after.items(campaign)["grant ana-fraud ana"]
        status = str(after.state.view().grants["ana-fraud"].status)
        assert (item["state"], status) in {("open", "approved"), ("revoked", "revoked")}, at
        revoked = after.actions().count("campaign.revoke")
        undone = after.actions().count("campaign.undo")
        assert revoked - undone == (1 if status == "revoked" else 0)
        assert after.database is not None
        after.database.close()
    else:
        pytest.fail("the decision has more calls than are tried")


def test_a_start_that_dies_leaves_a_whole_campaign_or_none(tmp_path: Path) -> None:
    for at in range(1, MOST_CALLS):
        database = Database(f"sqlite:///{tmp_path / f'{at}.db'}")
        if at == 1:
            database.migrate()
            first = company(database)
            review = dict(first.state.get("AccessReview", "personal").spec or {})
            first.declare(("AccessReview", "personal", {**review, "schedule": {"every": "monthly"}}))
            database.close()
            shutil.copy(tmp_path / "1.db", tmp_path / "template.db")
        else:
            shutil.copy(tmp_path / "template.db", tmp_path / f"{at}.db")
        world = CampaignWorld(Database(f"sqlite:///{tmp_path / f'{at}.db'}"), fuse=Fuse(at, armed=True))
        try:
            world.reviews.duty.step()
        except Killed:
            pass
        else:
            break
        after = world.again()
        after.reviews.duty.step()
        (campaign,) = after.campaigns.all(after.user("mia"))
        assert campaign.counts.items == len(after.items(campaign.campaign.id)) == 4
        assert after.actions().count("campaign.start") == 1 == after.events_told().count("campaign.started")
        assert after.database is not None
        after.database.close()
    else:
        pytest.fail("the start has more calls than are tried")


def test_of_two_reviewers_at_once_one_decides_and_the_other_is_told(template: tuple[Path, str], tmp_path: Path) -> None:
    world, campaign = opened("sqlite", template, tmp_path, 0)
    world.declare(("User", "ida", {"roles": ["admin"]}))
    number = world.items(campaign)["grant ana-fraud ana"]["number"]

    def word(turn: int) -> str:
        mine = world.again()
        by, verdict = (("otto", "revoke"), ("mia", "keep"), ("ida", "revoke"))[turn % 3]
        try:
            mine.campaigns.decide(mine.user(by), campaign, [number], verdict, "a reason")
        except Conflict as error:
            assert f"decided item {number} already" in error.message
            return "told"
        return "done"

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(word, range(6))) == ["done", *["told"] * 5]
    actions = world.actions()
    assert actions.count("campaign.keep") + actions.count("campaign.revoke") == 1


def test_two_workers_that_close_at_once_do_each_part_once(template: tuple[Path, str], tmp_path: Path) -> None:
    world, campaign = opened("sqlite", template, tmp_path, 0)
    world.sleep(days=15)

    def close(_: int) -> None:
        try:
            world.again().reviews.duty.step()
        except WeirError as error:  # nothing may fail for good
            pytest.fail(error.message)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(close, range(4)))
    assert world.actions().count("campaign.close") == 1
    assert world.actions().count("campaign.revoke") == len(world.items(campaign)) == 4
