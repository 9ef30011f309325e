"""Data products as one reader may know of them: those with a dataset that they may know of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from api.features.declared.known import KnownDocuments
from api.features.products.answers import Product, ProductDataset, Products
from api.joins.declared import DeclaredService
from api.visibility.readers import Reader, Readers
from catalog.curation.products import KIND
from catalog.curation.stated import is_certified, is_deprecated
from catalog.datasets.clusters import Clusters
from catalog.declared.documents import WrittenDocument
from catalog.errors import NotFound
from catalog.near_names import did_you_mean, near_names
from policies.access.identity import Identity
from policies.model import Subject


class DataProducts:
    """Reads products."""

    def __init__(
        self,
        declared: DeclaredService,
        known: KnownDocuments,
        readers: Readers,
        clusters: Clusters,
        identity: Identity,
    ) -> None:
        self._declared, self._known, self._readers = declared, known, readers
        self._clusters, self._identity = clusters, identity

    def all(self, subject: Subject) -> Products:
        """Those that the reader may know of."""
        reader = self._readers.of(subject)
        contracts = {each["metadata"]["name"] for each in self._known.of_kind(subject, "Contract")}
        listed = (self._shown(subject, reader, each, contracts) for each in self._declared.documents(KIND, None))
        return Products(products=sorted((each for each in listed if each is not None), key=lambda each: each.name))

    def one(self, subject: Subject, name: str) -> Product:
        """Raises NotFound naming the nearest of those that the reader may know of."""
        products = {each.name: each for each in self.all(subject).products}
        if name not in products:
            near = did_you_mean(near_names(name, products), otherwise=" GET /api/v1/products lists them.", lead=" ")
            raise NotFound(f"There is no data product {name[:200]!r}.{near}")
        return products[name]

    def _shown(
        self, subject: Subject, reader: Reader, document: WrittenDocument, contracts: set[str]
    ) -> Product | None:
        spec, name = document["spec"], document["metadata"]["name"]
        datasets = [shown for each in spec["datasets"] if (shown := self._dataset(reader, each, spec)) is not None]
        own = self._identity.manages(subject) or _owned(subject, spec)
        texts = {key: spec.get(key, "") for key in ("title", "description")}
        if not own and (not datasets or reader.mentions_hidden({"name": name})):
            return None
        return Product(
            name=name,
            owners=[each["user"] if "user" in each else f"group:{each['group']}" for each in spec.get("owners") or ()],
            datasets=datasets,
            contracts=[each for each in spec.get("contracts") or () if each in contracts],
            left_out=len(spec["datasets"]) - len(datasets) if own else None,
            **{key: "" if reader.mentions_hidden(text) else text for key, text in texts.items()},
        )

    def _dataset(self, reader: Reader, reference: str, spec: Mapping[str, Any]) -> ProductDataset | None:
        cluster, _, name = reference.partition("/")
        dataset = self._clusters.resolve(cluster, name)
        if not reader.knows(dataset):
            return None
        record = reader.store.dataset(dataset)
        return ProductDataset(
            reference=reference,
            description=record.known_description if record else "",
            output=reference in (spec.get("outputs") or ()),
            certified=record is not None and is_certified(record.curation),
            deprecated=record is not None and is_deprecated(record.curation),
            in_catalog=record is not None and record.deleted_at is None,
        )


def _owned(subject: Subject, spec: Mapping[str, Any]) -> bool:
    owners = spec.get("owners") or ()
    return any(each.get("user") == subject.user or each.get("group") in subject.groups for each in owners)
