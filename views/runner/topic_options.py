"""An output topic that is there already, against how the view wants it: what Weir changes of it, and what it refuses. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from views.declared import Sink
from views.ports import TopicOptions, TopicSettings

_SHORTEST_SEGMENT_MS, _LONGEST_SEGMENT_MS = 60_000, 7 * 86_400_000


@dataclass(frozen=True, slots=True)
class Alterations:
    """config: option -> (now, wanted); partitions: how many it gets, None: as many as it has; refused: sentences."""

    config: Mapping[str, tuple[str, str]]
    partitions: int | None
    refused: tuple[str, ...]

    def sentences(self, place: str) -> list[str]:
        """What is done with the topic `place`; nothing is where something is refused."""
        if self.refused:
            return list(self.refused)
        changed = [f"{name} {now} -> {wanted}" for name, (now, wanted) in self.config.items()]
        changed += [f"{self.partitions} partitions"] if self.partitions is not None else []
        return [f"The topic {place} is there already and gets {', '.join(changed)}."] if changed else []


def config_of(settings: TopicSettings) -> dict[str, str]:
    """Kafka's options of a topic with these settings."""
    config = {
        # `delete` beside `compact` lets old generations be cut off; with no retention nothing else is deleted.
        "cleanup.policy": "compact,delete" if settings.compacted else "delete",
        "retention.ms": str(settings.ttl_ms if settings.ttl_ms is not None else -1),
        "retention.bytes": "-1",
    }
    if settings.ttl_ms is not None:  # records leave the disk by whole segments
        config["segment.ms"] = str(min(max(settings.ttl_ms // 4, _SHORTEST_SEGMENT_MS), _LONGEST_SEGMENT_MS))
    return config


def alterations(there: TopicOptions, wanted: TopicSettings, sink: Sink, keyed: bool) -> Alterations:
    """`sink`: as declared, since only a declared number of partitions or replicas is compared with the topic. `keyed`: whether
    the place of a record depends on the number of partitions."""
    place, refused = f"{sink.cluster}/{sink.topic}", []
    config = {
        name: (there.config.get(name, ""), value)
        for name, value in config_of(wanted).items()
        if _parts(there.config.get(name, "")) != _parts(value)
    }
    partitions = None
    if sink.partitions is not None and sink.partitions != there.partitions:
        if sink.partitions < there.partitions:
            refused.append(
                f"The topic {place} has {there.partitions} partitions, and Kafka takes none away; write partitions:"
                f" {there.partitions} in sink, or name another topic."
            )
        elif keyed:
            refused.append(
                f"The topic {place} has {there.partitions} partitions, and with {sink.partitions} its keys would be in others than"
                f" before; write partitions: {there.partitions} in sink, or name another topic."
            )
        else:
            partitions = sink.partitions
    if sink.replication is not None and sink.replication != there.replication:
        refused.append(
            f"The topic {place} has {there.replication} replicas, which Weir does not change; write replication:"
            f" {there.replication} in sink, or name another topic."
        )
    return Alterations(config, partitions, tuple(refused))


def _parts(value: str) -> frozenset[str]:
    return frozenset(each.strip() for each in value.split(","))
