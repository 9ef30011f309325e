"""Scans that queries ask for: one at a time, with a quiet time after it."""

from __future__ import annotations

from pathlib import Path

from api.features.scans.runner import ScanRunner
from api.joins.query_records import drift_scans
from api.wiring.clock import now
from catalog.ports import CatalogStore
from catalog.scans.drift import DriftScans
from catalog.scans.scans import Scans
from policies.plan.settings import QuerySettings
from tests.api_world import world


def test_a_scan_is_queued_once_and_again_after_a_quiet_time(tmp_path: Path) -> None:
    with world(tmp_path) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        services = weir.services
        drift = DriftScans(services[CatalogStore], services[Scans], now, 3600)
        first = drift.seen("prod/orders")
        assert first is not None and first.request["topics"] == ["orders"] and first.requested_by == "drift:prod/orders"
        again = drift.seen("prod/orders")
        assert again is not None and again.id == first.id, "one that waits is enough"
        assert services[ScanRunner].run_next()
        assert drift.seen("prod/orders") is None, "it is quiet for an hour"
        later = DriftScans(services[CatalogStore], services[Scans], now, 0).seen("prod/orders")
        assert later is not None and later.id != first.id
        assert drift.seen("nowhere/orders") is None


def test_a_setting_switches_it_off(tmp_path: Path) -> None:
    with world(tmp_path) as weir:
        services = weir.services
        assert drift_scans(services[CatalogStore], services[Scans], QuerySettings(scan_on_drift=False), now) is None
        assert drift_scans(services[CatalogStore], services[Scans], QuerySettings(), now) is not None
