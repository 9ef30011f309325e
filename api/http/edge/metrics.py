"""Weir's own figures for Prometheus. Labels are names of routes and servers, never of people or values."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram


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
        self.datasets = Gauge("weir_datasets", "Datasets in the catalog.", registry=registry)
