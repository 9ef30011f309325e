"""What became of topics while a scan ran."""

from __future__ import annotations

from collections.abc import Sequence

from scanners.model import ClusterConnection, Topic
from scanners.ports import OffsetLookup


def changed_meanwhile(offsets: OffsetLookup, cluster: ClusterConnection, topics: Sequence[Topic]) -> dict[str, str]:
    """Which topics are not what they were when the scan began: name -> topic_gone or topic_recreated.

    Offsets only grow; a partition that ends earlier than before, or is not there, belongs to a topic that was created again.
    """
    now = {topic.name: topic for topic in offsets.offsets(cluster, [t.name for t in topics])}
    reasons = {}
    for before in topics:
        if before.name not in now:
            reasons[before.name] = "topic_gone"
            continue
        ends = {p.partition: p.end for p in now[before.name].partitions}
        away = {number for number, _ in now[before.name].unreadable}
        if any(ends.get(p.partition, -1) < p.end for p in before.partitions if p.partition not in away):
            reasons[before.name] = "topic_recreated"
    return reasons
