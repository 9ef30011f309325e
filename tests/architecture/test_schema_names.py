"""Names of models in `/openapi.json`: generated clients make a class, and some a file, of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from pydantic import BaseModel

from api.edge.answer import Answer, RequestBody
from tests.answer_check import document

Schema = dict[str, Any]


@cache
def schemas() -> dict[str, Schema]:
    return dict(document()["components"]["schemas"])


def pascal(text: str) -> str:
    return text[:1].upper() + text[1:]


def objects(name: str, schema: Schema) -> Iterator[str]:
    """Names that generators make of objects without a model of their own: `Parent` and its key `facets` give `ParentFacets`."""
    for key, value in schema.get("properties", {}).items():
        if any(part.get("type") == "object" for part in (value, *value.get("anyOf", ()))):
            yield name + pascal(key)


def clashes(document: dict[str, Schema]) -> list[str]:
    """Names that differ in case at most, of models and of what generators make of their keys."""
    names = [each for name, schema in document.items() for each in (name, *objects(name, schema))]
    by_fold: dict[str, list[str]] = defaultdict(list)
    for each in names:
        by_fold[each.casefold()].append(each)
    return sorted(", ".join(alike) for alike in by_fold.values() if len(alike) > 1)


def models(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for each in kind.__subclasses__():
        yield each
        yield from models(each)


def test_no_name_of_a_schema_is_another_one_or_differs_in_case_alone() -> None:
    assert clashes(schemas()) == []


def test_no_two_models_have_one_name() -> None:
    document()  # every route is read, and every model with it
    counted = Counter(each.__name__ for kind in (Answer, RequestBody) for each in set(models(kind)))
    assert not [name for name, count in counted.items() if count > 1]
    assert not [name for name in schemas() if "__" in name], "FastAPI puts modules before names that two models have"


@pytest.mark.parametrize("other", ["runfacets", "RunFacets"])
def test_a_clash_is_seen(other: str) -> None:
    facets = {"type": "object", "additionalProperties": True}
    assert clashes({"Run": {"properties": {"facets": facets}}, other: {}}) == [f"RunFacets, {other}"]
    assert clashes({"Run": {"properties": {"facets": {"$ref": "#"}}}, other: {}}) == []
    assert clashes({"Run": {}, "RUN": {}}) == ["Run, RUN"]
