"""What is due: reviews start by their schedule, reviewers are reminded, campaigns close. A duty of the worker."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import structlog

from catalog.errors import Conflict, InvalidInput, Unavailable, WeirError
from catalog.records import rfc3339
from policies.campaigns import schedule
from policies.campaigns.closing import WEIR, Closing, every_item
from policies.campaigns.deciding import Present
from policies.campaigns.model import RUNNING, Campaign, CampaignState, ItemState
from policies.campaigns.ports import CampaignStore, ItemFilter
from policies.campaigns.records import CampaignRecords, asks
from policies.campaigns.returns import Returns
from policies.campaigns.service import Campaigns
from policies.campaigns.starting import KIND
from policies.campaigns.waiting import waiting
from policies.declared import kinds
from policies.declared.campaign_specs import AccessReviewSpec, reminders
from policies.declared.spec_parts import duration
from policies.declared.state import GovernanceState
from policies.ports import Clock, Document

log = structlog.get_logger("weir.campaigns")

_PAUSE = timedelta(seconds=10)
_LOOK = timedelta(minutes=5)
"""Between looks for rights that came back."""


class CampaignDuty:
    """Call `step` now and then. It continues where a process before it ended."""

    def __init__(
        self,
        campaigns: Campaigns,
        closing: Closing,
        present: Present,
        state: GovernanceState,
        records: CampaignRecords,
        clock: Clock,
    ) -> None:
        self._present = present
        self._campaigns, self._closing, self._state = campaigns, closing, state
        self._records, self._clock = records, clock
        self._store: CampaignStore = campaigns.store
        self._next = self._next_look = clock()
        self._returns = Returns(campaigns.store, present, records)

    def step(self) -> int:
        """Do what is due, at most every ten seconds; how much was done. Raises Unavailable."""
        now = self._clock()
        if now < self._next:
            return 0
        self._next = now + _PAUSE
        done = 0
        for campaign in self._store.campaigns(RUNNING):
            done += self._each(campaign.id, partial(self._advance, campaign, now))
        for document in self._state.store.documents(KIND):
            done += self._each(document.name, partial(self._start, document, now))
        if now >= self._next_look:
            self._next_look = now + _LOOK
            done += self._each("came back", partial(self._returns.look, now))
        return done

    def _each(self, which: str, work: Callable[[], int]) -> int:
        """One of them that fails is logged and tried again in the next round; the others are done all the same."""
        try:
            return work()
        except Unavailable:
            raise
        except WeirError as error:
            log.warning("access_review_waits", review=which, message=error.message)
        except Exception as error:
            log.error("access_review_failed", review=which, kind=type(error).__name__)
        return 0

    def _advance(self, campaign: Campaign, now: datetime) -> int:
        """Close or remind."""
        if campaign.state is CampaignState.OPEN and now < campaign.due_at:
            return self._remind(campaign, now)
        if campaign.state is CampaignState.OPEN:
            with contextlib.suppress(Conflict):  # another process was faster
                self._closing.begin(campaign.id, WEIR)
        return int(self._closing.finish(campaign.id) is not None)

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
        spans = reminders(campaign.terms)
        coming = [each for each in spans if now >= campaign.due_at - duration(each)]
        new = [each for each in coming if each not in campaign.reminded]
        if not new:
            return 0
        people = self._present.people()
        with contextlib.suppress(Conflict), self._store.transaction():
            self._store.change(replace(campaign, reminded=(*campaign.reminded, *new)))
            total = sum(each.count for each in self._store.counts(campaign.id, ItemFilter(states=(ItemState.OPEN,))))
            if total:
                sets = self._store.reviewers(campaign.id)
                items = every_item(self._store, campaign.id, ItemFilter(states=(ItemState.OPEN,)))
                waits = waiting(items, sets, people, self._present.owners())
                title = f"{asks(campaign)}: {total:,} items are open"
                self._records.report(
                    "campaign.reminder",
                    campaign,
                    title,
                    {
                        "open": total,
                        "waiting": waits,
                        "at": rfc3339(now),
                        "onNoAnswer": campaign.no_answer,
                    },
                    sorted(waits),
                )
                self._records.campaign(WEIR, "campaign.remind", campaign, [f"{total} items are open"])
            return 1
        return 0
