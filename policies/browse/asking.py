"""One question of a page, as a governed query that runs for who asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from policies.model import Subject
from policies.plan.cancellation import Stop
from policies.query.result import QueryAnswer
from policies.query.service import GovernedQuery


@dataclass(slots=True)
class Ask:
    """Runs the query of a page, which who asked can stop by leaving."""

    query: GovernedQuery
    subject: Subject
    purpose: str | None
    stop: Stop
    signed_in: Callable[[], Subject] | None

    def run(self, sql: str, limit: int) -> QueryAnswer:
        with self._live(sql) as live:
            return self.query.run(self.subject, sql, self.purpose, limit, live)

    @contextmanager
    def _live(self, sql: str) -> Iterator[Any]:
        with self.query.running.during(self.subject, sql, self.purpose) as live:
            if self.signed_in is not None:
                live.signed_in = self.signed_in

            def stop() -> None:
                live.stop.stop("", self.stop.error())

            with self.stop.telling(stop):
                yield live
