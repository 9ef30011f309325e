"""Where campaigns are kept. Every method raises Unavailable when the store does not answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from policies.campaigns.model import Campaign, Item, ReviewerSet, SharedSets


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Which items; None = any. `person`: of this very name; `reviewers`, `opens`: with one of these sets."""

    states: Collection[str] | None = None
    outcomes: Collection[str] | None = None
    kind: str | None = None
    person: str | None = None
    unused: bool | None = None
    reviewers: Collection[str] | None = None
    opens: Collection[str] | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    """How many items of a campaign are alike in these. `at_source`: something of it has to be ended elsewhere."""

    state: str
    outcome: str
    reviewers: str
    unused: bool
    at_source: bool
    count: int


class CampaignStore(Protocol):
    """Campaigns, their items and sets. Two writers of one record: the second raises Conflict."""

    def transaction(self) -> AbstractContextManager[Any]:
        """Everything inside happens together or not at all; a transaction inside another joins it. One at a time."""

    def add(self, campaign: Campaign, items: Sequence[Item], sets: SharedSets) -> bool:
        """A campaign with all that is its own. False, and nothing is done, where its id is taken."""

    def get(self, campaign_id: str) -> Campaign | None: ...

    def campaigns(self, states: Collection[str] | None = None, review: str | None = None) -> list[Campaign]:
        """Newest first."""

    def change(self, campaign: Campaign) -> Campaign:
        """Write over the version that it has; gives it with its new one. Raises Conflict."""

    def reviewers(self, campaign_id: str) -> dict[str, ReviewerSet]:
        """By key."""

    def opens(self, campaign_id: str) -> dict[str, list[str]]:
        """By key: `CLUSTER/TOPIC` of each dataset."""

    def item(self, campaign_id: str, number: int) -> Item | None: ...

    def items(self, campaign_id: str, where: ItemFilter, after: int = 0, limit: int = 1000) -> list[Item]:
        """By number, those with a larger one than `after`."""

    def counts(self, campaign_id: str, where: ItemFilter) -> list[Counted]: ...

    def change_item(self, item: Item) -> Item:
        """Write over the version that it has; gives it with its new one. Raises Conflict."""
