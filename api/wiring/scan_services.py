"""The services of scans, joined: the scanner, what queues scans, and what is scanned again by a schedule."""

from __future__ import annotations

from dataclasses import dataclass

from api.config.settings import Settings
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices
from api.wiring.clock import now
from catalog.scans.scans import Scans
from catalog.scans.schedules import Schedules
from scanners.scan.service import Scanner


@dataclass(frozen=True, slots=True)
class ScanServices:
    scanner: Scanner
    scans: Scans
    schedules: Schedules


def scan_services(settings: Settings, parts: Adapters, catalog: CatalogServices) -> ScanServices:
    store = catalog.store
    scans = Scans(store, now, catalog.clusters, settings.catalog.scan_heartbeat_s)
    return ScanServices(
        scanner=Scanner(parts.sampler, parts.offsets, parts.registry, settings.scanners, letters=parts.dead_letters),
        scans=scans,
        schedules=Schedules(store, scans, now, settings.scanners.dead_letter_topic),
    )
