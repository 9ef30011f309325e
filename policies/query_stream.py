"""Push queries: the same governed view over each batch of new records, decided again before each batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from catalog.errors import WeirError
from policies import explain
from policies.model import Subject
from policies.plan import Range, Result, Window
from policies.query_ports import Offsets
from policies.query_prepare import Prepared, Preparer
from policies.query_settings import QuerySettings
from policies.sql.windows import NEWEST

_EVERYTHING = 1 << 62
_LOOK_SECONDS = 0.2
_IDLE_SECONDS = 1.0


@dataclass(slots=True)
class Stream:
    """One push query of one subject."""

    subject: Subject
    purpose: str | None
    preparer: Preparer
    offsets: Offsets
    run: Callable[[Prepared, int], Result]
    header: Callable[[Prepared, Result], list[dict[str, Any]]]
    settings: QuerySettings

    def follow(self, prepared: Prepared) -> Iterator[dict[str, Any]]:
        """Events until access ends, the engine fails, or the caller closes the iterator."""
        try:
            yield from self._follow(prepared)
        except WeirError as error:
            reasons = error.details.get("reasons", [])
            yield {"type": "end", "code": error.code, "message": error.message, "reasons": reasons}

    def _follow(self, prepared: Prepared) -> Iterator[dict[str, Any]]:
        (ref,) = prepared.tables
        at = {r.partition: r.end for r in prepared.windows[ref].ranges}
        sent: list[dict[str, Any]] | None = None
        decided = said = time.monotonic()
        while True:
            ranges = self._new(prepared, at)
            if not ranges:
                if time.monotonic() - decided >= self.settings.recheck_seconds:
                    prepared, decided = self._again(prepared), time.monotonic()
                if time.monotonic() - said >= _IDLE_SECONDS:
                    said = time.monotonic()
                    yield {"type": "idle"}
                time.sleep(_LOOK_SECONDS)
                continue
            # What was revoked a moment ago is not read any more.
            prepared, decided = self._again(prepared), time.monotonic()
            prepared.windows[ref] = Window(ranges)
            result = self.run(prepared, self.settings.batch_records)
            at |= {r.partition: r.end for r in ranges}
            header = self.header(prepared, result)
            if header != sent:
                sent, said = header, time.monotonic()
                yield {"type": "columns", "columns": header, "decision": explain.decision_json(prepared.decisions)}
            if result.rows:
                said = time.monotonic()
                yield {"type": "rows", "rows": result.rows, "truncated": result.truncated}

    def _again(self, prepared: Prepared) -> Prepared:
        return self.preparer.again(self.subject, self.purpose, prepared)

    def _new(self, prepared: Prepared, at: dict[int, int]) -> tuple[Range, ...]:
        """What arrived since, at most one batch; () when nothing did."""
        (governed,) = prepared.tables.values()
        latest = self.offsets.window(governed.table.kafka, governed.table.topic, NEWEST, _EVERYTHING)
        share = max(1, self.settings.batch_records // max(1, len(latest.ranges)))
        ranges = []
        for found in latest.ranges:
            # A partition that is new since the query began is read from its start.
            start = max(at.get(found.partition, found.start), found.start)
            ranges.append(Range(found.partition, start, max(start, min(found.end, start + share))))
        return tuple(r for r in ranges if r.count)
