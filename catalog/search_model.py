"""The words of search: what is indexed, what is asked, what is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FACETS = ("kind", "entity", "tag", "owner", "namespace", "cluster", "format", "source")
"""Facets and filters, as users name them."""

FILTERS = (*FACETS, "type", "has", "is", "dataset", "term", "product", "property")
"""Filters; those that are not facets are not counted."""

NAMED = ("tag", "owner", "namespace", "cluster", "dataset", "term", "product", "property")
"""Filters whose values are names that people gave, in capitals or not; a value fits in any case."""

IN_ANY_CASE = 50
"""So many values of a filter fit in any case; of more, the others fit as they are written: each costs a search server a clause."""

LONGEST_BEGUN = 300
"""Letters of a name that is being typed. No topic's is longer, and servers refuse prefixes of thousands of letters."""


BARE, PLAIN = "bare", "plain"
"""Faces of a dataset's documents, beside its whole ones. bare: without its schema and its personal data; plain: without its
personal data. They are indexed for datasets of which not everybody may know all."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """What of the index a reader does not find: keys of datasets (`catalog.search.documents.dataset_key`).

    nothing  not at all; bare, plain: by documents of that face alone. Of all others whole documents are found.
    only     whole documents are found of these alone; None: of all that are not named above
    """

    nothing: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    only: frozenset[str] | None = None

    def shows(self, key: str, face: str) -> bool:
        """Whether a document of a dataset is found."""
        if key in self.nothing or (not face and self.only is not None and key not in self.only):
            return False
        return face == (BARE if key in self.bare else PLAIN if key in self.plain else "")


@dataclass(frozen=True, slots=True)
class Entry:
    """One search document.

    id, version   the same id is the same document; a higher version replaces it
    source        what is shown: kind, namespace, name, cluster, path?, description, tags, owners, entities, ...
    words         what is searched, already split: name, path, entity, tag, owner, term, text -> words; beside the written
                  words: concepts, stems and parts of compounds (`catalog.search.language.vocabulary`)
    exact         whole names a query may spell out (full path, path without its root, topic), lower case
    suffixes      their ends (`owner.login`)
    facets        filter -> values
    usage         raises a document a little
    label         few words for what it is, for its meaning (`customer email`)
    rank          factor that its state puts on its score: certified above 1, deprecated and test topics below
    own           words of its own name: the fewer, the more of it one word is
    face          whole documents: "", else BARE or PLAIN
    """

    id: str
    version: int
    source: Mapping[str, Any]
    words: Mapping[str, str]
    exact: tuple[str, ...]
    suffixes: tuple[str, ...]
    facets: Mapping[str, tuple[str, ...]]
    usage: int = 0
    rank: float = 1.0
    label: str = ""
    own: int = 1
    face: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which a document may hold a needle: all of these words.

    quality   0..1, how much this way is worth
    loose     the words may be misspelled, and be beginnings of words
    known     those of the words that are not a misspelling, since documents hold them
    """

    words: tuple[str, ...]
    quality: float = 1.0
    loose: bool = False
    known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Needle:
    """One thing that is sought, in any of these ways. `phrase`: the words of its one way are side by side, in order.
    `parts`: its words without fillers, where there are several; what has some of them is the next best."""

    text: str
    ways: tuple[Way, ...]
    phrase: bool = False
    parts: tuple[Needle, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words as they were typed."""
        return self.ways[0].words


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What an index is asked for.

    spelled   the whole query as a name (lower case) for exact hits; no needles = everything
    least     how many of the needles a document must hold; None = all
    labels    find documents with one of these labels instead
    weights   how much each needle counts; empty: all alike
    distinct  of the documents with the same label only the best, and those that are equally good in any order
    counted   give facets, how many datasets the hits belong to, and how many documents hold each needle
    facets    those that are given
    holding   letters that the facets' values hold, in either case; empty: the most frequent values
    unseen    what the reader does not find, in hits and in every count; None: faces do not exist
    """

    needles: tuple[Needle, ...] = ()
    spelled: str | None = None
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    limit: int = 20
    offset: int = 0
    least: int | None = None
    labels: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    distinct: bool = False
    counted: bool = True
    facets: tuple[str, ...] = FACETS
    holding: str = ""
    unseen: Unseen | None = None


@dataclass(frozen=True, slots=True)
class IndexHit:
    """`words`, `exact`, `suffixes`, `usage`, `rank`, `label` and `own` as they were indexed."""

    id: str
    score: float
    source: Mapping[str, Any]
    words: Mapping[str, str] = field(default_factory=dict)
    exact: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    usage: int = 0
    rank: float = 1.0
    label: str = ""
    own: int = 1


@dataclass(frozen=True, slots=True)
class IndexPage:
    """What the index found.

    facets    facet -> [(value, count)], each counted without its own filter; empty where it was not asked for
    held      for each needle: how many documents of the whole index hold it; empty where it was not counted
    size      documents in the index
    datasets  how many datasets the hits belong to
    """

    total: int
    hits: tuple[IndexHit, ...]
    facets: Mapping[str, tuple[tuple[str, int], ...]]
    held: tuple[int, ...] = ()
    size: int = 0
    datasets: int = 0
