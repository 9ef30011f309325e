"""Which records are read of a topic whose row filter hides some from the asker. See docs/decisions/0065-probing.md.

Positions count hidden records, so what is read must not be chosen by them: OFFSETS cannot be asked for; a time means
the records stamped so, whatever is between them; and where the limit cuts a window, it begins and ends at places
that are drawn at random, the same ones for every query, so that one more hidden record moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from catalog.errors import SqlRefused
from policies.masks.keys import MaskKeys
from policies.plan.model import Range, Window
from policies.plan.ports import Offsets
from policies.sql.tables import TableRef
from policies.sql.windows import AsOf

_EVERYTHING = 1 << 62
_SHARE = 20
"""The places are, in the middle, this part of a limit apart."""
_PURPOSE = "weir-window-places"


@dataclass(frozen=True, slots=True)
class HiddenRows:
    """Looks windows up beside row filters. `keys` draw the places."""

    offsets: Offsets
    keys: MaskKeys

    def window(self, kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
        """The offsets to read; records of other times among them are left out by `times`. Raises as `Offsets`."""
        if as_of.since is not None or as_of.until is not None:
            # Records may be stamped out of order: the first record of the end's time may be a hidden one that came
            # early, and behind it more of those that were asked for.
            whole = self.offsets.window(kafka, topic, AsOf(since=as_of.since), _EVERYTHING)
            if whole.records <= limit:
                return replace(whole, until=as_of.until.isoformat() if as_of.until else None)
        window = self.offsets.window(kafka, topic, as_of, limit)
        if window.complete:
            return window
        whole = self.offsets.window(kafka, topic, replace(as_of, earliest=False), _EVERYTHING)
        bounds = {each.partition: each for each in whole.ranges}
        step = max(1, limit // _SHARE // max(1, len(window.ranges)))
        ranges = tuple(self._placed(topic, each, bounds.get(each.partition, each), step) for each in window.ranges)
        return replace(window, ranges=ranges)

    def _placed(self, topic: str, cut: Range, whole: Range, step: int) -> Range:
        """The range with the ends that the limit cut at the next place outside."""
        start, end = cut.start, cut.end
        if start > whole.start:
            start = max(whole.start, max(p for p in self._places(topic, cut.partition, start, step) if p <= start))
        if end < whole.end:
            end = min(whole.end, min(p for p in self._places(topic, cut.partition, end, step) if p >= end))
        return Range(cut.partition, start, end)

    def _places(self, topic: str, partition: int, offset: int, step: int) -> Iterable[int]:
        """Places around an offset: one in each stretch of `step` offsets, anywhere in it."""
        block = offset // step
        for n in range(block - 1, block + 2):
            drawn = int(self.keys.hexdigest(_PURPOSE, f"{topic}:{partition}:{step}:{n}".encode())[:12], 16)
            yield n * step + drawn % step


def times(as_of: AsOf) -> str | None:
    """SQL over a stored record that is true of those stamped as asked; None where every time is asked for."""
    parts = []
    if as_of.since is not None:
        parts.append(f"weir_timestamp >= {_literal(as_of.since)}")
    if as_of.until is not None:
        parts.append(f"weir_timestamp < {_literal(as_of.until)}")
    return f"coalesce({' AND '.join(parts)}, FALSE)" if parts else None


def _literal(moment: datetime) -> str:
    """As Kafka has times, in milliseconds."""
    return f"TIMESTAMP '{moment.astimezone(UTC).replace(tzinfo=None).isoformat(' ', 'milliseconds')}'"


def no_positions(ref: TableRef, place: tuple[int, int]) -> SqlRefused:
    """The refusal of OFFSETS beside a row filter."""
    line, column = place
    return SqlRefused(
        f"You see some rows of {ref.name} only, so it cannot be read by OFFSETS, which would count the others; name"
        f" times, as in AS OF '2026-11-20' TO '2026-11-21'. (line {line}, column {column})",
        details={"line": line, "column": column, "reasons": ["positions"]},
    )
