"""What is counted of a view's stream: records and rows in and out, batches and how long they took. Times in seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from views.model import Progress

_MINUTE = 60.0
SAMPLE_S, REST_SAMPLE_S = 10.0, 60.0
"""Between two samples; of a view at rest each is a write that nobody waits for."""
SAMPLES = 90
"""A quarter of an hour, and as much more as the view was at rest in it."""


class Lag(TypedDict, total=False):
    """How many records the sources have that the rows do not contain, and for how many seconds that has been so, at a moment."""

    records: int | None
    seconds: float | None
    at: str | None


class Sample(TypedDict):
    """Figures at a moment."""

    at: str | None
    records: int | None
    seconds: float | None
    recordsInPerSecond: float | None
    rowsOutPerSecond: float | None
    batchSeconds: float | None


@dataclass(slots=True)
class Figures:
    """Counts since the stream began in this process; rates over the last minute. `now`: of one monotonic clock."""

    begun: float
    read: int = 0
    rows: int = 0
    gone: int = 0
    batches: int = 0
    late: int = 0
    unfit: int = 0
    missed: int = 0
    _last: int = -1
    _recent: deque[tuple[float, int, float]] = field(default_factory=deque)
    _written: deque[tuple[float, int]] = field(default_factory=deque)

    def batch(self, status: Progress, now: float) -> None:
        """Count every batch that was reported since the call before."""
        for each in (*status.before, status):
            if each.batch <= self._last:
                continue
            self._last, self.batches = each.batch, self.batches + 1
            self.read, self.late, self.unfit = (
                self.read + each.rows_in,
                self.late + each.late_rows,
                self.unfit + each.unfit_values,
            )
            self._recent.append((now, each.rows_in, each.seconds))
        self.missed += status.missed

    def written(self, rows: int, gone: int, now: float) -> None:
        """Count what went into the serving table."""
        self.rows, self.gone = self.rows + rows, self.gone + gone
        self._written.append((now, rows + gone))

    def counts(self, status: Progress, unread: int) -> dict[str, int]:
        return {
            "recordsIn": self.read,
            "rowsWritten": self.rows,
            "rowsDeleted": self.gone,
            "batches": self.batches,
            "batchesMissed": self.missed,
            "lateRecords": self.late,
            "unfitValues": self.unfit,
            "unreadable": unread,
            "stateRows": status.state_rows,
            "stateBytes": status.state_bytes,
        }

    def rates(self, status: Progress, now: float) -> dict[str, float]:
        """Of the last batch: its seconds, and records a second of them; of the last minute: records in and rows out a
        second, and the mean and longest batch."""
        for each in (self._recent, self._written):
            while each and each[0][0] < now - _MINUTE:
                each.popleft()
        span = max(1.0, min(_MINUTE, now - self.begun))
        seconds = [each[2] for each in self._recent]
        return {
            "batchSeconds": status.seconds,
            "recordsPerSecond": round(status.rows_in / status.seconds, 1) if status.seconds else 0.0,
            "recordsInPerSecond": round(sum(each[1] for each in self._recent) / span, 1),
            "rowsOutPerSecond": round(sum(each[1] for each in self._written) / span, 1),
            "batchSecondsMean": round(sum(seconds) / len(seconds), 3) if seconds else 0.0,
            "batchSecondsMost": max(seconds, default=0.0),
        }


def sampled(history: list[Sample], at: str, lag: Lag, rates: Mapping[str, float]) -> list[Sample]:
    """History with one sample more, and without the oldest where there are too many."""
    sample: Sample = {
        "at": at,
        "records": lag.get("records"),
        "seconds": lag.get("seconds"),
        "recordsInPerSecond": rates.get("recordsInPerSecond"),
        "rowsOutPerSecond": rates.get("rowsOutPerSecond"),
        "batchSeconds": rates.get("batchSecondsMean"),
    }
    if len(history) > 1 and _alike(history[-2], history[-1]) and _alike(history[-1], sample):
        return [*history[:-1], sample]  # a level line has two ends
    return [*history[-(SAMPLES - 1) :], sample]


def _alike(sample: Sample, other: Sample) -> bool:
    return {**sample, "at": None} == {**other, "at": None}
