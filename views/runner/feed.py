"""From a view's topic to its serving table, and how far behind its sources the rows are."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from datetime import datetime

from catalog.records import rfc3339
from views.model import Positions, Progress
from views.ports import TopicReader
from views.runner.attempts import Attempts
from views.runner.figures import Figures, Lag
from views.runner.records import Reader
from views.runner.state import Generation, Offsets, behind
from views.runner.tools import Tools

_POLL_S = 0.5
"""As often as a view is compared with what is declared; a record ends the wait."""
_LOOK_S, _REST_S = 1.0, 2.5
"""Between two looks at the ends of the sources; the longer one where nothing came and nothing is missing."""
_SAMPLES = 600
_CURRENT_S = 10.0
"""A view whose rows are less behind than this counts as running."""


class Feed:
    """The rows of one generation while its stream runs."""

    def __init__(self, view: str, generation: Generation, tools: Tools) -> None:
        self._view, self._generation, self._tools = view, generation, tools
        contained = tools.serving.contained(view, generation.id)
        self.contained: Offsets = {topic: dict(each) for topic, each in contained.offsets.items()}
        self._positions: dict[int, int] = {**generation.begins, **contained.positions}
        self._kafka = tools.clusters.client(generation.cluster)
        self._topic: TopicReader = tools.topics.read(self._kafka, generation.topic, self._positions)
        self._reader = Reader(generation.id, generation.typed, generation.keys, generation.single, generation.schema)
        keyless = not generation.keys and not generation.single
        self._attempts = Attempts(view, generation.id, tools.serving) if keyless else None
        self._sources = {topic: tools.clusters.client(cluster) for topic, cluster in generation.streams.items()}
        self._pending: deque[tuple[Positions, Mapping[str, Positions]]] = deque()
        self._reported: Mapping[str, Positions] = {}
        self._ends: deque[tuple[datetime, Offsets]] = deque(maxlen=_SAMPLES)
        self._looked, self._rests = -1e9, False
        self._figures = Figures(tools.monotonic())

    def move(self) -> bool:
        """Take what came; False when nothing did."""
        records = self._topic.poll(self._tools.settings.write_records, _POLL_S)
        if records or not self._rests:
            self._positions |= dict(self._topic.positions())
        for record in records:  # of records that were taken, whatever the client says
            self._positions[record.partition] = max(self._positions.get(record.partition, 0), record.offset + 1)
        if records and self._generation.copy_to:  # read as its topic; there are no rows to keep
            self._tools.serving.write(self._view, self._generation.id, (), (), self._positions)
        elif records:
            rows, gone = self._reader.rows(records)
            if self._attempts is not None:
                rows, gone = self._attempts.settled(rows)
            self._tools.serving.write(self._view, self._generation.id, rows, gone, self._positions)
            self._figures.written(len(rows), len(gone), self._tools.monotonic())
        self._settle()
        self._rests &= not records
        return bool(records)

    def note(self, status: Progress) -> None:
        """A batch that the engine reported is in the topic as a whole; its end there is looked up once."""
        self._figures.batch(status, self._tools.monotonic())
        if status.offsets and status.offsets != self._reported:
            ends = self._tools.topics.ends(self._kafka, self._generation.topic)
            self._pending.append((ends, status.offsets))
            self._reported = status.offsets
        self._settle()

    def _settle(self) -> None:
        """Note the batches that the rows contain by now."""
        reached = None
        while self._pending and all(self._positions.get(p, 0) >= end for p, end in self._pending[0][0].items()):
            reached = self._pending.popleft()[1]
        if reached is not None:
            self.contained = {topic: dict(each) for topic, each in reached.items()}
            self._tools.serving.contain(self._view, self._generation.id, self.contained, self._tools.clock())

    def look(self) -> bool:
        """Ask how far the sources are, where that is due; whether it was asked."""
        now = self._tools.monotonic()
        if now - self._looked < (_REST_S if self._rests else _LOOK_S):
            return False
        self._looked = now
        ends = {topic: dict(self._tools.topics.ends(kafka, topic)) for topic, kafka in self._sources.items()}
        self._ends.append((self._tools.clock(), ends))
        while len(self._ends) > 1 and behind(self._ends[0][1], self.contained) == 0:
            self._ends.popleft()
        self._rests = behind(ends, self.contained) == 0
        return True

    def lag(self) -> Lag:
        if not self._ends:
            return {"records": None, "seconds": None}
        records = behind(self._ends[-1][1], self.contained)
        since = self._ends[0][0]
        return {
            "records": records,
            "seconds": round((self._tools.clock() - since).total_seconds(), 1) if records else 0.0,
            "at": rfc3339(self._tools.clock()),
        }

    def current(self) -> bool:
        seconds = self.lag().get("seconds")
        return seconds is not None and seconds < _CURRENT_S

    def counts(self, status: Progress) -> dict[str, int]:
        """Since the stream began in this process."""
        return self._figures.counts(status, self._reader.unread)

    def rates(self, status: Progress) -> dict[str, float]:
        """See `Figures.rates`."""
        return self._figures.rates(status, self._tools.monotonic())

    @property
    def positions(self) -> Positions:
        """Offset behind the last record that was read, partition by partition; its rows are in the serving table."""
        return self._positions

    @property
    def unfit(self) -> int:
        """Values that did not fit their column since the stream began."""
        return self._figures.unfit

    def close(self) -> None:
        self._topic.close()
