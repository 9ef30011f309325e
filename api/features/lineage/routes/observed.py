"""`/clusters/{name}/consumer-groups` and `/connectors`: who reads and writes without reporting it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Annotated

from fastapi import Query

from api.edge.parameters import Count, Name, Offset, Text
from api.features.lineage.answers.observed import Connectors, ConsumerGroups, connector_of, groups_of
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.joins.observing import GroupPage, Observing
from api.visibility.readers import Reader, Readers
from api.visibility.sight import SightRules
from catalog.datasets.datasets import Datasets
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from lineage.observed.groups import ConsumerGroup, GroupTopic

router = FeatureRouter("/clusters/{name}", tags=["lineage"])

_MOST_GROUPS = 10_000


@router.get("/consumer-groups", dependencies=[signed_in(KNOWN)])
def consumer_groups(
    observing: From[Observing],
    datasets: From[Datasets],
    store: From[CatalogStore],
    rules: From[SightRules],
    readers: From[Readers],
    caller: Caller,
    name: Name,
    topic: Annotated[Text | None, Query(description="Only groups that read this topic.")] = None,
    search: Annotated[Text | None, Query(description="Only groups whose name holds this.")] = None,
    limit: Annotated[Count, Query(le=500, description="At most this many.")] = 100,
    offset: Offset = 0,
) -> ConsumerGroups:
    """Consumer groups of a cluster as its brokers see them now: members, topics and how far each is behind."""
    reader, sights = readers.of(caller), rules.of(caller)
    if reader.horizon is None:
        page = observing.groups(name, topic, limit, offset, search)
    else:
        whole = observing.groups(name, topic, _MOST_GROUPS, 0, search)
        known = list(_known(reader, datasets.clusters.get(name).namespace, whole.groups, topic))
        page = GroupPage(tuple(known[offset : offset + limit]), len(known), whole.truncated)
    if not sights.unbounded:
        namespace = datasets.clusters.get(name).namespace

        def counts(read: GroupTopic) -> bool:
            record = store.dataset(DatasetId(namespace, read.topic))
            return record is not None and sights.of(record).counts

        # A lag counts records, which the caller may not see.
        page = replace(
            page,
            groups=tuple(
                replace(
                    group,
                    topics=tuple(read if counts(read) else replace(read, lag=None) for read in group.topics),
                )
                for group in page.groups
            ),
        )
    return groups_of(page)


def _known(
    reader: Reader, namespace: str, groups: Iterable[ConsumerGroup], topic: str | None
) -> Iterator[ConsumerGroup]:
    """Groups without topics that the reader may not know the lineage of, and without groups that read nothing else.

    `topic`: groups were asked for by it, so none is shown where it is left out.
    """
    for group in groups:
        seen = tuple(read for read in group.topics if reader.known_of(DatasetId(namespace, read.topic)).lineage)
        fits = any(read.topic == topic for read in seen) if topic is not None else seen or not group.topics
        if fits and not reader.names_unlinked(group.name):
            yield replace(group, topics=seen)


@router.get("/connectors", dependencies=[signed_in(KNOWN)])
def connectors(observing: From[Observing], readers: From[Readers], caller: Caller, name: Name) -> Connectors:
    """Connectors of the Kafka Connect declared with a cluster, with what they join; configurations stay hidden."""
    reader = readers.of(caller)
    shown = [connector_of(each) for each in observing.connectors(name)]
    return Connectors(connectors=[each for each in shown if not reader.names_unlinked(each.model_dump(mode="json"))])
