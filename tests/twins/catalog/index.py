"""The search index in memory: the twin of Elasticsearch for fast tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from catalog.search.language.matching import ONLY_RANKED
from catalog.search.language.query import Question
from catalog.search.language.ranking import rank, weights
from catalog.search_model import (
    FACETS,
    IN_ANY_CASE,
    LONGEST_BEGUN,
    NAMED,
    Entry,
    IndexHit,
    IndexPage,
    Needle,
    SearchQuery,
    Unseen,
)


class MemorySearchIndex:
    """See `catalog.ports.SearchIndex`."""

    def __init__(self) -> None:
        self._made = False
        self._entries: dict[str, Entry] = {}
        self._gone: dict[str, int] = {}

    def ensure(self) -> bool:
        first, self._made = not self._made, True
        return first

    def ping(self) -> None: ...

    def refresh(self) -> None: ...

    def write(self, entries: Sequence[Entry], gone: Sequence[tuple[str, int]]) -> None:
        self._made = True
        for entry in entries:
            if entry.version >= max(self._version(entry.id), self._gone.get(entry.id, 0)):
                self._entries[entry.id] = entry
        for key, version in gone:
            if version >= self._version(key):
                self._entries.pop(key, None)
                self._gone[key] = version

    def _version(self, key: str) -> int:
        return self._entries[key].version if key in self._entries else 0

    def forget(self, key: str) -> None:
        for entry_id in [i for i in self._entries if i == key or i.startswith(f"{key}.")]:
            del self._entries[entry_id]

    def rebuild(self) -> MemoryRebuild:
        return MemoryRebuild(self)

    def stamp(self) -> str:
        return repr(hash(tuple((entry.id, entry.version) for entry in self._entries.values())))

    def labels(self, most: int, unseen: Unseen | None = None) -> list[tuple[str, int]]:
        counts = Counter(
            entry.label
            for entry in self._entries.values()
            if entry.label and (unseen is None or unseen.shows(entry.id.split(".")[0], entry.face))
        )
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:most]

    def ask(self, queries: Sequence[SearchQuery]) -> list[IndexPage]:
        return [self.search(query) for query in queries]

    def search(self, query: SearchQuery) -> IndexPage:
        unseen = query.unseen
        everything = [e for e in self._entries.values() if unseen is None or unseen.shows(e.id.split(".")[0], e.face)]
        holding = [[_holds(entry, needle) for needle in query.needles] for entry in everything]
        least = len(query.needles) if query.least is None else query.least
        matching = [
            entry
            for entry, holds in zip(everything, holding, strict=True)
            if (
                entry.label in query.labels
                if query.labels
                else _spelled(entry, query) or (holds and sum(holds) >= least) or not (query.needles or query.spelled)
            )
        ]
        fitting = [e for e in matching if all(_fits(e, name, query) for name in query.filters)]
        counts = tuple(sum(column) for column in zip(*holding, strict=True)) if len(query.needles) > 1 else ()
        facets: dict[str, tuple[tuple[str, int], ...]] = dict.fromkeys(FACETS, ())
        for facet in query.facets:
            others = [e for e in matching if all(_fits(e, name, query) for name in query.filters if name != facet)]
            sought = query.holding.casefold()
            values = Counter(v for e in others for v in e.facets.get(facet, ()) if sought in v.casefold())
            facets[facet] = tuple(sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))[:50])
        weight = weights(counts or (0,) * len(query.needles), len(everything))
        ranked = rank([_hit(e) for e in fitting], Question(query.needles, query.spelled, {}), weight)
        if not query.needles and query.spelled is None:
            ranked.sort(key=lambda each: each.hit.source["kind"] != "dataset")
        if query.distinct:
            ranked = list({each.hit.label: each for each in reversed(ranked)}.values())[::-1]
        hits = tuple(each.hit for each in ranked[query.offset : query.offset + query.limit])
        return IndexPage(
            total=len(fitting),
            hits=hits,
            facets=facets,
            held=counts,
            size=len(everything),
            datasets=len({e.id.split(".")[0] for e in fitting}),
        )


class MemoryRebuild:
    def __init__(self, index: MemorySearchIndex) -> None:
        self._index = index
        self._fresh: dict[str, Entry] = {}

    def add(self, entries: Sequence[Entry]) -> None:
        self._fresh.update({entry.id: entry for entry in entries})

    def swap(self) -> None:
        self._index._entries = self._fresh
        self._index._gone = {}
        self._index._made = True

    def abandon(self) -> None:
        self._fresh = {}


def _hit(entry: Entry) -> IndexHit:
    return IndexHit(
        id=entry.id,
        score=0.0,
        source=entry.source,
        words=entry.words,
        exact=entry.exact,
        suffixes=entry.suffixes,
        usage=entry.usage,
        rank=entry.rank,
        label=entry.label,
        own=entry.own,
    )


def _fits(entry: Entry, facet: str, query: SearchQuery) -> bool:
    values, own = query.filters[facet], entry.facets.get(facet, ())
    if not set(values).isdisjoint(own):
        return True
    return facet in NAMED and not {_lower(each) for each in values[:IN_ANY_CASE]}.isdisjoint(map(_lower, own))


def _lower(text: str) -> str:
    """As the server compares: letters of ASCII alone have two cases."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def _spelled(entry: Entry, query: SearchQuery) -> bool:
    if query.spelled is None:
        return False
    begun = entry.source["kind"] == "dataset" and 1 < len(query.spelled) <= LONGEST_BEGUN
    return (
        query.spelled in entry.exact
        or query.spelled in entry.suffixes
        or (begun and any(name.startswith(query.spelled) for name in entry.exact))
    )


def _holds(entry: Entry, needle: Needle) -> bool:
    """As the ranking sees it. What is written about the dataset finds the dataset and not each of its fields."""
    match = rank([_hit(entry)], Question((needle,), None, {}), [1.0])[0].held[0]
    return match is not None and match.where not in ONLY_RANKED
