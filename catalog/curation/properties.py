"""Whether values fit the properties that are declared by `kind: Property`. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from catalog.curation.stated import value_text
from catalog.declared.curation_specs import is_of
from catalog.near_names import did_you_mean

Kinds = Mapping[str, Mapping[str, Any]]
"""Name of a property -> its spec."""
_EXAMPLES = {"text": "a text", "number": "a number, as 7", "boolean": "true or false", "date": "a date, as 2026-12-31"}


def misfits(kinds: Kinds, spec: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each property of a Dataset's spec that does not fit."""
    for name, value in (spec.get("properties") or {}).items():
        if problem := misfit(kinds, name, value, "dataset"):
            yield problem
    for field in spec.get("fields") or ():
        for name, value in (field.get("properties") or {}).items():
            if problem := misfit(kinds, name, value, "field"):
                yield f"field {field['path']}: {problem}"


def misfit(kinds: Kinds, name: str, value: Any, place: str) -> str | None:
    """Why a value does not fit, in a sentence. `place`: dataset or field."""
    kind = kinds.get(name)
    if kind is None:
        near = get_close_matches(name, list(kinds), 1)
        fix = did_you_mean(near, otherwise=" Declare it by kind: Property.", lead=" ")
        return f"there is no property {name[:100]!r}.{fix}"
    places = kind.get("appliesTo") or ["dataset", "field"]
    if place not in places:
        return f"the property {name} is for a {places[0]}, not for a {place}."
    type_ = str(kind.get("type", "text"))
    if not is_of(type_, value):
        return f"the property {name} takes {_EXAMPLES[type_]}, not {value_text(value)[:100]!r}."
    allowed = kind.get("values") or []
    if allowed and value not in allowed:
        return f"the property {name} is one of {_listed(allowed)}, not {value_text(value)[:100]!r}."
    return None


def parsed(kinds: Kinds, name: str, text: str) -> Any:
    """A value as its property's type reads it from text; the text itself where that cannot be."""
    match (kinds.get(name) or {}).get("type", "text"):
        case "boolean" if text.casefold() in ("true", "false"):
            return text.casefold() == "true"
        case "number":
            return _number(text)
    return text


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _listed(values: Sequence[Any], most: int = 10) -> str:
    named = ", ".join(value_text(each) for each in values[:most])
    return f"{named} and {len(values) - most} more" if len(values) > most else named
