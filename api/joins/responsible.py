"""Who answers for each dataset, by what is declared now. The rule is `policies.responsible`."""

from __future__ import annotations

from catalog.change_cache import ChangeCache
from catalog.curation.products import KIND
from catalog.datasets.clusters import Clusters
from catalog.model import Owner
from catalog.ports import CatalogStore
from catalog.records import DatasetRecord
from policies.declared.state import GovernanceState
from policies.model import Subject, SubjectMatch
from policies.responsible import Fallbacks, Responsible, written


class ResponsiblePeople:
    """`policies.responsible.Responsibility` over the catalog and the declared domains."""

    def __init__(self, store: CatalogStore, clusters: Clusters, state: GovernanceState) -> None:
        self._store, self._clusters, self._state = store, clusters, state
        self._fallbacks: ChangeCache[Fallbacks] = ChangeCache(store.changes, 1)

    def __call__(self, reference: str, owners: SubjectMatch) -> Responsible:
        """Nobody, with the source `nobody`, where no rule names anybody."""
        domains = self._state.view().domains.values()
        return self._fallbacks.get("", self._read).responsible(reference, owners, domains)

    def of(self, record: DatasetRecord) -> Responsible:
        return self(record.reference, people(record.owners))

    def _read(self) -> Fallbacks:
        products: dict[str, list[tuple[str, SubjectMatch]]] = {}
        names = {each.namespace: each.name for each in self._store.clusters()}
        for document in sorted(self._store.documents(KIND), key=lambda each: each.key):
            owners = written(document.spec.get("owners") or ())
            for each in document.spec.get("datasets") or ():
                cluster, _, name = str(each).partition("/")
                dataset = self._clusters.resolve(cluster, name)
                reference = f"{names.get(dataset.namespace, cluster)}/{dataset.name}"
                products.setdefault(reference, []).append((document.key, owners))
        clusters = {each.name: written(each.settings.get("owners") or ()) for each in self._store.clusters()}
        return Fallbacks(products, clusters)


def is_among(subject: Subject, people: SubjectMatch) -> bool:
    """Whether somebody is one of these, or in a group of theirs."""
    return subject.user in people.users or not subject.groups.isdisjoint(people.groups)


def people(owners: tuple[Owner, ...]) -> SubjectMatch:
    """Owners of a record."""
    return SubjectMatch(
        users=frozenset(each.name for each in owners if each.kind == "user"),
        groups=frozenset(each.name for each in owners if each.kind == "group"),
    )
