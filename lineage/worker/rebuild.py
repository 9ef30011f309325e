"""Building the graph again from the log, while the old one serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import structlog

from catalog.errors import InvalidInput, Unavailable
from lineage.fold.writer import GraphWriter
from lineage.ingest.events import Event
from lineage.names import Resolve, as_written
from lineage.ports import EventLog, LineageGraph, Record
from lineage.producers.catalog import ProducerCatalog
from lineage.settings import LineageSettings
from lineage.worker.consume import keep, read_event
from lineage.worker.duplicate_messages import Repeats
from lineage.worker.gc_tuning import uncollected

log = structlog.get_logger(__name__)

_TURNS = 20


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did: messages folded, messages that are not events (they are in the dead-letter topic), and
    messages without a value."""

    folded: int
    skipped: int
    tombstones: int = 0


def rebuild(
    log: EventLog,
    graph: LineageGraph,
    resolve: Resolve = as_written,
    settings: LineageSettings | None = None,
    progress: Callable[[int], None] = lambda folded: None,
    producers: ProducerCatalog | None = None,
) -> Rebuilt:
    """Read the log from its beginning into a fresh graph, put it in the place of `graph`, remove the old one.

    Readers see the old graph until the switch. What the worker wrote to the old graph while this went on is read
    once more after the switch, so nothing falls between. Where it fails before the switch, the fresh graph is removed
    and the old one stays. Raises Unavailable.
    """
    fresh = graph.fresh()
    # What producers say of datasets is taken anew as well; records of the catalog stay until the end.
    anew = producers.rebuilding() if producers is not None else None
    run = _Run(log, fresh, resolve, settings or LineageSettings(), progress, anew)
    try:
        for _ in range(_TURNS):  # catch up with what arrives meanwhile, so that little is left after the switch
            if run.catch_up() == 0:
                break
    except BaseException:
        fresh.clear()
        raise
    graph.activate(fresh)
    run.catch_up()
    if anew is not None:
        anew.finish()
    return Rebuilt(run.folded, run.skipped, run.tombstones)


class _Run:
    def __init__(
        self,
        log: EventLog,
        graph: LineageGraph,
        resolve: Resolve,
        settings: LineageSettings,
        progress: Callable[[int], None],
        producers: ProducerCatalog | None = None,
    ) -> None:
        self._producers = producers
        self._log, self._settings, self._progress = log, settings, progress
        self._writer = GraphWriter(graph, resolve, settings)
        self._repeats = Repeats()
        self._next: dict[int, int] = {}
        self.folded = self.skipped = self.tombstones = 0

    @property
    def after(self) -> Mapping[int, int]:
        return self._next

    def catch_up(self) -> int:
        """Fold what is in the log and not yet folded. Gives the number of messages."""
        count = 0
        for records in self._log.read(self.after):
            with uncollected():
                self._write(self._events(records))
            count += len(records)
            self._progress(self.folded)
        return count

    def _events(self, records: list[Record]) -> list[tuple[Record, Event]]:
        events: list[tuple[Record, Event]] = []
        for record in records:
            self._next[record.partition] = record.offset + 1
            if record.value is None:
                self.tombstones += 1
                continue
            if self._repeats.known(record):
                self.folded += 1
                continue
            try:
                events.append((record, read_event(record, self._settings)))
            except InvalidInput:
                self.skipped += 1
        return events

    def _write(self, events: list[tuple[Record, Event]]) -> None:
        if not events:
            return
        try:
            gathered = self._writer.gather(event for _, event in events)
            self._writer.write_gathered(gathered)
            if self._producers is not None:
                keep(self._producers, [event for _, event in events], gathered)
            self._repeats.folded(events)
            self.folded += len(events)
        except Unavailable:
            raise
        except Exception as error:  # as the worker, which buries it
            if len(events) == 1:
                log.error("lineage event left out", error=type(error).__name__)
                self.skipped += 1
                return
            middle = len(events) // 2
            self._write(events[:middle])
            self._write(events[middle:])
