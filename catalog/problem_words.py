"""What is wrong with a value of a request or document, in plain words in place of the validating library's. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OBJECT = "it must be an object of fields and their values"
_BY_KIND = {
    "missing": "it is required",
    "extra_forbidden": "it is not known there",
    "string_type": "it must be a text",
    "string_unicode": "it must be a text in UTF-8",
    "string_too_short": "it must have at least {min_length:,} characters",
    "string_too_long": "it must have at most {max_length:,} characters",
    "string_pattern_mismatch": "it must match the pattern {pattern}",
    "int_type": "it must be a whole number",
    "int_parsing": "it must be a whole number",
    "int_from_float": "it must be a whole number",
    "int_parsing_size": "the number is too large",
    "float_type": "it must be a number",
    "float_parsing": "it must be a number",
    "finite_number": "it must be a number that is finite",
    "decimal_type": "it must be a number",
    "decimal_parsing": "it must be a number",
    "bool_type": "it must be a boolean: true or false",
    "bool_parsing": "it must be a boolean: true or false",
    "list_type": "it must be a list",
    "tuple_type": "it must be a list",
    "set_type": "it must be a list",
    "frozen_set_type": "it must be a list",
    "too_short": "it must have at least {min_length} items",
    "too_long": "it must have at most {max_length} items",
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dataclass_type": _OBJECT,
    "none_required": "it must be left out",
    "enum": "it must be {expected}",
    "literal_error": "it must be {expected}",
    "greater_than": "it must be greater than {gt}",
    "greater_than_equal": "it must be at least {ge}",
    "less_than": "it must be less than {lt}",
    "less_than_equal": "it must be at most {le}",
    "multiple_of": "it must be a multiple of {multiple_of}",
    "datetime_type": "it must be a time such as 2026-01-31T12:00:00Z",
    "datetime_parsing": "it must be a time such as 2026-01-31T12:00:00Z",
    "datetime_from_date_parsing": "it must be a time such as 2026-01-31T12:00:00Z",
    "timezone_aware": "it must be a time with its zone, such as 2026-01-31T12:00:00Z",
    "date_type": "it must be a date such as 2026-01-31",
    "date_parsing": "it must be a date such as 2026-01-31",
    "date_from_datetime_parsing": "it must be a date such as 2026-01-31",
    "url_parsing": "it must be an address such as https://example.org",
    "url_type": "it must be an address such as https://example.org",
}


def plain_problem(error: Mapping[str, Any]) -> str:
    """One of pydantic's errors (`type`, `msg`, `ctx`) without a full stop at its end."""
    words = _BY_KIND.get(str(error.get("type")))
    if words is not None:
        try:
            return words.format(**error.get("ctx") or {})
        except (KeyError, ValueError):
            pass
    text = str(error.get("msg", "it cannot be read"))
    return text.removeprefix("Value error, ").replace("Input should be", "it must be").rstrip(".")


def place_in(text: str, position: int) -> str:
    """`line 2, column 11` of a position in a text, both counted from 1."""
    before = text[:position]
    return f"line {before.count(chr(10)) + 1}, column {position - before.rfind(chr(10))}"
