"""Declared documents as one reader may know of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from api.visibility.horizon import Horizon
from api.visibility.mentions import mentions, names_any
from catalog.model import DatasetId
from policies.decision.visibility import Known

_OWN = frozenset({"User", "Group", "Role", "Grant"})
"""Kinds of which a caller sees their own; these stay."""
_PLACES = frozenset({"path", "paths", "fields", "where", "expression", "rows", "sql", "unmask"})
"""Keys under which documents name fields."""
_PATTERN = re.compile(r"[^\s'\"`,;()]+/[^\s'\"`,;()]+")


class SeenDocuments:
    """Cuts documents; for one request."""

    def __init__(
        self, horizon: Horizon, resolve: Callable[[str, str], DatasetId], view: Callable[[str], Known]
    ) -> None:
        """`resolve`: cluster, name -> the dataset; `view`: what is known of a declared view."""
        self._horizon, self._resolve, self._view = horizon, resolve, view

    def shown(self, document: dict[str, Any]) -> dict[str, Any] | None:
        """The document, cut; None for one that names what the reader may not know of.

        Documents of kind Visibility are for those who know everything: which datasets are kept from whom is what they show.
        """
        kind, metadata = document["kind"], document["metadata"]
        if kind in _OWN:
            return document
        if kind == "Visibility":
            return None
        if kind == "Dataset":
            known = self._horizon.of_id(self._resolve(str(metadata.get("cluster")), str(metadata["name"])))
            if not known.existence:
                return None
            return {**document, "spec": _cut(document["spec"], known)}
        whole = {"metadata": metadata, "spec": document["spec"]}
        parted = self._horizon.parted
        if mentions(whole, parted) or any(map(self._horizon.would_hide, _patterns(whole))):
            return None
        places = _PLACES & set(_keys(document["spec"]))
        if places and names_any(whole, parted.of_bare):
            return None
        if kind == "View":
            known = self._view(str(metadata["name"]))
            if not (known.existence and known.schema and known.lineage) or names_any(whole, parted.of_unlinked):
                return None
        return None if places and kind != "View" and names_any(whole, parted.of_plain) else document


def _cut(spec: Mapping[str, Any], known: Known) -> dict[str, Any]:
    cut = dict(spec)
    if not known.schema:
        return {key: value for key, value in cut.items() if key not in ("fields", "schema", "scan")}
    if not known.evidence and isinstance(cut.get("fields"), list):
        cut["fields"] = [{k: v for k, v in each.items() if k not in ("tags", "terms")} for each in cut["fields"]]
    return cut


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, below in value.items():
            if below not in (None, [], {}, ""):
                yield str(key)
            yield from _keys(below)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _keys(each)


def _patterns(value: Any) -> Iterator[str]:
    """Words such as `prod/hr.*`, but for those of a whole cluster."""
    if isinstance(value, str):
        yield from (each for each in _PATTERN.findall(value) if each.rpartition("/")[2].strip("*"))
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _patterns(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _patterns(each)
