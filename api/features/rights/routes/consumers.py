"""`/rights/consumer`, `/rights/copies`: what Kafka consumers read by approved requests, and the copies made for them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from api.edge.parameters import Text
from api.features.rights import consumer_answers as answers
from api.guard.guards import Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.broker_rights.comparison import Comparison
from policies.broker_rights.consumer_access import ConsumerReads
from policies.broker_rights.copy_keeper import CopyKeeper
from policies.broker_rights.reconcile import Reconciliation

router = FeatureRouter("/rights", tags=["access"])


@router.get("/consumer", dependencies=[signed_in("for a consumer of the caller's; managers for all", scope="request")])
def consumer(
    service: From[ConsumerReads],
    reconciliation: From[Reconciliation],
    identity: From[Identity],
    readers: From[Readers],
    caller: Caller,
    dataset: Annotated[Text, Query(description="CLUSTER/TOPIC.")],
    consumer: Annotated[Text, Query(description="Its principal, document or consumer group.")],
) -> answers.ConsumerRight:
    """What a Kafka consumer may read of a dataset by approved requests, how far that is, and what connects a client."""
    datasets = readers.of(caller).datasets
    reference = datasets.get(datasets.find(dataset)).reference
    access = service.of(caller, reference, consumer, identity.manages(caller))
    return answers.ConsumerRight.of(access, reconciliation.comparison.record(access.cluster))


@router.get("/copies", dependencies=[needs("audit:read", "manage", "report:read", scope="report:read")])
def copies(
    keeper: From[CopyKeeper],
    reconciliation: From[Reconciliation],
    audit: From[AuditLog],
    caller: Caller,
    cluster: Annotated[Text | None, Query(description="Only this cluster.")] = None,
) -> answers.RightsCopies:
    """The masked copies that Weir made for consumers, with who needs each, and when those go that nobody needs."""
    comparison: Comparison = reconciliation.comparison
    records = [comparison.record(cluster)] if cluster is not None else comparison.records()
    kept = [each for record in records for each in keeper.kept(record)]
    audit.record_by(caller, "report.rights", cluster or "every cluster", "allow", [f"{len(kept)} masked copies"])
    return answers.RightsCopies(
        copies=[answers.RightsCopy.of(each) for each in kept], grace_seconds=keeper.grace.total_seconds()
    )
