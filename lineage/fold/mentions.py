"""What events state about datasets themselves: that there are such, their other names, when they were dropped or emptied."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from catalog.model import DatasetId, NodeId
from lineage.fold.event_reading import Gathered
from lineage.fold.job_ledger import newest
from lineage.fold.micro_batches import minute
from lineage.fold.producer_info import CLOCK_AHEAD, clock_ahead
from lineage.graph_delta import GraphDelta, Info
from lineage.ingest.events import DatasetEvent, Name
from lineage.names import Link, Names, Resolve


@dataclass(slots=True)
class About:
    """What events state about datasets themselves, and everything they name."""

    named: set[Name] = field(default_factory=set)
    jobs: set[Name] = field(default_factory=set)
    links: set[tuple[Name, Name, str]] = field(default_factory=set)
    drops: set[tuple[Name, int]] = field(default_factory=set)
    clears: set[tuple[Name, int]] = field(default_factory=set)
    infos: dict[Name, Info] = field(default_factory=dict)


def about(gathered: Gathered, owners: Iterable[str]) -> About:
    """What the events of these owners state about datasets."""
    mentions = About()
    for owner in owners:
        for event, reading in gathered.events.get(owner, ()):
            mentions.named |= reading.datasets
            mentions.jobs |= reading.jobs
            mentions.links.update(reading.links)
            mentions.drops.update((name, event.time) for name in reading.drops)
            if reading.clears and reading.happened(event):
                mentions.clears.update((name, event.time) for name in reading.clears)
            if isinstance(event, DatasetEvent) and event.claimed is not None:
                info = mentions.infos.setdefault(event.dataset.id, {})
                info[CLOCK_AHEAD] = (event.time, clock_ahead(event.claimed, event.time))
            for name, key, value in reading.infos:
                info = mentions.infos.setdefault(name, {})
                if newest(info, key, minute(event.time), value):
                    info[key] = (minute(event.time), value)
    return mentions


_Moments = dict[DatasetId, set[int]]


def learned(mentions: About, resolve: Resolve) -> tuple[set[Link], _Moments, _Moments]:
    """Links, drops and clears of a batch, in the catalog's names."""
    links = {
        Link(resolve(primary.namespace, primary.name), resolve(other.namespace, other.name), kind)
        for primary, other, kind in mentions.links
    }
    drops: _Moments = defaultdict(set)
    clears: _Moments = defaultdict(set)
    for moments, times in ((drops, mentions.drops), (clears, mentions.clears)):
        for name, time in times:
            moments[resolve(name.namespace, name.name)].add(time)
    return {link for link in links if link.primary != link.other}, drops, clears


def add_named(delta: GraphDelta, mentions: About, names: Names, known: dict[DatasetId, Info]) -> None:
    """Add a node for everything that is named, even before an edge touches it; add what events state of datasets to `known`."""
    for name in mentions.named:
        dataset = names.dataset(name.namespace, name.name)
        delta.datasets[dataset.node_id] = dataset
    for job in mentions.jobs:
        delta.jobs.setdefault(str(NodeId("job", job.namespace, job.name)), (job.namespace, job.name))
    for name, new_info in mentions.infos.items():
        dataset = names.dataset(name.namespace, name.name)
        info = dict(known.get(dataset, {}))
        for key, (time, value) in new_info.items():
            if newest(info, key, time, value):
                info[key] = (time, value)
        if info != known.get(dataset, {}):
            delta.dataset_info[dataset] = known[dataset] = info
