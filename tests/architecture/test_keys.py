"""Keys of Weir's JSON and names of its parameters are camelCase; other standards keep theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from api.edge.answer import Answer
from tests.answer_check import document, snake_keys

CAMEL = re.compile(r"[a-z][a-zA-Z0-9]*")
STANDARDS = {("BatchSummary", "non_retriable"), ("BatchResult", "failed_events")} | {
    ("ProtectedResource", key) for key in ("resource_name", "authorization_servers", "bearer_methods_supported")
}
"""Of the answer to OpenLineage's batches, and of RFC 9728."""
MARQUEZ = {("/api/v1/jobs/runs/{run_id}", "run_id"), ("/api/v1/jobs/runs/{run_id}/facets", "run_id")}


def keys(schema: Any) -> Iterator[str]:
    """Keys that a schema declares, at any depth; references are not followed."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from properties
        for inner in schema.values():
            yield from keys(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from keys(inner)


def test_models_of_bodies_and_answers_have_camel_case_keys() -> None:
    declared = [(name, key) for name, schema in document()["components"]["schemas"].items() for key in keys(schema)]
    assert len(declared) > 800
    assert {each for each in declared if not CAMEL.fullmatch(each[1])} == STANDARDS


def test_parameters_and_inline_bodies_are_camel_case() -> None:
    operations = [(path, operation) for path, methods in document()["paths"].items() for operation in methods.values()]
    named = [
        (path, parameter["name"])
        for path, operation in operations
        for parameter in operation.get("parameters", [])
        if parameter["in"] in ("query", "path")
    ]
    named += [
        (path, key)
        for path, operation in operations
        for key in keys([operation.get("requestBody"), operation.get("responses")])
    ]
    assert len(named) > 200
    assert {each for each in named if not CAMEL.fullmatch(each[1])} == MARQUEZ


class Figures(Answer):
    """An answer with both spellings of attributes."""

    null_share: float
    firstSeen: str


def test_answers_are_filled_in_by_attributes_and_written_in_camel_case() -> None:
    assert Figures(null_share=0.5, firstSeen="x").model_dump() == {"nullShare": 0.5, "firstSeen": "x"}


def test_an_answer_with_a_snake_case_key_is_refused() -> None:
    data = {"items": [{"first_bad": 1, "facets": {"schema_of_a_producer": 1}}], "EMAIL_ADDRESS": {"nullShare": 0}}
    assert list(snake_keys(data)) == ["items.first_bad is not camelCase"]
