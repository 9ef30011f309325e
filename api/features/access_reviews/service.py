"""The services of `policies.campaigns`, joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from catalog.ports import EventSink
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.campaigns.closing import Closing
from policies.campaigns.deciding import Deciding, Present
from policies.campaigns.duty import CampaignDuty
from policies.campaigns.ending import Ending
from policies.campaigns.ports import CampaignStore
from policies.campaigns.records import CampaignRecords
from policies.campaigns.report import Report
from policies.campaigns.service import Campaigns
from policies.campaigns.sight import Sights
from policies.campaigns.snapshot import Snapshots
from policies.campaigns.starting import Starting
from policies.declared.state import GovernanceState
from policies.effective.moment import Moments
from policies.model import Subject
from policies.ports import Clock
from policies.requests.delegation import Delegations


@dataclass(frozen=True, slots=True)
class AccessReviews:
    """Access reviews: what people call, and what the worker does."""

    campaigns: Campaigns
    duty: CampaignDuty
    present: Present
    audit: AuditLog

    def report(self, subject: Subject, campaign_id: str) -> Report:
        """The evidence of one campaign. Raises NotAllowed, NotFound."""
        campaign = self.campaigns.evidence_of(subject, campaign_id)
        return Report(campaign, self.campaigns.store, self.present, self.audit)


def access_reviews(
    store: CampaignStore,
    state: GovernanceState,
    identity: Identity,
    grants: Grants,
    delegations: Delegations,
    moments: Moments,
    audit: AuditLog,
    events: EventSink | None,
    clock: Clock,
    references: Callable[[], Iterable[str]],
) -> AccessReviews:
    """`references`: `CLUSTER/TOPIC` of every dataset that can be queried."""
    records = CampaignRecords(audit, events)
    present = Present(moments)
    ending = Ending(state, grants, clock)
    sights = Sights(store, state, identity, delegations, moments.source)
    closing = Closing(store, present, ending, records, clock)
    campaigns = Campaigns(
        store,
        sights,
        Starting(store, state, identity, Snapshots(moments, audit, references), closing, present, records, clock),
        Deciding(store, sights, present, ending, records, clock),
        closing,
        present,
        clock,
    )
    return AccessReviews(campaigns, CampaignDuty(campaigns, closing, present, state, records, clock), present, audit)
