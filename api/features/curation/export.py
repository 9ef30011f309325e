"""The table of what is declared of datasets and fields, as one reader may know of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

from api.features.curation.cells import FIXED, PROPERTY, row
from api.features.declared.known import KnownDocuments
from api.visibility.readers import Reader, Readers
from catalog.datasets.clusters import Clusters
from catalog.records import DatasetFilter, DatasetRecord
from catalog.spreadsheet import defused
from policies.model import Subject


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """left_out: datasets that are in no cluster."""

    text: str
    left_out: int


class TableExport:
    """Writes the table."""

    def __init__(self, known: KnownDocuments, readers: Readers, clusters: Clusters) -> None:
        self._known, self._readers, self._clusters = known, readers, clusters

    def csv(
        self,
        subject: Subject,
        *,
        cluster: str | None = None,
        owner: str | None = None,
        tag: str | None = None,
        text: str | None = None,
    ) -> WrittenTable:
        """A line a dataset and one a field, in order."""
        reader = self._readers.of(subject)
        where = DatasetFilter(cluster=cluster, owner=owner, tag=tag, text=text)
        records = reader.datasets.page(where, None, 0).items
        listed = [each for each in records if each.cluster is not None]
        documents = self._known.of_kind(subject, "Dataset")
        specs = {self._key(each["metadata"]): each.get("spec") or {} for each in documents}
        properties = sorted(each["metadata"]["name"] for each in self._known.of_kind(subject, "Property"))
        sheet = io.StringIO()
        writer = csv.writer(sheet, lineterminator="\r\n")
        writer.writerow([*FIXED, *(defused(f"{PROPERTY}{name}") for name in properties)])
        for record in listed:
            spec = specs.get((record.id.namespace, record.id.name), {})
            fields = {each["path"]: each for each in spec.get("fields") or ()}
            writer.writerow(row(record.reference, "", spec, properties))
            for path in sorted({*fields, *self._paths(reader, record)}):
                writer.writerow(row(record.reference, path, fields.get(path, {}), properties))
        return WrittenTable(sheet.getvalue(), len(records) - len(listed))

    def _paths(self, reader: Reader, record: DatasetRecord) -> list[str]:
        return [each.path for each in reader.datasets.schema(record.id).fields]

    def _key(self, metadata: Mapping[str, str]) -> tuple[str, str]:
        dataset = self._clusters.resolve(metadata["cluster"], metadata["name"])
        return dataset.namespace, dataset.name
