"""A book -> its edges, each with its time. Pure: the same book and names give the same edges.

`statements.py` first settles what a run states. `timeline.py` then places it in time: an edge opens when its data is there
and stays until evidence closes it. A missing list, a failure and an abort close nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple

from catalog.node_ids import write_id
from lineage.fold.job_ledger import Book, Mark, Pair, Past, Remembered, joined
from lineage.fold.micro_batches import joined_halves
from lineage.fold.pairs import ends_of, pair_of, resolve_pair
from lineage.fold.runs import Run, all_turns, changes
from lineage.fold.statements import Statement, settle
from lineage.fold.timeline import Step, Timeline, Times
from lineage.model import FOREVER, KINDS, Edge, How, Kind
from lineage.names import Names

OBSERVED, DECLARED = "observed", "declared"

_BETWEEN_COLUMNS = frozenset({Kind.DERIVES, Kind.INFLUENCES})

_HOWS = {str(how): how for how in How}

_PAIRS_KEPT = 2000
"""Flows that statements kept between batches may hold per book."""


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
    ct: int | None = None
    unfinished: bool = False


def edges_of(owner: str, rows: Iterable[Derived]) -> list[Edge]:
    """The edges of an owner, made. Most of a fold's time is spent here: no step for an edge that can be for all."""
    jobs: dict[tuple[str, ...], str | None] = {("", ""): None}
    edges = []
    for key, pair, vf, vt, seen, variant, how, origin, ct, unfinished in rows:
        kind, of = pair[0], pair[7:]
        job = jobs[of] if of in jobs else jobs.setdefault(of, write_id("job", *of))
        source, target = ends_of(pair)
        raw, columns = flags_of(kind, variant)
        # By place: by name it takes twice as long.
        edges.append(Edge(
            key, KINDS[kind], source, target, owner, job, vf, vt, seen, raw, columns, how, origin, pair[1:7], ct, unfinished
        ))  # fmt: skip
    return edges


def flags_of(kind: str, variant: tuple[str, ...]) -> tuple[bool, bool]:
    """Whether an edge's value may arrive raw, and whether it is known which columns feed which."""
    return (variant[-1] == "1" if variant else True), (kind == Kind.FEEDS and variant[0] == "1")


def derive(
    book: Book, names: Names, drops: Times, seen_steps: tuple[int, int] = (1, 1), clears: Times | None = None
) -> list[Derived]:
    """Every edge of the book, except those it has forgotten (which stay in the graph as they are).

    `seen` is rounded down to the first of `seen_steps` (milliseconds) for edges between datasets and jobs, to the
    second for those between columns. `clears`: when datasets were emptied or overwritten, by any job.
    """
    sayings = Sayings(book, names)
    observed, declared = Timeline(base_of(book, names), past_of(book, names)), Timeline({}, stays=False)
    observed.walk(sayings.observed(), drops, clears or {})
    declared.walk(sayings.declared(), drops, {})
    rows = [*_edges(book, OBSERVED, seen_steps, observed), *_edges(book, DECLARED, seen_steps, declared)]
    ids: dict[tuple[str, int], dict[Pair, str]] = defaultdict(dict)
    for row in rows:
        ids[row.origin, row.vf][row.pair] = row.id
    book.cache.ids = ids
    sayings.keep()
    return rows


def base_of(book: Book, names: Names) -> dict[Pair, Remembered]:
    opened: dict[Pair, Remembered] = {}
    for pair, remembered in sorted(book.base.items()):
        now = resolve_pair(pair, names)
        if now not in opened:
            opened[now] = replace(remembered, data=remembered.data or remembered.seen)
    return opened


def past_of(book: Book, names: Names) -> list[Past]:
    return [replace(row, pair=resolve_pair(row.pair, names)) for row in book.past]


class Sayings:
    """The steps of a book, in order of time; statements are computed once per set of facts."""

    def __init__(self, book: Book, names: Names) -> None:
        self.book, self.names = book, names
        self._statements: dict[frozenset[str], tuple[Mark, Statement]] = {}
        self._remembered = {row.parent for row in book.base.values()} - {None}
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
        return [Step(time, time, self.statement((key,)), True, began=time, data=time) for time, key in rows]

    def of_run(self, run: Run) -> Iterator[Step]:
        """Its steps: of a batch one, once it completed; of a stream one for each statement it made."""
        phases = sorted((time, key) for key, time in run.phases.items())
        there = run.data_from()
        unfinished = there is None
        if run.snapshot:
            phases = changes(all_turns(run.phases, run.turns))
            for at, (time, key) in enumerate(phases):
                last = run.heard if at == len(phases) - 1 else phases[at + 1][0]
                yield Step(time, last, self.statement((key,)), True, began=time, data=last, unfinished=unfinished)
        elif run.streaming:
            for at, (first, _) in enumerate(phases):
                statement = self.statement(key for _, key in phases[: at + 1])
                time = first if there is None else max(first, there)
                yield Step(time, run.heard, statement, False, began=first, data=run.heard, unfinished=unfinished)
        elif phases:
            statement = self.statement(run.phases)
            parent = run.parent if run.parent in self._remembered else None
            time = run.first if there is None else there
            data = max(time, run.types.get("COMPLETE", run.heard if not unfinished else time))
            spared = self._of_siblings(run, statement)
            yield Step(
                time=time,
                last=run.heard,
                statement=statement,
                closes=run.complete,
                spared=spared,
                parent=parent,
                began=run.first,
                data=data,
                unfinished=unfinished,
            )

    def _of_siblings(self, run: Run, statement: Statement) -> frozenset[Pair]:
        """What runs of this job under the same parent run state: mapped tasks and loops are one piece of work in many
        runs, each of which reports its part."""
        siblings = self._siblings.get(run.parent, ()) if run.parent is not None else ()
        if len(siblings) < 2:
            return frozenset()
        if run.parent not in self._spared:
            pairs = (self.statement(sibling.phases).pairs for sibling in siblings if sibling.phases)
            self._spared[run.parent] = frozenset().union(*pairs)
        spared = self._spared[run.parent]
        return spared if spared != statement.pairs.keys() else frozenset()

    def statement(self, keys: Iterable[str]) -> Statement:
        key_set = frozenset(keys)
        used = self._statements.get(key_set)
        if used is not None:
            return used[1]
        # The statement depends on the facts, on the current names of their datasets and what is known of their fields, and
        # on the integration that reports them.
        datasets = [self.names.dataset(*name) for name in sorted(set().union(*map(self.book.named, key_set)))]
        known = tuple((each, self.names.fields(each)) for each in datasets)
        mark = (self.book.info.get("integration", (0, None))[1], known)
        entry = self.book.cache.statements.get(key_set)
        if entry is None or entry[0] != mark:
            facts = frozenset().union(*(self.book.facts[key] for key in key_set))
            entry = mark, settle(facts, self.book, self.names)
        self._statements[key_set] = entry
        return entry[1]

    def keep(self) -> None:
        """Leave the statements with the book for the next time, unless they are very many."""
        few = sum(len(statement.pairs) for _, statement in self._statements.values()) <= _PAIRS_KEPT
        self.book.cache.statements = self._statements if few else {}

    def _halves(self) -> Iterator[tuple[str, Step]]:
        """Micro-batches whose reading and writing were reported by different runs under one parent."""
        for run_id, children in self.book.halves.items():
            flows, first, last = joined_halves(children.values())
            if not flows:
                continue
            statement = Statement()
            for s, t in flows:
                source, target = self.names.dataset(*s), self.names.dataset(*t)
                statement.pairs[pair_of(Kind.FEEDS, source, "", target, "", self.book)] = (("0", "1"), How.PARENT_RUN)
                statement.feeds.add((source, target))
            yield run_id, Step(first, max(first, last), statement, False, began=first, data=max(first, last))


def _edges(book: Book, origin: str, seen_steps: tuple[int, int], line: Timeline) -> Iterator[Derived]:
    default = How.INPUTS_OUTPUTS
    rows: list[_Stretch] = [
        (pair, r.variant, line.hows.get(pair, default), r.vf, FOREVER, r.seen, r.ct, r.unfinished)
        for pair, r in line.opened.items()
    ]
    rows += [(p.pair, p.variant, p.how, p.vf, p.vt, p.seen, p.ct, p.unfinished) for p in line.past]
    ids = {vf: (book.cache.ids.get((origin, vf), {}), EdgeIds(book.owner, origin, vf)) for vf in {r[3] for r in rows}}
    for pair, variant, how, vf, vt, seen, ct, unfinished in rows:
        step = seen_steps[1 if pair[0] in _BETWEEN_COLUMNS else 0]
        seen = min(seen, vt)
        known, ids_from = ids[vf]
        key = known.get(pair) or ids_from.of(pair)
        seen = max(vf, seen - seen % step)
        end = FOREVER if ct is None else ct
        yield Derived(key, pair, vf, vt, seen, variant, _HOWS[how], origin, None if end == vt else end, unfinished)


_Stretch = tuple[Pair, tuple[str, ...], str, int, int, int, int | None, bool]


class EdgeIds:
    """Ids of the edges of one owner and origin that are valid from one time: digests of texts that begin alike."""

    def __init__(self, owner: str, origin: str, vf: int) -> None:
        self._head = (owner, origin, str(vf))
        text = joined(self._head)
        self._begun = None
        if text.count("\x1f") == 2 and "\x1e" not in text:
            self._begun = blake2b(f"{text}\x1f".encode(errors="replace"), digest_size=16)

    def of(self, pair: Pair) -> str:
        text = "\x1f".join(pair)
        if self._begun is None or "\x1e" in text or text.count("\x1f") != len(pair) - 1:
            whole = joined((*self._head, *pair))
            return blake2b(whole.encode(errors="replace"), digest_size=16).hexdigest()
        state = self._begun.copy()
        state.update(text.encode(errors="replace"))
        return state.hexdigest()


def edge_id(owner: str, origin: str, pair: Pair, vf: int) -> str:
    return EdgeIds(owner, origin, vf).of(pair)
