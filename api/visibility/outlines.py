"""The datasets of the catalog as decisions take them: owners, and tags of the dataset, of its terms and of its fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from catalog.datasets.clusters import Clusters
from catalog.datasets.terms import term_tags
from catalog.model import PERSONAL_DATA_TAG, DatasetId
from catalog.ports import CatalogStore
from catalog.records import DatasetOutline
from policies.decision.visibility import Outline, expanded
from policies.model import SubjectMatch


class Outlines:
    """Reads them from the catalog, and keeps those of all datasets until the catalog changes. Safe for threads."""

    def __init__(self, store: CatalogStore, clusters: Clusters) -> None:
        self._store, self._clusters = store, clusters
        self._kept: tuple[int | None, frozenset[str], list[tuple[DatasetOutline, Outline]]] | None = None

    def outline(self, dataset: DatasetId) -> DatasetOutline:
        """Of the catalog's record; else of the name alone, as the catalog would write it."""
        dataset = self._clusters.resolve(dataset.namespace, dataset.name)
        record = self._store.dataset(dataset)
        if record is not None:
            return record.outline
        home = self._store.report_homes([dataset]).get(dataset)
        record = self._store.dataset(home) if home is not None else None
        if record is not None:
            return record.outline
        cluster = self._clusters.of_namespace(dataset.namespace)
        return DatasetOutline(dataset, cluster.name if cluster is not None else None)

    def cluster_names(self) -> list[str]:
        return sorted(each.name for each in self._store.clusters())

    def terms(self, dataset: DatasetOutline) -> frozenset[str]:
        """Tags that the dataset has by its own terms."""
        if not dataset.terms:
            return frozenset()
        tags = term_tags(self._store)
        return frozenset(tag for term in dataset.terms for tag in tags.get(term, ()))

    def field_tags(self, dataset: DatasetId) -> frozenset[str]:
        """Tags of a dataset's fields, by scans, reviews and terms."""
        tags = {each.entity for each in self._store.classifications(dataset) if each.holds}
        terms = {term for note in self._store.notes(dataset) for term in note.terms}
        tags_of = term_tags(self._store) if terms else {}
        return frozenset(tags).union(*(tags_of.get(term, ()) for term in terms))

    def all(self, tags: frozenset[str]) -> list[tuple[DatasetOutline, Outline]]:
        """Every dataset, with those tags of its fields that count."""
        changes = self._store.changes()
        kept = self._kept
        if kept is not None and changes is not None and kept[0] == changes and tags <= kept[1]:
            return kept[2]
        by_term = term_tags(self._store)
        in_fields = self._in_fields(tags, by_term) if tags else {}
        built = []
        for dataset in self._store.outlines():
            own = frozenset(tag for term in dataset.terms for tag in by_term.get(term, ()))
            built.append((dataset, outline_of(dataset, own, in_fields.get(dataset.id, ()))))
        self._kept = (changes, tags, built)
        return built

    def _in_fields(self, tags: frozenset[str], by_term: Mapping[str, Iterable[str]]) -> dict[DatasetId, set[str]]:
        results: dict[DatasetId, set[str]] = {}
        entities = None if PERSONAL_DATA_TAG in tags else tags
        for tag in self._store.field_tags(entities):
            if tag.holds:
                results.setdefault(tag.dataset, set()).add(tag.entity)
        for term, own_tags in by_term.items():
            if entities is None or not entities.isdisjoint(own_tags):
                for dataset in self._store.term_carriers([term]):
                    results.setdefault(dataset, set()).update(own_tags)
        return results


def outline_of(dataset: DatasetOutline, of_terms: Iterable[str], field_tags: Iterable[str]) -> Outline:
    """A dataset of the catalog as decisions take it. `of_terms`: tags by the dataset's own terms."""
    owners = SubjectMatch(
        users=frozenset(owner.name for owner in dataset.owners if owner.kind == "user"),
        groups=frozenset(owner.name for owner in dataset.owners if owner.kind == "group"),
    )
    return Outline(dataset.reference, owners, expanded((*dataset.tags, *of_terms, *field_tags)))
