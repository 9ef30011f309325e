"""The catalog's kinds under `weir apply`: how a document becomes a record, and what may not be applied."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence

from catalog.apply.apply import Action, Change
from catalog.apply.curation import DataProductHandler, PropertyHandler, require_fitting
from catalog.apply.kept import KeptDocuments
from catalog.datasets.clusters import Clusters
from catalog.datasets.datasets import Datasets
from catalog.datasets.discovery import Discovery
from catalog.declared.cluster_specs import ClusterSpec
from catalog.declared.dataset_specs import DatasetSpec
from catalog.declared.documents import Document
from catalog.declared.secrets import Secrets, check_cluster
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import Conflict, InvalidInput, SettingsError, WeirError
from catalog.model import DatasetId
from catalog.namespaces import addresses
from catalog.ports import CatalogStore, Clock
from catalog.search.service import Search

_log = logging.getLogger(__name__)

_INDEXED_AT_ONCE = 50
"""Datasets indexed before an answer; the worker indexes the others in a moment."""


def without_connectors(cluster: str, connectors: Sequence[str]) -> None:
    """Raises Conflict where a cluster that is to be deleted has declared connectors."""
    if connectors:
        names = ", ".join(connectors[:3]) + ("..." if len(connectors) > 3 else "")
        raise Conflict(
            f"Cluster {cluster!r} still has declared connectors ({names}); delete them first: weir delete Connector"
            f" {connectors[0]}.",
            details={"cluster": cluster, "connectors": list(connectors)},
        )


class ClusterHandler(KeptDocuments):
    """After a cluster was applied its brokers are asked who they are; when they do not answer it is asked later.

    A scan of an address names the cluster after its host. The name that is declared takes the place of that one, with
    all that was found, unless documents name the old one already (`spoken_of`): they would no longer apply.
    """

    kind = "Cluster"

    def __init__(
        self,
        store: CatalogStore,
        clock: Clock,
        datasets: Datasets,
        discovery: Discovery | None,
        spoken_of: Callable[[str], bool] = lambda cluster: False,
        secrets: Secrets | None = None,
        needed_by: Callable[[str], Sequence[str]] = lambda cluster: (),
        servers: ServerAddresses | None = None,
    ) -> None:
        """`needed_by`: a cluster -> the declared connectors that would have no cluster without it."""
        super().__init__(store, clock)
        self._datasets = datasets
        self._discovery = discovery
        self._needed_by = needed_by
        self._spoken_of = spoken_of
        self._secrets = secrets or Secrets()
        self._servers = servers or ServerAddresses()

    def check(self, document: Document, all_documents: Sequence[Document]) -> None:
        """A secret that may not be read, or would go where others can read it, is refused at once; so is an address
        that may not be called."""
        assert isinstance(document.model, ClusterSpec)
        bootstrap = addresses(document.model.bootstrapServers)
        try:
            check_cluster(self._secrets, document.spec, bootstrap)
            self._servers.require_cluster(document.spec, bootstrap)
        except SettingsError as refused:
            raise InvalidInput(refused.message, details=refused.details) from None

    def put(self, document: Document, by: str | None) -> None:
        assert isinstance(document.model, ClusterSpec)
        super().put(document, by)
        self._datasets.register_cluster(document.name, document.model)

    def delete(self, key: str, by: str | None) -> None:
        orphans = [d for d in self._store.documents("Dataset") if d.metadata.get("cluster") == key]
        if orphans:
            raise Conflict(
                f"Cluster {key!r} still has declared datasets ({orphans[0].key}...); delete them first.",
                details={"cluster": key, "datasets": [d.key for d in orphans]},
            )
        without_connectors(key, self._needed_by(key))
        super().delete(key, by)
        if self._store.cluster(key) is not None:
            self._datasets.clusters.delete(key)

    def settle(self, changes: Sequence[Change]) -> None:
        for change in changes:
            if change.action in (Action.CREATE, Action.UPDATE):
                try:
                    if self._discovery is not None:
                        self._discovery.connect(change.name)
                except WeirError as error:
                    _log.warning("Cluster %s was recorded, but: %s", change.name, error.message)
                self._take_over(change.name)

    def _take_over(self, name: str) -> None:
        """The names that scans gave to the brokers of a declared cluster end."""
        namespace = self._datasets.clusters.get(name).namespace
        declared = {document.key for document in self._store.documents(self.kind)}
        declared |= {str(document.metadata.get("cluster")) for document in self._store.documents("Dataset")}
        for other in self._datasets.clusters.all():
            if other.namespace != namespace or other.name in declared:
                continue
            if self._spoken_of(other.name):
                _log.warning("Cluster %s keeps the name %s beside it: policies name that one.", name, other.name)
            else:
                self._datasets.rename_cluster(other.name, name)


class DatasetHandler(KeptDocuments):
    kind = "Dataset"

    def __init__(self, store: CatalogStore, clock: Clock, datasets: Datasets, clusters: Clusters) -> None:
        super().__init__(store, clock)
        self._datasets = datasets
        self._clusters = clusters

    def check(self, document: Document, all_documents: Sequence[Document]) -> None:
        cluster = document.metadata["cluster"]
        declared = any(d.kind == "Cluster" and d.name == cluster for d in all_documents)
        if not declared and self._store.cluster(cluster) is None:
            names = ", ".join(c.name for c in self._store.clusters()) or "none yet"
            raise InvalidInput(f"there is no cluster {cluster!r} (known: {names}); declare it by kind: Cluster.")
        require_fitting(self._store, document, all_documents)

    def put(self, document: Document, by: str | None) -> None:
        assert isinstance(document.model, DatasetSpec)
        super().put(document, by)
        self._datasets.declare(self._id(document.key), document.model, by)

    def delete(self, key: str, by: str | None) -> None:
        """What was declared goes; what scans found stays."""
        super().delete(key, by)
        dataset = self._id(key)
        if self._store.dataset(dataset) is not None:
            self._datasets.declare(dataset, DatasetSpec.model_validate({}), by)

    def _id(self, key: str) -> DatasetId:
        cluster, _, name = key.partition("/")
        return self._clusters.resolve(cluster, name)


class GlossaryTermHandler(KeptDocuments):
    kind = "GlossaryTerm"

    def __init__(self, store: CatalogStore, clock: Clock, search: Search | None = None) -> None:
        super().__init__(store, clock)
        self._search = search

    def check(self, document: Document, all_documents: Sequence[Document]) -> None:
        parents = {d.key: d.spec.get("parent") for d in self._store.documents(self.kind)}
        parents |= {d.key: d.spec.get("parent") for d in all_documents if d.kind == self.kind}
        at: str | None = document.key
        seen: set[str] = set()
        while at is not None:
            if at in seen:
                raise InvalidInput("is among its own parents; take it out of the circle.")
            seen.add(at)
            at = parents.get(at)

    def settle(self, changes: Sequence[Change]) -> None:
        """A term's tags are tags of the fields that carry it: those datasets are indexed again, the first of them
        before the answer and the rest behind it."""
        touched = {change.name for change in changes if change.action is not Action.UNCHANGED}
        if self._search is None or not touched:
            return
        carriers = self._store.term_carriers(self._below(touched))
        with self._store.transaction():
            for dataset in carriers:
                record = self._store.dataset(dataset)
                if record is not None:
                    self._store.put_dataset(record)
        self._search.changed(carriers[:_INDEXED_AT_ONCE])

    def _below(self, names: Collection[str]) -> set[str]:
        """These terms and all that have one of them among their parents, whose tags come down to them."""
        children: dict[str, list[str]] = {}
        for document in self._store.documents(self.kind):
            if parent := document.spec.get("parent"):
                children.setdefault(str(parent), []).append(document.key)
        reached, todo = set(names), list(names)
        while todo:
            fresh = [child for child in children.get(todo.pop(), ()) if child not in reached]
            reached.update(fresh)
            todo += fresh
        return reached


class RecognizerHandler(KeptDocuments):
    kind = "Recognizer"


def handlers(
    store: CatalogStore,
    clock: Clock,
    datasets: Datasets,
    search: Search | None,
    discovery: Discovery | None,
    spoken_of: Callable[[str], bool] = lambda cluster: False,
    secrets: Secrets | None = None,
    needed_by: Callable[[str], Sequence[str]] = lambda cluster: (),
    servers: ServerAddresses | None = None,
) -> list[KeptDocuments]:
    """One for each of the catalog's kinds, in the order of writing.

    `spoken_of`: whether another room's documents name a cluster. `secrets`: the rules for those that clusters name.
    `needed_by`: the declared connectors of a cluster. `servers`: the addresses that a cluster may name.
    """
    return [
        ClusterHandler(store, clock, datasets, discovery, spoken_of, secrets, needed_by, servers),
        GlossaryTermHandler(store, clock, search),
        PropertyHandler(store, clock),
        DatasetHandler(store, clock, datasets, datasets.clusters),
        DataProductHandler(store, clock, search),
        RecognizerHandler(store, clock),
    ]
