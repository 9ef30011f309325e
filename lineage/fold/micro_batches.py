"""Micro-batches that come in halves: Spark reports a `foreachBatch` as a run that reads and, within its time, one that writes.

A half unites the runs of one job under one parent. Uniting is a smallest, a largest or a union, so that the order of
events does not matter. Where an application has several such streams, a write belongs to the stream whose reading run
encloses it; over some micro-batches the chance that the same other stream always encloses it too is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Named = tuple[str, str]
"""Namespace and name of a dataset."""


def minute(time: int) -> int:
    """A time, cut to the minute."""
    return time - time % SEEN_STEP


SEEN_STEP = 60_000
"""Times of the last report of a run are kept to the minute, so that a storm of RUNNING events changes nothing."""

RUNS_KEPT = 16
"""Runs of a half that are kept one by one, the first ones: which read encloses which write shows whose halves they are.
Two streams side by side rarely stay in step for so long."""


@dataclass(frozen=True, slots=True)
class HalfRun:
    """One run of a half. Times are milliseconds since 1970; `end` is None while no report ended it."""

    first: int
    end: int | None = None
    reads: frozenset[Named] = frozenset()
    writes: frozenset[Named] = frozenset()

    def with_report(self, report: Report) -> HalfRun:
        end = max(report.time, self.end or report.time) if report.ends else self.end
        return HalfRun(min(self.first, report.time), end, self.reads | report.reads, self.writes | report.writes)


@dataclass(frozen=True, slots=True)
class Report:
    """What one event reports of a half. `minute`: its time, cut to a minute; `ends`: the run is over."""

    run: str
    time: int
    minute: int
    ends: bool
    streaming: bool
    reads: frozenset[Named]
    writes: frozenset[Named]


@dataclass(frozen=True, slots=True)
class Half:
    """Every run of one job under one parent, from the `first` time reported to the `last`, which is cut to a minute."""

    first: int
    last: int
    streaming: bool = False
    reads: frozenset[Named] = frozenset()
    writes: frozenset[Named] = frozenset()
    runs: Mapping[str, HalfRun] = field(default_factory=dict)

    def with_report(self, report: Report) -> Half:
        """Micro-batches come by the million, so only the first runs are kept one by one."""
        run = self.runs.get(report.run) or HalfRun(report.time)
        runs = {**self.runs, report.run: run.with_report(report)}
        if len(runs) > RUNS_KEPT:
            del runs[max(runs, key=lambda key: (runs[key].first, key))]
        return replace(
            self,
            first=min(self.first, report.time),
            last=max(self.last, report.minute),
            streaming=self.streaming or report.streaming,
            reads=self.reads | report.reads,
            writes=self.writes | report.writes,
            runs=runs,
        )

    def datasets(self) -> frozenset[Named]:
        return self.reads | self.writes

    def to_json(self) -> dict[str, object]:
        return {
            "first": self.first,
            "last": self.last,
            "streaming": self.streaming,
            **_sides_to_json(self.reads, self.writes),
            "runs": {
                key: {"first": run.first, "end": run.end, **_sides_to_json(run.reads, run.writes)}
                for key, run in self.runs.items()
            },
        }

    @staticmethod
    def of_json(stored: Mapping[str, Any]) -> Half:
        """Ledgers of earlier versions have no `runs`."""
        runs = {
            key: HalfRun(run["first"], run["end"], _names(run["in"]), _names(run["out"]))
            for key, run in (stored.get("runs") or {}).items()
        }
        return Half(
            first=stored["first"],
            last=stored["last"],
            streaming=bool(stored["streaming"]),
            reads=_names(stored["in"]),
            writes=_names(stored["out"]),
            runs=runs,
        )


Halves = dict[str, dict[str, Half]]
"""Parent's run id -> the job of a child, as a key -> its half."""


def halves_to_json(halves: Halves) -> dict[str, dict[str, object]]:
    return {parent: {key: half.to_json() for key, half in children.items()} for parent, children in halves.items()}


def halves_of_json(stored: Mapping[str, Mapping[str, Any]]) -> Halves:
    return {parent: {key: Half.of_json(half) for key, half in children.items()} for parent, children in stored.items()}


def add_report(halves: Halves, parent: str, job: str, report: Report, limit: int) -> bool:
    """Add a report to the half of a job under a parent; the oldest parents beyond `kept` are forgotten. Returns whether
    anything changed."""
    children = halves.setdefault(parent, {})
    before = children.get(job)
    after = (before or Half(report.time, report.minute)).with_report(report)
    children[job] = after
    if len(halves) > limit:
        del halves[min(halves, key=lambda run: (min(half.first for half in halves[run].values()), run))]
    return after != before


def _sides_to_json(reads: Iterable[Named], writes: Iterable[Named]) -> dict[str, list[list[str]]]:
    return {"in": sorted(list(name) for name in reads), "out": sorted(list(name) for name in writes)}


def _names(stored: Iterable[Iterable[str]]) -> frozenset[Named]:
    return frozenset((namespace, name) for namespace, name in stored)


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
