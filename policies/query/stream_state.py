"""The state of a push query that aggregates: which records it rests on, and what it has reported of them.

The state is the records themselves, in Kafka: each answer is computed again over all of them, under the decision of that
moment. So nothing that was read under an older decision outlives it, and a restart of the engine loses nothing. What
bounds it: `stream_state_records`, and tumbling windows over `_timestamp`, whose records are dropped once they are over.
See docs/decisions/0020-stateful-push-queries.md.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from catalog.datatypes import quote_identifier
from catalog.errors import LimitExceeded
from policies.gate import gate
from policies.plan.model import Range, Result, Window
from policies.plan.ports import Offsets
from policies.plan.prepare import PreparedQuery
from policies.plan.settings import QuerySettings
from policies.sql.live import Shape
from policies.sql.windows import AsOf

_EVERYTHING = 1 << 62
_PRUNE_AT = 0.5
"""Share of the state that must be full before it is looked at which windows are over: that look is a query."""


@dataclass(slots=True)
class StreamRecords:
    """The records that a stateful push query rests on.

    begins   partition -> first offset; since: records stamped before it are not counted any more
    """

    shape: Shape
    begins: dict[int, int]
    settings: QuerySettings
    since: datetime | None = None
    _said: Counter[str] = field(default_factory=Counter)

    def window(self, ends: Mapping[int, int]) -> Window:
        """All of them, up to `ends`. Raises LimitExceeded when they are too many."""
        ranges = tuple(Range(p, self.begins.get(p, 0), end) for p, end in sorted(ends.items()))
        most = self.settings.stream_state_records
        if sum(r.count for r in ranges) > most:
            raise LimitExceeded(
                f"The stream would have to hold more than {most:,} records; group by window(_timestamp, '1 minute') or"
                " another window, so that old records can be dropped, or ask again to start over.",
                details={"limit": "stream_state_records"},
            )
        return Window(ranges)

    def governed(self, prepared: PreparedQuery) -> PreparedQuery:
        """The tables without the records that were dropped."""
        if self.since is None:
            return prepared
        table = prepared.tables[self.shape.source]
        moment = self.since.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
        late = f"coalesce(weir_timestamp >= TIMESTAMP '{moment}', FALSE)"
        tables = {**prepared.tables, self.shape.source: replace(table, filters=(*table.filters, late))}
        return replace(prepared, tables=tables)

    def changed(self, rows: Iterable[list[object]]) -> list[list[object]]:
        """The rows that were not in the answer before."""
        texts = [(json.dumps(row, sort_keys=True, default=str), row) for row in rows]
        now = Counter(text for text, _ in texts)
        left = now - self._said
        self._said = now
        news = []
        for text, row in texts:
            if left[text] > 0:
                left[text] -= 1
                news.append(row)
        return news

    def let_go(self, prepared: PreparedQuery, offsets: Offsets, run: Callable[[PreparedQuery, int], Result]) -> None:
        """Forget the records of windows that are over for good, when there are many."""
        window = prepared.windows[self.shape.source]
        if self.shape.bucket is None or window.records < self.settings.stream_state_records * _PRUNE_AT:
            return
        newest = self._newest(prepared, run)
        if newest is None:
            return
        over = newest - timedelta(seconds=self.settings.stream_late_seconds)
        since = datetime.fromtimestamp(over.timestamp() // self.shape.bucket * self.shape.bucket, UTC)
        if self.since is not None and since <= self.since:
            return
        self.since = since
        table = prepared.tables[self.shape.source].table
        for each in offsets.window(table.kafka, table.topic, AsOf(since=since), _EVERYTHING).ranges:
            self.begins[each.partition] = max(self.begins.get(each.partition, 0), each.start)

    def _newest(self, prepared: PreparedQuery, run: Callable[[PreparedQuery, int], Result]) -> datetime | None:
        """The latest time stamped on a record that the asker may see; a clock that is ahead closes no window."""
        name = ".".join(map(quote_identifier, self.shape.source.parts))
        gated = gate.check(f"SELECT max(_timestamp) AS newest FROM {name}")
        (ref,) = gated.tables
        source = self.shape.source
        alone = PreparedQuery(gated, {ref: prepared.tables[source]}, {ref: prepared.windows[source]})
        (row,) = run(alone, 1).rows
        if not isinstance(row[0], str):
            return None
        return min(datetime.fromisoformat(row[0].replace("Z", "+00:00")), datetime.now(UTC))
