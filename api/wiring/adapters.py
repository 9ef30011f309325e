"""The adapters of an instance, made when they are first asked for. Only `api/bootstrap.py` uses this.

Drivers are imported late: `--help` and a process that never queries pay nothing for Spark.
"""

from __future__ import annotations

from collections.abc import Callable

from api.wiring.view_parts import ViewParts


class Adapters(ViewParts):
    """Every adapter of one instance, and how each server is asked whether it answers."""

    def probes(self) -> dict[str, Callable[[], object]]:
        """How each server is asked whether it answers."""
        kafka = self._settings.kafka
        return {
            "database": lambda: self.store.ping(),
            "kafka": lambda: self.brokers.describe({"own": kafka.client_options()}, kafka.bootstrap_servers.split(",")),
            "elasticsearch": lambda: self.index.ping(),
            "neo4j": lambda: self.graph.node("dataset:weir:readiness"),
            "spark": lambda: self.executors.check(),
            "query": lambda: self.keeper.check(),
        }

    def lag(self) -> int:
        """Lineage events that are accepted and not folded yet."""
        return self.lag_source.lag()
