"""Clusters and the names their datasets go by."""

from __future__ import annotations

import difflib
import threading
import time
from collections.abc import Iterable
from dataclasses import replace

from catalog.declared.cluster_specs import ClusterSpec
from catalog.errors import Conflict, DatasetNotFound, InvalidInput, NotFound
from catalog.model import DatasetId, NodeId
from catalog.namespaces import SCHEME, addresses, canonical, namespace_of, variants
from catalog.near_names import did_you_mean
from catalog.ports import CatalogStore, Clock
from catalog.records import ClusterRecord, DatasetRecord
from catalog.topics import ClusterDescription

_MOST_SLASHES = 40
"""Places at which a reference is cut in two, to find the dataset it means."""

_FRESH_S = 1.0  # lineage resolves thousands of names a second; another process's new alias may wait this long


class Clusters:
    """Registers clusters and resolves any spelling of a dataset's name to one `DatasetId`."""

    def __init__(self, store: CatalogStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._known: tuple[float, dict[str, str], dict[str, str]] | None = None
        self._forgotten = 0
        self._lock = threading.Lock()

    def register(
        self, name: str, spec: ClusterSpec, description: ClusterDescription | None = None
    ) -> tuple[ClusterRecord, list[tuple[DatasetId, DatasetId]]]:
        """Record a cluster, or what changed of it. `description` is the answer of its brokers; None when not asked yet.

        All bootstrap strings and advertised addresses of one cluster id become one namespace: the first bootstrap
        server under which that id was first seen. Datasets recorded under a namespace that turns out to be an alias
        move; they are given back as (old id, new id). Raises InvalidInput for an address that is none, Conflict when
        another registered cluster has the address.
        """
        bootstrap = addresses(spec.bootstrapServers)
        now = self._clock()
        with self._store.transaction():
            clusters = self._store.clusters()
            before = next((c for c in clusters if c.name == name), None)
            cluster_id = (description and description.cluster_id) or (before and before.cluster_id) or None
            twin = next((c for c in clusters if c.name != name and cluster_id and c.cluster_id == cluster_id), None)
            own = twin or before
            namespace = own.namespace if own else self._first_namespace(name, bootstrap, cluster_id, clusters)
            record = ClusterRecord(
                name=name,
                namespace=namespace,
                bootstrap=bootstrap,
                cluster_id=cluster_id,
                registry_url=spec.schemaRegistry.url if spec.schemaRegistry else None,
                settings=spec.model_dump(mode="json", by_alias=True, exclude_unset=True),
                created_at=before.created_at if before else now,
                updated_at=now,
            )
            if before is None or replace(before, updated_at=now) != record:
                self._store.put_cluster(record)
            else:
                record = before
            moved: list[tuple[DatasetId, DatasetId]] = []
            if before and before.namespace != namespace:
                renamed = self._store.rename_namespace(before.namespace, namespace)
                moved = [(DatasetId(before.namespace, new.name), new) for new in renamed]
                self._store.put_aliases(namespace, [before.namespace])
            canonicals = {c.namespace for c in clusters}
            brokers = description.brokers if description else ()
            declared = [a if "://" in a else namespace_of(a) for a in spec.aliases]
            others = [v for a in (*bootstrap, *_usable(brokers)) for v in variants(a)] + declared
            self._store.put_aliases(namespace, [a for a in dict.fromkeys(others) if a not in canonicals | {namespace}])
        self.forget_names()
        return record, moved

    def _first_namespace(
        self, name: str, bootstrap: tuple[str, ...], cluster_id: str | None, clusters: list[ClusterRecord]
    ) -> str:
        """The namespace of a cluster not seen before."""
        spellings = self._names()[0]
        holders = {c.namespace: c for c in clusters}
        for address in bootstrap:
            holder = holders.get(canonical(namespace_of(address), spellings))
            if holder is None:
                continue
            if cluster_id is None or holder.cluster_id is None:
                return holder.namespace
            raise Conflict(
                f"Cluster {name!r} is reached at {address}, which belongs to cluster {holder.name!r} with another"
                f" cluster id; apply {holder.name!r} with its present address or delete it first.",
                details={"cluster": name, "address": address, "holder": holder.name},
            )
        return namespace_of(bootstrap[0])

    def get(self, name: str) -> ClusterRecord:
        """Raises NotFound naming the clusters that are there."""
        cluster = self._store.cluster(name)
        if cluster is None:
            names = [c.name for c in self._store.clusters()]
            advice = f"; known: {', '.join(names)}" if names else "; declare one by kind: Cluster and weir apply"
            raise NotFound(f"There is no cluster {name!r}{advice}.", details={"cluster": name, "known": names})
        return cluster

    def all(self) -> list[ClusterRecord]:
        return self._store.clusters()

    def of_namespace(self, namespace: str) -> ClusterRecord | None:
        """The cluster whose datasets have this (canonical) namespace."""
        return next((c for c in self._store.clusters() if c.namespace == namespace), None)

    def aliases(self, namespace: str) -> list[str]:
        """Every other spelling of a canonical namespace."""
        return sorted(alias for alias, target in self._store.aliases().items() if target == namespace)

    def delete(self, name: str) -> None:
        self.get(name)
        self._store.delete_cluster(name)
        self.forget_names()

    def namespace(self, namespace_or_cluster: str) -> str:
        """The canonical namespace of a cluster's name or of any spelling of its addresses; else unchanged."""
        spellings, by_name = self._names()
        return by_name.get(namespace_or_cluster) or canonical(namespace_or_cluster, spellings)

    def resolve(self, namespace_or_cluster: str, name: str) -> DatasetId:
        """The dataset that is meant, in the catalog or not. A DataHub URN's `kafka` is whichever has the topic."""
        namespace = self.namespace(namespace_or_cluster)
        if namespace in ("kafka", SCHEME):
            holders = {d.id for d in self._store.named(name) if d.cluster is not None}
            clusters = {c.namespace for c in self._store.clusters()}
            if len(holders) == 1:
                return holders.pop()
            if len(clusters) == 1:
                return DatasetId(clusters.pop(), name)
        return DatasetId(namespace, name)

    def named(self, reference: str) -> list[DatasetRecord]:
        """The datasets that `find` would choose from; none where it means nothing."""
        for cluster, name in splits(reference):
            record = self._store.dataset(self.resolve(cluster, name))
            if record is not None and record.deleted_at is None:
                return [record]
        return list(self._store.named(reference))

    def find(self, reference: str) -> DatasetRecord:
        """The dataset that `prod/orders`, `prod.orders`, `orders` or `kafka://host:9092/orders` means.

        Raises DatasetNotFound with the nearest names, InvalidInput when several fit.
        """
        same = self.named(reference)
        if len(same) == 1:
            return same[0]
        if same:
            candidates = sorted(d.reference for d in same)
            raise InvalidInput(
                f"{reference!r} is in several clusters; write one of {', '.join(candidates)}.",
                details={"reference": reference, "candidates": candidates},
            )
        nearest = self.nearest(reference)
        advice = did_you_mean(nearest, "scan its cluster first (weir scan).")
        raise DatasetNotFound(
            f"There is no dataset {reference!r} in the catalog; {advice}",
            details={"reference": reference, "nearest": nearest},
        )

    def find_in_any_case(self, reference: str) -> DatasetRecord:
        """What `find` gives; where it finds nothing, the one dataset whose name differs in upper and lower case only.

        For people who type queries; who may read what is decided on exact names. Raises as `find`.
        """
        try:
            return self.find(reference)
        except DatasetNotFound:
            folded = reference.lower()
            same = [
                (cluster, name)
                for cluster, name in self._store.names()
                if folded in (name.lower(), f"{cluster}.{name}".lower(), f"{cluster}/{name}".lower())
            ]
            if len(same) == 1:
                return self.find("/".join(same[0]))
            if not same:
                raise
            candidates = sorted("/".join(each) for each in same)
            raise InvalidInput(
                f"{reference!r} fits several datasets in other letter cases; write one of {', '.join(candidates)}.",
                details={"reference": reference, "candidates": candidates},
            ) from None

    def nearest(self, reference: str) -> list[str]:
        """Up to three references that look like this one, whatever their case; with its cluster or without."""
        names = self._store.names()
        by_lower: dict[str, list[str]] = {}
        for cluster, name in names:
            by_lower.setdefault(name.lower(), []).append(f"{cluster}/{name}")
        folded = reference.rsplit("/", 1)[-1].lower()
        ways = [folded, *([folded.partition(".")[2]] if "." in folded else [])]
        close = dict.fromkeys(each for way in ways for each in difflib.get_close_matches(way, sorted(by_lower), 3))
        return [match for near in close for match in by_lower[near]][:3]

    def _names(self) -> tuple[dict[str, str], dict[str, str]]:
        """(every spelling -> canonical namespace, cluster name -> canonical namespace)."""
        with self._lock:
            present, forgotten = self._known, self._forgotten
        if present is None or time.monotonic() - present[0] > _FRESH_S:
            clusters = self._store.clusters()
            spellings = self._store.aliases() | {c.namespace: c.namespace for c in clusters}
            present = (time.monotonic(), spellings, {c.name: c.namespace for c in clusters})
            with self._lock:
                if forgotten == self._forgotten:
                    self._known = present
        return present[1:]

    def forget_names(self) -> None:
        """The next name is resolved by what the store holds then, not by names read within the last second."""
        with self._lock:
            self._known = None
            self._forgotten += 1


def _usable(brokers: Iterable[str]) -> list[str]:
    """Advertised addresses that are addresses; a broker may advertise nonsense without doing harm here."""
    usable: list[str] = []
    for broker in brokers:
        try:
            usable += addresses(broker)
        except InvalidInput:
            continue
    return usable


def splits(reference: str) -> list[tuple[str, str]]:
    """The ways to read a reference as (cluster or namespace, name), most likely first."""
    ways = []
    if reference.startswith(("dataset:", "urn:li:dataset:")):
        node = NodeId.parse(reference)
        return [(node.namespace, node.name)]
    for separator, at in (("/", reference.rfind("/")), (".", reference.find("."))):
        if 0 < at < len(reference) - 1:
            ways.append((reference[:at], reference[at + len(separator) :]))
    # Names of files have slashes of their own: s3://lake/2024/03/orders is `2024/03/orders` of `s3://lake`.
    slashes = [at for at, sign in enumerate(reference) if sign == "/" and 0 < at < len(reference) - 1]
    others = [(reference[:at], reference[at + 1 :]) for at in slashes[:_MOST_SLASHES] if reference[at - 1] not in ":/"]
    return [*ways, *(way for way in others if way not in ways)]


def names_of_cluster(store: CatalogStore, cluster: str) -> list[str]:
    """All names that a cluster is declared by."""
    clusters = store.clusters()
    same = {each.namespace for each in clusters if each.name == cluster}
    return sorted(each.name for each in clusters if each.namespace in same)
