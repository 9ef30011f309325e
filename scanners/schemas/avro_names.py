"""Avro schemas that refer to others by name, made whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def whole(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """A parsed schema (full names everywhere) with the definitions of others where their names come first.

    fastavro keeps the definitions that a schema refers to only beside a record, so a union of names, an array or a map of
    them could not be read. `definitions` are parsed definitions by full name.
    """
    return _whole(schema, definitions, set())


def _whole(schema: Any, definitions: Mapping[str, Any], defined: set[str]) -> Any:
    if isinstance(schema, str):
        if schema in defined or schema not in definitions:
            return schema
        return _whole(definitions[schema], definitions, defined)
    if isinstance(schema, list):
        return [_whole(branch, definitions, defined) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    if "name" in schema:
        if schema["name"] in defined:
            return schema["name"]
        defined.add(schema["name"])
    answer = {key: value for key, value in schema.items() if not key.startswith("__")}
    for below in ("type", "items", "values"):
        if below in answer:
            answer[below] = _whole(answer[below], definitions, defined)
    if "fields" in answer:
        answer["fields"] = [
            {**field, "type": _whole(field["type"], definitions, defined)} for field in answer["fields"]
        ]
    return answer


def plain(schema: Any) -> Any:
    """A parsed schema without fastavro's own marks."""
    if isinstance(schema, Mapping):
        return {key: plain(value) for key, value in schema.items() if not key.startswith("__")}
    return [plain(each) for each in schema] if isinstance(schema, list) else schema
