"""Access reviews in memory, for fast tests: every promise of `CampaignStore` but durability."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from dataclasses import replace

from catalog.errors import Conflict
from policies.campaigns.model import Campaign, Item, ReviewerSet, SharedSets
from policies.campaigns.ports import Counted, ItemFilter
from policies.ports import PolicyStore


class MemoryCampaignStore:
    """`CampaignStore`. `beside`: the store of documents that its transactions span too."""

    def __init__(self, beside: PolicyStore | None = None) -> None:
        self._campaigns: dict[str, Campaign] = {}
        self._items: dict[str, dict[int, Item]] = {}
        self._sets: dict[str, SharedSets] = {}
        self._beside = beside
        self._lock = threading.RLock()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock, self._beside.transaction() if self._beside is not None else nullcontext():
            before = dict(self._campaigns), {k: dict(v) for k, v in self._items.items()}, dict(self._sets)
            try:
                yield
            except BaseException:
                self._campaigns, self._items, self._sets = before
                raise

    def add(self, campaign: Campaign, items: Sequence[Item], sets: SharedSets) -> bool:
        with self._lock:
            if campaign.id in self._campaigns:
                return False
            self._campaigns[campaign.id] = campaign
            self._items[campaign.id] = {item.number: item for item in items}
            self._sets[campaign.id] = deepcopy(sets)
            return True

    def get(self, campaign_id: str) -> Campaign | None:
        return self._campaigns.get(campaign_id)

    def campaigns(self, states: Collection[str] | None = None, review: str | None = None) -> list[Campaign]:
        campaigns = [
            each
            for each in self._campaigns.values()
            if (states is None or each.state in states) and (review is None or each.review == review)
        ]
        return sorted(campaigns, key=lambda c: (c.started_at, c.id), reverse=True)

    def change(self, campaign: Campaign) -> Campaign:
        with self._lock:
            before = self._campaigns.get(campaign.id)
            if before is None or before.version != campaign.version:
                raise Conflict(
                    f"Access review {campaign.id} was changed by another meanwhile; look at it again, and repeat."
                )
            written = self._campaigns[campaign.id] = replace(campaign, version=campaign.version + 1)
            return written

    def reviewers(self, campaign_id: str) -> dict[str, ReviewerSet]:
        return dict(self._sets.get(campaign_id, SharedSets()).reviewers)

    def opens(self, campaign_id: str) -> dict[str, list[str]]:
        return dict(self._sets.get(campaign_id, SharedSets()).opens)

    def item(self, campaign_id: str, number: int) -> Item | None:
        return self._items.get(campaign_id, {}).get(number)

    def items(self, campaign_id: str, where: ItemFilter, after: int = 0, limit: int = 1000) -> list[Item]:
        values = self._items.get(campaign_id, {})
        return [values[n] for n in sorted(values) if n > after and _fits(values[n], where)][:limit]

    def counts(self, campaign_id: str, where: ItemFilter) -> list[Counted]:
        alike = Counter(
            (str(i.state), str(i.outcome), i.reviewers, i.unused, bool(i.left_at))
            for i in self._items.get(campaign_id, {}).values()
            if _fits(i, where)
        )
        return [Counted(*key, count) for key, count in alike.items()]

    def change_item(self, item: Item) -> Item:
        with self._lock:
            before = self._items.get(item.campaign, {}).get(item.number)
            if before is None or before.version != item.version:
                raise Conflict(
                    f"Item {item.number} of access review {item.campaign} was changed by another meanwhile; look at it again,"
                    " and repeat."
                )
            written = self._items[item.campaign][item.number] = replace(item, version=item.version + 1)
            return written


def _fits(item: Item, where: ItemFilter) -> bool:
    lists = (
        (item.state, where.states),
        (item.outcome, where.outcomes),
        (item.reviewers, where.reviewers),
        (item.opens, where.opens),
    )
    ones = ((item.right.kind, where.kind), (item.right.person, where.person), (item.unused, where.unused))
    return all(values is None or value in values for value, values in lists) and all(
        wanted is None or value == wanted for value, wanted in ones
    )
