"""A misspelt parameter is refused on every route: left out, the answer would be of another question."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.api_world import ApiWorld

TOLERANT = re.compile(
    r"POST /api/v1/lineage(/batch)?$|GET /api/v1/(column-lineage|namespaces|sources|tags|jobs)\b|\w+ /api/v1/auth/"
)
"""What producers of events, clients of Marquez and providers of identity call, by rules of their own."""


@pytest.fixture
def weir(tmp_path: Path) -> ApiWorld:
    return ApiWorld(tmp_path)


def routes(weir: ApiWorld) -> list[tuple[str, str]]:
    paths: dict[str, Any] = weir.admin.get("/openapi.json").json()["paths"]
    return [
        (method.upper(), path)
        for path, methods in paths.items()
        for method in methods
        if path.startswith("/api/v1/") and method in ("get", "post", "put", "patch", "delete")
    ]


def test_every_route_refuses_a_parameter_it_does_not_have(weir: ApiWorld) -> None:
    asked = [each for each in routes(weir) if not TOLERANT.match(" ".join(each))]
    wrong = []
    for method, path in asked:
        answer = weir.admin.request(method, re.sub(r"\{\w+\}", "x", path), params={"limitt": "5"})
        if answer.status_code != 400 or "'limitt' is not a parameter here" not in answer.text:
            wrong.append((method, path, answer.status_code, answer.text[:100]))
    assert len(asked) > 120
    assert not wrong


def test_the_nearest_parameter_is_named(weir: ApiWorld) -> None:
    answer = weir.admin.get("/api/v1/datasets", params={"limt": "5"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "'limt' is not a parameter here; did you mean limit?"
    assert answer.json()["error"]["details"] == {"field": "limt", "nearest": "limit"}


def test_a_route_without_parameters_names_that(weir: ApiWorld) -> None:
    answer = weir.admin.get("/api/v1/views", params={"zzz": "1"})
    assert answer.json()["error"]["message"] == "'zzz' is not a parameter here; this route takes none."


def repeatable(operation: dict[str, Any]) -> tuple[set[str], set[str]]:
    """Names of query parameters that are lists, and of those that are not."""
    lists: set[str] = set()
    single: set[str] = set()
    for each in operation.get("parameters", []):
        if each["in"] == "query":
            of = [each["schema"], *each["schema"].get("anyOf", [])]
            (lists if any(one.get("type") == "array" for one in of) else single).add(each["name"])
    return lists, single


def test_every_route_refuses_a_parameter_that_is_given_twice(weir: ApiWorld) -> None:
    """The last one alone would count: an audit of two people would be of one of them."""
    paths: dict[str, Any] = weir.admin.get("/openapi.json").json()["paths"]
    wrong, asked = [], 0
    for method, path in routes(weir):
        if TOLERANT.match(f"{method} {path}") or path == "/api/v1/views/{name}/rows":  # its parameters are columns, too
            continue
        lists, single = repeatable(paths[path][method.lower()])
        for name in sorted(lists | single):
            asked += 1
            answer = weir.admin.request(method, re.sub(r"\{\w+\}", "x", path) + f"?{name}=1&{name}=2")
            refused = answer.status_code == 400 and f"'{name}' is given 2 times" in answer.text
            if refused is not (name in single):
                wrong.append((method, path, name, answer.status_code, answer.text[:100]))
    assert asked > 250
    assert not wrong


def test_a_list_may_have_several_values(weir: ApiWorld) -> None:
    assert weir.admin.get("/api/v1/search?tag=a&tag=b").status_code == 200
    answer = weir.admin.get("/api/v1/audit?actor=ana&actor=otto&limit=5")
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "'actor' is given 2 times; give it once."
    assert answer.json()["error"]["details"] == {"field": "actor"}


def test_other_tools_may_send_more(weir: ApiWorld) -> None:
    assert weir.admin.get("/api/v1/namespaces", params={"sort": "name"}).status_code == 200
    event = {"eventType": "START"}
    refused = weir.admin.post("/api/v1/lineage", params={"source": "spark"}, json=event)
    assert "parameter" not in refused.text
