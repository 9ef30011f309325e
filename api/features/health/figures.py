"""Figures of what Weir works on: scans, deliveries, notices, queries. Looked up when they are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from api.config.home import Home
from api.config.worker_marker import worker_lives
from catalog.errors import Unavailable
from catalog.ports import CatalogStore
from catalog.scan_store import ScanState
from policies.notify.notices import NoticeStore
from policies.plan.registry import RunningQueries


class OperationFigures(Collector):
    """Labels are words of fixed lists: states, kinds of receivers, channels. A part whose store is away is left out."""

    def __init__(self, store: CatalogStore, notices: NoticeStore, queries: RunningQueries, home: Home) -> None:
        self._store, self._notices, self._queries, self._home = store, notices, queries, home

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterable[Metric]:
        parts: tuple[Callable[[], Iterator[Metric]], ...] = (
            self._scans,
            self._deliveries,
            self._of_notices,
            self._of_queries,
        )
        for part in parts:
            try:
                yield from list(part())
            except Unavailable:
                continue  # `weir_server_up` tells that the record store is away
        yield self._worker()

    def _scans(self) -> Iterator[Metric]:
        scans = GaugeMetricFamily("weir_scans", "Scans by their state.", labels=("state",))
        oldest = GaugeMetricFamily("weir_scan_queue_seconds", "For how long the oldest scan of the queue has waited.")
        tallies = {tally.state: tally for tally in self._store.scan_tallies()}
        for state in ScanState:
            scans.add_metric((str(state),), tallies[state].scans if state in tallies else 0)
        queued = tallies.get(ScanState.QUEUED)
        oldest.add_metric((), _seconds_since(queued.oldest) if queued else 0.0)
        yield scans
        yield oldest

    def _deliveries(self) -> Iterator[Metric]:
        behind, failures, dropped = (defaultdict[str, int](int) for _ in range(3))
        for delivery in self._store.deliveries():
            kind = delivery.name.partition(":")[0]
            behind[kind] = max(behind[kind], self._store.count_events(delivery.position))
            failures[kind] = max(failures[kind], delivery.failures)
            dropped[kind] += delivery.dropped
        receiver = ("receiver",)
        lag = GaugeMetricFamily(
            "weir_delivery_lag_events", "Events that a receiver of this kind lacks.", labels=receiver
        )
        failed = GaugeMetricFamily("weir_delivery_failures", "Failures in a row of a receiver.", labels=receiver)
        lost = CounterMetricFamily("weir_delivery_dropped_events", "Events that a receiver never got.", labels=receiver)
        for family, values in ((lag, behind), (failed, failures), (lost, dropped)):
            for kind, value in sorted(values.items()):
                family.add_metric((kind,), value)
            yield family

    def _of_notices(self) -> Iterator[Metric]:
        notices = GaugeMetricFamily(
            "weir_notices", "Notices to people by channel and state.", labels=("channel", "state")
        )
        for count in self._notices.counts():
            notices.add_metric((str(count.channel), str(count.state)), count.notices)
        yield notices

    def _of_queries(self) -> Iterator[Metric]:
        waiting, streams = self._queries.counts()
        family = GaugeMetricFamily("weir_queries_running", "Queries of this process.", labels=("kind",))
        family.add_metric(("query",), waiting)
        family.add_metric(("push",), streams)
        yield family

    def _worker(self) -> Metric:
        family = GaugeMetricFamily(
            "weir_worker_up", "1 while the worker of this WEIR_HOME runs; absent where none did."
        )
        lives = worker_lives(self._home)
        if lives is not None:
            family.add_metric((), float(lives))
        return family


def _seconds_since(time: datetime) -> float:
    return max(0.0, (datetime.now(UTC) - time).total_seconds())
