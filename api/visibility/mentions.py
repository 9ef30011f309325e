"""Whether something that is written names what its reader may not know of: SQL, patterns of policies, messages of errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from api.visibility.names import Names
from api.visibility.parted import HiddenParts


def mentions(value: Any, parted: HiddenParts) -> bool:
    """`value`: a text, or what JSON can hold. A pattern names what it matches, unless it is of a whole cluster or of all.

    Where a mapping states a cluster or a namespace, bare names in it are of that cluster; else a bare name counts even
    where a dataset of another cluster has it, too.
    """
    return names_any(value, parted.names)


def names_any(value: Any, names: Names, cluster: str | None = None, key: str = "") -> bool:
    """Whether one of some datasets is named."""
    if isinstance(value, str):
        return names.are_in(value, cluster, key.casefold().endswith(("regex", "pattern")))
    if isinstance(value, Mapping):
        about = _cluster_of(value) or cluster
        return any(names.are_in(str(k), about) or names_any(v, names, about, str(k)) for k, v in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(names_any(each, names, cluster, key) for each in value)
    return value is not None and not isinstance(value, (bool, int, float)) and names.are_in(str(value), cluster)


def _cluster_of(value: Mapping[str, Any]) -> str | None:
    """The cluster or namespace that a mapping, or the metadata of a document, states."""
    for key in ("cluster", "namespace"):
        if isinstance(value.get(key), str):
            return str(value[key])
    metadata = value.get("metadata")
    return _cluster_of(metadata) if isinstance(metadata, Mapping) else None
