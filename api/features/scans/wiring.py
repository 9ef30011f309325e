"""The services of scans: what takes them from the queue and does them."""

from __future__ import annotations

from datetime import timedelta

from api.config.settings import Settings
from api.features.scans.runner import ScanRunner
from api.joins.connections import Connections
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.datasets.discovery import Discovery
from catalog.events.events import Events
from catalog.ports import CatalogStore
from catalog.scans.scans import Scans
from scanners.scan.service import Scanner


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what the worker asks for."""

    def runner() -> ScanRunner:
        return ScanRunner(
            instance[CatalogStore],
            instance[Scans],
            instance[Datasets],
            instance[Discovery],
            instance[Connections],
            instance[Scanner],
            instance[Settings].catalog.scan_heartbeat_s,
            instance[Events],
            timedelta(days=instance[Settings].scanners.reread_days),
        )

    instance.provide(ScanRunner, runner)
