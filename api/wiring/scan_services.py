"""The services of scans, joined: the scanner, what queues scans and runs them, and trials of recognizers."""

from __future__ import annotations

from dataclasses import dataclass

from api.config.settings import Settings
from api.features.detections.recognizers import Recognizers
from api.features.topics.registry_verdicts import Verdicts
from api.features.scans.runner import ScanRunner
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices
from api.wiring.clock import now
from catalog.scans.scans import Scans
from catalog.scans.schedules import Schedules
from scanners.scan.service import Scanner


@dataclass(frozen=True, slots=True)
class ScanServices:
    scans: Scans
    schedules: Schedules
    runner: ScanRunner
    recognizers: Recognizers
    verdicts: Verdicts


def scan_services(settings: Settings, parts: Adapters, catalog: CatalogServices) -> ScanServices:
    store, datasets, connections = catalog.store, catalog.datasets, catalog.connections
    heartbeat_s = settings.catalog.scan_heartbeat_s
    registry = parts.registry
    scanner = Scanner(parts.sampler, parts.offsets, registry, settings.scanners, letters=parts.dead_letters)
    scans = Scans(store, now, catalog.clusters, heartbeat_s)
    return ScanServices(
        scans=scans,
        schedules=Schedules(store, scans, now, settings.scanners.dead_letter_topic),
        runner=ScanRunner(store, scans, datasets, catalog.discovery, connections, scanner, heartbeat_s, catalog.events),
        recognizers=Recognizers(
            parts.trial_analyzers(), scanner, connections, datasets, lambda: store.documents("Recognizer")
        ),
        verdicts=Verdicts(connections, registry),
    )
