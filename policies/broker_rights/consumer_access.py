"""What a Kafka consumer may read of a dataset by approved requests, and how far that is at the brokers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from catalog.broker_acls import WILDCARD, BrokerAcl, Operation, Pattern, Resource
from catalog.errors import Conflict, Unavailable
from catalog.records import ClusterRecord
from policies.access_request import Consumer
from policies.broker_rights.changes import Action
from policies.broker_rights.comparison import Comparison
from policies.broker_rights.copy_keeper import CopyKeeper
from policies.broker_rights.own_consumers import dataset_cluster, own_consumer
from policies.broker_rights.requested import Reads, RequestedRead
from policies.declared.state import GovernanceState
from policies.matching import is_active
from policies.model import Grant, Subject
from policies.ports import Clock, FactsSource
from policies.requests.records import RequestRecords


class AccessState(StrEnum):
    """How far the access of a consumer is.

    WAITING   a request waits for a decision      BUILDING  the masked copy is not there yet
    OPENING   the ACL is about to be made         MASKED    it reads a masked copy
    UNMASKED  it reads the topic                  BLOCKED   approved, and something is in the way
    ENDED     its grant is over or was revoked    NONE      nothing was requested
    """

    WAITING = "waiting"
    BUILDING = "building"
    OPENING = "opening"
    MASKED = "masked"
    UNMASKED = "unmasked"
    BLOCKED = "blocked"
    ENDED = "ended"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ConsumerAccess:
    """text: what is so, and what to do next. topic: the one to read; groups: names or patterns that its documents list."""

    cluster: str
    dataset: str
    consumer: Consumer
    state: AccessState
    text: str
    topic: str | None = None
    grant: Grant | None = None
    groups: tuple[str, ...] = ()


class ConsumerReads:
    """The service behind `/rights/consumer`."""

    def __init__(
        self,
        state: GovernanceState,
        facts: FactsSource,
        comparison: Comparison,
        keeper: CopyKeeper,
        records: RequestRecords,
        clock: Clock,
    ) -> None:
        self._state, self._facts, self._comparison, self._keeper = state, facts, comparison, keeper
        self._records, self._clock = records, clock

    def of(self, caller: Subject, reference: str, name: str, sees_all: bool) -> ConsumerAccess:
        """Raises InvalidInput, NotFound, Conflict where the consumer is two people, NotAllowed where it is not the caller's."""
        facts = self._facts.facts(reference)
        cluster, view = dataset_cluster(facts), self._state.view()
        consumer = own_consumer(view, caller, facts, name, sees_all)
        record = self._comparison.record(cluster)
        groups = sorted(
            {g for s in view.principals.values() if consumer.principal in s.principals for g in s.consumer_groups}
        )
        access = ConsumerAccess(cluster, facts.reference, consumer, AccessState.NONE, "", groups=tuple(groups))
        reads = [
            each
            for each in self._keeper.reads(record)
            if each.principal == consumer.principal and each.source == facts.reference
        ]
        if not reads:
            return self._without_grant(access)
        return self._opened(access, record, _best(reads))

    def _without_grant(self, access: ConsumerAccess) -> ConsumerAccess:
        principal, dataset = access.consumer.principal, access.dataset
        waiting = [
            each
            for each in self._records.undecided()
            if each.dataset == dataset and each.consumer is not None and each.consumer.principal == principal
        ]
        if waiting:
            text = f"The request {waiting[0].id} for {principal} waits for a decision."
            return replace(access, state=AccessState.WAITING, text=text)
        over = [
            each
            for each in self._state.view().grants.values()
            if each.consumer == principal and each.dataset == dataset
        ]
        if over:
            last = max(over, key=lambda each: each.valid_to)
            text = f"The grant {last.name} of {principal} is over or was revoked; make a new request."
            if is_active(last, last.valid_from) and last.valid_from > self._clock():
                text = f"The grant {last.name} of {principal} begins {last.valid_from:%Y-%m-%d %H:%M} UTC."
                return replace(access, state=AccessState.OPENING, text=text, grant=last)
            return replace(access, state=AccessState.ENDED, text=text, grant=last)
        name = principal.removeprefix("User:")
        text = (
            f"Nothing of {dataset} was requested for {principal}: weir request create {dataset} --for-consumer {name}"
        )
        return replace(access, text=text)

    def _opened(self, access: ConsumerAccess, record: ClusterRecord, read: RequestedRead) -> ConsumerAccess:
        access = replace(access, grant=read.grant, topic=read.topic)
        principal = access.consumer.principal
        problem = self._keeper.problem(read.need.view) if read.need is not None and read.copy is None else None
        if read.reads is Reads.NOTHING or problem is not None:
            return replace(access, state=AccessState.BLOCKED, topic=None, text=problem or read.text)
        if read.reads is Reads.BUILDING:
            return replace(access, state=AccessState.BUILDING, text=read.text)
        assert read.topic is not None  # it reads one
        acl = BrokerAcl(Resource.TOPIC, Pattern.LITERAL, read.topic, principal, WILDCARD, Operation.READ, True)
        try:
            compared = self._comparison.of(record)
        except (Conflict, Unavailable) as error:
            return replace(access, state=AccessState.BLOCKED, text=error.message)
        plan, topics = compared.plan, compared.live.topics
        if topics and read.topic not in topics:
            text = (
                f"The topic {read.topic} is not at the brokers. Once it is made again, the consumer may read it by the same"
                " grant; revoke the grant where that must not be."
            )
            return replace(access, state=AccessState.BLOCKED, text=text)
        in_the_way = next((each.reason for each in plan.unopened if each.acl == acl), None)
        if in_the_way is not None:
            return replace(access, state=AccessState.BLOCKED, text=in_the_way)
        if any(each.acl == acl for each in plan.of(Action.CREATE)):
            return replace(access, state=AccessState.OPENING, text=f"The ACL to read {read.topic} is about to be made.")
        until = f"until {read.grant.valid_to:%Y-%m-%d %H:%M} UTC"
        if read.reads is Reads.TOPIC:
            text = f"{principal} reads {access.dataset} unmasked {until}."
            return replace(access, state=AccessState.UNMASKED, text=text)
        text = f"{principal} reads {access.dataset} masked, as the topic {read.topic}, {until}."
        if read.text:
            text = f"{text} The copy does not follow now: {read.text}"
        return replace(access, state=AccessState.MASKED, text=text)


_ORDER = {Reads.TOPIC: 0, Reads.COPY: 1, Reads.BUILDING: 2, Reads.NOTHING: 3}


def _best(reads: Sequence[RequestedRead]) -> RequestedRead:
    """The one that opens the most; of alike ones that of the latest end."""
    return min(reads, key=lambda each: (_ORDER[each.reads], -_stamp(each.grant.valid_to)))


def _stamp(at: datetime) -> float:
    return at.timestamp()
