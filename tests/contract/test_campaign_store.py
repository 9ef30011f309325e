"""What any `CampaignStore` must do."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from catalog.errors import Conflict
from policies.adapters.stores.campaigns import SqlCampaignStore
from policies.campaigns.model import (
    Campaign,
    CampaignState,
    Item,
    ItemState,
    Kind,
    Outcome,
    ReviewerSet,
    Right,
    SharedSets,
)
from policies.campaigns.ports import CampaignStore, Counted, ItemFilter
from policies.model import SubjectMatch
from policies.workflow import Approvers
from tests.catalog_stores import STORES, own_database
from tests.twins.policies.campaigns import MemoryCampaignStore

T0 = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CampaignStore]:
    if request.param == "memory":
        yield MemoryCampaignStore()
        return
    with own_database(request.param, request) as opened:
        yield SqlCampaignStore(opened)


def campaign(name: str = "c-1", **more: object) -> Campaign:
    example = Campaign(
        name,
        "personal",
        {"scope": {"datasets": ["*"]}, "onNoAnswer": "keep"},
        CampaignState.OPEN,
        T0,
        "admin",
        T0 + timedelta(days=7),
        "keep",
        T0,
        notes=("a note",),
    )
    return replace(example, **more)  # type: ignore[arg-type]


def item(number: int, name: str = "c-1", **more: object) -> Item:
    right = Right(
        Kind.GRANT,
        f"g-{number}",
        "Zoë\x00'%_",
        dataset="prod/orders",
        sources=("Grant g",),
        since=T0,
        until=None,
        fingerprint="f",
    )
    example = Item(name, number, right, {"datasets": [], "lastUsed": None}, "r1", "o1")
    return replace(example, **more)  # type: ignore[arg-type]


SETS = SharedSets(
    {
        "r1": ReviewerSet(Approvers(owners=True), "the owners", ("otto",), ("prod/orders",)),
        "r2": ReviewerSet(Approvers(people=SubjectMatch(groups=frozenset({"sales"}))), "sales", managers=True),
    },
    {"o1": ["prod/orders"]},
)


def test_what_is_added_comes_back_and_an_id_is_taken_once(store: CampaignStore) -> None:
    items = [item(n) for n in range(1, 1201)]
    assert store.add(campaign(), items, SETS)
    assert not store.add(campaign(), [], SharedSets())
    assert store.get("c-1") == campaign()
    assert store.get("other") is None
    assert store.item("c-1", 1200) == items[-1]
    assert store.item("c-1", 1201) is None
    assert store.reviewers("c-1") == SETS.reviewers
    assert store.opens("c-1") == {"o1": ["prod/orders"]}
    assert store.opens("other") == {} == store.reviewers("other")


def test_campaigns_are_listed_newest_first(store: CampaignStore) -> None:
    for number, state in ((1, CampaignState.CLOSED), (3, CampaignState.OPEN), (2, CampaignState.CLOSING)):
        store.add(
            campaign(f"c-{number}", state=state, started_at=T0 + timedelta(days=number), review=f"r{number % 2}"),
            [],
            SharedSets(),
        )
    assert [c.id for c in store.campaigns()] == ["c-3", "c-2", "c-1"]
    assert [c.id for c in store.campaigns((CampaignState.OPEN, CampaignState.CLOSING))] == ["c-3", "c-2"]
    assert [c.id for c in store.campaigns(review="r1")] == ["c-3", "c-1"]
    assert store.campaigns(()) == []


def test_items_are_found_by_what_they_are(store: CampaignStore) -> None:
    one = item(1)
    items = [
        one,
        item(2, unused=True, reviewers="r2"),
        item(3, state=ItemState.KEPT, outcome=Outcome.CONFIRMED, by="otto", at=T0, reason="why", audit=7),
        item(4, right=replace(one.right, kind=Kind.ROLE, person=None, role="x"), opens="o2", left_at=("directory",)),
    ]
    store.add(campaign(), items, SETS)

    def numbers(**where: object) -> list[int]:
        return [i.number for i in store.items("c-1", ItemFilter(**where))]  # type: ignore[arg-type]

    assert numbers() == [1, 2, 3, 4]
    assert numbers(states=(ItemState.OPEN,)) == [1, 2, 4]
    assert numbers(unused=True) == [2] and numbers(unused=False) == [1, 3, 4]
    assert numbers(reviewers=["r2", "r3"]) == [2] and numbers(reviewers=[]) == []
    assert numbers(opens=["o2"]) == [4] and numbers(kind="role") == [4]
    assert numbers(person="Zoë\x00'%_") == [1, 2, 3] and numbers(person="zoë\x00'%_") == []
    assert numbers(outcomes=("confirmed",)) == [3]
    assert [i.number for i in store.items("c-1", ItemFilter(), after=1, limit=2)] == [2, 3]
    assert store.items("c-1", ItemFilter())[2] == items[2]
    assert set(store.counts("c-1", ItemFilter(states=("open",)))) == {
        Counted("open", "", "r1", False, False, 1),
        Counted("open", "", "r2", True, False, 1),
        Counted("open", "", "r1", False, True, 1),
    }


def test_the_second_of_two_writers_is_refused(store: CampaignStore) -> None:
    store.add(campaign(), [item(1)], SETS)
    first = store.change(replace(campaign(), state=CampaignState.CLOSING, closed_at=T0, digest="d"))
    assert first == store.get("c-1") and first.version == 2
    with pytest.raises(Conflict):
        store.change(campaign())
    done = store.change_item(item(1, state=ItemState.REVOKED, by="a", at=T0, undo={"version": 3}, left_at=("x",)))
    assert done == store.item("c-1", 1)
    with pytest.raises(Conflict):
        store.change_item(item(1, state=ItemState.KEPT))
    with pytest.raises(Conflict):
        store.change_item(item(2))


def test_of_many_writers_at_once_one_wins(store: CampaignStore) -> None:
    store.add(campaign(), [item(1)], SETS)

    def write(number: int) -> bool:
        try:
            store.change_item(item(1, by=f"p{number}"))
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(write, range(16))) == 1


def test_a_transaction_that_fails_leaves_nothing(store: CampaignStore) -> None:
    store.add(campaign(), [item(1)], SETS)
    with pytest.raises(RuntimeError), store.transaction():
        store.change_item(item(1, by="a"))
        store.change(replace(campaign(), state=CampaignState.CLOSED))
        store.add(campaign("c-2"), [item(1, "c-2")], SETS)
        raise RuntimeError
    assert store.item("c-1", 1) == item(1)
    assert store.get("c-1") == campaign()
    assert store.get("c-2") is None
    assert store.opens("c-2") == {}
