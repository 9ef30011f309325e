"""Which reading half of a micro-batch belongs to which writing half.

Spark reports a `foreachBatch` as two runs under one application: one that reads the stream, and within its time one that
writes. Where an application has several such streams, a write belongs to the stream whose reading run encloses it; over
some micro-batches the chance that the same other stream always encloses it too is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from lineage.fold.job_ledger import SEEN_STEP

Half = Mapping[str, Any]
Dataset = tuple[str, str]


def joined_halves(children: Collection[Half]) -> tuple[set[tuple[Dataset, Dataset]], int, int]:
    """(source, target) of what flows between the halves under one run, the time of the first, the time of the last.

    Nothing flows where the times are apart: what an application wrote before its stream began was not written by it.
    """
    readers = [c for c in children if c["streaming"] and c["in"] and not c["out"]]
    writers = [c for c in children if c["out"] and not c["in"] and any(_near(r, c) for r in readers)]
    if not readers or not writers:
        return set(), 0, 0
    flows = {
        (source, target)
        for writer in writers
        for target in _names(writer["out"])
        for source in _sources(target, writer, readers)
    }
    first = max(min(c["first"] for c in readers), min(c["first"] for c in writers))
    last = min(max(c["last"] for c in readers), max(c["last"] for c in writers))
    return flows, first, last


def _sources(target: Dataset, writer: Half, readers: Iterable[Half]) -> set[Dataset]:
    """What was being read whenever this was written; all that was read about then, where no run encloses a write."""
    found: set[Dataset] | None = None
    readers = [reader for reader in readers if _near(reader, writer)]
    reads = [run for reader in readers for run in _runs(reader)]
    for write in _runs(writer):
        if target not in _names(write["out"]):
            continue
        around = {name for read in reads if _encloses(read, write) for name in _names(read["in"])}
        if around:
            found = around if found is None else found & around
    return found or {name for reader in readers for name in _names(reader["in"])}


def _encloses(read: Half, write: Half) -> bool:
    """A run that has not ended encloses what began after it."""
    if write["first"] < read["first"]:
        return False
    return bool(read["end"] is None or (write["end"] or write["first"]) <= read["end"])


def _near(one: Half, other: Half) -> bool:
    return bool(one["first"] <= other["last"] + SEEN_STEP and other["first"] <= one["last"] + SEEN_STEP)


def _runs(half: Half) -> Collection[Half]:
    runs: Mapping[str, Half] = half.get("runs") or {}
    return runs.values()


def _names(names: Iterable[Iterable[str]]) -> set[Dataset]:
    return {(namespace, name) for namespace, name in names}
