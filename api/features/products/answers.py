"""Answers of `/products`."""

from __future__ import annotations

from api.edge.answer import Answer, about


class ProductDataset(Answer):
    """A dataset of a product."""

    reference: str = about("CLUSTER/TOPIC.")
    description: str
    output: bool = about("Others are to read it.")
    certified: bool
    deprecated: bool
    in_catalog: bool


class Product(Answer):
    """A data product, as the caller may know of it."""

    name: str
    title: str
    description: str
    owners: list[str] = about("Users, and groups as group:NAME.")
    datasets: list[ProductDataset] = about("Those that the caller may know of.")
    contracts: list[str] = about("Contracts that promise something of it, of those that the caller may know of.")
    left_out: int | None = about("Datasets that the caller may not know of; null for all but its owners and `manage`.")


class Products(Answer):
    """Data products in order of names."""

    products: list[Product]
