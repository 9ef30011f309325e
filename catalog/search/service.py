"""Search over datasets and fields: what is asked becomes needles, the index finds candidates, and they are ranked here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from catalog.datasets.clusters import Clusters
from catalog.errors import InvalidInput
from catalog.ports import CatalogStore, Meaning, SearchIndex
from catalog.search.answers import SearchAnswer, Suggestion
from catalog.search.clicks import Clicks, tie_broken
from catalog.search.indexing import Indexing
from catalog.search.language.query import Question, parse
from catalog.search.language.ranking import Ranked, rank, weights
from catalog.search.language.typing import CHOICES, Begun, begun_filter, fitting
from catalog.search.nearby import Nearby
from catalog.search.pages import further, lacking
from catalog.search.shown import answer_of, hit_of
from catalog.search.words import Words
from catalog.search_model import FILTERS, IndexPage, SearchQuery, Unseen

_DEEPEST = 10_000  # how far the index pages; further on, a narrower query is the better way
_MOST = 1000
_RANKED = 100  # candidates whose order is made here; further hits follow as the index has them
_RELAXED = 60
_LABELLED = 100
_WORTH = 0.5  # what lacks a word of the query is shown where its score is that share of the best
_BEST_FIELDS = 5
_SUGGESTIONS = 10
_SUGGESTED = 60  # candidates, of which several may be called alike


class Search(Indexing):
    """Answers searches; keeping the index in step is inherited."""

    def __init__(
        self,
        store: CatalogStore,
        index: SearchIndex,
        clusters: Clusters,
        meaning: Meaning | None = None,
        clicks: Clicks | None = None,
    ) -> None:
        """`meaning`: what is near a question in meaning is found, too; None: words alone count. `clicks` break ties."""
        super().__init__(store, index)
        self._clicks = clicks
        self._nearby = Nearby(index, meaning) if meaning is not None else None
        self._clusters = clusters
        self._words = Words(store)
        self._unseen: Unseen | None = None
        self._hides: Callable[[Any], bool] | None = None

    def seen_by(
        self, store: CatalogStore, clusters: Clusters, unseen: Unseen, hides: Callable[[Any], bool] | None = None
    ) -> Search:
        """The same search for a reader: hits, counts, facets and suggestions of what they may find, and of nothing else.

        store, clusters: what they may know of; hides: whether a document names what they may not know of.
        """
        cut = copy(self)
        cut._store, cut._clusters, cut._unseen, cut._hides = store, clusters, unseen, hides
        return cut

    def search(
        self,
        q: str = "",
        *,
        filters: Mapping[str, Sequence[str]] | None = None,
        limit: int = 20,
        offset: int = 0,
        explain: bool = False,
        grouped: bool = False,
    ) -> SearchAnswer:
        """Datasets and fields, best first; everything for an empty query.

        What holds every word comes first. Where that is little, what lacks some of them follows.
        filters: any of catalog.search_model.FILTERS -> values, one of which must fit; they may be typed in `q`, too, as
        `owner:otto`. `entity` and `tag` take PII. explain: each hit has its reasons. grouped: hits are datasets, each with
        its best fields.
        Raises InvalidInput for an unknown filter or a page too deep, Unavailable when the index does not answer.
        """
        if not 0 <= limit <= _MOST:
            raise InvalidInput(f"limit must be 0 to {_MOST}, not {limit}.", details={"limit": limit})
        if offset < 0 or offset + limit > _DEEPEST:
            raise InvalidInput(
                f"offset and limit together reach {_DEEPEST:,} hits at most; search for something narrower.",
                details={"offset": offset, "limit": limit},
            )
        question = self._question(q)
        if self._nearby is not None:
            question = self._nearby.widened(question)
        values = self._wanted(question.filters, filters or {})
        query = SearchQuery(question.needles, question.spelled, values, _RANKED, unseen=self._unseen)
        queries = [query]
        if self._nearby and question.needles and (labels := self._nearby.labels(question.text, self._unseen)):
            queries.append(replace(query, needles=(), spelled=None, labels=labels, limit=_LABELLED, counted=False))
        page, *near = self._index.ask(queries)
        weight = _weights(page, question)
        ranked = self._ranked(page, near, query, question, weight)
        if self._clicks is not None and question.needles:
            ranked = tie_broken(ranked, self._clicks.of(q))
        whole = page.total <= len(page.hits)
        total = len(ranked) if whole else page.total + lacking(ranked, page)
        if grouped:
            whole = self._enough(ranked, query, question, weight, offset + limit, whole)
            return self._grouped(ranked, page, question, limit, offset, explain, whole)
        if offset + limit > len(ranked) and not whole:
            more = self._index.search(replace(query, limit=offset + limit - _RANKED, offset=_RANKED, counted=False))
            ranked += further(more, ranked, question, weight)
        shown = tuple(hit_of(each, question, explain) for each in ranked[offset : offset + limit])
        return answer_of(total, shown, page, ranked, question)

    def _ranked(
        self,
        page: IndexPage,
        near: Sequence[IndexPage],
        asked: SearchQuery,
        question: Question,
        weight: Sequence[float],
    ) -> list[Ranked]:
        """What holds every needle; then, where that is little, what lacks some, and what is near in meaning."""
        needles = question.needles
        if not needles:
            ranked = rank(page.hits, question, weight)
            return ranked if question.spelled else sorted(ranked, key=lambda r: r.hit.source["kind"] != "dataset")
        hits = {hit.id: hit for hit in page.hits}
        strict = frozenset(hits)
        apart = [
            (part, each / len(needle.parts or (needle,)))
            for needle, each in zip(needles, weight, strict=True)
            for part in needle.parts or (needle,)
        ]
        if len(apart) > 1 and page.total < _RANKED:
            fewer = replace(
                asked,
                needles=tuple(part for part, _ in apart),
                least=(len(apart) + 1) // 2 if len(apart) > 2 else 1,
                limit=_RELAXED,
                counted=False,
                weights=tuple(w for _, w in apart),
            )
            hits |= {hit.id: hit for hit in self._index.search(fewer).hits}
        hits |= {hit.id: hit for other in near for hit in other.hits}
        listed = list(hits.values())
        likeness = self._nearby.likeness(question.text, listed) if self._nearby else None
        ranked = rank(listed, question, weight, likeness)
        best = ranked[0].score if ranked else 0.0
        return [each for each in ranked if each.hit.id in strict or each.score >= _WORTH * best]

    def warm(self) -> None:
        """Read what finds by meaning, before the first question. Raises Unavailable."""
        if self._nearby is not None:
            self._nearby.read()

    def suggest(self, q: str, limit: int = _SUGGESTIONS) -> list[Suggestion]:
        """What the query may become: names of datasets and fields that hold its words, the last of them begun; values of
        the filter that it ends with (`owner:ot`), of what the rest finds.

        Raises InvalidInput, Unavailable, as `search`.
        """
        if (filter_ := begun_filter(q)) is not None:
            return self._values(filter_, limit)
        question = self._question(q)
        if not question.needles:
            return []
        loose = tuple(replace(needle, ways=needle.ways[:1]) for needle in question.needles)
        page = self._index.search(
            SearchQuery(
                loose,
                question.spelled,
                self._wanted(question.filters),
                limit=_SUGGESTED,
                distinct=True,
                counted=False,
                unseen=self._unseen,
            )
        )
        suggestions: dict[str, Suggestion] = {}
        for each in rank(page.hits, replace(question, needles=loose), [1.0] * len(loose)):
            source = each.hit.source
            text = source["name"] if source["kind"] == "dataset" else source["path"].rpartition(".")[2]
            suggestions.setdefault(text.lower(), Suggestion(text, source["kind"], source["reference"]))
            if len(suggestions) == limit:
                break
        return list(suggestions.values())

    def _values(self, filter_: Begun, limit: int) -> list[Suggestion]:
        """The most frequent values of a filter first."""
        values: Sequence[str] = CHOICES.get(filter_.name, ())
        if not values:
            question = self._question(filter_.rest)
            others = {name: chosen for name, chosen in question.filters.items() if name != filter_.name}
            query = SearchQuery(
                question.needles,
                question.spelled,
                self._wanted(others),
                limit=0,
                facets=(filter_.name,),
                holding=filter_.begun.removeprefix("group:"),
                unseen=self._unseen,
            )
            values = [value for value, _ in self._index.search(query).facets.get(filter_.name, ())]
        return [Suggestion(value, filter_.name) for value in fitting(values, filter_.begun, limit)]

    def _grouped(
        self,
        ranked: Sequence[Ranked],
        page: IndexPage,
        question: Question,
        limit: int,
        offset: int,
        explain: bool,
        whole: bool,
    ) -> SearchAnswer:
        """Datasets, in the order of their best document, each with its best fields. whole: nothing else was found."""
        groups: dict[str, list[Ranked]] = {}
        for each in ranked:
            groups.setdefault(each.hit.id.split(".")[0], []).append(each)
        hits = []
        for members in list(groups.values())[offset : offset + limit]:
            own = next((m for m in members if m.hit.source["kind"] == "dataset"), None)
            inside = [m for m in members if m is not own]
            fields = tuple(hit_of(m, question, explain) for m in inside[:_BEST_FIELDS])
            head = own or members[0]
            shown = hit_of(head, question, explain)
            if own is None:
                source = {k: v for k, v in head.hit.source.items() if k not in _OF_FIELDS} | {"kind": "dataset"}
                shown = replace(shown, source=source, highlights={})
            hits.append(replace(shown, score=members[0].score, fields=fields, matching=(len(inside), whole)))
        return answer_of(len(groups) if whole else max(page.datasets, len(groups)), tuple(hits), page, ranked, question)

    def _enough(
        self,
        ranked: list[Ranked],
        asked: SearchQuery,
        question: Question,
        weight: Sequence[float],
        most: int,
        whole: bool,
    ) -> bool:
        """Add further hits until they are of so many datasets; True when there are no others."""
        seen = {each.hit.id for each in ranked}
        offset = _RANKED
        while not whole and len({key.split(".")[0] for key in seen}) < most and offset < _DEEPEST:
            more = self._index.search(replace(asked, limit=min(_MOST, _DEEPEST - offset), offset=offset, counted=False))
            ranked += further(more, ranked, question, weight)
            seen |= {hit.id for hit in more.hits}
            offset += _MOST
            whole = len(more.hits) < _MOST
        return whole

    def _question(self, q: str) -> Question:
        return parse(q, self._words(self._hides), self._nearby.words_of(self._unseen) if self._nearby else frozenset())

    def _wanted(self, *several: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
        """The values of all of these, of which one of each filter must fit."""
        wanted: dict[str, tuple[str, ...]] = {}
        for name, values in (pair for filters in several for pair in filters.items()):
            if name not in FILTERS:
                raise InvalidInput(f"There is no filter {name!r}; filters are {', '.join(FILTERS)}.")
            known = tuple(spelling for value in values if value for spelling in self._spellings(name, value))
            if known:
                wanted[name] = (*wanted.get(name, ()), *known)
        return wanted

    def _spellings(self, facet: str, value: str) -> tuple[str, ...]:
        """A filter's value as the index holds it; a group may be named without `group:`, an entity in small letters."""
        match facet:
            case "namespace":
                return (self._clusters.namespace(value),)
            case "owner":
                return (value, f"group:{value}")
            case "entity":
                return (value, value.upper())
            case "tag":
                return (value, value.upper())
            case "kind" | "type" | "has" | "is" | "source" | "format":
                return (value.lower(),)
            case _:
                return (value,)


_OF_FIELDS = ("path", "types", "presence", "states", "description")


def _weights(page: IndexPage, question: Question) -> list[float]:
    return weights(page.held, page.size) if page.held else [1.0] * len(question.needles)
