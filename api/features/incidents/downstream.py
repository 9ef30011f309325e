"""What is downstream of an incident: the datasets that get the field, or the records, as far as a reader may know."""

from __future__ import annotations

from api.visibility.readers import Reader
from catalog.errors import Unavailable
from catalog.incident_store import Incident
from catalog.model import DatasetId
from catalog.node_ids import read_id

MOST = 100


def downstream_of(reader: Reader, incident: Incident) -> tuple[list[str], bool, str | None]:
    """References, nearest first; whether there are more; why it is not known, where the graph does not answer."""
    dataset = incident.key.dataset
    if not reader.known_of(dataset).lineage:
        return [], False, "You may not know the lineage of the dataset."
    try:
        flows = reader.lineage.downstream_of(dataset, incident.path)
    except Unavailable as error:
        return [], False, error.message
    references: dict[str, None] = {}
    for flow in flows:
        parts = read_id(flow.id)
        if parts is not None and (parts[1], parts[2]) != (dataset.namespace, dataset.name):
            references[_reference(reader, DatasetId(parts[1], parts[2]))] = None
    listed = list(references)
    return listed[:MOST], len(listed) > MOST, None


def _reference(reader: Reader, dataset: DatasetId) -> str:
    cluster = reader.datasets.clusters.of_namespace(dataset.namespace)
    return f"{cluster.name if cluster is not None else dataset.namespace}/{dataset.name}"
