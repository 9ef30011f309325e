"""Access reviews as they start: by whom, with which items, and what is kept of one that cannot start."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from catalog.errors import Conflict, InvalidInput, NotAllowed
from policies.access.identity import Identity
from policies.campaigns.closing import Closing, summary
from policies.campaigns.deciding import Present
from policies.campaigns.model import RUNNING, Campaign, CampaignState, SharedSets, digest_of
from policies.campaigns.ports import CampaignStore
from policies.campaigns.records import CampaignRecords, asks
from policies.campaigns.snapshot import Snapshot, Snapshots
from policies.campaigns.waiting import waiting
from policies.campaigns.within import require_within, strangers
from policies.decision.domains import Power
from policies.declared import kinds
from policies.declared.campaign_specs import AccessReviewSpec
from policies.declared.spec_parts import duration
from policies.declared.state import GovernanceState
from policies.model import Subject
from policies.ports import Clock

KIND = "AccessReview"


class Starting:
    """Starts reviews: for those who manage, for admins of a domain one that is wholly of it, and by schedule."""

    def __init__(
        self,
        store: CampaignStore,
        state: GovernanceState,
        identity: Identity,
        snapshots: Snapshots,
        closing: Closing,
        present: Present,
        records: CampaignRecords,
        clock: Clock,
    ) -> None:
        self._store, self._state, self._identity = store, state, identity
        self._snapshots, self._closing, self._present = snapshots, closing, present
        self._records, self._clock = records, clock

    def start(
        self,
        subject: Subject,
        review: str | None = None,
        name: str | None = None,
        spec: Mapping[str, Any] | None = None,
    ) -> Campaign:
        """See `Campaigns.start`."""
        title = (name or "").strip()

        def allowed() -> None:
            self._require(subject, review, title, spec)

        allowed()
        if review is not None:
            terms = self._state.get(KIND, review).spec or {}
            return self._start(subject.user, review, review, terms, None, self._clock(), allowed=allowed)
        if not title:
            raise InvalidInput('A review by a spec needs a name, as in "leavers-2026".', details={"field": "name"})
        return self._start(subject.user, None, title, spec or {}, None, self._clock(), allowed=allowed)

    def start_due(self, review: str, spec: Mapping[str, Any], occurrence: datetime) -> Campaign | None:
        """Start a scheduled review; None where that was done, or the one before is not closed yet.

        What cannot be started is kept as a failed campaign, once, so nobody takes it for done.
        """
        campaign_id = f"{review}-{occurrence:%Y-%m-%d}"
        if self._store.get(campaign_id) is not None or self._store.campaigns(RUNNING, review):
            return None
        now = self._clock()
        try:
            return self._start("weir", review, review, spec, occurrence, now, campaign_id)
        except InvalidInput as error:
            failed = Campaign(
                id=campaign_id,
                review=review,
                terms=dict(spec),
                state=CampaignState.FAILED,
                started_at=now,
                started_by="weir",
                due_at=now,
                no_answer="keep",
                occurrence=occurrence,
                notes=(error.message,),
            )
            with self._store.transaction():
                if self._store.add(failed, (), SharedSets()):
                    self._records.campaign("weir", "campaign.failed", failed, [error.message])
                    self._records.report(
                        "campaign.failed",
                        failed,
                        f"Access review {review} could not start",
                        {"problem": error.message},
                        sorted(self._present.people().managers),
                    )
            return None

    def _start(
        self,
        by: str,
        review: str | None,
        name: str,
        terms: Mapping[str, Any],
        occurrence: datetime | None,
        now: datetime,
        campaign_id: str | None = None,
        allowed: Callable[[], None] = lambda: None,
    ) -> Campaign:
        """`allowed`: decides again, when it is written."""
        spec = kinds.parse(KIND, name, terms)
        assert isinstance(spec, AccessReviewSpec)
        require_within(name, spec, self._state.view().domains.get(spec.domain or ""))
        campaign_id = campaign_id or f"{name}-{now:%Y-%m-%d}-{secrets.token_hex(3)}"
        snapshot = self._snapshots.take(campaign_id, spec)
        campaign = Campaign(
            id=campaign_id,
            review=review,
            terms=kinds.dump(spec),
            state=CampaignState.OPEN,
            started_at=now,
            started_by=by,
            due_at=now + duration(spec.due),
            no_answer=spec.on_no_answer,
            occurrence=occurrence,
            notes=tuple(snapshot.notes),
        )
        waits = waiting(snapshot.items, snapshot.sets.reviewers, self._present.people(), self._present.owners())
        with self._store.transaction():
            allowed()
            self._add(campaign, snapshot)
            self._report(campaign, snapshot, waits)
        if not snapshot.items:  # nothing waits for anybody
            self._closing.begin(campaign_id, by)
            return self._closing.finish(campaign_id) or campaign
        return campaign

    def _add(self, campaign: Campaign, snapshot: Snapshot) -> None:
        """Raises Conflict while another campaign of the same review is running."""
        if campaign.review is not None and (running := self._store.campaigns(RUNNING, campaign.review)):
            raise Conflict(
                f"Access review {running[0].id} is running; close it before the next one starts.",
                details={"id": running[0].id},
            )
        if not self._store.add(campaign, snapshot.items, snapshot.sets):
            raise Conflict(f"There is an access review {campaign.id} already; repeat.", details={"id": campaign.id})

    def _report(self, campaign: Campaign, snapshot: Snapshot, waits: Mapping[str, int]) -> None:
        """`waits`: how many items wait for each reviewer."""
        counts = summary(self._store, campaign.id)
        first = digest_of(item.record() for item in snapshot.items)
        self._records.campaign(
            campaign.started_by,
            "campaign.start",
            campaign,
            [f"{counts.items} items"],
            {"snapshot": first, **counts.record()},
        )
        self._records.report(
            "campaign.started",
            campaign,
            asks(campaign),
            {"by": campaign.started_by, "items": counts.items, "waiting": waits},
            sorted(waits),
        )

    def _require(self, subject: Subject, review: str | None, name: str, spec: Mapping[str, Any] | None) -> None:
        """Refuses by what is written: a review that is not there is refused as one of another domain.

        Raises NotAllowed; InvalidInput unless a declared review or a spec is given."""
        manages = "manage" in self._identity.permissions(subject)
        reach = self._identity.reach(subject, Power.CERTIFY)
        if not manages and not reach:
            self._identity.require(subject, "manage")
        if (review is None) == (spec is None):
            raise InvalidInput(
                "Name a declared review, or give a name and a spec; not both.", details={"field": "review"}
            )
        if manages:
            return
        terms = spec if spec is not None else self._declared(review or "")
        domain = self._state.view().domains.get(str(terms.get("domain")))
        if domain is None or domain.name not in reach.names:
            raise NotAllowed(
                f"{subject.user} may start access reviews of {' and '.join(reach.names)} alone: give a spec with its"
                " domain, or name a declared review that has it.",
                details={"permission": "manage", "reasons": ["not a review of a domain of theirs"]},
            )
        if spec is not None:
            written = kinds.parse(KIND, name, spec)
            assert isinstance(written, AccessReviewSpec)
            if problem := strangers(written, domain):
                raise NotAllowed(
                    f"{subject.user} may not name these reviewers: {problem}", details={"reasons": [problem]}
                )

    def _declared(self, review: str) -> Mapping[str, Any]:
        """Empty where there is none."""
        document = self._state.store.get(KIND, review)
        return (document.spec or {}) if document is not None else {}
