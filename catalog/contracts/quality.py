"""Quality rules of ODCS as rules of a contract. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.contracts.bounds import of_quality
from catalog.contracts.rules import Rule, RuleKind

_WORDS = ("id", "name", "description", "tags", "authoritativeDefinitions", "customProperties", "schedule", "scheduler")
"""Parts of a rule that promise nothing."""


def quality_rule(quality: Mapping[str, Any], place: str | None) -> Rule:
    """`place`: the property that it is of; None: of the schema object."""
    metric = quality.get("metric") or quality.get("rule")
    own = str(
        quality.get("id") or quality.get("name") or f"{place or 'records'}:{metric or quality.get('type') or 'text'}"
    )
    bounds = of_quality(quality)
    percent = quality.get("unit") == "percent"
    arguments = quality.get("arguments") or {}
    about = str(quality.get("description") or "").strip().rstrip(".")
    if quality.get("type") == "sql" and bounds is not None and str(quality.get("query") or "").strip():
        params = {**bounds.to_params(), "query": str(quality["query"]).strip()}
        return Rule(own, RuleKind.SQL, place, about or f"the statement of {own} gives {bounds.text}", params)
    if quality.get("type") in ("text", "sql", "custom") or metric is None or bounds is None:
        return Rule(own, RuleKind.OTHER, place, about or own, _stated(quality), _why_never(quality))
    params = {**bounds.to_params(), "percent": percent}
    unit = "% of the records" if percent else "records"
    match metric:
        case "nullValues":
            return Rule(own, RuleKind.NULLS, place, about or f"{place} is null in {bounds.text} {unit}", params)
        case "rowCount":
            return Rule(own, RuleKind.ROW_COUNT, None, about or f"there are {bounds.text} records", params)
        case "duplicateValues" if place is not None:
            text = about or f"{place} is a duplicate in {bounds.text} {unit}"
            return Rule(own, RuleKind.UNIQUE, place, text, params)
        case "invalidValues" if isinstance(arguments.get("validValues"), list) and place is not None:
            values = [str(each) for each in arguments["validValues"]]
            text = about or f"{place} is one of {len(values)} values"
            return Rule(own, RuleKind.VALUES, place, text, {**params, "values": values})
        case "invalidValues" if arguments.get("pattern"):
            why = "scans keep no values that a pattern could be compared with"
            return Rule(
                own, RuleKind.PATTERN, place, about or own, {**params, "pattern": str(arguments["pattern"])}, why
            )
    why = "scans keep no values, so they cannot count which of them are missing, invalid or there twice"
    return Rule(own, RuleKind.OTHER, place, about or own, _stated(quality), why)


def _stated(quality: Mapping[str, Any]) -> dict[str, object]:
    """What a rule that no scan decides promises: another version of the contract is compared with it."""
    return {"stated": {name: value for name, value in quality.items() if name not in _WORDS}}


def _why_never(quality: Mapping[str, Any]) -> str:
    match quality.get("type"):
        case "sql":
            return "its statement is compared with no number; give it one, such as mustBe: 0"
        case "custom":
            return f"it is for another engine ({quality.get('engine') or 'unnamed'})"
        case "text":
            return "it is text for people"
    return "it compares nothing with a number"
