"""Access reviews as the ways in call them: start, list, read, decide, close, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog.errors import InvalidInput
from policies.campaigns.closing import Closing, Summary, summary
from policies.campaigns.deciding import LONGEST_REASON, Deciding, Present, RefusedDecision
from policies.campaigns.model import (
    Campaign,
    CampaignState,
    Item,
    ItemState,
)
from policies.campaigns.ports import CampaignStore, ItemFilter
from policies.campaigns.sight import Sight, Sights
from policies.campaigns.starting import Starting
from policies.model import Subject
from policies.ports import Clock
from policies.spellings import name_key

_NOWHERE = ("-",)
"""A set that no item has."""


@dataclass(frozen=True, slots=True)
class ItemQuery:
    """Which items somebody wants to see; None = any. `mine`: only those that the caller may decide."""

    mine: bool = False
    state: str | None = None
    person: str | None = None
    dataset: str | None = None
    unused: bool | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class ShownCampaign:
    """A campaign as one reader sees it. counts: of the items they may see; to_decide: items that wait for their own decision.

    manages  they may see and decide all items, and close it; counts_all: they may see how far all are
    """

    campaign: Campaign
    counts: Summary
    to_decide: int
    manages: bool
    counts_all: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the items of one set of reviewers are; why: who decides, in words."""

    why: str
    users: tuple[str, ...]
    items: int
    open: int


@dataclass(frozen=True, slots=True)
class CampaignPage:
    """A campaign, and how far its reviewers are: none for those who may not see how far all are."""

    shown: ShownCampaign
    reviewers: Sequence[Progress]


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item as one reader sees it.

    opens    how many datasets of the review the right opens; reviewers, why: who decides it
    changed  the right is not what it was when the review began, or when it was confirmed
    ended    it ended by something else meanwhile; nothing is left to decide
    """

    item: Item
    opens: int
    reviewers: tuple[str, ...]
    why: str
    changed: bool
    ended: bool
    can_decide: bool
    can_undo: bool


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of items by one decision, and how far the campaign is."""

    items: Sequence[Item]
    refused: Sequence[RefusedDecision]
    page: CampaignPage


class Campaigns:
    """The service of access reviews."""

    def __init__(
        self,
        store: CampaignStore,
        sights: Sights,
        starting: Starting,
        deciding: Deciding,
        closing: Closing,
        present: Present,
        clock: Clock,
    ) -> None:
        self._store, self._sights = store, sights
        self._starting, self._deciding, self._closing = starting, deciding, closing
        self._present, self._clock = present, clock

    @property
    def store(self) -> CampaignStore:
        """For the report, which reads item by item."""
        return self._store

    def start(
        self,
        subject: Subject,
        review: str | None = None,
        name: str | None = None,
        spec: Mapping[str, Any] | None = None,
    ) -> Campaign:
        """Start a declared review (`review`), or one of a `name` with a `spec` of its own. For those who manage, and for
        admins of the domain that it is of.

        Raises NotAllowed, NotFound, InvalidInput, Conflict where a campaign of the declared review is running.
        """
        return self._starting.start(subject, review, name, spec)

    def start_due(self, review: str, spec: Mapping[str, Any], occurrence: datetime) -> Campaign | None:
        """Start a scheduled review; None where that was done, or the one before is not closed yet."""
        return self._starting.start_due(review, spec, occurrence)

    # --- reading ------------------------------------------------------------------------------------------------------

    def all(self, subject: Subject, state: str | None = None) -> list[ShownCampaign]:
        """Campaigns the subject may see something of, newest first. Raises InvalidInput."""
        if state is not None and state not in CampaignState.__members__.values():
            raise InvalidInput(f"There is no state {state[:40]!r}; there are {', '.join(CampaignState)}.")
        collected = []
        owners = self._sights.owners()
        for campaign in self._store.campaigns((state,) if state is not None else None):
            sight = self._sights.of(subject, campaign, owners)
            if sight.counts or sight.mine:
                collected.append(self._shown(campaign, sight))
        return collected

    def waiting(self, subject: Subject) -> int:
        """How many rights wait for the subject's own word; what they may decide as a manager alone does not count."""
        total = 0
        now = self._clock()
        owners = self._sights.owners()
        for campaign in self._store.campaigns((CampaignState.OPEN,)):
            if now < campaign.due_at:
                total += self._to_decide(campaign, self._sights.of(subject, campaign, owners))
        return total

    def show(self, subject: Subject, campaign_id: str) -> CampaignPage:
        """One campaign. Raises NotFound."""
        campaign, sight = self._sights.require(subject, campaign_id)
        reviewers = self._progress(campaign, sight) if sight.counts else []
        return CampaignPage(self._shown(campaign, sight), reviewers)

    def items(
        self, subject: Subject, campaign_id: str, query: ItemQuery, offset: int, limit: int
    ) -> tuple[list[ShownItem], int]:
        """A page of the items the subject may see, by number, and how many there are. Raises NotFound."""
        campaign, sight = self._sights.require(subject, campaign_id)
        where = self._where(campaign, sight, query)
        matches = [item for item in self._every(campaign, where) if self._fits(sight, item, query)]
        page = matches[offset : offset + limit]
        rights = self._present.rights() if page and campaign.state is CampaignState.OPEN else None
        opens = self._store.opens(campaign.id) if page else {}
        rows = []
        for item in page:
            now = (
                self._present.of(item.right, rights)
                if rights is not None and item.state is ItemState.OPEN
                else item.right
            )
            reviewers = sight.sets[item.reviewers]
            can = self._can(campaign, sight, item)
            decided = item.state in (ItemState.KEPT, ItemState.REVOKED)
            rows.append(
                ShownItem(
                    item=item,
                    opens=len(opens.get(item.opens, ())),
                    reviewers=tuple(reviewers.users),
                    why=reviewers.why,
                    changed=item.changed or (now is not None and now.fingerprint != item.right.fingerprint),
                    ended=item.state is ItemState.OPEN and now is None,
                    can_decide=can and item.state is ItemState.OPEN,
                    can_undo=can and decided and (sight.runs(item) or item.by == subject.user),
                )
            )
        return rows, len(matches)

    # --- deciding -----------------------------------------------------------------------------------------------------

    def decide(
        self, subject: Subject, campaign_id: str, numbers: Sequence[int], verdict: str, reason: str = ""
    ) -> Decided:
        """See `Deciding.decide`."""
        done, refused = self._deciding.decide(subject, campaign_id, numbers, verdict, reason)
        return Decided(done, refused, self.show(subject, campaign_id))

    def close(self, subject: Subject, campaign_id: str, no_answer: str | None = None, reason: str = "") -> CampaignPage:
        """Close a campaign now; what nobody confirmed is revoked or kept as declared, or as given, which takes a reason. For
        those who manage, and admins of the domain that it is of; what is their own is settled as declared.

        Raises NotAllowed, NotFound, Conflict, InvalidInput.
        """
        self._sights.require_runs(subject, campaign_id)
        if no_answer not in (None, "revoke", "keep"):
            raise InvalidInput(
                "What nobody confirmed is either revoked or kept: revoke, keep.", details={"field": "onNoAnswer"}
            )
        reason = reason.strip()
        if len(reason) > LONGEST_REASON:
            raise InvalidInput(f"A reason has at most {LONGEST_REASON} characters.", details={"field": "reason"})
        self._closing.begin(
            campaign_id,
            subject.user,
            no_answer,
            reason,
            subject,
            allowed=lambda: self._sights.require_runs(subject, campaign_id),
        )
        self._closing.finish(campaign_id)
        return self.show(subject, campaign_id)

    def evidence_of(self, subject: Subject, campaign_id: str) -> Campaign:
        """The campaign, for its report. Raises NotAllowed, NotFound."""
        return self._sights.require_evidence(subject, campaign_id)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _can(self, campaign: Campaign, sight: Sight, item: Item) -> bool:
        return campaign.state is CampaignState.OPEN and self._clock() < campaign.due_at and sight.decides(item)

    def _where(self, campaign: Campaign, sight: Sight, query: ItemQuery) -> ItemFilter:
        opens = None
        if query.dataset is not None:
            sets = self._store.opens(campaign.id)
            opens = [key for key, datasets in sets.items() if query.dataset in datasets] or _NOWHERE
        return ItemFilter(
            states=(query.state,) if query.state is not None else None,
            kind=query.kind,
            person=None,
            unused=query.unused,
            reviewers=None if sight.runs_all and not query.mine else list(sight.mine) or _NOWHERE,
            opens=opens,
        )

    def _every(self, campaign: Campaign, where: ItemFilter) -> list[Item]:
        collected: list[Item] = []
        after = 0
        while batch := self._store.items(campaign.id, where, after, 1000):
            collected += batch
            after = batch[-1].number
        return collected

    @staticmethod
    def _fits(sight: Sight, item: Item, query: ItemQuery) -> bool:
        if not sight.sees(item) or (query.mine and sight.own(item)):
            return False
        return query.person is None or name_key(item.right.holder) == name_key(query.person)

    def _to_decide(self, campaign: Campaign, sight: Sight) -> int:
        if not sight.mine:
            return 0
        where = ItemFilter(states=(ItemState.OPEN,), reviewers=list(sight.mine))
        return sum(sight.decides(item) for item in self._every(campaign, where))

    def _shown(self, campaign: Campaign, sight: Sight) -> ShownCampaign:
        running = campaign.state is CampaignState.OPEN and self._clock() < campaign.due_at
        mine = ItemFilter(reviewers=list(sight.mine) or _NOWHERE)
        return ShownCampaign(
            campaign,
            counts=summary(self._store, campaign.id, None if sight.counts else mine),
            to_decide=self._to_decide(campaign, sight) if running else 0,
            manages=sight.runs_all,
            counts_all=sight.counts,
        )

    def _progress(self, campaign: Campaign, sight: Sight) -> list[Progress]:
        """How far each set of reviewers is."""
        every: Counter[str] = Counter()
        open_: Counter[str] = Counter()
        for each in self._store.counts(campaign.id, ItemFilter()):
            every[each.reviewers] += each.count
            open_[each.reviewers] += each.count if each.state == ItemState.OPEN else 0
        progress = (Progress(each.why, tuple(each.users), every[key], open_[key]) for key, each in sight.sets.items())
        return sorted(progress, key=lambda each: (-each.open, each.why))
