"""`/products`: datasets that are offered together."""

from __future__ import annotations

from api.edge.parameters import Name
from api.features.products import answers
from api.features.products.service import DataProducts
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From

router = FeatureRouter("/products", tags=["catalog"])


@router.get("", dependencies=[signed_in(KNOWN)])
def list_products(products: From[DataProducts], caller: Caller) -> answers.Products:
    """Data products with a dataset that the caller may know of, and the caller's own."""
    return products.all(caller)


@router.get("/{name}", dependencies=[signed_in(KNOWN)])
def product(products: From[DataProducts], caller: Caller, name: Name) -> answers.Product:
    """One data product. Declared by kind: DataProduct."""
    return products.one(caller, name)
