"""One topic as its brokers and its registry describe it: partitions, configuration, groups, ACLs, rate, subjects."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from api.edge.parameters import Count, Name, Text
from api.features.topics import answers
from api.features.topics.group_lags import GroupLags
from api.features.topics.topic_pages import TopicPages
from api.guard.guards import KNOWN, OWNERS, Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from api.visibility.sight import SightRules, owns
from catalog.errors import NotAllowed
from catalog.model import DatasetId
from policies.access.identity import Identity
from policies.decision.domains import Power
from policies.decision.visibility import Aspect

router = FeatureRouter("/datasets", tags=["topics"])


@router.get("/{namespace}/{name}/partitions", dependencies=[signed_in(KNOWN)])
def partitions(
    pages: From[TopicPages],
    readers: From[Readers],
    sights: From[SightRules],
    caller: Caller,
    namespace: Name,
    name: Name,
) -> answers.TopicPartitions:
    """Leader, replicas, first and last offset of each partition, as the brokers see them now."""
    record = readers.of(caller).datasets.get(DatasetId(namespace, name))
    return pages.partitions(record, sights.of(caller).of(record))


@router.get("/{namespace}/{name}/config", dependencies=[signed_in(KNOWN)])
def config(
    pages: From[TopicPages], readers: From[Readers], caller: Caller, namespace: Name, name: Name
) -> answers.TopicConfig:
    """The topic's configuration, and for each setting whether it is set for the topic, for the brokers, or a default."""
    return pages.config(readers.of(caller).datasets.get(DatasetId(namespace, name)))


@router.get("/{namespace}/{name}/consumer-groups", dependencies=[signed_in(KNOWN)])
def consumer_groups(
    pages: From[TopicPages],
    readers: From[Readers],
    sights: From[SightRules],
    caller: Caller,
    namespace: Name,
    name: Name,
) -> answers.TopicGroups:
    """Groups that read the topic: members, committed offsets and lag of each partition, as the brokers see them now."""
    record = readers.of(caller).datasets.get(DatasetId(namespace, name))
    return pages.groups(record, sights.of(caller).of(record))


@router.get("/{namespace}/{name}/acls", dependencies=[needs("manage", "report:read", others=OWNERS)])
def acls(
    pages: From[TopicPages],
    readers: From[Readers],
    identity: From[Identity],
    caller: Caller,
    namespace: Name,
    name: Name,
) -> answers.TopicAcls:
    """The brokers' ACLs that concern the topic. For its owners, and for who has the permission `report:read` or
    `manage`: they name users and addresses."""
    record = readers.of(caller).datasets.get(DatasetId(namespace, name))
    allowed = owns(caller, record) or identity.may(caller, Power.REPORT, record.reference)
    if not allowed and "manage" not in identity.permissions(caller):
        raise NotAllowed(
            f"{caller.user} may not see the ACLs of {record.reference}: they are for its owners, and for who has the"
            " permission 'report:read'.",
            details={"permission": "report:read", "reasons": [f"no role of {caller.user} carries report:read"]},
        )
    return pages.acls(record)


@router.get("/{namespace}/{name}/rate", dependencies=[signed_in(KNOWN)])
def rate(
    pages: From[TopicPages],
    readers: From[Readers],
    sights: From[SightRules],
    caller: Caller,
    namespace: Name,
    name: Name,
    hours: Annotated[Count, Query(le=24 * 90, description="How far back.")] = 24,
) -> answers.TopicRate:
    """How many records are stamped with which times, in 48 spans up to now. Asked of the brokers; no record is read."""
    record = readers.of(caller).datasets.get(DatasetId(namespace, name))
    return pages.rate(record, sights.of(caller).of(record), hours)


@router.get("/{namespace}/{name}/lag", dependencies=[signed_in(KNOWN)])
def lag(
    lags: From[GroupLags],
    readers: From[Readers],
    sights: From[SightRules],
    caller: Caller,
    namespace: Name,
    name: Name,
    hours: Annotated[Count, Query(le=24, description="How far back; a day is kept.")] = 6,
) -> answers.TopicLag:
    """How far each consumer group of the topic was behind, over time. Samples of the worker, one a minute."""
    record = readers.of(caller).datasets.get(DatasetId(namespace, name))
    return lags.series(record, sights.of(caller).of(record), hours)


@router.get("/{namespace}/{name}/subjects", dependencies=[signed_in(KNOWN)])
def subjects(
    pages: From[TopicPages], readers: From[Readers], caller: Caller, namespace: Name, name: Name
) -> answers.Subjects:
    """Subjects of the schema registry that belong to the topic, with their versions."""
    reader = readers.of(caller)
    record = reader.datasets.get(DatasetId(namespace, name))
    reader.require(record, Aspect.SCHEMA)
    return pages.subjects(record, reader.datasets.schema(record.id))


@router.get("/{namespace}/{name}/subjects/diff", dependencies=[signed_in(KNOWN)])
def subject_diff(
    pages: From[TopicPages],
    readers: From[Readers],
    caller: Caller,
    namespace: Name,
    name: Name,
    of: Annotated[Text, Query(alias="subject", examples=["orders-value"])],
    version: Count,
    before: Annotated[Count | None, Query(description="An earlier version; the text alone where it is absent.")] = None,
) -> answers.SubjectDiff:
    """A version of a subject line by line, and what changed since an earlier one."""
    reader = readers.of(caller)
    record = reader.datasets.get(DatasetId(namespace, name))
    reader.require(record, Aspect.SCHEMA)
    return pages.subject_diff(record, reader.datasets.schema(record.id), of, version, before)
