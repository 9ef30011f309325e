"""Datasets and search hits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from weir_client.errors import NotFound
from weir_client.http import Http, part


class Hits(list):  # type: ignore[type-arg]
    """Hits of a search, best first; `total` counts all of them, `facets` by NAME -> [{value, count}]."""

    def __init__(self, hits: Iterable[dict[str, Any]], total: int, facets: Mapping[str, Any]) -> None:
        super().__init__(hits)
        self.total, self.facets = total, dict(facets)


class Dataset:
    """One dataset of the catalog. What the server has of it is `data`, and by name: `dataset["owners"]`."""

    def __init__(self, http: Http, reference: str) -> None:
        namespace, name = _parts(http, reference)
        self._http = http
        self._path = f"/api/v1/datasets/{part(namespace)}/{part(name)}"
        self.data = http.document("GET", self._path)

    def __repr__(self) -> str:
        return f"Dataset({self.reference!r})"

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    @property
    def reference(self) -> str:
        """CLUSTER/TOPIC."""
        return str(self.data.get("reference") or f"{self.data.get('namespace')}/{self.data.get('name')}")

    @property
    def node_id(self) -> str:
        """As lineage names it."""
        return f"dataset:{self.data['namespace']}:{self.data['name']}"

    def schema(self, version: int | None = None) -> dict[str, Any]:
        """Fields with types and presence, shapes, and what was looked at."""
        return self._http.document("GET", f"{self._path}/schema", version=version)

    def fields(self) -> list[str]:
        """The paths of its fields."""
        return [field["path"] for field in self.schema()["fields"]]

    def classifications(self) -> list[dict[str, Any]]:
        """Personal data found in it, with evidence."""
        return self._http.documents("GET", f"{self._path}/classifications", None)

    def access(self, path: str | None = None) -> list[dict[str, Any]]:
        """Who may read it; for its owners and those who may read reports."""
        return self._http.documents("GET", f"{self._path}/access", "access", path=path)

    def impact(self, depth: int | None = None) -> dict[str, Any]:
        """What depends on it."""
        return self._http.document("GET", "/api/v1/impact", nodeId=self.node_id, depth=depth)

    def lineage(self, direction: str = "both", depth: int | None = None) -> dict[str, Any]:
        """Where it comes from and where it goes."""
        return self._http.document("GET", "/api/v1/lineage", nodeId=self.node_id, direction=direction, depth=depth)


def _parts(http: Http, reference: str) -> tuple[str, str]:
    """Namespace and name. Names have slashes in them, too: where one begins is known to the server alone."""
    try:
        meant = http.document("GET", "/api/v1/datasets/find", name=reference)
    except NotFound:
        namespace, _, name = reference.rpartition("/")
        if {namespace, name} & {"", ".", ".."}:
            raise
        return namespace, name  # a dataset that is gone, or a further name of one
    return meant["namespace"], meant["name"]
