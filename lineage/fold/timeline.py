"""Through the time of one owner's statements: which flows open when, which end, and what is still in their targets.

A flow has two ends. For the question what the last run does, it ends when a finished run lacks it. What came by it stays
in its target until any job overwrites, empties or drops the target: that end is `ct`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from catalog.model import DatasetId
from lineage.fold.job_ledger import Pair, Past, Remembered
from lineage.fold.pairs import datasets_of
from lineage.fold.statements import Statement
from lineage.model import How, Kind

Times = Mapping[DatasetId, Sequence[int]]

INTO_DATA = frozenset({Kind.FEEDS, Kind.DERIVES, Kind.INFLUENCES, Kind.WRITES})
"""Kinds of which something is in the target; the others are acts of the job."""


@dataclass(frozen=True, slots=True)
class Step:
    """One statement at one time.

    began     when the run began; time: when its data was there; last: the last report of it
    data      when data last came of it
    closes    it refutes what it lacks, but not `spared`, nor what is remembered of the same `parent` run
    unfinished  the run has not completed, so that no data may be there
    again     (began, time) of neighbours that state the same
    """

    time: int
    last: int
    statement: Statement
    closes: bool
    spared: frozenset[Pair] = frozenset()
    parent: str | None = None
    began: int = 0
    data: int = 0
    unfinished: bool = False
    again: tuple[tuple[int, int], ...] = ()

    def refuted_at(self, pair: Pair, remembered: Remembered) -> int | None:
        """The time at which this shows that a pair has ended; None where it does not."""
        if pair in self.statement.pairs or pair in self.spared:
            return None
        if (remembered.parent is not None and remembered.parent == self.parent) or not self.statement.refutes(pair):
            return None
        # What another run still reported after this one began is not refuted: the two ran side by side.
        for began, time in ((self.began, self.time), *self.again):
            if remembered.seen <= began:
                return time if pair[0] in INTO_DATA else began
        return None


@dataclass(slots=True)
class Timeline:
    """What is open (pair -> since when), and every stretch that ended."""

    opened: dict[Pair, Remembered]
    past: list[Past] = field(default_factory=list)
    hows: dict[Pair, How] = field(default_factory=dict)
    stays: bool = True
    """Whether what came stays in its target; what is declared is so while it is declared."""
    _open_past: dict[DatasetId, list[Past]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for row in self.past:
            if row.ct is None:
                self._open_past[DatasetId(row.pair[4], row.pair[5])].append(row)

    def walk(self, steps: Iterable[Step], drops: Times, clears: Times) -> None:
        steps = list(steps)
        own = {(dataset, step.data) for step in steps for dataset in step.statement.overwrites if step.closes}
        ends = [(time, 0, dataset) for dataset, times in drops.items() for time in times]
        ends += [
            (time, 1, dataset) for dataset, times in clears.items() for time in times if (dataset, time) not in own
        ]
        ends.sort()
        at = 0
        for step in _merged(steps, [time for time, *_ in ends]):
            # A drop comes before what is written in the same moment, a clearing after it.
            while at < len(ends) and (ends[at][0] < step.time or (ends[at][0] == step.time and ends[at][1] == 0)):
                self._end(*ends[at])
                at += 1
            self._take(step)
        for each in ends[at:]:
            self._end(*each)

    def _take(self, step: Step) -> None:
        if step.closes:
            refuted = [(pair, step.refuted_at(pair, remembered)) for pair, remembered in self.opened.items()]
            for pair, moment in refuted:
                if moment is not None:
                    self._close(pair, moment)
        for pair, (variant, how) in step.statement.pairs.items():
            self._support(pair, variant, step)
            self.hows[pair] = how
        if step.closes:
            for dataset in step.statement.overwrites:
                self._clear(dataset, step.data, step.spared)

    def _support(self, pair: Pair, variant: tuple[str, ...], step: Step) -> None:
        into_data = pair[0] in INTO_DATA
        since = step.time if into_data else step.began
        unfinished = step.unfinished and into_data
        current = self.opened.get(pair)
        if current is not None and unfinished and not current.unfinished:
            current.seen = max(current.seen, step.last)  # it is at work again; what it will do is not known yet
            return
        if current is not None:
            cleared = current.ct is not None and step.data > current.ct
            if current.variant != variant or current.unfinished != unfinished or cleared:
                self._close(pair, since)
                current = None
        if current is None:
            self.opened[pair] = Remembered(variant, since, step.last, None, step.data, None, unfinished)
        else:  # a run older than all that is remembered moves the beginning back
            current.vf, current.seen = min(current.vf, since), max(current.seen, step.last)
            current.data = max(current.data, step.data)

    def _close(self, pair: Pair, at: int, gone: bool = False) -> None:
        current = self.opened.pop(pair)
        if current.vf >= at:
            return
        how = self.hows.get(pair, How.INPUTS_OUTPUTS)
        stays = self.stays and not gone and not current.unfinished and pair[0] in INTO_DATA
        ct = current.ct if stays else at if current.ct is None else min(at, current.ct)
        row = Past(
            pair=pair,
            variant=current.variant,
            how=how,
            vf=current.vf,
            vt=at,
            seen=current.seen,
            data=current.data,
            ct=ct,
            unfinished=current.unfinished,
        )
        self.past.append(row)
        if ct is None:
            self._open_past[DatasetId(pair[4], pair[5])].append(row)

    def _end(self, at: int, rank: int, dataset: DatasetId) -> None:
        if rank == 1:
            self._clear(dataset, at)
            return
        here = [p for p, h in self.opened.items() if h.vf < at and h.seen < at and dataset in datasets_of(p)]
        for pair in here:
            self._close(pair, at, gone=(pair[4], pair[5]) == (dataset.namespace, dataset.name))
        self._clear(dataset, at)

    def _clear(self, dataset: DatasetId, at: int, spared: frozenset[Pair] = frozenset()) -> None:
        """What was in a dataset before is not there from `at` on."""
        if not self.stays:
            return
        end = (dataset.namespace, dataset.name)
        for pair, remembered in self.opened.items():
            if (
                pair[4:6] == end
                and pair[0] in INTO_DATA
                and remembered.ct is None
                and remembered.data < at
                and pair not in spared
            ):
                remembered.ct = at
        still = []
        for row in self._open_past.get(dataset, ()):
            if row.data < at and row.pair not in spared:
                row.ct = at
            else:
                still.append(row)
        if dataset in self._open_past:
            self._open_past[dataset] = still


def _merged(steps: Iterable[Step], moments: Sequence[int]) -> Iterator[Step]:
    """Neighbours that state the same become one: a job that runs every minute costs what its changes cost."""
    pending: Step | None = None
    for step in steps:
        if pending is None:
            pending = step
        elif (
            step.statement is pending.statement
            and (step.closes, step.spared, step.parent, step.unfinished)
            == (pending.closes, pending.spared, pending.parent, pending.unfinished)
            and not any(pending.time <= time <= step.time for time in moments)
        ):
            pending = replace(
                pending,
                last=max(pending.last, step.last),
                data=max(pending.data, step.data),
                again=(*pending.again, (step.began, step.time)),
            )
        else:
            yield pending
            pending = step
    if pending is not None:
        yield pending
