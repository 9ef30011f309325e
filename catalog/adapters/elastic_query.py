"""A search as Elasticsearch's query language says it. Pure.

It chooses which documents are looked at; their order is made by `catalog.finding.ranking`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from catalog.adapters.memory_index import LONGEST_BEGUN
from catalog.finding.ranking import OF_DATASET, OF_FIELD, ONLY_RANKED
from catalog.search_model import FACETS, Needle, SearchQuery, Way

WEIGHTS = {name: max(OF_FIELD.get(name, 0.0), OF_DATASET.get(name, 0.0)) for name in (*OF_FIELD, "inside")}
FIELDS = tuple(WEIGHTS)
_ALL = [f"words.{name}^{weight}" for name, weight in WEIGHTS.items() if name not in ONLY_RANKED]
_NAMES = ("name", "entity", "path", "tag", "term", "dataset", "owner")
_FUZZY = [f"words.{name}^{WEIGHTS[name]}" for name in _NAMES]
_EXACT, _SUFFIX = 1000.0, 200.0  # above anything that words alone can score
_BEGUN = 100.0  # a dataset whose name is being typed comes before fields that hold the word
_LIKE = 3.0  # what only means the like is looked at, after most of what holds a word
_FACET_VALUES = 50


def body(query: SearchQuery) -> dict[str, Any]:
    """The arguments of `Elasticsearch.search`. Filters come after counting, so each facet shows its other choices."""
    chosen = {name: {"terms": {f"facet.{name}": list(values)}} for name, values in query.filters.items()}
    needles = [_needle(needle) for needle in query.needles]
    asked: dict[str, Any] = {
        "query": {
            "function_score": {
                "query": _matching(query, needles),
                "functions": [{"field_value_factor": {"field": "usage", "modifier": "log1p", "missing": 0}}],
                "boost_mode": "sum",
            }
        },
        "post_filter": {"bool": {"filter": list(chosen.values())}},
        "sort": [{"_score": "desc"}, {"name": "asc"}, {"path": "asc"}],
        "size": query.limit,
        "from_": query.offset,
        "track_total_hits": query.counted,
        "track_scores": True,
        "source_includes": ["source", "words", "exact", "suffix", "usage", "rank", "label"],
    }
    if query.counted:
        asked["aggs"] = _counts(query, chosen, needles)
    return asked


def _counts(query: SearchQuery, chosen: dict[str, Any], needles: list[dict[str, Any]]) -> dict[str, Any]:
    counts: dict[str, Any] = {
        name: {
            "filter": {"bool": {"filter": [clause for other, clause in chosen.items() if other != name]}},
            "aggs": {
                "values": {
                    "terms": {
                        "field": f"facet.{name}",
                        "size": _FACET_VALUES,
                        "order": [{"_count": "desc"}, {"_key": "asc"}],
                    }
                }
            },
        }
        for name in FACETS
    }
    counts["datasets"] = {
        "filter": {"bool": {"filter": list(chosen.values())}},
        "aggs": {"keys": {"cardinality": {"field": "key"}}},
    }
    if query.labels:
        by_words = _matching(replace(query, labels=()), needles)
        counts["by_words"] = {"filter": {"bool": {"filter": [*chosen.values(), by_words]}}}
    if len(needles) > 1:
        each = {f"n{number}": {"filter": needle} for number, needle in enumerate(needles)}
        counts["held"] = {"global": {}, "aggs": each}
    return counts


def _matching(query: SearchQuery, needles: list[dict[str, Any]]) -> dict[str, Any]:
    if query.spelled is None and not needles:
        datasets_first = {"constant_score": {"filter": {"term": {"facet.kind": "dataset"}}, "boost": 1.0}}
        return {
            "bool": {
                "must": [{"constant_score": {"filter": {"match_all": {}}, "boost": 0.0}}],
                "should": [datasets_first],
            }
        }
    ways: list[dict[str, Any]] = []
    if query.spelled is not None:
        ways += [
            {"constant_score": {"filter": {"term": {"exact": query.spelled}}, "boost": _EXACT}},
            {"constant_score": {"filter": {"term": {"suffix": query.spelled}}, "boost": _SUFFIX}},
        ]
        if 1 < len(query.spelled) <= LONGEST_BEGUN:
            begun = [{"term": {"facet.kind": "dataset"}}, {"prefix": {"exact": query.spelled}}]
            ways.append({"constant_score": {"filter": {"bool": {"filter": begun}}, "boost": _BEGUN}})
    if needles:
        least = len(needles) if query.least is None else min(query.least, len(needles))
        ways.append({"bool": {"should": needles, "minimum_should_match": least}})
    if query.labels:
        ways.append({"constant_score": {"filter": {"terms": {"label": list(query.labels)}}, "boost": _LIKE}})
    return {"bool": {"should": ways, "minimum_should_match": 1}}


def _needle(needle: Needle) -> dict[str, Any]:
    if needle.phrase:
        return {"multi_match": {"query": " ".join(needle.words), "fields": _ALL, "type": "phrase"}}
    return {"dis_max": {"queries": [_way(way) for way in needle.ways]}}


def _way(way: Way) -> dict[str, Any]:
    return {"bool": {"must": [_word(word, way.loose) for word in way.words], "boost": way.quality}}


def _word(word: str, loose: bool) -> dict[str, Any]:
    exactly = {"multi_match": {"query": word, "fields": _ALL, "type": "best_fields"}}
    if not loose:
        return exactly
    ways: list[dict[str, Any]] = [exactly]
    if len(word) > 1:
        ways += [{"prefix": {f"words.{name}": {"value": word, "boost": WEIGHTS[name] / 2}}} for name in _NAMES]
    if len(word) > 3:
        ways.append(
            {
                "multi_match": {
                    "query": word,
                    "fields": _FUZZY,
                    "fuzziness": "AUTO:4,8",
                    "prefix_length": 1,
                    "max_expansions": 20,
                    "boost": 0.2,
                }
            }
        )
    return {"dis_max": {"queries": ways}}
