"""A search in Elasticsearch's query language. Pure.

It chooses which documents are looked at; their order is made by `catalog.search.language.ranking`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from catalog.search.language.matching import OF_DATASET, OF_FIELD, ONLY_RANKED, PREFIX, SLIP, slips
from catalog.search_model import BARE, IN_ANY_CASE, LONGEST_BEGUN, NAMED, PLAIN, Needle, SearchQuery, Unseen, Way

FIELDS = ("name", "path", "text", "main", "any")
"""What is indexed of a document's words: those in which phrases are sought, those that count much, and all of them."""

PHRASES = FIELDS[:3]


def places(kind: str, main: bool) -> tuple[str, ...]:
    """Whose words are in `main` or in `any`, for documents of this kind."""
    worth = OF_DATASET if kind == "dataset" else OF_FIELD
    return tuple(p for p, value in worth.items() if p not in ONLY_RANKED and (value >= _MAIN or not main))


_MAIN = 0.6
_MAINLY, _ANYWHERE = 0.75, 0.4
_MEANT = 0.8  # ways worth as much are sought as the words themselves
_EXACT, _SUFFIX = 1000.0, 200.0  # above anything that words alone can score
_BEGUN = 100.0  # a dataset whose name is being typed comes before fields that hold the word
_FACET_VALUES = 50
_LONGEST_HELD = 60  # letters; longer patterns are refused or slow, and values that hold so many are few


def hits(query: SearchQuery) -> dict[str, object]:
    """The best documents, uncounted. To the words adds what the document is by itself (`prior`)."""
    return {
        "query": {
            "function_score": {
                "query": {
                    "bool": {"must": [_matching(query)], "filter": [*_chosen(query).values(), *seen(query.unseen)]}
                },
                "functions": [{"field_value_factor": {"field": "prior", "missing": 0}}],
                "boost_mode": "sum",
            }
        },
        **(
            {"collapse": {"field": "label"}}
            if query.distinct
            else {"sort": [{"_score": "desc"}, {"name": "asc"}, {"path": "asc"}]}
        ),
        "size": query.limit,
        "from": query.offset,
        "track_total_hits": False,
        "track_scores": True,
        "_source": {
            "includes": ["source", "words", "exact", "suffix", "usage", "rank", "own", "label"],
            "excludes": ["words.main", "words.any"],
        },
    }


def counts(query: SearchQuery) -> list[dict[str, object]]:
    """How many there are, and of which kinds: first with all filters, then for each facet that is chosen from, without its own
    filter. Without hits, so that the server keeps the answers until something changes.

    Each is a search of its own, since one that filters behind its query would look at every document of the index.
    """
    chosen = _chosen(query)
    facets = {name: _facet(query, name) for name in query.facets}
    datasets = {"datasets": {"cardinality": {"field": "key"}}} if query.limit else {}
    rest = {name: values for name, values in facets.items() if name not in chosen}
    whole = _counted(query, list(chosen.values()), {**rest, **datasets})
    apart = [
        _counted(query, [clause for other, clause in chosen.items() if other != name], {name: facets[name]})
        | {"track_total_hits": False}
        for name in chosen
        if name in query.facets
    ]
    return [whole, *apart]


def _facet(query: SearchQuery, name: str) -> dict[str, object]:
    """The values of a facet and how many documents have each."""
    containing = {"include": f".*{_either_case(query.holding)}.*"} if query.holding else {}
    order = [{"_count": "desc"}, {"_key": "asc"}]
    return {"terms": {"field": f"facet.{name}", "size": _FACET_VALUES, "order": order, **containing}}


def _counted(
    query: SearchQuery, chosen: list[dict[str, object]], aggregations: Mapping[str, object]
) -> dict[str, object]:
    return {
        "query": {"bool": {"filter": [_matching(query, scored=False), *chosen, *seen(query.unseen)]}},
        "size": 0,
        "track_total_hits": True,
        "aggs": dict(aggregations),
    }


def _either_case(text: str) -> str:
    """A pattern for these letters in either case."""
    return "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else f"\\{c}" for c in text[:_LONGEST_HELD])


def held(needle: Needle, unseen: Unseen | None = None) -> dict[str, object]:
    """How many documents hold a needle, of those that the reader may find."""
    return {"query": {"bool": {"filter": [_anywhere(needle), *seen(unseen)]}}, "size": 0, "track_total_hits": True}


def everything(unseen: Unseen | None = None) -> dict[str, object]:
    """How many documents there are, of those that the reader may find."""
    query: dict[str, object] = {"bool": {"filter": seen(unseen)}} if unseen is not None else {"match_all": {}}
    return {"query": query, "size": 0, "track_total_hits": True}


_MOST_TERMS = 60_000  # of one clause; the server refuses more than 65,536


def seen(unseen: Unseen | None) -> list[dict[str, object]]:
    """What a document must be, so that the reader may find it. Empty where nothing is hidden, and faces do not exist."""
    if unseen is None:
        return []
    face = {"exists": {"field": "face"}}
    whole: dict[str, object] = {"must_not": [face, *_of_keys((*unseen.nothing, *unseen.bare, *unseen.plain))]}
    if unseen.only is not None:
        ways_in = _of_keys(unseen.only) or [{"match_none": {}}]
        whole = {"must_not": [face], "filter": [{"bool": {"should": ways_in, "minimum_should_match": 1}}]}
    ways: list[dict[str, object]] = [
        {"bool": whole},
        *_faces(BARE, unseen.bare),
        *_faces(PLAIN, unseen.plain),
    ]
    return ways if len(ways) == 1 else [{"bool": {"should": ways, "minimum_should_match": 1}}]


def _faces(face: str, keys: Collection[str]) -> list[dict[str, object]]:
    return [{"bool": {"filter": [{"term": {"face": face}}, part]}} for part in _of_keys(keys)]


def _of_keys(keys: Collection[str]) -> list[dict[str, object]]:
    listed = sorted(keys)
    return [{"terms": {"key": listed[at : at + _MOST_TERMS]}} for at in range(0, len(listed), _MOST_TERMS)]


def _chosen(query: SearchQuery) -> dict[str, dict[str, object]]:
    return {name: _one_of(name, values) for name, values in query.filters.items()}


def _one_of(name: str, values: Sequence[str]) -> dict[str, object]:
    field = f"facet.{name}"
    as_written: dict[str, object] = {"terms": {field: list(values)}}
    if name not in NAMED:
        return as_written
    in_any_case = [{"term": {field: {"value": each, "case_insensitive": True}}} for each in values[:IN_ANY_CASE]]
    return {"bool": {"should": [as_written, *in_any_case], "minimum_should_match": 1}}


def _matching(query: SearchQuery, scored: bool = True) -> dict[str, object]:
    if query.labels:
        return {
            "dis_max": {
                "queries": [
                    _constant({"term": {"label": label}}, 1.0 / (1 + number))
                    for number, label in enumerate(query.labels)
                ]
            }
        }
    if query.spelled is None and not query.needles:
        datasets_first = _constant({"term": {"facet.kind": "dataset"}}, 1.0)
        everything = _constant({"match_all": {}}, 0.0)
        return {"bool": {"must": [everything], "should": [datasets_first]}} if scored else {"match_all": {}}
    ways: list[dict[str, object]] = []
    if query.spelled is not None:
        ways += [
            _constant({"term": {"exact": query.spelled}}, _EXACT),
            _constant({"term": {"suffix": query.spelled}}, _SUFFIX),
        ]
        if 1 < len(query.spelled) <= LONGEST_BEGUN:
            begun = [{"term": {"facet.kind": "dataset"}}, {"prefix": {"exact": query.spelled}}]
            ways.append(_constant({"bool": {"filter": begun}}, _BEGUN))
    if query.needles:
        least = len(query.needles) if query.least is None else min(query.least, len(query.needles))
        weights = query.weights or (1.0,) * len(query.needles)
        each = [
            _needle(needle, weight) if scored else _anywhere(needle)
            for needle, weight in zip(query.needles, weights, strict=True)
        ]
        ways.append({"bool": {"should": each, "minimum_should_match": least}})
    return {"bool": {"should": ways, "minimum_should_match": 1}}


def _constant(clause: dict[str, object], boost: float) -> dict[str, object]:
    return {"constant_score": {"filter": clause, "boost": boost}}


def _phrase(needle: Needle) -> dict[str, object]:
    sought = {"query": " ".join(needle.words), "fields": [f"words.{f}" for f in PHRASES], "type": "phrase"}
    return {"multi_match": sought}


def _needle(needle: Needle, weight: float) -> dict[str, object]:
    """A name counts most; the rest is for the ranking. More clauses were measured to cost ten times as much."""
    if needle.phrase:
        return _constant(_phrase(needle), weight)
    ways: list[dict[str, object]] = []
    for least, most in ((_MEANT, 2.0), (0.0, _MEANT)):
        worth = [way for way in needle.ways if least <= way.quality < most]
        best = max((way.quality for way in worth), default=0.0)
        if single := [way.words[0] for way in worth if len(way.words) == 1]:
            ways += [
                _constant({"terms": {"words.name": single}}, weight * best),
                _constant({"terms": {"words.main": single}}, weight * best * _MAINLY),
                _constant({"terms": {"words.any": single}}, weight * best * _ANYWHERE),
            ]
        for way in worth:
            if len(way.words) == 1:
                ways += [_constant(loose, weight * way.quality * _ANYWHERE * part) for loose, part in _loose(way, 0)]
            else:
                main = [{"term": {"words.main": word}} for word in way.words]
                ways += [
                    _constant({"bool": {"filter": main}}, weight * way.quality * _MAINLY),
                    _constant(_by_way(way), weight * way.quality * _ANYWHERE),
                ]
    return {"dis_max": {"queries": ways}}


def _anywhere(needle: Needle) -> dict[str, object]:
    """What `_needle` finds, without scores."""
    if needle.phrase:
        return _phrase(needle)
    single = [way for way in needle.ways if len(way.words) == 1]
    ways: list[dict[str, object]] = [{"terms": {"words.any": [way.words[0] for way in single]}}] if single else []
    ways += [loose for way in single for loose, _ in _loose(way, 0)]
    ways += [_by_way(way) for way in needle.ways if len(way.words) > 1]
    return {"bool": {"should": ways, "minimum_should_match": 1}}


def _by_way(way: Way) -> dict[str, object]:
    words = []
    for number, word in enumerate(way.words):
        ways = [{"term": {"words.any": word}}, *(loose for loose, _ in _loose(way, number))]
        words.append(ways[0] if len(ways) == 1 else {"bool": {"should": ways, "minimum_should_match": 1}})
    return {"bool": {"filter": words}}


def _loose(way: Way, number: int) -> list[tuple[dict[str, object], float]]:
    """What begins with the word, and what it may be misspelled for; and how much of the word either is worth."""
    word = way.words[number]
    clauses: list[tuple[dict[str, object], float]] = []
    if way.loose and len(word) > 1:
        clauses.append(({"prefix": {"words.any": {"value": word}}}, PREFIX))
    if way.loose and word not in way.known and (allowed := slips(word)):
        slipped = {
            "value": word,
            "fuzziness": allowed,
            "prefix_length": 1,
            "max_expansions": 20,
            "rewrite": "constant_score",
        }
        clauses.append(({"fuzzy": {"words.any": slipped}}, SLIP))
    return clauses
