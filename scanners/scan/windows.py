"""What a scan looked at: its window, with the partitions that it could not read and the offsets without a record."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.model import ScanWindow
from scanners.model import OffsetRange, Strategy, Topic
from scanners.scan.record_places import rfc3339
from scanners.sketch.topic import Sketch


def window_of(
    sketch: Sketch | None,
    topic: Topic,
    ranges: Sequence[OffsetRange],
    strategy: Strategy,
    last: ScanWindow | None = None,
) -> ScanWindow:
    """What was looked at: planned ranges, what was read of them, and whether it was all there is.

    `last` is the window of the scan before: a partition that cannot be read now keeps its place there, so that the next
    scan of what is new continues behind it.
    """
    reads = sketch.partitions if sketch is not None else {}
    listed = []
    for p in topic.partitions:
        read = reads.get(p.partition)
        listed.append(
            {
                "partition": p.partition,
                "begin": p.begin,
                "end": p.end,
                "ranges": [[r.start, r.end] for r in ranges if r.partition == p.partition],
                "read": read.records if read else 0,
                "skipped": read.skipped if read else 0,
                "first": read.first if read else None,
                "last": read.last if read else None,
            }
        )
    away = {number for number, _ in topic.unreadable}
    for before in last.partitions if last is not None else ():
        if before["partition"] in away:
            listed.append({**before, "ranges": [], "read": 0, "skipped": 0, "first": None, "last": None})
    skipped = sum(int(str(p["skipped"])) for p in listed)
    planned = sum(r.length for r in ranges)
    times = [(r.time_from, r.time_to) for r in reads.values() if r.time_from is not None and r.time_to is not None]
    return ScanWindow(
        partitions=tuple(listed),
        records=sketch.records if sketch is not None else 0,
        time_from=rfc3339(min((t for t, _ in times), default=None)),
        time_to=rfc3339(max((t for _, t in times), default=None)),
        strategy=str(strategy),
        complete=planned == topic.retained and not skipped and not away,
    )


def unreadable_of(topic: Topic) -> list[dict[str, object]]:
    """Partitions of which nothing could be read, as a problem."""
    if not topic.unreadable:
        return []
    numbers = [number for number, _ in topic.unreadable]
    reasons = sorted({why for _, why in topic.unreadable})
    return [
        {
            "part": "record",
            "reason": "partitions_unreadable",
            "count": len(numbers),
            "partitions": numbers[:50],
            "why": ", ".join(reasons),
        }
    ]


def gaps_of(window: ScanWindow) -> list[dict[str, object]]:
    """Partitions in which fewer records came than offsets were planned: retention, compaction or transaction markers."""
    gaps = []
    for p in window.partitions:
        planned = sum(end - start for start, end in p["ranges"])
        missing = planned - p["read"] - p["skipped"]
        if missing > 0:
            gaps.append(
                {
                    "part": "record",
                    "reason": "offsets_without_record",
                    "partition": p["partition"],
                    "planned": planned,
                    "read": p["read"],
                    "count": missing,
                }
            )
    return gaps
