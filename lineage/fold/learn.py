"""Adding events to books. Every rule here is a union, a smallest or a largest, so that order does not matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lineage.fold.event_reading import Gathered, Reading
from lineage.fold.facts import lifecycle
from lineage.fold.job_ledger import Book, newest
from lineage.fold.micro_batches import Named, Report, add_report, minute
from lineage.fold.producer_info import CLOCK_AHEAD, clock_ahead, job_said
from lineage.fold.runs import TERMINAL, Run, add_turn, all_turns, changes
from lineage.ingest.events import DatasetEvent, DatasetRef, Event, JobEvent, Name, RunEvent
from lineage.model import FOREVER
from lineage.settings import LineageSettings

ABOUT_KEPT = 200
"""Different sayings about datasets noted per book; beyond it the oldest are written again when they are repeated."""


def new_books(gathered: Gathered, owners: Iterable[str]) -> dict[str, Book]:
    return {owner: Book(owner, *gathered.owners[owner]) for owner in owners}


@dataclass(slots=True)
class Learned:
    """Owners whose books changed.

    flows    perhaps in what they state of flows or of datasets: their edges are derived again
    reports  only in their runs' states and last reports: their edges are what they were
    """

    flows: set[str] = field(default_factory=set)
    reports: set[str] = field(default_factory=set)

    @property
    def all(self) -> set[str]:
        return self.flows | self.reports


def learn(books: Mapping[str, Book], gathered: Gathered, settings: LineageSettings) -> Learned:
    """Add the events to their books."""
    outcome = Learned()
    steps = (settings.seen_resolution_seconds * 1000, settings.column_seen_resolution_seconds * 1000)
    for owner, events in gathered.events.items():
        book = books[owner]
        for event, reading in events:
            if isinstance(event, RunEvent):
                before = _shape(book, event.run_id, steps)
                if _learn_run(book, event, reading, settings.phases_kept):
                    heard = before is not None and before == _shape(book, event.run_id, steps)
                    (outcome.reports if heard else outcome.flows).add(owner)
            elif _learn_said(book, event, reading, settings.phases_kept):
                outcome.flows.add(owner)
            if _learn_about(book, event, reading):
                outcome.flows.add(owner)
    for owner, halves in gathered.halves.items():
        for event, reading in halves:
            if _learn_half(books[owner], event, reading, settings.runs_kept):
                outcome.flows.add(owner)
    outcome.reports -= outcome.flows
    return outcome


def _shape(book: Book, run_id: str, steps: tuple[int, int]) -> tuple[Any, ...] | None:
    """All of a run that its edges depend on; None for a run, or a book, that is new."""
    run = book.runs.get(run_id)
    if run is None or book.version == 0:
        return None
    heard = (*(run.heard // step for step in steps), run.data_from(), run.types.get("COMPLETE"))
    integration = book.info.get("integration", (0, None))[1]
    return run.first, heard, run.complete, run.processing, run.snapshot, run.parent, _said(run), integration


def _said(run: Run) -> tuple[Any, ...]:
    return tuple(changes(all_turns(run.phases, run.turns)) if run.snapshot else run.phases.values())


def _learn_said(book: Book, event: JobEvent | DatasetEvent, reading: Reading, phases_kept: int) -> bool:
    changed = _learn_info(book, event, event.time) if isinstance(event, JobEvent) else False
    if event.claimed is not None and newest(book.info, CLOCK_AHEAD, event.time, clock_ahead(event.claimed, event.time)):
        book.info[CLOCK_AHEAD], changed = (event.time, clock_ahead(event.claimed, event.time)), True
    if reading.facts:
        book.note(reading.digest, reading.facts, reading.named)
        if event.time < book.declared.get(reading.digest, event.time + 1):
            book.declared[reading.digest], changed = event.time, True
        changed |= add_turn(book.declared_turns, event.time, reading.digest, phases_kept)
    elif book.version == 0 and not book.runs:
        changed = True  # a job that is only named is on the map all the same
    return changed


def _learn_run(book: Book, event: RunEvent, reading: Reading, phases_kept: int) -> bool:
    # Repeats of RUNNING within a minute add nothing.
    time = minute(event.time) if event.type in ("RUNNING", None) else event.time
    changed = _learn_info(book, event, time)
    run = book.runs.get(event.run_id)
    if run is None:
        run = book.runs[event.run_id] = Run(event.run_id, event.time, time)
        changed = True
    if event.time < run.first:
        run.first, changed = event.time, True
    if time > run.last:
        run.last, changed = time, True
    if event.claimed is not None and (run.claimed is None or (event.claimed, event.time) > run.claimed):
        run.claimed, changed = (event.claimed, event.time), True
    kind = event.type or "OTHER"
    if event.time < run.firsts.get(kind, event.time + 1):
        run.firsts[kind], changed = event.time, True
    if run.types.get(kind, time - 1) < time:
        run.types[kind], changed = time, True
    processing, snapshot = reading.processing, reading.snapshot
    if processing is not None and _less_promised(processing, run.processing):
        run.processing, changed = processing, True
    if snapshot and not run.snapshot:
        run.snapshot = changed = True
    parent = event.parent.run_id if event.parent else None
    if parent is not None and (run.parent is None or parent < run.parent):
        run.parent, changed = parent, True
    if reading.facts:
        book.note(reading.digest, reading.facts, reading.named)
        if event.time < run.phases.get(reading.digest, event.time + 1):
            run.phases[reading.digest], changed = event.time, True
        if snapshot:
            changed |= add_turn(run.turns, event.time, reading.digest, phases_kept)
    return changed


def _less_promised(new: str, current: str | None) -> bool:
    """Of two kinds of processing reported for one run, streaming wins: its end promises less."""
    rank = {"STREAMING": 3, "SERVICE": 2, "BATCH": 1}
    return current is None or (rank.get(new, 0), new) > (rank.get(current, 0), current)


def _learn_info(book: Book, event: RunEvent | JobEvent, time: int) -> bool:
    changed = False
    for key, value in job_said(event):
        if newest(book.info, key, time, value):
            book.info[key], changed = (time, value), True
    return changed


def _learn_about(book: Book, event: Event, reading: Reading) -> bool:
    """Whether this event states something about its datasets that the book has not noted for this minute."""
    if reading.about is None:
        return False
    # A drop, or a clearing, has its own moment, however close it is to another.
    moment = reading.drops or (reading.clears and reading.happened(event))
    key = f"{reading.about}{event.time}" if moment else reading.about
    if book.about.get(key, -FOREVER) >= minute(event.time):
        return False
    book.about[key] = minute(event.time)
    if len(book.about) > ABOUT_KEPT:
        del book.about[min(book.about, key=lambda entry: (book.about[entry], entry))]
    return True


def _learn_half(book: Book, event: RunEvent, reading: Reading, runs_kept: int) -> bool:
    parent = event.parent.run_id if event.parent else None
    if parent is None:
        return False
    report = Report(
        run=event.run_id,
        time=event.time,
        minute=minute(event.time),
        ends=event.type in TERMINAL,
        streaming=reading.processing == "STREAMING",
        reads=_side(event.inputs),
        writes=_side(event.outputs),
    )
    return add_report(book.halves, parent, _child_key(event.job.id), report, runs_kept)


def _child_key(job: Name) -> str:
    """Different for different jobs, slashes in names or not."""
    if "/" in job.name or job.namespace.startswith("("):
        return repr((job.namespace, job.name))
    return f"{job.namespace}/{job.name}"


def _side(refs: Iterable[DatasetRef]) -> frozenset[Named]:
    """The datasets of one side of an event, without those that it removes."""
    return frozenset(
        (ref.id.namespace, ref.id.name) for ref in refs if lifecycle(ref.facets) not in ("DROP", "TRUNCATE")
    )
