"""Declared documents as one reader may know of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from api.visibility.horizon import Horizon
from api.visibility.mentions import mentions, names_any
from api.visibility.names import Names
from catalog.declared.documents import WrittenDocument
from catalog.model import DatasetId
from policies.decision.visibility import DatasetKnowledge

_OWN = frozenset({"User", "Group", "Grant"})
"""Kinds of which a caller sees their own; these stay."""
_ROLE_LISTS = ("read", "rowFilters")
"""Lists of a role whose entries name datasets. The other parts are what its holder may do, and stay."""
_PLACES = frozenset({"path", "paths", "fields", "where", "expression", "rows", "sql", "unmask"})
"""Keys under which documents name fields."""
_PATTERN = re.compile(r"[^\s'\"`,;()]+/[^\s'\"`,;()]+")


class SeenDocuments:
    """Cuts documents; for one request."""

    def __init__(
        self, horizon: Horizon, resolve: Callable[[str, str], DatasetId], view: Callable[[str], DatasetKnowledge]
    ) -> None:
        """`resolve`: cluster, name -> the dataset; `view`: what is known of a declared view."""
        self._horizon, self._resolve, self._view = horizon, resolve, view

    def shown(self, document: WrittenDocument) -> WrittenDocument | None:
        """The document, cut; None for one that names what the reader may not know of. Of a role, such entries are cut.

        Documents of kind Visibility are for those who know everything: which datasets are kept from whom is what they show.
        """
        kind, metadata = document["kind"], document["metadata"]
        if kind in _OWN and not self._horizon.is_agents:
            return document
        if kind == "Visibility":
            return None
        if kind == "Dataset":
            known = self._horizon.of_id(self._resolve(str(metadata.get("cluster")), str(metadata["name"])))
            if not known.existence:
                return None
            return {**document, "spec": self._without_hidden_successor(_cut(document["spec"], known))}
        if kind == "Role":
            spec = {
                key: self._entries(value) if key in _ROLE_LISTS else value for key, value in document["spec"].items()
            }
            document = {**document, "spec": spec}
        whole = {"metadata": metadata, "spec": document["spec"]}
        if kind == "View":
            known = self._view(str(metadata["name"]))
            if not (known.existence and known.schema and known.lineage):
                return None
            if names_any(whole, self._horizon.parted.of_unlinked):
                return None
        if kind == "Contract" and any(names_any(whole, each) for each in self._of_fields):
            return None
        return None if self._names_hidden(whole, evidence=kind != "View") else document

    def _without_hidden_successor(self, spec: dict[str, object]) -> dict[str, object]:
        """The spec; a deprecation names no dataset that the reader may not know of."""
        deprecation = spec.get("deprecation")
        if not isinstance(deprecation, Mapping) or "successor" not in deprecation:
            return spec
        cluster, _, name = str(deprecation["successor"]).partition("/")
        if self._horizon.of_id(self._resolve(cluster, name)).existence:
            return spec
        return {**spec, "deprecation": {key: value for key, value in deprecation.items() if key != "successor"}}

    @property
    def _of_fields(self) -> tuple[Names, Names]:
        """Of datasets whose schema, or whose personal data, is hidden: contracts list fields, and which are personal."""
        return self._horizon.parted.of_bare, self._horizon.parted.of_plain

    def _entries(self, listed: Any) -> Any:
        """The entries that name nothing hidden."""
        return [each for each in listed if not self._names_hidden(each)] if isinstance(listed, list) else listed

    def _names_hidden(self, part: Any, evidence: bool = True) -> bool:
        """Whether a part of a document names a hidden dataset, or fields of one whose schema, or `evidence`, is hidden."""
        parted = self._horizon.parted
        if mentions(part, parted) or any(map(self._horizon.would_hide, _patterns(part))):
            return True
        if not _PLACES & set(_keys(part)):
            return False
        return names_any(part, parted.of_bare) or (evidence and names_any(part, parted.of_plain))


def _cut(spec: Mapping[str, Any], known: DatasetKnowledge) -> dict[str, object]:
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
