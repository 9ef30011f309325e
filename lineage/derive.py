"""A book -> the edges it stands for, each with its time. Pure: the same book and names give the same edges.

What a run says is settled first (`statements.py`). Between runs, an edge opens with the first run that has it and stays
until evidence closes it: a completed later run (of a job that is not streaming) that has flows and lacks this one, a
declaration or a complete snapshot that lacks it, a dropped dataset. A missing list, a failure, an abort close nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple

from catalog.model import DatasetId
from lineage.book import Book, Mark, Pair, Remembered, Run, joined
from lineage.halves import joined_halves
from lineage.model import FOREVER, Edge, How, Kind
from lineage.names import Names
from lineage.statements import Statement, datasets_of, ends_of, node_id, pair_of, resolve_pair, settle
from lineage.turns import all_turns, changes

OBSERVED, DECLARED = "observed", "declared"

_BETWEEN_COLUMNS = frozenset({Kind.DERIVES, Kind.INFLUENCES})

_PAIRS_KEPT = 2000
"""Flows that statements kept between batches may hold per book."""


@dataclass(frozen=True, slots=True)
class Step:
    """A moment at which something was said: from `time` on, supported until `last`; `closes` refutes what it lacks,
    but not `spared`, nor what is remembered of the same `parent` run."""

    time: int
    last: int
    statement: Statement
    closes: bool
    spared: frozenset[Pair] = frozenset()
    parent: str | None = None

    def refutes(self, pair: Pair, held: Remembered) -> bool:
        # What another run still reported after this one began is not refuted: the two ran side by side.
        if pair in self.statement.pairs or held.seen > self.time or pair in self.spared:
            return False
        return (held.parent is None or held.parent != self.parent) and self.statement.refutes(pair)


class Derived(NamedTuple):
    """An edge before it is made: most of them are in the graph already, just so."""

    id: str
    pair: Pair
    vf: int
    vt: int
    seen: int
    variant: tuple[str, ...]
    how: How
    origin: str

    @property
    def raw(self) -> bool:
        return self.variant[-1] == "1" if self.variant else True

    @property
    def columns(self) -> bool:
        return self.pair[0] == Kind.FEEDS and self.variant[0] == "1"

    def edge(self, owner: str) -> Edge:
        source, target = ends_of(self.pair)
        return Edge(
            self.id, Kind(self.pair[0]), source, target, owner,
            node_id("job", self.pair[7], self.pair[8], "") if self.pair[7] else None,
            self.vf, self.vt, self.seen, self.raw, self.columns, self.how, self.origin, self.pair[1:7],
        )  # fmt: skip


def derive(
    book: Book, names: Names, drops: Mapping[DatasetId, Sequence[int]], seen_steps: tuple[int, int] = (1, 1)
) -> list[Derived]:
    """Every edge the book stands for, but those it has forgotten (which stay in the graph as they are).

    `seen` is rounded down to the first of `seen_steps` (milliseconds) for edges between datasets and jobs, to the
    second for those between columns.
    """
    sayings = Sayings(book, names)
    opened = base_of(book, names)
    found = list(_edges(book, OBSERVED, seen_steps, *walk(opened, sayings.observed(), drops)))
    found += _edges(book, DECLARED, seen_steps, *walk({}, sayings.declared(), drops))
    book.cache.ids = {(row.origin, row.vf, row.pair): row.id for row in found}
    sayings.keep()
    return found


def base_of(book: Book, names: Names) -> dict[Pair, Remembered]:
    opened: dict[Pair, Remembered] = {}
    for pair, held in sorted(book.base.items()):
        now = resolve_pair(pair, names)
        if now not in opened:
            opened[now] = Remembered(held.variant, held.vf, held.seen, held.parent)
    return opened


Closed = list[tuple[Pair, tuple[str, ...], How, int, int, int]]
_Open = dict[Pair, Remembered]


def walk(
    opened: _Open, steps: Iterable[Step], drops: Mapping[DatasetId, Sequence[int]]
) -> tuple[_Open, Closed, dict[Pair, How]]:
    """Go through time: what is open at the end, what was closed on the way, and how each open pair is known."""
    closed: Closed = []
    hows: dict[Pair, How] = {}
    dropping = sorted((time, dataset) for dataset, times in drops.items() for time in times)

    def close(pair: Pair, at: int) -> None:
        held = opened.pop(pair)
        if held.vf < at:
            closed.append((pair, held.variant, hows.get(pair, How.INPUTS_OUTPUTS), held.vf, at, held.seen))

    def drop(until: int) -> None:
        while dropping and dropping[0][0] <= until:
            at, dataset = dropping.pop(0)
            for pair in [p for p, h in opened.items() if h.vf < at and h.seen < at and dataset in datasets_of(p)]:
                close(pair, at)

    for step in _merged(steps, [time for time, _ in dropping]):
        drop(step.time)
        said = step.statement
        if step.closes:
            for pair in [pair for pair, held in opened.items() if step.refutes(pair, held)]:
                close(pair, step.time)
        for pair, (variant, how) in said.pairs.items():
            held = opened.get(pair)
            if held is not None and held.variant != variant:
                close(pair, step.time)
                held = None
            if held is None:
                opened[pair] = Remembered(variant, step.time, step.last)
            else:  # a run older than all that is remembered moves the beginning back
                held.vf, held.seen = min(held.vf, step.time), max(held.seen, step.last)
            hows[pair] = how
    drop(FOREVER)
    return opened, closed, hows


def _merged(steps: Iterable[Step], drop_times: Sequence[int]) -> Iterator[Step]:
    """Neighbours that say the same become one: a job that runs every minute costs what its changes cost."""
    held: Step | None = None
    for step in steps:
        if held is None:
            held = step
        elif (
            step.statement is held.statement
            and (step.closes, step.spared, step.parent) == (held.closes, held.spared, held.parent)
            and not any(held.time < time <= step.time for time in drop_times)
        ):
            held = replace(held, last=max(held.last, step.last))
        else:
            yield held
            held = step
    if held is not None:
        yield held


class Sayings:
    """The steps of a book, in order of time; statements are computed once per set of facts."""

    def __init__(self, book: Book, names: Names) -> None:
        self.book, self.names = book, names
        self._statements: dict[frozenset[str], tuple[Mark, Statement]] = {}
        self._remembered = {held.parent for held in book.base.values()} - {None}
        self._siblings: dict[str | None, list[Run]] = defaultdict(list)
        for run in book.runs.values():
            self._siblings[run.parent].append(run)
        self._spared: dict[str | None, frozenset[Pair]] = {}

    def observed(self) -> list[Step]:
        steps = [
            (step.time, run.id, at, step) for run in self.book.runs.values() for at, step in enumerate(self.of_run(run))
        ]
        steps += [(step.time, run_id, 0, step) for run_id, step in self._halves()]
        return [step for *_, step in sorted(steps, key=lambda row: row[:3])]

    def declared(self) -> list[Step]:
        rows = all_turns(self.book.declared, self.book.declared_turns)
        return [Step(time, time, self.statement((key,)), True) for time, key in rows]

    def of_run(self, run: Run) -> Iterator[Step]:
        phases = sorted((time, key) for key, time in run.phases.items())
        if run.snapshot:
            phases = changes(all_turns(run.phases, run.turns))
            for at, (time, key) in enumerate(phases):
                last = run.heard if at == len(phases) - 1 else phases[at + 1][0]
                yield Step(time, last, self.statement((key,)), True)
        elif run.streaming:
            for at in range(len(phases)):
                yield Step(phases[at][0], run.heard, self.statement(key for _, key in phases[: at + 1]), False)
        elif phases:
            said = self.statement(run.phases)
            parent = run.parent if run.parent in self._remembered else None
            yield Step(run.first, run.heard, said, run.complete, self._of_siblings(run, said), parent)

    def _of_siblings(self, run: Run, said: Statement) -> frozenset[Pair]:
        """What runs of this job under the same parent run say: mapped tasks and loops are one piece of work in many
        runs, each of which tells of its part."""
        siblings = self._siblings.get(run.parent, ()) if run.parent is not None else ()
        if len(siblings) < 2:
            return frozenset()
        if run.parent not in self._spared:
            pairs = (self.statement(sibling.phases).pairs for sibling in siblings if sibling.phases)
            self._spared[run.parent] = frozenset().union(*pairs)
        spared = self._spared[run.parent]
        return spared if spared != said.pairs.keys() else frozenset()

    def statement(self, keys: Iterable[str]) -> Statement:
        wanted = frozenset(keys)
        used = self._statements.get(wanted)
        if used is not None:
            return used[1]
        # What facts say depends on them, on what their datasets are called by now, and on who says it.
        datasets = sorted(set().union(*(self.book.named(key) for key in wanted)))
        mark = (self.book.info.get("integration", (0, None))[1], tuple(self.names.dataset(*name) for name in datasets))
        known = self.book.cache.statements.get(wanted)
        if known is None or known[0] != mark:
            facts = frozenset().union(*(self.book.facts[key] for key in wanted))
            known = mark, settle(facts, self.book, self.names)
        self._statements[wanted] = known
        return known[1]

    def keep(self) -> None:
        """Leave the statements with the book for the next time, unless they are very many."""
        few = sum(len(said.pairs) for _, said in self._statements.values()) <= _PAIRS_KEPT
        self.book.cache.statements = self._statements if few else {}

    def _halves(self) -> Iterator[tuple[str, Step]]:
        """Micro-batches whose reading and writing were reported by different runs under one parent."""
        for run_id, children in self.book.halves.items():
            flows, first, last = joined_halves(children.values())
            if not flows:
                continue
            said = Statement()
            for s, t in flows:
                source, target = self.names.dataset(*s), self.names.dataset(*t)
                said.pairs[pair_of(Kind.FEEDS, source, "", target, "", self.book)] = (("0", "1"), How.PARENT_RUN)
                said.feeds.add((source, target))
            yield run_id, Step(first, max(first, last), said, False)


def _edges(
    book: Book, origin: str, seen_steps: tuple[int, int], opened: _Open, closed: Closed, hows: Mapping[Pair, How]
) -> Iterator[Derived]:
    rows = [
        (pair, held.variant, hows.get(pair, How.INPUTS_OUTPUTS), held.vf, FOREVER, held.seen)
        for pair, held in opened.items()
    ]
    ids = book.cache.ids
    for pair, variant, how, vf, vt, seen in (*rows, *closed):
        step = seen_steps[1 if pair[0] in _BETWEEN_COLUMNS else 0]
        seen = min(seen, vt)
        key = ids.get((origin, vf, pair)) or edge_id(book.owner, origin, pair, vf)
        yield Derived(key, pair, vf, vt, max(vf, seen - seen % step), variant, how, origin)


def edge_id(owner: str, origin: str, pair: Pair, vf: int) -> str:
    text = joined((owner, origin, str(vf), *pair))
    return blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()
