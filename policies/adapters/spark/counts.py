"""What Spark observed of the records a query read, and which topics had values that a quick reading may get wrong."""

from __future__ import annotations

import threading
import time

from policies.adapters.spark import reading
from policies.plan.model import QueryPlan, TablePlan, Unreadable

_REMEMBERED_SECONDS = 600.0
_MOST = 10_000


class Counts:
    """The observations of one run, filled by Spark Connect while its answer is read."""

    def __init__(self, plan: QueryPlan, exact: bool) -> None:
        self._tables, self._exact = plan.tables, exact
        self.wanted = {reading.observation(table): _Metrics() for table in plan.tables}

    @property
    def odd(self) -> bool:
        """Whether a quick reading may have lost something."""
        return not self._exact and any(each.found.get("odd") for each in self.wanted.values())

    @property
    def unreadable(self) -> Unreadable:
        """View -> path -> values; nothing of a quick reading."""
        if not self._exact:
            return {}
        observed = ((table, self.wanted[reading.observation(table)].found) for table in self._tables)
        slips_of = {table.view: reading.slips(table, metrics) for table, metrics in observed}
        return {view: slips for view, slips in slips_of.items() if slips}


class _Metrics:
    """Takes the place of an Observation in Spark Connect's client, which updates `_result`."""

    def __init__(self) -> None:
        self.found: dict[str, int] = {}

    @property
    def _result(self) -> dict[str, int]:
        return self.found


class Drift:
    """The topics whose records were lately found not to fit their types: they are read exactly at once."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], float] = {}
        self._lock = threading.Lock()

    def seen(self, plan: QueryPlan) -> bool:
        now = time.monotonic()
        with self._lock:
            return any(
                now - self._seen.get(_key(table), -_REMEMBERED_SECONDS) < _REMEMBERED_SECONDS for table in plan.tables
            )

    def note(self, plan: QueryPlan) -> None:
        with self._lock:
            if len(self._seen) > _MOST:
                self._seen.clear()
            self._seen |= {_key(table): time.monotonic() for table in plan.tables}


def _key(table: TablePlan) -> tuple[str, str]:
    return table.kafka.get("kafka.bootstrap.servers", ""), table.topic
