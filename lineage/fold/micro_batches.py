"""Which reading half of a micro-batch belongs to which writing half.

Spark reports a `foreachBatch` as two runs under one application: one that reads the stream, and within its time one that
writes. Where an application has several such streams, a write belongs to the stream whose reading run encloses it; over
some micro-batches the chance that the same other stream always encloses it too is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lineage.fold.halves import Half, HalfRun, Named
from lineage.fold.job_ledger import SEEN_STEP


def joined_halves(children: Collection[Half]) -> tuple[set[tuple[Named, Named]], int, int]:
    """(source, target) of what flows between the halves under one run, the time of the first, the time of the last.

    Nothing flows where the times are apart: what an application wrote before its stream began was not written by it.
    """
    readers = [half for half in children if half.streaming and half.reads and not half.writes]
    writers = [
        half for half in children if half.writes and not half.reads and any(_near(reader, half) for reader in readers)
    ]
    if not readers or not writers:
        return set(), 0, 0
    flows = {
        (source, target)
        for writer in writers
        for target in writer.writes
        for source in _sources(target, writer, readers)
    }
    first = max(min(half.first for half in readers), min(half.first for half in writers))
    last = min(max(half.last for half in readers), max(half.last for half in writers))
    return flows, first, last


def _sources(target: Named, writer: Half, readers: Iterable[Half]) -> frozenset[Named]:
    """What was being read whenever this was written; all that was read about then, where no run encloses a write."""
    sources: frozenset[Named] | None = None
    near = [reader for reader in readers if _near(reader, writer)]
    reads = [run for reader in near for run in reader.runs.values()]
    for write in writer.runs.values():
        if target not in write.writes:
            continue
        around = frozenset(name for read in reads if _encloses(read, write) for name in read.reads)
        if around:
            sources = around if sources is None else sources & around
    return sources or frozenset(name for reader in near for name in reader.reads)


def _encloses(read: HalfRun, write: HalfRun) -> bool:
    """A run that has not ended encloses what began after it."""
    if write.first < read.first:
        return False
    return read.end is None or (write.end or write.first) <= read.end


def _near(one: Half, other: Half) -> bool:
    return one.first <= other.last + SEEN_STEP and other.first <= one.last + SEEN_STEP
