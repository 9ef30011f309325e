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
    """What an alternative that has all it requires lacks, instead of that none fits."""
    fitting = [each for each in error.context or () if each.validator != "required"]
    yield fitting[0] if error.validator == "oneOf" and len(fitting) == 1 else error


def place(path: Iterable[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "the document"


def sentence(error: Any) -> str:
    at, rule, value = place(error.absolute_path), error.validator, error.validator_value
    match rule:
        case "required":
            missing = [name for name in value if name not in error.instance]
            return f"{at} has no {', '.join(missing)}, which ODCS requires."
        case "additionalProperties" | "unevaluatedProperties":
            return _unknown(error, at)
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


def _unknown(error: Any, at: str) -> str:
    known = (error.schema.get("properties") or {}).keys()
    unknown = [name for name in error.instance if name not in known]
    near = difflib.get_close_matches(str(unknown[0]), list(known), 1) if unknown else []
    names = ", ".join(map(str, unknown[:3]))
    advice = did_you_mean(near, lead=" ")
    return f"{at} has {names}, which ODCS does not know there; put it into customProperties.{advice}"
