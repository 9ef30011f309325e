"""What an answer states of the datasets that a query reads: those that are deprecated, with what to use in their place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from catalog.change_cache import ChangeCache
from catalog.curation.stated import is_deprecated
from catalog.datasets.clusters import Clusters
from catalog.errors import WeirError
from catalog.ports import CatalogStore
from policies.declared.state import GovernanceState
from policies.model import Subject
from policies.ports import FactsSource


def dataset_notes(
    incidents: Callable[[Collection[str]], list[str]],
    store: CatalogStore,
    clusters: Clusters,
    state: GovernanceState,
    facts: FactsSource,
) -> Callable[[Collection[str], Subject], list[str]]:
    """References of datasets, and who asks -> a sentence for each that is deprecated, behind those of incidents."""

    kept: ChangeCache[Mapping[str, Any] | None] = ChangeCache(store.changes)

    def notes(references: Collection[str], subject: Subject) -> list[str]:
        return [*incidents(references), *deprecated(references, subject)]

    def deprecated(references: Collection[str], subject: Subject) -> list[str]:
        sentences = []
        try:
            for reference in sorted(references):
                deprecation = kept.get(reference, partial(_deprecation, reference))
                if deprecation is not None:
                    sentences.append(_sentence(reference, deprecation, subject))
        except WeirError:
            return ["It is not known now whether what was read is deprecated."]
        return sentences

    def _deprecation(reference: str) -> Mapping[str, Any] | None:
        cluster, _, name = reference.rpartition("/")
        record = store.dataset(clusters.resolve(cluster, name)) if cluster else None
        return record.curation["deprecation"] if record is not None and is_deprecated(record.curation) else None

    def _sentence(reference: str, deprecation: Mapping[str, Any], subject: Subject) -> str:
        until = f", and ends on {deprecation['date']}" if deprecation.get("date") else ""
        successor = deprecation.get("successor")
        if successor and state.known(subject, facts.facts(successor)).existence:
            return f"{reference} is deprecated{until}; use {successor} in its place."
        return f"{reference} is deprecated{until}."

    return notes
