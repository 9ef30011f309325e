"""Events -> books -> the changes of the graph. Pure and order-free: what is written depends on the set of events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from catalog.model import DatasetId
from lineage.fold.derive import OBSERVED, Derived, Sayings, base_of, derive, edge_id, edges_of, flags_of, past_of
from lineage.fold.event_reading import gather
from lineage.fold.job_ledger import Book
from lineage.fold.learn import learn, new_books
from lineage.fold.mentions import about, add_named, learned
from lineage.fold.producer_info import job_info
from lineage.fold.runs import all_turns, newest_changes
from lineage.fold.timeline import Timeline
from lineage.graph_delta import Context, GraphDelta, StoredBook
from lineage.ingest.events import Event
from lineage.model import Edge, Kind
from lineage.names import Names, Resolve, as_written
from lineage.settings import LineageSettings

Drops = Mapping[DatasetId, Sequence[int]]

DROPS_KEPT = 32
"""Times of drops remembered per dataset."""

CLEARS_KEPT = 64
"""Times at which a dataset was emptied or overwritten, remembered per dataset."""

PAST_KEPT = 1000
"""Of what forgotten runs left in their targets, so much is looked after per book; older stays in the graph as it is."""


def fold(events: Iterable[Event], resolve: Resolve = as_written, settings: LineageSettings | None = None) -> GraphDelta:
    """The graph of these events alone, as changes to an empty one."""
    settings = settings or LineageSettings()
    gathered = gather(events)
    books = new_books(gathered, gathered.owners)
    changed = learn(books, gathered, settings).all
    mentions = about(gathered, changed)
    links, drops, clears = learned(mentions, resolve)
    names = Names(resolve, links)
    context = Context(
        drops={dataset: tuple(sorted(times)) for dataset, times in drops.items()},
        clears={dataset: tuple(sorted(times))[-CLEARS_KEPT:] for dataset, times in clears.items()},
    )
    delta = GraphDelta(links=links, drops=dict(context.drops), clears=dict(context.clears))
    for part in change(books, changed, names, context, settings).values():
        delta.absorb(part)
    add_named(delta, mentions, names, {})
    return delta


def change(
    books: Mapping[str, Book], owners: Iterable[str], names: Names, context: Context, settings: LineageSettings
) -> dict[str, GraphDelta]:
    """Owner -> what the graph must become for its book.

    The books are marked as written so, and forget their oldest runs.
    """
    steps = (settings.seen_resolution_seconds * 1000, settings.column_seen_resolution_seconds * 1000)
    drops, clears = _by_name(context.drops, names), _by_name(context.clears, names)
    deltas: dict[str, GraphDelta] = {}
    for owner in sorted(owners):
        book, delta = books[owner], GraphDelta()
        _shorten_phases(book, settings.phases_kept)
        _compare(delta, book, derive(book, names, drops, steps, clears))
        _forget_runs(book, names, drops, clears, settings.runs_kept)
        book.sweep()
        deltas[owner] = delta
        _add_book(delta, book)
    return deltas


def _by_name(times: Drops, names: Names) -> dict[DatasetId, list[int]]:
    moments: dict[DatasetId, list[int]] = defaultdict(list)
    for dataset, each in times.items():
        moments[names.dataset(dataset.namespace, dataset.name)].extend(each)
    return moments


def noted(book: Book) -> GraphDelta:
    """The change of the graph for a book of which only runs changed: its edges stay as they are."""
    delta = GraphDelta()
    _add_book(delta, book)
    return delta


def _add_book(delta: GraphDelta, book: Book) -> None:
    if book.is_job:
        delta.jobs[book.owner] = (book.namespace, book.name)
        delta.job_info[book.owner] = job_info(book)
    delta.books.append(StoredBook(book.owner, book.version, book.dump()))


def _compare(delta: GraphDelta, book: Book, rows: Iterable[Derived]) -> None:
    emitted: dict[str, list[Any]] = {}
    alike: dict[tuple[Any, ...], list[Any]] = {}  # most rows of a book are: one list for them all
    new: list[Derived] = []
    changed: list[Derived] = []
    before_now = book.emitted
    for derived in rows:
        key, pair, _, vt, seen, variant, how, _, ct, unfinished = derived
        parts = (pair[0], vt, seen, variant, how, ct, unfinished)
        row = alike.get(parts)
        if row is None:
            raw, columns = flags_of(pair[0], variant)
            row = alike[parts] = [pair[0], vt, seen, f"{raw:d}{columns:d}{how}"]
            if ct is not None or unfinished:
                row += [ct, unfinished]
        emitted[key] = row
        before = before_now.get(key)
        if before is None:
            new.append(derived)
        elif before != row:
            changed.append(derived)
    new_edges = edges_of(book.owner, new)
    delta.upserts += new_edges
    delta.updates += edges_of(book.owner, changed)
    add_nodes(delta, new_edges)
    delta.removed += [(Kind(row[0]), key, book.owner) for key, row in before_now.items() if key not in emitted]
    book.emit(emitted)


def add_nodes(delta: GraphDelta, edges: Iterable[Edge]) -> None:
    """The nodes at these edges' ends."""
    ends: dict[str, tuple[str, ...]] = {}
    for edge in edges:
        ends[edge.source], ends[edge.target] = edge.ends[:3], edge.ends[3:]
    datasets: dict[tuple[str, str], DatasetId] = {}
    for node_id, (namespace, name, column) in ends.items():
        if node_id.startswith("job:"):
            delta.jobs[node_id] = (namespace, name)
            continue
        dataset = datasets.get((namespace, name))
        if dataset is None:
            dataset = datasets[namespace, name] = DatasetId(namespace, name)
        if column:
            delta.columns[node_id] = (dataset, column)
        else:
            delta.datasets[node_id] = dataset


def _shorten_phases(book: Book, limit: int) -> None:
    """Unite the newest reports of a run that has too many kinds of them; nothing is dated earlier than it was reported.

    Of a run that reports everything each time, the first and the newest are kept.
    """
    for run in book.runs.values():
        if run.snapshot:  # each report is complete: united they would state what no report states
            turns = newest_changes(all_turns(run.phases, run.turns), limit)
            run.turns, run.phases = turns, {key: time for time, key in reversed(turns)}
            continue
        while len(run.phases) > limit:
            (time, key), (_, other) = sorted(((time, key) for key, time in run.phases.items()), reverse=True)[:2]
            facts = book.facts[key] | book.facts[other]
            del run.phases[key], run.phases[other]
            united = book.digest(facts)
            run.phases[united] = min(time, run.phases.get(united, time))


def _forget_runs(book: Book, names: Names, drops: Drops, clears: Drops, limit: int) -> None:
    """Remove the oldest runs: what they left open, or in their targets, is remembered; what ended stays in the graph."""
    while len(book.runs) > limit:
        oldest = min(book.runs.values(), key=lambda run: (run.first, run.id))
        steps = list(Sayings(book, names).of_run(oldest))
        pairs = {pair for step in steps for pair in step.statement.pairs}
        until = max((step.time for step in steps), default=oldest.first)
        line = Timeline(base_of(book, names), past_of(book, names))
        line.walk(
            steps,
            *({name: [t for t in times if t <= until] for name, times in each.items()} for each in (drops, clears)),
        )
        book.base = line.opened
        for pair in book.base.keys() & pairs:
            book.base[pair].parent = oldest.parent
        still = sorted((row for row in line.past if row.ct is None), key=lambda row: (row.vt, row.pair))
        book.past = still[-PAST_KEPT:]
        for row in (*still[:-PAST_KEPT], *(row for row in line.past if row.ct is not None)):
            book.forget(edge_id(book.owner, OBSERVED, row.pair, row.vf))
        del book.runs[oldest.id]
