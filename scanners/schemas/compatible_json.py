"""What a JSON Schema allows and another does not take. Pure.

Looked at: types, properties and required ones, additional properties, items, enumerations, bounds, references and
combinations. What two schemas cannot be compared by (a pattern that changed) counts as a difference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from operator import gt, lt
from typing import Any

from scanners.schemas.expect_registered import Document

_MOST = 20
_DEEPEST = 20
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_SAME = ("pattern", "multipleOf", "not", "uniqueItems", "const", "patternProperties")
_ALL = frozenset({"null", "boolean", "object", "array", "number", "string", "integer"})


def differences(reader: Document, writer: Document) -> list[str]:
    """Each place at which the reader's schema refuses what the writer's allows, in a sentence."""
    texts: dict[str, None] = {}
    for text in _differ(reader.root, reader, writer.root, writer, "$", 0):
        texts[text] = None
        if len(texts) >= _MOST:
            break
    return list(texts)


def _differ(ours: Any, one: Document, theirs: Any, other: Document, at: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST or ours == theirs == {} or one.budget.spent(depth):
        return
    ours, one = _resolved(ours, one)
    theirs, other = _resolved(theirs, other)
    if ours is True or ours == {} or theirs is False:
        return
    if not isinstance(ours, Mapping):
        yield f"{at}: nothing is allowed any more"
        return
    theirs = theirs if isinstance(theirs, Mapping) else {}
    for word in ("anyOf", "oneOf"):
        if isinstance(theirs.get(word), list):
            rest = {key: value for key, value in theirs.items() if key != word}
            for option in theirs[word]:
                yield from _differ(
                    ours, one, {**rest, **option} if isinstance(option, Mapping) else option, other, at, depth + 1
                )
            return
    for word in ("anyOf", "oneOf"):
        if isinstance(ours.get(word), list):
            rest = {key: value for key, value in ours.items() if key != word}
            tries = [
                list(
                    _differ(
                        {**rest, **option} if isinstance(option, Mapping) else option, one, theirs, other, at, depth + 1
                    )
                )
                for option in ours[word]
            ]
            if tries and all(tries):
                yield min(tries, key=len)[0]
            return
    yield from _plain(ours, one, theirs, other, at, depth)


def _plain(
    ours: Mapping[str, Any], one: Document, theirs: Mapping[str, Any], other: Document, at: str, depth: int
) -> Iterator[str]:
    lost = _types(theirs) - _types(ours)
    if "number" in _types(ours):
        lost -= {"integer"}
    if lost:
        yield f"{at}: {', '.join(sorted(lost))} is not allowed any more"
        return
    if isinstance(ours.get("enum"), list):
        allowed = {json.dumps(each, sort_keys=True) for each in ours["enum"]}
        written = theirs.get("enum")
        if not isinstance(written, list) or any(json.dumps(each, sort_keys=True) not in allowed for each in written):
            yield f"{at}: the enumeration lacks values"
    for words, narrower in ((_LOWER, gt), (_UPPER, lt)):
        for word in words:
            if isinstance(ours.get(word), (int, float)) and (
                not isinstance(theirs.get(word), (int, float)) or narrower(ours[word], theirs[word])
            ):
                yield f"{at}: {word} is narrower"
    for word in _SAME:
        if word in ours and ours[word] != theirs.get(word):
            yield f"{at}: {word} is another"
    if "object" in _types(theirs):
        yield from _objects(ours, one, theirs, other, at, depth)
    if "array" in _types(theirs) and "items" in ours:
        yield from _differ(ours["items"], one, theirs.get("items", {}), other, f"{at}[]", depth + 1)


def _objects(
    ours: Mapping[str, Any], one: Document, theirs: Mapping[str, Any], other: Document, at: str, depth: int
) -> Iterator[str]:
    mine, written = dict(ours.get("properties") or {}), dict(theirs.get("properties") or {})
    for name in sorted(set(ours.get("required") or ()) - set(theirs.get("required") or ())):
        yield f"{at}: {name} is required, and may be missing in the other"
    open_to, others = ours.get("additionalProperties", True), theirs.get("additionalProperties", True)
    for name, child in written.items():
        if name in mine:
            yield from _differ(mine[name], one, child, other, f"{at}.{name}", depth + 1)
        elif open_to is False:
            yield f"{at}: {name} is not allowed"
        elif isinstance(open_to, Mapping):
            yield from _differ(open_to, one, child, other, f"{at}.{name}", depth + 1)
    for name, child in mine.items():
        # What the writer's open content may hold under a name of ours is anything.
        if name not in written and others is not False and child not in ({}, True):
            yield from _differ(
                child, one, others if isinstance(others, Mapping) else {}, other, f"{at}.{name}", depth + 1
            )
    if others is not False and open_to is False:
        yield f"{at}: other properties are not allowed any more"


def _types(schema: Mapping[str, Any]) -> set[str]:
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return {kinds}
    if isinstance(kinds, list):
        return set(map(str, kinds))
    return set(_ALL)


def _resolved(schema: Any, document: Document) -> tuple[Any, Document]:
    for _ in range(_DEEPEST):
        if not isinstance(schema, Mapping) or "$ref" not in schema:
            break
        schema, document = document.pointed(str(schema["$ref"]))
    return schema, document
