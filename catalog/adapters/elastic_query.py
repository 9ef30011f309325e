"""A search as Elasticsearch's query language says it. Pure."""

from __future__ import annotations

from typing import Any

from catalog.adapters.memory_index import LONGEST_BEGUN, WEIGHTS
from catalog.search_model import FACETS, Needle, SearchQuery

FIELDS = tuple(WEIGHTS)
_ALL = [f"words.{name}^{weight}" for name, weight in WEIGHTS.items()]
_NAMES = ("name", "entity", "path", "tag", "dataset")
_FUZZY = [f"words.{name}^{WEIGHTS[name]}" for name in _NAMES]
_EXACT, _SUFFIX = 1000.0, 200.0  # above anything that words alone can score
_BEGUN = 100.0  # a dataset whose name is being typed comes before fields that hold the word
_FACET_VALUES = 50


def body(query: SearchQuery) -> dict[str, Any]:
    """The arguments of `Elasticsearch.search`. Filters come after counting, so each facet shows its other choices."""
    chosen = {name: {"terms": {f"facet.{name}": list(values)}} for name, values in query.filters.items()}
    aggregations = {
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
    return {
        "query": {
            "function_score": {
                "query": _matching(query),
                "functions": [{"field_value_factor": {"field": "usage", "modifier": "log1p", "missing": 0}}],
                "boost_mode": "sum",
            }
        },
        "post_filter": {"bool": {"filter": list(chosen.values())}},
        "aggs": aggregations,
        "sort": [{"_score": "desc"}, {"name": "asc"}, {"path": "asc"}],
        "size": query.limit,
        "from_": query.offset,
        "track_total_hits": True,
        "track_scores": True,
        "source_includes": ["source"],
    }


def _matching(query: SearchQuery) -> dict[str, Any]:
    if query.spelled is None:
        datasets_first = {"constant_score": {"filter": {"term": {"facet.kind": "dataset"}}, "boost": 1.0}}
        return {
            "bool": {
                "must": [{"constant_score": {"filter": {"match_all": {}}, "boost": 0.0}}],
                "should": [datasets_first],
            }
        }
    ways: list[dict[str, Any]] = [
        {"constant_score": {"filter": {"term": {"exact": query.spelled}}, "boost": _EXACT}},
        {"constant_score": {"filter": {"term": {"suffix": query.spelled}}, "boost": _SUFFIX}},
    ]
    if 1 < len(query.spelled) <= LONGEST_BEGUN:
        begun = [{"term": {"facet.kind": "dataset"}}, {"prefix": {"exact": query.spelled}}]
        ways.append({"constant_score": {"filter": {"bool": {"filter": begun}}, "boost": _BEGUN}})
    if query.needles:
        ways.append({"bool": {"must": [_needle(needle) for needle in query.needles]}})
    return {"bool": {"should": ways, "minimum_should_match": 1}}


def _needle(needle: Needle) -> dict[str, Any]:
    if needle.phrase:
        return {"multi_match": {"query": " ".join(needle.words), "fields": _ALL, "type": "phrase"}}
    apart: dict[str, Any] = {"bool": {"must": [_word(word, needle.prefix) for word in needle.words]}}
    if needle.joined is None:
        return apart
    return {"dis_max": {"queries": [apart, _word(needle.joined, needle.prefix, forgiving=False)]}}


def _word(word: str, prefix: bool, forgiving: bool = True) -> dict[str, Any]:
    ways: list[dict[str, Any]] = [{"multi_match": {"query": word, "fields": _ALL, "type": "best_fields"}}]
    if prefix and len(word) > 1:
        ways += [{"prefix": {f"words.{name}": {"value": word, "boost": WEIGHTS[name] / 2}}} for name in _NAMES]
    if forgiving and len(word) > 3:
        ways.append(
            {
                "multi_match": {
                    "query": word,
                    "fields": _FUZZY,
                    "fuzziness": "AUTO",
                    "prefix_length": 1,
                    "max_expansions": 20,
                    "boost": 0.2,
                }
            }
        )
    return {"dis_max": {"queries": ways}}
