"""What is due: reviews start by their schedule, reviewers are reminded, campaigns close. A duty of the worker."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import datetime, timedelta

from catalog.errors import Conflict, InvalidInput
from catalog.records import rfc3339
from policies.campaigns import schedule
from policies.campaigns.closing import WEIR, Closing, every_item
from policies.campaigns.deciding import Present
from policies.campaigns.model import RUNNING, Campaign, CampaignState, ItemState, ReviewerSet
from policies.campaigns.ports import REVIEWERS, CampaignStore, ItemFilter
from policies.campaigns.records import CampaignRecords, asks
from policies.campaigns.service import KIND, Campaigns
from policies.campaigns.waiting import waiting
from policies.declared import kinds
from policies.declared.campaign_specs import AccessReviewSpec
from policies.declared.spec_parts import duration
from policies.declared.state import GovernanceState
from policies.ports import Clock, Document

_PAUSE = timedelta(seconds=10)


class CampaignDuty:
    """Call `step` now and then. It continues where a process before it ended."""

    def __init__(
        self, campaigns: Campaigns, closing: Closing, present: Present, state: GovernanceState, records: CampaignRecords,
        clock: Clock,
    ) -> None:  # fmt: skip
        self._present = present
        self._campaigns, self._closing, self._state = campaigns, closing, state
        self._records, self._clock = records, clock
        self._store: CampaignStore = campaigns.store
        self._next = clock()

    def step(self) -> int:
        """Do what is due, at most every ten seconds; how much was done. Raises Unavailable."""
        now = self._clock()
        if now < self._next:
            return 0
        self._next = now + _PAUSE
        done = 0
        for campaign in self._store.campaigns(RUNNING):
            if campaign.state is CampaignState.OPEN and now >= campaign.due_at:
                with contextlib.suppress(Conflict):  # another process was faster
                    self._closing.begin(campaign.id, WEIR)
            done += self._closing.finish(campaign.id) is not None
            if campaign.state is CampaignState.OPEN and now < campaign.due_at:
                done += self._remind(campaign, now)
        for document in self._state.store.documents(KIND):
            done += self._start(document, now)
        return done

    def _start(self, document: Document, now: datetime) -> int:
        try:
            spec = kinds.parse(KIND, document.name, document.spec)
        except InvalidInput:
            return 0  # the view's problems name it
        assert isinstance(spec, AccessReviewSpec)
        if spec.schedule is None:
            return 0
        declared = self._declared_at(document)
        start = spec.schedule.start or declared
        occurrence = schedule.due(spec.schedule.every, start, declared, now)
        if occurrence is None:
            return 0
        with contextlib.suppress(Conflict):  # another process was faster, or one was started by hand meanwhile
            return int(self._campaigns.start_due(document.name, document.spec or {}, occurrence) is not None)
        return 0

    def _declared_at(self, document: Document) -> datetime:
        """When the document came to be; changes of it later do not count."""
        at = document.at
        for each in reversed(self._state.store.history(KIND, document.name)):
            if each.spec is None:
                break
            at = each.at
        return at

    def _remind(self, campaign: Campaign, now: datetime) -> int:
        """One event for all reminders that have come and were not sent."""
        spans = [str(each) for each in campaign.terms.get("remind", AccessReviewSpec.model_fields["remind"].default)]
        coming = [each for each in spans if now >= campaign.due_at - duration(each)]
        new = [each for each in coming if each not in campaign.reminded]
        if not new:
            return 0
        people = self._present.people()
        with contextlib.suppress(Conflict), self._store.transaction():
            self._store.change(replace(campaign, reminded=(*campaign.reminded, *new)))
            total = sum(each.count for each in self._store.counts(campaign.id, ItemFilter(states=(ItemState.OPEN,))))
            if total:
                kept = self._store.sets(campaign.id, REVIEWERS)
                sets = {key: ReviewerSet.from_json(value) for key, value in kept.items()}
                items = every_item(self._store, campaign.id, ItemFilter(states=(ItemState.OPEN,)))
                waits = waiting(items, sets, people, self._present.owners())
                title = f"{asks(campaign)}: {total:,} items are open"
                self._records.report("campaign.reminder", campaign, title, {
                    "open": total, "waiting": waits, "at": rfc3339(now), "onNoAnswer": campaign.no_answer,
                }, sorted(waits))  # fmt: skip
                self._records.campaign(WEIR, "campaign.remind", campaign, [f"{total} items are open"])
            return 1
        return 0
