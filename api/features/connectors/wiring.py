"""The services of connectors."""

from __future__ import annotations

from api.features.connectors.service import Connectors
from api.features.connectors.source_masking import SourceMasking
from api.joins.connectors.at_source import AtSource
from api.joins.connectors.places import Places
from api.visibility.readers import Readers
from api.wiring.access_services import EffectiveAccess
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.ports import CatalogStore
from policies.access.identity import Identity
from policies.audit.log import AuditLog


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""

    def at_source() -> AtSource:
        datasets = instance[Datasets]
        return AtSource(
            places=instance[Places],
            clusters=lambda: [each.name for each in datasets.clusters.all()],
            moments=instance[EffectiveAccess].moments,
            schema=datasets.schema,
        )

    def source_masks() -> SourceMasking:
        access, readers = instance[EffectiveAccess], instance[Readers]
        return SourceMasking(
            at_source=instance[AtSource],
            store=instance[CatalogStore],
            sees=access.dataset.sees,
            manages=instance[Identity].manages,
            named=lambda caller, text: readers.of(caller).named(text),
            references=lambda caller: readers.of(caller).shown(list(access.references()), schema=True),
            audit=instance[AuditLog],
        )

    instance.provide(AtSource, at_source)
    instance.provide(SourceMasking, source_masks)
    instance.provide(
        Connectors,
        lambda: Connectors(instance[CatalogStore], instance[Places], instance[AuditLog], instance[Identity].manages),
    )
