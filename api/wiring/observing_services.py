"""What is asked of a declared cluster, joined: its groups and connectors."""

from __future__ import annotations

from api.config.settings import Settings
from api.joins.observing import Observing
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices
from api.wiring.declared_services import DeclaredServices
from lineage.ingest.service import Ingest


def observing_service(
    settings: Settings, parts: Adapters, catalog: CatalogServices, declared: DeclaredServices, ingest: Ingest
) -> Observing:
    return Observing(
        catalog.clusters,
        catalog.connections,
        ingest,
        settings.lineage,
        parts.groups_of,
        parts.connect_of,
        parts.engines_of,
        parts.secrets,
        declared.places.workers,
    )
