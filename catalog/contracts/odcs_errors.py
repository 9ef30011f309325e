"""Errors of the ODCS JSON schema in our words: those of the validator repeat whole parts of the document. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from catalog.near_names import did_you_mean

_LONGEST = 200
_UNKNOWN = ("additionalProperties", "unevaluatedProperties")


def worst(errors: Iterable[Any]) -> Any:
    """The error to report of several: the deepest one; None where there is none. Parts of which no alternative fits are also
    reported as unknown ones, which is not what is wrong with them."""
    listed = [inner for each in errors for inner in _inside(each)]
    places = [list(each.absolute_path) for each in listed if each.validator not in _UNKNOWN]
    listed = [
        each
        for each in listed
        if each.validator != "unevaluatedProperties"
        or not any(place[: len(each.absolute_path)] == list(each.absolute_path) for place in places)
    ]
    return min(listed, key=lambda e: (-len(e.absolute_path), str(e.message)), default=None)


def _inside(error: Any) -> Iterator[Any]:
    """Of alternatives none of which fits: what is wrong by the only one that is of the kind of the value."""
    if error.validator not in ("oneOf", "anyOf"):
        yield error
        return
    by_alternative: dict[Any, list[Any]] = {}
    for each in error.context or ():
        by_alternative.setdefault(each.relative_schema_path[0], []).append(each)
    fitting = [each for each in by_alternative.values() if not any(map(_is_other_kind, each))]
    inner = worst(fitting[0]) if len(fitting) == 1 else None
    yield inner if inner is not None else error


def _is_other_kind(error: Any) -> bool:
    return error.validator in ("type", "required") and not error.relative_path


def place(path: Iterable[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "the document"


def sentence(error: Any, whole: Mapping[str, Any]) -> str:
    """`whole`: the JSON schema, for what the failed part of it refers to."""
    at, rule, value = place(error.absolute_path), error.validator, error.validator_value
    match rule:
        case "required":
            missing = [name for name in value if name not in error.instance]
            return f"{at} has no {', '.join(missing)}, which ODCS requires."
        case "additionalProperties" | "unevaluatedProperties":
            return _unknown(error, at, whole)
        case "enum":
            return f"{at} must be one of {', '.join(map(str, value))}."
        case "type":
            return f"{at} must be of type {value}."
        case "minItems" | "maxItems" if error.instance:
            return f"{at} must have {value} {'entry' if value == 1 else 'entries'}."
        case "minItems":
            return f"{at} is empty, which ODCS does not allow."
        case "uniqueItems":
            return f"{at} has an entry twice, which ODCS does not allow."
        case "not" if isinstance(value, Mapping) and set(value) == {"required"}:
            return f"{at} has {', '.join(value['required'])}, which it may not have."
        case "oneOf":
            names = [name for each in value for name in each.get("required") or ()]
            stated = [name for name in names if isinstance(error.instance, Mapping) and name in error.instance]
            if stated:
                return f"{at} has {', '.join(stated)}; it takes one of them."
            if names:
                return f"{at} must have one of {', '.join(names)}."
    return f"{at} does not fit the ODCS schema: {str(error.message)[-_LONGEST:]}."


def _unknown(error: Any, at: str, whole: Mapping[str, Any]) -> str:
    known = set(_names_of(error.schema, whole, set()))
    unknown = [name for name in error.instance if name not in known] or list(error.instance)
    near = difflib.get_close_matches(str(unknown[0]), sorted(known), 1)
    names = ", ".join(map(str, unknown[:3]))
    advice = did_you_mean(near, lead=" ")
    return f"{at} has {names}, which ODCS does not know there; put it into customProperties.{advice}"


def _names_of(schema: Any, whole: Mapping[str, Any], seen: set[str]) -> Iterator[str]:
    """Names of all properties that a schema, or one that it consists of, knows."""
    if not isinstance(schema, Mapping):
        return
    yield from schema.get("properties") or ()
    for name in ("allOf", "anyOf", "oneOf"):
        for each in schema.get(name) or ():
            yield from _names_of(each, whole, seen)
    for name in ("if", "then", "else"):
        yield from _names_of(schema.get(name), whole, seen)
    reference = str(schema.get("$ref") or "").removeprefix("#/$defs/")
    if reference and reference not in seen:
        seen.add(reference)
        yield from _names_of(whole["$defs"].get(reference), whole, seen)
