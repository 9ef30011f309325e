"""Push queries: the governed view over each batch of new records, decided again before each batch.

A query that aggregates is answered over all records since it began, see `query_changes`; other topics of a query are
read as they are at the time of each batch.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from catalog.errors import WeirError
from policies import explain
from policies.plan import Range, Result, Unreadable, Window
from policies.query_access import Access
from policies.query_changes import Held
from policies.query_ports import Offsets
from policies.query_prepare import Prepared, Preparer
from policies.query_settings import QuerySettings
from policies.sql import stream
from policies.sql.tables import TableRef
from policies.sql.windows import NEWEST
from policies.unreadable import UnreadableReport

_EVERYTHING = 1 << 62
_LOOK_SECONDS = 0.2
_IDLE_SECONDS = 1.0


def ended(error: WeirError) -> dict[str, Any]:
    """The last event of a push query that an error ended."""
    return {"type": "end", "code": error.code, "message": error.message, "reasons": error.details.get("reasons", [])}


@dataclass(slots=True)
class Stream:
    """One push query of one subject."""

    access: Access
    preparer: Preparer
    offsets: Offsets
    run: Callable[[Prepared, int], Result]
    header: Callable[[Prepared, Result], list[dict[str, Any]]]
    settings: QuerySettings
    told: Callable[[Prepared, Unreadable | None], UnreadableReport]
    _unfit: dict[str, Counter[str]] = field(default_factory=dict)

    def follow(self, prepared: Prepared) -> Iterator[dict[str, Any]]:
        """Events until access ends, the engine fails, or the caller closes the iterator."""
        try:
            yield from self._follow(prepared)
        except WeirError as error:
            yield ended(error)

    def _follow(self, prepared: Prepared) -> Iterator[dict[str, Any]]:
        shape = stream.shape(prepared.gated.tree)
        ref = shape.source
        at = {r.partition: r.end for r in prepared.windows[ref].ranges}
        held = Held(shape, dict(at), self.settings) if shape.stateful else None
        sent: list[dict[str, Any]] | None = None
        counted: Mapping[str, int] = {}
        decided = said = time.monotonic()
        while True:
            ranges = self._new(prepared, ref, at)
            if not ranges:
                if time.monotonic() - decided >= self.settings.recheck_seconds:
                    prepared, decided = self.access.again(prepared), time.monotonic()
                if time.monotonic() - said >= _IDLE_SECONDS:
                    said = time.monotonic()
                    yield {"type": "idle"}
                time.sleep(_LOOK_SECONDS)
                continue
            # What was revoked a moment ago is not read any more.
            prepared, decided = self.access.again(prepared), time.monotonic()
            if len(prepared.tables) > 1:
                self.preparer.look(prepared)
            ends = at | {r.partition: r.end for r in ranges}
            prepared.windows[ref] = Window(ranges) if held is None else held.window(ends)
            asked = prepared if held is None else held.governed(prepared)
            result = self.run(asked, self.settings.batch_records)
            if time.monotonic() - decided >= self.settings.recheck_seconds:
                now, decided = self.access.again(prepared), time.monotonic()
                if now.decisions != prepared.decisions:
                    prepared = now
                    continue  # what was computed under the old decision is not shown
            at = ends
            rows = result.rows if held is None else held.changed(result.rows)
            if held is not None:
                held.let_go(asked, self.offsets, self.run)
            header = self.header(prepared, result)
            if header != sent:
                sent, said = header, time.monotonic()
                yield {"type": "columns", "columns": header, "decision": explain.decision_json(prepared.decisions)}
            unfit = self._counted(asked, result, held is not None)
            if unfit.text is not None and unfit.counts != counted:
                counted, said = unfit.counts or {}, time.monotonic()
                yield {"type": "unreadable", "unreadable": counted, "text": unfit.text}
            if rows:
                said = time.monotonic()
                yield {"type": "rows", "rows": rows, "truncated": result.truncated, "unreadable": counted}

    def _counted(self, prepared: Prepared, result: Result, whole: bool) -> UnreadableReport:
        """Values that do not fit since the query began; `whole` = each answer is over all records anyway."""
        if whole:
            self._unfit.clear()
        for view, found in (result.unreadable or {}).items():
            self._unfit.setdefault(view, Counter()).update(found)
        return self.told(prepared, self._unfit)

    def _new(self, prepared: Prepared, ref: TableRef, at: dict[int, int]) -> tuple[Range, ...]:
        """What arrived since, at most one batch; () when nothing did."""
        governed = prepared.tables[ref]
        latest = self.offsets.window(governed.table.kafka, governed.table.topic, NEWEST, _EVERYTHING)
        share = max(1, self.settings.batch_records // max(1, len(latest.ranges)))
        ranges = []
        for found in latest.ranges:
            # A partition that is new since the query began is read from its start.
            start = max(at.get(found.partition, found.start), found.start)
            ranges.append(Range(found.partition, start, max(start, min(found.end, start + share))))
        return tuple(r for r in ranges if r.count)
