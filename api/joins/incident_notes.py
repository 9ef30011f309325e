"""What an answer states of incidents: which of the datasets that a query reads have one that is not resolved."""

from __future__ import annotations

from collections.abc import Callable, Collection

from catalog.datasets.clusters import Clusters
from catalog.errors import WeirError
from catalog.incident_store import UNRESOLVED, Incident, IncidentFilter
from catalog.incidents.service import Incidents
from catalog.model import DatasetId
from catalog.records import rfc3339

_MOST = 1000


def incident_notes(incidents: Incidents, clusters: Clusters) -> Callable[[Collection[str]], list[str]]:
    """References of datasets -> a sentence for each that has an incident. It leaves out what is wrong, which shows to those
    who may know it."""

    def notes(references: Collection[str]) -> list[str]:
        datasets: dict[DatasetId, str] = {}
        for reference in references:
            namespace, _, name = reference.rpartition("/")
            if namespace:
                datasets[clusters.resolve(namespace, name)] = reference
        if not datasets:
            return []
        try:
            listed = incidents.all(IncidentFilter(states=UNRESOLVED, datasets=tuple(datasets)), _MOST)
        except WeirError:
            return ["It is not known now whether what was read has incidents."]
        listed = [each for each in listed if not each.reads]
        return [_sentence(datasets[id], [each for each in listed if each.key.dataset == id]) for id in _broken(listed)]

    return notes


def _broken(listed: list[Incident]) -> list[DatasetId]:
    return sorted({each.key.dataset for each in listed})


def _sentence(reference: str, incidents: list[Incident]) -> str:
    since = rfc3339(min(each.opened_at for each in incidents).replace(microsecond=0))
    how_many = "an incident that is" if len(incidents) == 1 else f"{len(incidents)} incidents that are"
    return f"{reference} has {how_many} not resolved, since {since}: weir incident list --dataset {reference}."
