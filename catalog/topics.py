"""What brokers report of a cluster and its topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


def whole_sum(parts: Iterable[int | None]) -> int | None:
    """None where there are no parts, or one is not known: the sum of the others would be too small."""
    known = list(parts)
    return sum(each for each in known if each is not None) if known and None not in known else None


@dataclass(frozen=True, slots=True)
class ClusterDescription:
    """`cluster_id` as the brokers name themselves; `brokers`: their advertised host:port."""

    cluster_id: str | None
    brokers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PartitionOffsets:
    """Offsets of a partition: its records are in [begin, end)."""

    partition: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """A topic. retention_ms -1 = for ever; None = the broker did not report it. `offsets` is empty when not asked for.

    `size`: bytes of one copy on disk, compressed as its producers sent it; None where it is not known of every partition.
    """

    name: str
    partitions: int
    replication: int = 1
    internal: bool = False
    cleanup_policy: str | None = None
    retention_ms: int | None = None
    retention_bytes: int | None = None
    offsets: tuple[PartitionOffsets, ...] = ()
    size: int | None = None
    configs: Mapping[str, str] = field(default_factory=dict)

    @property
    def retained(self) -> int | None:
        """How many offsets there are from begin to end; an upper bound of the records there."""
        return sum(o.end - o.begin for o in self.offsets) if self.offsets else None

    def to_json(self) -> dict[str, object]:
        facts: dict[str, object] = {
            "partitions": self.partitions,
            "replication": self.replication,
            "cleanupPolicy": self.cleanup_policy,
            "retentionMs": self.retention_ms,
            "retentionBytes": self.retention_bytes,
        }
        if self.offsets:
            facts["retained"] = self.retained
            facts["offsets"] = [{"partition": o.partition, "begin": o.begin, "end": o.end} for o in self.offsets]
        if self.size is not None:
            facts["size"] = self.size
        return facts
