"""Weir's own figures for Prometheus. Labels are names of routes, servers and views, never of people or values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector


class Metrics:
    """The figures of one process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self.requests = Counter(
            "weir_http_requests", "HTTP requests answered.", ("method", "route", "status"), registry=registry
        )
        self.seconds = Histogram(
            "weir_http_seconds", "Seconds an HTTP request took.", ("method", "route"), registry=registry
        )
        self.up = Gauge("weir_server_up", "1 when a server Weir needs answers, else 0.", ("server",), registry=registry)
        self.lineage_lag = Gauge(
            "weir_lineage_lag_events", "Lineage events accepted and not yet in the graph.", registry=registry
        )
        self.audit_ship_lag = Gauge(
            "weir_audit_ship_lag_entries", "Audit entries that were not shipped to their topic yet.", registry=registry
        )
        self.audit_ship_failures = Gauge(
            "weir_audit_ship_failures",
            "Failures to ship the audit in a row, since the last success.",
            registry=registry,
        )
        self.audit_ship_cut = Gauge(
            "weir_audit_ship_cut_entries",
            "Audit entries that were shipped without their details, as they were too large.",
            registry=registry,
        )
        self.datasets = Gauge("weir_datasets", "Datasets in the catalog.", registry=registry)
        self.incidents = Gauge("weir_incidents_unresolved", "Incidents that are not resolved.", registry=registry)
        self.broken = Gauge(
            "weir_datasets_broken", "Datasets with an incident that is not resolved.", registry=registry
        )


_STATES = ("starting", "catching up", "running", "paused", "restarting", "failed", "stopped", "unknown")
_GAUGES = (
    ("lag_records", "Records that the sources have and the rows do not contain.", ("lag", "records")),
    ("lag_seconds", "For how long the rows have been behind the sources.", ("lag", "seconds")),
    ("batch_seconds", "Seconds that the last batch took.", ("rates", "batchSeconds")),
    ("state_rows", "Rows in the engine's state.", ("counts", "stateRows")),
    ("state_bytes", "Bytes of memory of the engine's state.", ("counts", "stateBytes")),
    ("generation", "The generation that readers get.", ("generation", "number")),
)
_COUNTERS = (
    ("records_in", "Records read.", ("counts", "recordsIn")),
    ("rows_written", "Rows written to the serving table.", ("counts", "rowsWritten")),
    ("rows_deleted", "Rows deleted from the serving table.", ("counts", "rowsDeleted")),
    ("batches", "Batches.", ("counts", "batches")),
    ("batches_missed", "Batches whose figures are not in the others.", ("counts", "batchesMissed")),
    ("late_records", "Records behind the watermark.", ("counts", "lateRecords")),
    ("unfit_values", "Values that did not fit their column.", ("counts", "unfitValues")),
    ("unreadable_records", "Records of the view's own topic that could not be read.", ("counts", "unreadable")),
    ("restarts", "Times the stream was started again after a failure.", ("restarts", "number")),
)


@dataclass(frozen=True, slots=True)
class FiguresOfView:
    """`numbers`: lag, rates, counts, generation and restarts -> key -> number."""

    state: str
    numbers: Mapping[str, Mapping[str, object]]


class ViewFigures(Collector):
    """Figures of stream views, looked up when they are asked for: another process runs the views."""

    def __init__(self, look: Callable[[], Mapping[str, FiguresOfView]]) -> None:
        """`look` gives them by the views' names, and raises nothing."""
        self._look = look

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterable[Metric]:
        views = sorted(self._look().items())
        states = GaugeMetricFamily(
            "weir_view_state", "1 for the state that a view is in, else 0.", labels=("view", "state")
        )
        for view, figures in views:
            for state in _STATES:
                states.add_metric((view, state), float(figures.state == state))
        yield states
        for kind, metrics in ((GaugeMetricFamily, _GAUGES), (CounterMetricFamily, _COUNTERS)):
            for name, meaning, (group, key) in metrics:
                family = kind(f"weir_view_{name}", meaning, labels=("view",))
                for view, figures in views:
                    value = figures.numbers[group].get(key)
                    if isinstance(value, int | float):
                        family.add_metric((view,), float(value))
                yield family
