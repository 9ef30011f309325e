"""A search as Elasticsearch's query language says it. Pure.

It chooses which documents are looked at; their order is made by `catalog.finding.ranking`.
"""

from __future__ import annotations

from typing import Any

from catalog.adapters.memory_index import LONGEST_BEGUN
from catalog.finding.ranking import OF_DATASET, OF_FIELD, ONLY_RANKED, PREFIX, SLIP, slips
from catalog.search_model import FACETS, Needle, SearchQuery, Way

FIELDS = ("name", "path", "text", "any")
"""What is indexed of a document's words: those in which phrases are sought, and all of them together."""

PLACES = tuple(place for place in dict.fromkeys((*OF_FIELD, *OF_DATASET)) if place not in ONLY_RANKED)
"""Whose words are in `any`."""

_ANYWHERE = 0.5
_EXACT, _SUFFIX = 1000.0, 200.0  # above anything that words alone can score
_BEGUN = 100.0  # a dataset whose name is being typed comes before fields that hold the word
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
        "source_excludes": ["words.any"],
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
    if len(needles) > 1:
        each = {f"n{number}": {"filter": needle} for number, needle in enumerate(needles)}
        counts["held"] = {"global": {}, "aggs": each}
    return counts


def _matching(query: SearchQuery, needles: list[dict[str, Any]]) -> dict[str, Any]:
    if query.labels:
        return {"dis_max": {"queries": [
            {"constant_score": {"filter": {"term": {"label": label}}, "boost": 1.0 / (1 + number)}}
            for number, label in enumerate(query.labels)
        ]}}  # fmt: skip
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
        weights = query.weights or (1.0,) * len(needles)
        weighed = [{"bool": {"must": needle, "boost": w}} for needle, w in zip(needles, weights, strict=True)]
        ways.append({"bool": {"should": weighed, "minimum_should_match": least}})
    return {"bool": {"should": ways, "minimum_should_match": 1}}


def _needle(needle: Needle) -> dict[str, Any]:
    if needle.phrase:
        return {
            "multi_match": {
                "query": " ".join(needle.words),
                "fields": [f"words.{f}" for f in FIELDS[:3]],
                "type": "phrase",
            }
        }
    return {"dis_max": {"queries": [_way(way) for way in needle.ways]}}


def _way(way: Way) -> dict[str, Any]:
    return {"bool": {"must": [_word(word, way.loose) for word in way.words], "boost": way.quality}}


def _word(word: str, loose: bool) -> dict[str, Any]:
    """A name counts most; the rest is for the ranking. More clauses were measured to cost ten times as much."""
    ways: list[dict[str, Any]] = [
        {"constant_score": {"filter": {"term": {"words.any": word}}, "boost": _ANYWHERE}},
        {"constant_score": {"filter": {"term": {"words.name": word}}, "boost": 1.0}},
    ]
    if loose and len(word) > 1:
        ways.append({"prefix": {"words.any": {"value": word, "boost": _ANYWHERE * PREFIX}}})
    if loose and (allowed := slips(word)):
        slipped = {
            "value": word, "fuzziness": allowed, "prefix_length": 1, "max_expansions": 20, "rewrite": "constant_score",
            "boost": _ANYWHERE * SLIP,
        }  # fmt: skip
        ways.append({"fuzzy": {"words.any": slipped}})
    return {"dis_max": {"queries": ways}}
