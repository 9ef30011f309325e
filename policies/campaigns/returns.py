"""Rights that were revoked by a review and came back, as by the next apply of files that still have them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from catalog.errors import Conflict
from policies.campaigns.closing import every_item
from policies.campaigns.deciding import Present
from policies.campaigns.model import Campaign, CampaignState, Item, ItemState, Outcome, Right
from policies.campaigns.ports import CampaignStore, ItemFilter
from policies.campaigns.records import CampaignRecords

_YEAR = timedelta(days=366)
_BACK = "cameBack"
"""In `Item.undo`, which no hash covers: the right was there again at the last look."""


class Returns:
    """Looks for them in the last closed campaign of each review, until the next one closes, and reports each once."""

    def __init__(self, store: CampaignStore, present: Present, records: CampaignRecords) -> None:
        self._store, self._present, self._records = store, present, records

    def look(self, now: datetime) -> int:
        """How many came back since the last look. One that ends and comes back once more counts again."""
        returned = 0
        people: list[str] | None = None
        rights = self._present.rights()
        where = ItemFilter(states=(ItemState.REVOKED,), outcomes=(Outcome.ENDED,))
        for campaign in self._last(now):
            for item in every_item(self._store, campaign.id, where):
                right = self._present.of(item.right, rights)
                if (right is not None) != bool(item.undo.get(_BACK)):
                    if people is None:
                        people = sorted(self._present.people().managers)
                    with contextlib.suppress(Conflict):  # another process was faster
                        returned += self._note(campaign, item, right, people)
        return returned

    def _note(self, campaign: Campaign, item: Item, right: Right | None, people: list[str]) -> int:
        with self._store.transaction():
            self._store.change_item(replace(item, undo={**item.undo, _BACK: right is not None}))
            if right is None:
                return 0
            self._records.returned(campaign, item, right.sources, people)
            return 1

    def _last(self, now: datetime) -> Iterator[Campaign]:
        """The last closed campaign of each review; those that no declared review has are looked at for a year.

        One that runs does not count yet: what comes back during it is none of its items.
        """
        seen: set[str] = set()
        for campaign in self._store.campaigns((CampaignState.CLOSED,)):
            if campaign.review is None:
                if now - (campaign.closed_at or now) < _YEAR:
                    yield campaign
            elif campaign.review not in seen:
                seen.add(campaign.review)
                yield campaign
