"""Closing a campaign: what nobody confirmed is revoked or kept, what changed is noted, the evidence gets its hash.

It works in batches, each one transaction with all that it does, so the next process continues where one died; the state
`closing` is written first, and nobody decides from then on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from catalog.errors import Conflict, InvalidInput
from catalog.records import rfc3339
from policies.audit.actions import AuditAction
from policies.campaigns.deciding import Present, gone, revoked
from policies.campaigns.ending import Ending
from policies.campaigns.model import Campaign, CampaignState, Item, ItemState, Outcome, Right, digest_of
from policies.campaigns.ports import CampaignStore, ItemFilter
from policies.campaigns.records import CampaignRecords
from policies.campaigns.reviewers import holds
from policies.campaigns.rights import Rights
from policies.model import Subject
from policies.ports import Clock

WEIR = "weir"
CLOSE: AuditAction = "campaign.close"
"""The audit's action that has the hash of the evidence."""
_BATCH = 10
"""Items of one transaction: other writers wait for it."""


class Closing:
    """Closes campaigns; two who close the same one at once do each part once."""

    def __init__(
        self, store: CampaignStore, present: Present, ending: Ending, records: CampaignRecords, clock: Clock
    ) -> None:
        self._store, self._present, self._ending = store, present, ending
        self._records, self._clock = records, clock

    def begin(
        self,
        campaign_id: str,
        by: str,
        no_answer: str | None = None,
        reason: str = "",
        closer: Subject | None = None,
        allowed: Callable[[], None] = lambda: None,
    ) -> Campaign:
        """From now on nobody decides. `closer`: who closes by hand; their own rights are settled as declared. `allowed`: decides
        again, when it is written.

        Raises Conflict for one that is closed, or closing already; InvalidInput where another answer than the declared one
        is chosen without a reason.
        """
        with self._store.transaction():
            allowed()
            campaign = self._store.get(campaign_id)
            if campaign is None or campaign.state is not CampaignState.OPEN:
                state = campaign.state if campaign is not None else "gone"
                raise Conflict(f"Access review {campaign_id} is {state} already.", details={"id": campaign_id})
            if no_answer not in (None, campaign.declared) and not reason:
                raise InvalidInput(
                    f"This review was declared to {campaign.declared} what nobody confirms; to {no_answer} it takes a reason.",
                    details={"field": "reason"},
                )
            rights = {"groups": sorted(closer.groups), "roles": sorted(closer.roles)} if closer is not None else {}
            return self._store.change(
                replace(
                    campaign,
                    state=CampaignState.CLOSING,
                    closed_by=by,
                    closed_at=self._clock(),
                    no_answer=no_answer or campaign.no_answer,
                    reason=reason,
                    closer=rights,
                )
            )

    def finish(self, campaign_id: str) -> Campaign | None:
        """Continue until it is closed; None when it is not closing."""
        after = 0
        while True:
            # What is read inside a transaction is not kept, so without this each batch would read all changes before it.
            self._present.rights()
            with self._store.transaction():
                campaign = self._store.get(campaign_id)
                if campaign is None or campaign.state is not CampaignState.CLOSING:
                    return None
                batch = self._store.items(
                    campaign_id, ItemFilter(states=(ItemState.OPEN, ItemState.KEPT)), after, _BATCH
                )
                if not batch:
                    return self._close(campaign)
                rights = self._present.rights()
                now = self._clock()
                for item in batch:
                    self._settle(campaign, item, rights, now)
                after = batch[-1].number

    def _settle(self, campaign: Campaign, item: Item, rights: Rights, now: datetime) -> None:
        """Bring one item to its end."""
        right = self._present.of(item.right, rights)
        changed = right is not None and right.fingerprint != item.right.fingerprint
        if item.state is ItemState.KEPT:
            if changed and not item.changed:
                self._store.change_item(replace(item, changed=True))
            return
        if right is None:
            self._store.change_item(gone(item, now))
            return
        item = replace(item, changed=item.changed or changed, by=WEIR, at=now)
        answer, note = campaign.no_answer, ""
        action: AuditAction
        if answer != campaign.declared and self._is_closers(campaign, right):
            # Nobody decides on a right of their own, by closing either.
            answer = campaign.declared
            note = f"; {campaign.closed_by} closed the review, so what is their own was settled as declared"
        if answer == "keep":
            item = replace(item, state=ItemState.KEPT, outcome=Outcome.UNCONFIRMED, reason=f"nobody decided{note}")
            action = "campaign.unconfirmed"
        else:
            reason = f"nobody confirmed it until {rfc3339(campaign.closed_at)}{note}"
            full = f"{reason} (access review {campaign.id})"
            item = revoked(replace(item, reason=reason), self._ending, right, WEIR, full)
            action = "campaign.revoke"
        entry = self._records.item(WEIR, action, item, item.reason)
        self._records.source(item, WEIR)
        self._store.change_item(replace(item, audit=entry.seq))

    def _is_closers(self, campaign: Campaign, right: Right) -> bool:
        if not campaign.closer:
            return False
        groups, roles = (frozenset(campaign.closer[each]) for each in ("groups", "roles"))
        return holds(Subject(campaign.closed_by or "", groups, roles), right, self._present.view())

    def _close(self, campaign: Campaign) -> Campaign:
        closed = replace(campaign, state=CampaignState.CLOSED)
        digest = digest_of(evidence(self._store, closed))
        counts = summary(self._store, campaign.id)
        entry = self._records.campaign(
            campaign.closed_by or WEIR,
            CLOSE,
            closed,
            [f"{counts.items} items", *([campaign.reason] if campaign.reason else [])],
            {
                "hash": digest,
                "onNoAnswer": campaign.no_answer,
                "declaredOnNoAnswer": campaign.declared,
                **counts.record(),
            },
        )
        title = f"Access review {campaign.id} is closed: {counts.kept:,} kept, {counts.revoked:,} revoked"
        self._records.report(
            "campaign.closed", closed, title, {"by": campaign.closed_by, "hash": digest, **counts.record()}
        )
        return self._store.change(replace(closed, digest=digest, audit=entry.seq))


def evidence(store: CampaignStore, campaign: Campaign) -> Iterator[dict[str, object]]:
    """What the hash is computed from: the campaign, then each item by number."""
    yield campaign.record()
    for item in every_item(store, campaign.id):
        yield item.record()


def every_item(store: CampaignStore, campaign_id: str, where: ItemFilter | None = None) -> Iterator[Item]:
    """All items by number, in bounded memory."""
    after = 0
    while batch := store.items(campaign_id, where or ItemFilter(), after, 500):
        yield from batch
        after = batch[-1].number


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of items. unconfirmed: kept since nobody decided; at_source: something is left to end elsewhere."""

    items: int = 0
    open: int = 0
    kept: int = 0
    unconfirmed: int = 0
    revoked: int = 0
    at_source: int = 0
    gone: int = 0
    unused: int = 0

    def record(self) -> dict[str, int]:
        """As entries of the audit and events have them."""
        counts = asdict(self)
        return {"atSource": counts.pop("at_source"), **counts}


def summary(store: CampaignStore, campaign_id: str, where: ItemFilter | None = None) -> Summary:
    """The items of a campaign, counted."""
    counts: Counter[str] = Counter()
    for each in store.counts(campaign_id, where or ItemFilter()):
        counts["items"] += each.count
        counts[each.state] += each.count
        counts["unused"] += each.count if each.unused else 0
        counts["at_source"] += each.count if each.at_source else 0
        counts["unconfirmed"] += each.count if each.outcome == Outcome.UNCONFIRMED else 0
    return Summary(**counts)
