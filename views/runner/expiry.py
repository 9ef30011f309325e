"""Rows that are older than the view's `ttl` leave its rows and its topic. A row is as old as its newest record."""

from __future__ import annotations

from datetime import timedelta

from views.model import Positions
from views.runner.state import Generation
from views.runner.tools import Tools

_MOST_S, _LEAST_S = 60.0, 1.0


class Expiry:
    """Of one generation while its stream runs."""

    def __init__(self, view: str, generation: Generation, ttl: timedelta, tools: Tools) -> None:
        self._view, self._generation, self._ttl, self._tools = view, generation, ttl, tools
        self._each = min(_MOST_S, max(_LEAST_S, ttl.total_seconds() / 20))
        self._looked = tools.monotonic()
        self._before: Positions = {}
        self.rows = 0

    def look(self, read: Positions) -> None:
        """Now and then: delete what is over, up to what the feed has `read`. Raises Unavailable.

        A record that the feed did not read yet has no row to delete; its row would then stay for ever.
        """
        now, tools, generation = self._tools.monotonic(), self._tools, self._generation
        if now - self._looked < self._each:
            return
        self._looked = now
        kafka = tools.clusters.client(generation.cluster)
        over = tools.topics.at(kafka, generation.topic, tools.clock() - self._ttl)
        before = {p: min(offset, read.get(p, 0)) for p, offset in over.items()}
        mine = {p: offset for p, offset in before.items() if offset > generation.begins.get(p, 0)}
        if mine and mine != self._before:
            self.rows += tools.serving.expire(self._view, generation.id, mine)
            tools.topics.cut(kafka, generation.topic, mine)
            self._before = mine
