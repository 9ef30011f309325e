"""Documents of the search index in Elasticsearch: their mapping, how an entry becomes one, and a hit from one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from catalog.adapters.elastic.query import FIELDS, places
from catalog.search.language.ranking import USED
from catalog.search_model import FILTERS, Entry, IndexHit

_KEYWORD = {"type": "keyword", "ignore_above": 8000}
MAPPINGS: dict[str, object] = {
    "dynamic": False,
    "_meta": {"documents": 10},  # how documents are made; one more when that changes, so that the index is built again
    "properties": {
        "key": {"type": "keyword"},
        "face": {"type": "keyword"},
        "name": _KEYWORD,
        "path": _KEYWORD,
        "exact": _KEYWORD,
        "suffix": _KEYWORD,
        "prior": {"type": "float"},
        "label": _KEYWORD,
        "source": {"type": "object", "enabled": False},
        "words": {"properties": {name: {"type": "text", "analyzer": "whitespace"} for name in FIELDS}},
        "facet": {"properties": dict.fromkeys(FILTERS, _KEYWORD)},
    },
}
_OF_STATE, _OF_BREVITY = 0.5, 0.25


def index_action(entry: Entry) -> dict[str, object]:
    return {
        "_op_type": "index",
        "_id": entry.id,
        "version": entry.version,
        "version_type": "external_gte",
        "_source": {
            "key": entry.id.split(".")[0],
            **({"face": entry.face} if entry.face else {}),
            "name": _encodable(entry.source["name"]),
            "path": _encodable(entry.source.get("path", "")),
            "exact": list(entry.exact),
            "suffix": list(entry.suffixes),
            "usage": entry.usage,
            "rank": entry.rank,
            "own": entry.own,
            "prior": _prior(entry),
            "label": _encodable(entry.label),
            "words": dict(entry.words) | {"main": _together(entry, True), "any": _together(entry, False)},
            "facet": {name: [_encodable(v) for v in values] for name, values in entry.facets.items()},
            "source": _encodable(entry.source),
        },
    }


def hit_of(hit: Mapping[str, Any]) -> IndexHit:
    document = hit["_source"]
    return IndexHit(
        id=hit["_id"],
        score=float(hit["_score"] or 0),
        source=document["source"],
        words=document["words"],
        exact=tuple(document["exact"]),
        suffixes=tuple(document["suffix"]),
        usage=int(document["usage"]),
        rank=float(document.get("rank", 1.0)),
        label=document.get("label", ""),
        own=int(document.get("own", 1)),
    )


def _together(entry: Entry, main: bool) -> str:
    texts = (entry.words.get(place, "") for place in places(entry.source["kind"], main))
    return " ".join(dict.fromkeys(word for text in texts for word in text.split()))


def _prior(entry: Entry) -> float:
    """What a document is worth before any word is known: by its state, its use, and the brevity of its name."""
    return round(_OF_STATE * entry.rank + USED * math.log1p(entry.usage) + _OF_BREVITY / max(1, entry.own), 4)


def _encodable(value: Any) -> Any:
    """JSON goes out as UTF-8, which has no lone surrogates."""
    match value:
        case str():
            return value if value.isascii() else value.encode("utf-8", "replace").decode()
        case Mapping():
            return {_encodable(k): _encodable(v) for k, v in value.items()}
        case list() | tuple():
            return [_encodable(v) for v in value]
        case _:
            return value
