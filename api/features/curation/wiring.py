"""The services of curation."""

from __future__ import annotations

from api.features.curation.export import TableExport
from api.features.curation.intake import TableIntake
from api.features.curation.service import CurationEdits
from api.features.declared.known import KnownDocuments
from api.joins.dataset_documents import DatasetDocuments
from api.joins.declared import DeclaredService
from api.visibility.readers import Readers
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(DatasetDocuments, lambda: DatasetDocuments(instance[DeclaredService], instance[Datasets].clusters))
    instance.provide(
        CurationEdits, lambda: CurationEdits(instance[DeclaredService], instance[DatasetDocuments], instance[Readers])
    )
    instance.provide(
        TableExport, lambda: TableExport(instance[KnownDocuments], instance[Readers], instance[Datasets].clusters)
    )
    instance.provide(
        TableIntake,
        lambda: TableIntake(
            instance[DeclaredService], instance[DatasetDocuments], instance[KnownDocuments], instance[Readers]
        ),
    )
