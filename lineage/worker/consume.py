"""The worker that folds the log into the graph: at least once, never skipping, never losing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import structlog
from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_exponential

from catalog.errors import InvalidInput, Unavailable
from catalog.spans import span
from lineage.fold.event_reading import Gathered, gather
from lineage.fold.writer import GraphWriter
from lineage.ingest.codec import decode, encode
from lineage.ingest.events import Event, bounded
from lineage.ingest.parse import parse
from lineage.ingest.redact import redact
from lineage.ingest.service import REDACTED_ALREADY
from lineage.names import Resolve, as_written
from lineage.ports import EventLog, EventSource, LineageGraph, Record, WriteRefused
from lineage.producers.catalog import ProducerCatalog
from lineage.settings import LineageSettings
from lineage.worker.duplicate_messages import Repeats
from lineage.worker.gc_tuning import looked_through, quick_turns, set_aside, uncollected

log = structlog.get_logger(__name__)

_LEAST_EVENTS = 40
"""Events of a batch while none are behind; with that many, 100 events/s of 14 KB were visible within a second."""
_TIDY_SECONDS = 10.0
_TIDY_AGAIN_SECONDS = 600.0
_COLLECT_SECONDS = 60.0
_COLLECT_SHARE = 0.02
"""Of the time, at most, that all is looked through for cycles: other duties of the process leave some, too."""


class WorkerStopped(Exception):
    """The worker was asked to stop while it was waiting for a server."""


@dataclass(slots=True)
class WorkerState:
    """What the worker did so far, for health and metrics."""

    folded: int = 0
    dead: int = 0
    tombstones: int = 0
    """Messages without a value, which delete a key in topics that are compacted; this one keeps everything."""
    batches: int = 0
    waiting_for: str | None = None
    """The server that does not answer just now."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """Messages, and what was read in them: events, and why others are none."""

    records: Sequence[Record]
    events: Sequence[tuple[Record, Event]]
    refused: Sequence[tuple[Record, str]]
    gathered: Gathered | None
    repeated: int = 0
    tombstones: int = 0


class LineageWorker:
    """Consumes the log in batches: graph first, then the offsets.

    While one batch is folded, the next is fetched and read; it is folded, and its offsets are committed, after.
    """

    def __init__(
        self,
        source: EventSource,
        graph: LineageGraph,
        dead_letters: EventLog,
        settings: LineageSettings | None = None,
        resolve: Resolve = as_written,
        producers: ProducerCatalog | None = None,
    ) -> None:
        self._producers = producers
        self._source, self._graph, self._dead_letters = source, graph, dead_letters
        self._settings = settings or LineageSettings()
        self._writer = GraphWriter(graph, resolve, self._settings)
        self._repeats = Repeats()
        self._next: _Batch | None = None
        self._least = self._wanted = min(_LEAST_EVENTS, self._settings.batch_events)
        self._tidy_at = 0.0
        self._collect_at, self._collected = time.monotonic() + _COLLECT_SECONDS, 0
        self.state = WorkerState()

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set, waiting for servers that do not answer. Then leave the group."""
        try:
            self._patiently(stop, self._graph.prepare)
            while not stop.is_set():
                self._patiently(stop, lambda: self.step(stop))
                self._patiently(stop, self.tidy)
        except WorkerStopped:
            pass
        finally:
            self._source.close()

    def step(self, stop: threading.Event | None = None, timeout: float = 0.5) -> int:
        """One batch: poll, fold, write, commit. Gives the number of messages. Raises Unavailable."""
        batch, self._next = self._next or self._read(timeout), None
        if batch is None:
            return 0
        stop = stop or threading.Event()
        with quick_turns(), ThreadPoolExecutor(1, "lineage-fold") as pool:
            folding = pool.submit(self._fold_batch, batch, stop)
            self._read_ahead()
            folding.result()
        self._patiently(stop, self._source.commit, batch.records)
        self.state.folded += batch.repeated
        self._skip(batch)
        self.state.batches += 1
        return len(batch.records)

    def _read(self, timeout: float) -> _Batch | None:
        wanted = self._wanted
        records = self._source.poll(wanted, self._settings.batch_bytes, timeout)
        # Large batches are cheaper for each event and make each wait longer, so they are for what is behind.
        self._wanted = min(self._settings.batch_events, 2 * wanted) if len(records) == wanted else self._least
        if not records:
            return None
        events: list[tuple[Record, Event]] = []
        refused: list[tuple[Record, str]] = []
        repeated = tombstones = 0
        for record in records:
            if record.value is None:
                tombstones += 1
                continue
            if self._repeats.known(record):
                repeated += 1
                continue
            try:
                events.append((record, read_event(record, self._settings)))
            except InvalidInput as error:
                refused.append((record, error.message))
        return _Batch(
            records=records,
            events=events,
            refused=refused,
            gathered=self._gathered(events),
            repeated=repeated,
            tombstones=tombstones,
        )

    def _gathered(self, events: Sequence[tuple[Record, Event]]) -> Gathered | None:
        try:
            return self._writer.gather(event for _, event in events)
        except Exception:  # the fold tries again, and finds the event that is to blame
            return None

    def _read_ahead(self) -> None:
        try:
            self._next = self._read(0.0)
        except Unavailable:  # the next step asks again, and waits
            self._next = None

    def _fold_batch(self, batch: _Batch, stop: threading.Event) -> None:
        with span("lineage fold", events=len(batch.events), refused=len(batch.refused)):
            for record, reason in batch.refused:
                self._patiently(stop, self._bury, record, reason)
            self._patiently(stop, self._fold, batch.events, batch.gathered)
            if self._producers is not None and batch.events:
                self._patiently(stop, keep, self._producers, [event for _, event in batch.events], batch.gathered)

    def _skip(self, batch: _Batch) -> None:
        if batch.tombstones:
            self.state.tombstones += batch.tombstones
            log.info("lineage messages without a value skipped", now=batch.tombstones, so_far=self.state.tombstones)

    def tidy(self) -> int:
        """Now and then: datasets of a cluster that was declared meanwhile get its name. Gives their number."""
        if time.monotonic() >= self._collect_at and set_aside() != self._collected:
            self._collected = set_aside()
            self._collect_at = time.monotonic() + max(_COLLECT_SECONDS, looked_through() / _COLLECT_SHARE)
        if time.monotonic() < self._tidy_at:
            return 0
        try:
            moved = self._writer.realign()
        except Unavailable:
            raise
        except Exception as error:  # events go before: the names can be mended by a rebuild
            log.error("lineage datasets could not be renamed", error=type(error).__name__)
            self._tidy_at = time.monotonic() + _TIDY_AGAIN_SECONDS
            return 0
        # A part was done, so the next follows at once; else it can wait.
        self._tidy_at = time.monotonic() + (0.0 if moved else _TIDY_SECONDS)
        if moved:
            log.info("lineage datasets renamed", datasets=moved)
        return moved

    def lag(self) -> int:
        """Events accepted and not yet in the graph. Raises Unavailable."""
        return self._source.lag()

    def _fold(self, events: Sequence[tuple[Record, Event]], gathered: Gathered | None = None) -> None:
        """Write a batch; where the graph refuses it for good, find the event that is to blame and bury it alone."""
        if not events:
            return
        try:
            with uncollected():
                # Not by the writer's own reader, which is at work on the next batch in another thread.
                self._writer.write_gathered(gathered or gather(event for _, event in events))
            self._repeats.folded(events)
            self.state.folded += len(events)
        except (Unavailable, WorkerStopped):
            raise
        except Exception as error:
            if len(events) == 1:
                reason = "the graph cannot hold it" if isinstance(error, WriteRefused) else "it could not be folded"
                log.error("lineage event refused", reason=reason, error=type(error).__name__)
                self._bury(events[0][0], f"{reason} ({type(error).__name__})")
                return
            middle = len(events) // 2
            self._fold(events[:middle])
            self._fold(events[middle:])

    def _bury(self, record: Record, reason: str) -> None:
        headers = [
            *((name, value) for name, value in record.headers if not name.startswith("weir.")),
            ("weir.error", reason.encode(errors="replace")),
            ("weir.partition", str(record.partition).encode()),
            ("weir.offset", str(record.offset).encode()),
        ]
        key = (record.key or b"").decode(errors="replace")
        self._dead_letters.append(key, _without_secrets(record.value), headers)
        self.state.dead += 1
        log.warning("lineage message is not an event", reason=reason, partition=record.partition, offset=record.offset)

    def _patiently(self, stop: threading.Event, work: Callable[..., object], *arguments: object) -> None:
        """Do it, again and again while a server does not answer, until `stop`."""

        def pause(seconds: float) -> None:
            if stop.wait(seconds):
                raise WorkerStopped

        def note(attempt: RetryCallState) -> None:
            error = attempt.outcome.exception() if attempt.outcome else None
            if isinstance(error, Unavailable):
                if self.state.waiting_for is None:
                    log.warning("lineage worker waits", reason=error.message)
                self.state.waiting_for = str(error.details.get("server", "a server"))

        for attempt in Retrying(
            retry=retry_if_exception_type(Unavailable),
            wait=wait_exponential(multiplier=0.2, max=5.0),
            sleep=pause,
            before_sleep=note,
            reraise=True,
        ):
            with attempt:
                work(*arguments)
        if self.state.waiting_for is not None:
            self.state.waiting_for = None
            log.info("lineage worker continues")


def keep(producers: ProducerCatalog, events: Sequence[Event], gathered: Gathered | None) -> None:
    """Send what these events state of datasets, jobs and runs to the catalog. One that cannot be read is left out, and logged.

    Raises Unavailable.
    """
    pairs = [pair for group in (gathered or gather(events)).events.values() for pair in group]
    try:
        producers.take(pairs)
    except Unavailable:
        raise
    except Exception as error:
        if len(events) == 1:
            log.error("what an event states of its datasets is left out of the catalog", error=type(error).__name__)
            return
        for event in events:
            keep(producers, [event], None)


def read_event(record: Record, settings: LineageSettings | None = None) -> Event:
    """The event in a message, dated no later than it arrived. Raises InvalidInput.

    One that a client wrote to the topic itself has not passed `Ingest`, and is redacted here.
    """
    try:
        raw = decode(record.value)
        passed = all(header in record.headers for header in REDACTED_ALREADY)
        event = parse(raw if passed else redact(raw))
        allowance = (settings or LineageSettings()).clock_allowance_seconds
        return bounded(event, record.arrived, int(allowance * 1000))
    except RecursionError:
        raise InvalidInput("The event is nested too deeply to be read.") from None


def _without_secrets(value: bytes | None) -> bytes:
    if value is None:
        return b""
    try:
        return encode(redact(decode(value)))
    except (InvalidInput, RecursionError):
        return str(redact(value.decode(errors="replace"))).encode(errors="replace")
