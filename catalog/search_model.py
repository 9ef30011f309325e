"""The words of search: what is indexed, what is asked, what is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FACETS = ("kind", "entity", "tag", "owner", "namespace", "cluster", "format", "source")
"""Facets and filters, as users name them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One search document.

    id, version   the same id is the same document; a higher version replaces it
    source        what is shown: kind, namespace, name, cluster, path?, description, tags, owners, entities, ...
    words         what is searched, already split: name, path, entity, tag, owner, term, text -> words
    exact         whole names a query may spell out (full path, path without its root, topic), lower case
    suffixes      their ends (`owner.login`)
    facets        facet -> values
    usage         raises a document a little
    """

    id: str
    version: int
    source: Mapping[str, Any]
    words: Mapping[str, str]
    exact: tuple[str, ...]
    suffixes: tuple[str, ...]
    facets: Mapping[str, tuple[str, ...]]
    usage: int = 0


@dataclass(frozen=True, slots=True)
class Needle:
    """One thing a document must hold: any of `variants`, each a run of words that must stand together or apart.

    words     every one of them somewhere in the document; the last may be the beginning of a word when `prefix`
    joined    the same written as one word (`e-mail` -> `email`)
    phrase    the words must stand side by side, in order
    """

    words: tuple[str, ...]
    joined: str | None = None
    phrase: bool = False
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """`spelled` is the whole query as a name (lower case) for exact hits; no needles = everything."""

    needles: tuple[Needle, ...] = ()
    spelled: str | None = None
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    limit: int = 20
    offset: int = 0


@dataclass(frozen=True, slots=True)
class IndexHit:
    id: str
    score: float
    source: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class IndexPage:
    """What the index found. `facets`: facet -> [(value, count)], each counted without its own filter."""

    total: int
    hits: tuple[IndexHit, ...]
    facets: Mapping[str, tuple[tuple[str, int], ...]]
