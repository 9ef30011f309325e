"""The search index in memory: the twin of Elasticsearch for fast tests. Scores are plain, the order is alike."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Sequence

from catalog.search_model import FACETS, Entry, IndexHit, IndexPage, Needle, SearchQuery

WEIGHTS = {
    "name": 6.0, "entity": 4.0, "path": 3.0, "tag": 3.0, "term": 3.0, "owner": 2.0, "text": 1.0, "dataset": 1.0,
    "inside": 0.5,
}  # fmt: skip
"""Where a word is found -> how much it counts. Elasticsearch uses the same."""

LONGEST_BEGUN = 300
"""Letters of a name that is being typed. No topic's is longer, and servers refuse prefixes of thousands of letters."""


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

    def search(self, query: SearchQuery) -> IndexPage:
        scored = [(score, e) for e in self._entries.values() if (score := _score(e, query)) is not None]
        fitting = [(s, e) for s, e in scored if all(_fits(e, name, query) for name in query.filters)]
        fitting.sort(key=lambda pair: (-pair[0], pair[1].source["name"], pair[1].source.get("path", "")))
        facets = {}
        for facet in FACETS:
            others = [e for _, e in scored if all(_fits(e, name, query) for name in query.filters if name != facet)]
            counts = Counter(value for e in others for value in e.facets.get(facet, ()))
            facets[facet] = tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:50])
        shown = fitting[query.offset : query.offset + query.limit]
        return IndexPage(len(fitting), tuple(IndexHit(e.id, s, e.source) for s, e in shown), facets)


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


def _fits(entry: Entry, facet: str, query: SearchQuery) -> bool:
    return bool(set(query.filters[facet]) & set(entry.facets.get(facet, ())))


def _score(entry: Entry, query: SearchQuery) -> float | None:
    usage = math.log10(1 + entry.usage)
    if query.spelled is None:
        return usage + (1.0 if entry.source["kind"] == "dataset" else 0.0)
    bonus = 1000.0 if query.spelled in entry.exact else 200.0 if query.spelled in entry.suffixes else 0.0
    if entry.source["kind"] == "dataset" and 1 < len(query.spelled) <= LONGEST_BEGUN:
        bonus += 100.0 if any(name.startswith(query.spelled) for name in entry.exact) else 0.0
    parts = [_needle(entry, needle) for needle in query.needles]
    if parts and all(parts):
        return usage + bonus + sum(parts)
    return usage + bonus if bonus else None


def _needle(entry: Entry, needle: Needle) -> float:
    if needle.phrase:
        wanted = " ".join(needle.words)
        return max((w for f, w in WEIGHTS.items() if f" {wanted} " in f" {entry.words.get(f, '')} "), default=0.0)
    apart = [_word(entry, word) for word in needle.words]
    together = _word(entry, needle.joined, forgiving=False) if needle.joined else 0.0
    return max(sum(apart) if all(apart) else 0.0, together)


def _word(entry: Entry, word: str, forgiving: bool = True) -> float:
    best = 0.0
    for field, weight in WEIGHTS.items():
        words = entry.words.get(field, "").split()
        if word in words:
            best = max(best, weight)
        elif len(word) > 1 and any(w.startswith(word) for w in words):
            best = max(best, weight * 0.5)
        elif forgiving and len(word) > 3 and difflib.get_close_matches(word, words, 1, 0.8):
            best = max(best, weight * 0.2)
    return best
