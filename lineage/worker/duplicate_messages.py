"""Messages that repeat the last report, recognized by their bytes before anything is read.

Streaming jobs report RUNNING every few seconds, each report like the last but for `eventTime`. Times of such reports
are kept to the minute (`SEEN_STEP`), so one that falls between two that were folded changes nothing.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable
from hashlib import blake2b

from lineage.fold.event_reading import processing_of
from lineage.fold.facts import drops_of
from lineage.fold.micro_batches import SEEN_STEP
from lineage.ingest.events import Event, RunEvent
from lineage.ingest.parse import parse_time
from lineage.ports import Record

_KEPT = 20_000
"""Different messages remembered; each takes some 200 bytes."""

# Inside a JSON text the quotation marks would be escaped, so this is a key; which of several is the event's own is
# not told apart, and such a message is simply read.
_TIME = re.compile(rb'"eventTime":\s*"([^"\\]*)"')


class Repeats:
    """The newest messages that were folded. One thread notes them, while another may ask."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._folded: OrderedDict[bytes, tuple[int, int]] = OrderedDict()

    def known(self, record: Record) -> bool:
        """Whether folding this message would change nothing."""
        mark_and_time = _without_time(record)
        span = self._folded.get(mark_and_time[0]) if mark_and_time else None
        return span is not None and mark_and_time is not None and span[0] <= mark_and_time[1] < span[1]

    def folded(self, messages: Iterable[tuple[Record, Event]]) -> None:
        """These are in the graph."""
        for record, event in messages:
            # A drop counts by its moment, and so does what may be taken back; the moments of START and of an end are
            # kept as they are.
            if not isinstance(event, RunEvent) or event.type not in ("RUNNING", None):
                continue
            if event.claimed is not None:  # its own time is not the time it counts from
                continue
            if not processing_of(event)[1] and not any(drops_of(event)):
                self._note(record)

    def _note(self, record: Record) -> None:
        mark_and_time = _without_time(record)
        if mark_and_time is None:
            return
        mark, time = mark_and_time
        first, end = self._folded.get(mark, (time, time))
        # In one step: were the old one taken out before, a message that the other thread reads then would be unknown.
        self._folded[mark] = (min(first, time), max(end, time - time % SEEN_STEP + SEEN_STEP))
        self._folded.move_to_end(mark)
        if len(self._folded) > self._kept:
            self._folded.popitem(last=False)


def _without_time(record: Record) -> tuple[bytes, int] | None:
    """A digest of the message but for its time, and that time."""
    if record.value is None:
        return None
    parts = _TIME.split(record.value, maxsplit=2)
    time = parse_time(parts[1].decode(errors="replace")) if len(parts) == 3 else None
    if time is None:
        return None
    state = blake2b(parts[0], digest_size=16)
    state.update(b"\0")
    state.update(parts[2])
    state.update(repr(record.headers).encode())
    return state.digest(), time
