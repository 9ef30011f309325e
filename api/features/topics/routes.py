"""One topic as its brokers and its registry describe it: partitions, configuration, groups, ACLs, rate, subjects."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from api.edge.openapi import answers_with
from api.edge.parameters import Count, Name, Text
from api.guard.guards import KNOWN, OWNERS, Caller, needs, signed_in
from api.guard.services import InstanceOf
from api.features.topics.answers import (
    SubjectDiff,
    Subjects,
    TopicAcls,
    TopicConfig,
    TopicGroups,
    TopicLag,
    TopicPartitions,
    TopicRate,
)
from api.features.topics.group_lags import GroupLags
from api.features.topics.topic_pages import TopicPages
from api.visibility.readers import Readers
from api.visibility.sight import SightRules, owns
from catalog.errors import NotAllowed
from catalog.model import DatasetId
from policies.access.identity import Identity
from policies.decision.domains import Power
from policies.decision.visibility import Aspect

router = APIRouter(prefix="/datasets", tags=["topics"])


@router.get(
    "/{namespace}/{name}/partitions",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(TopicPartitions),
)
def partitions(built: InstanceOf, subject: Caller, namespace: Name, name: Name) -> Any:
    """Leader, replicas, first and last offset of each partition, as the brokers see them now."""
    record = built[Readers].of(subject).datasets.get(DatasetId(namespace, name))
    return built[TopicPages].partitions(record, built[SightRules].of(subject).of(record))


@router.get(
    "/{namespace}/{name}/config",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(TopicConfig),
)
def config(built: InstanceOf, subject: Caller, namespace: Name, name: Name) -> Any:
    """The topic's configuration, and for each setting whether it is set for the topic, for the brokers, or a default."""
    return built[TopicPages].config(built[Readers].of(subject).datasets.get(DatasetId(namespace, name)))


@router.get(
    "/{namespace}/{name}/consumer-groups",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(TopicGroups),
)
def consumer_groups(built: InstanceOf, subject: Caller, namespace: Name, name: Name) -> Any:
    """Groups that read the topic: members, committed offsets and lag of each partition, as the brokers see them now."""
    record = built[Readers].of(subject).datasets.get(DatasetId(namespace, name))
    return built[TopicPages].groups(record, built[SightRules].of(subject).of(record))


@router.get(
    "/{namespace}/{name}/acls",
    dependencies=[needs("manage", "report:read", others=OWNERS)],
    responses=answers_with(TopicAcls),
)
def acls(built: InstanceOf, subject: Caller, namespace: Name, name: Name) -> Any:
    """The brokers' ACLs that concern the topic. For its owners, and for who has the permission `report:read` or
    `manage`: they name users and addresses."""
    record = built[Readers].of(subject).datasets.get(DatasetId(namespace, name))
    allowed = owns(subject, record) or built[Identity].may(subject, Power.REPORT, record.reference)
    if not allowed and "manage" not in built[Identity].permissions(subject):
        raise NotAllowed(
            f"{subject.user} may not see the ACLs of {record.reference}: they are for its owners, and for who has the"
            " permission 'report:read'.",
            details={"permission": "report:read", "reasons": [f"no role of {subject.user} carries report:read"]},
        )
    return built[TopicPages].acls(record)


@router.get(
    "/{namespace}/{name}/rate",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(TopicRate),
)
def rate(
    built: InstanceOf,
    subject: Caller,
    namespace: Name,
    name: Name,
    hours: Annotated[Count, Query(le=24 * 90, description="How far back.")] = 24,
) -> Any:
    """How many records are stamped with which times, in 48 spans up to now. Asked of the brokers; no record is read."""
    record = built[Readers].of(subject).datasets.get(DatasetId(namespace, name))
    return built[TopicPages].rate(record, built[SightRules].of(subject).of(record), hours)


@router.get(
    "/{namespace}/{name}/lag",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(TopicLag),
)
def lag(
    built: InstanceOf,
    subject: Caller,
    namespace: Name,
    name: Name,
    hours: Annotated[Count, Query(le=24, description="How far back; a day is kept.")] = 6,
) -> Any:
    """How far each consumer group of the topic was behind, over time. Samples of the worker, one a minute."""
    record = built[Readers].of(subject).datasets.get(DatasetId(namespace, name))
    return built[GroupLags].series(record, built[SightRules].of(subject).of(record), hours)


@router.get(
    "/{namespace}/{name}/subjects",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(Subjects),
)
def subjects(built: InstanceOf, subject: Caller, namespace: Name, name: Name) -> Any:
    """Subjects of the schema registry that belong to the topic, with their versions."""
    record = built[Readers].of(subject).datasets.get(DatasetId(namespace, name))
    built[Readers].of(subject).require(record, Aspect.SCHEMA)
    return built[TopicPages].subjects(record, built[Readers].of(subject).datasets.schema(record.id))


@router.get(
    "/{namespace}/{name}/subjects/diff",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(SubjectDiff),
)
def subject_diff(
    built: InstanceOf,
    subject: Caller,
    namespace: Name,
    name: Name,
    of: Annotated[Text, Query(alias="subject", examples=["orders-value"])],
    version: Count,
    before: Annotated[Count | None, Query(description="An earlier version; the text alone where it is absent.")] = None,
) -> Any:
    """A version of a subject line by line, and what changed since an earlier one."""
    record = built[Readers].of(subject).datasets.get(DatasetId(namespace, name))
    built[Readers].of(subject).require(record, Aspect.SCHEMA)
    return built[TopicPages].subject_diff(
        record, built[Readers].of(subject).datasets.schema(record.id), of, version, before
    )
