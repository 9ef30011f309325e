"""Types of the engine in plain words. Pure.

Only names that are listed here get into a sentence, so that nothing else of the engine's report does.
"""

from __future__ import annotations

import re

_NUMBERS = ("DOUBLE", "FLOAT", "DECIMAL")
_WHOLE = ("TINYINT", "SMALLINT", "INT", "BIGINT")
_PRECISE = re.compile(r"(?:[A-Z]+|DECIMAL\(\d{1,2}, ?\d{1,2}\))\Z")
_WORDS = {
    "STRING": "a text",
    "VARCHAR": "a text",
    "CHAR": "a text",
    "DATE": "a date",
    "TIMESTAMP": "a time",
    "TIMESTAMP_NTZ": "a time without a zone",
    "TIMESTAMP WITHOUT TIME ZONE": "a time without a zone",
    "BOOLEAN": "true or false",
    "BINARY": "bytes",
    "ARRAY": "an array",
    "MAP": "a map",
    "STRUCT": "a struct",
    "VARIANT": "a value of any type",
    "VOID": "NULL",
    "NUMERIC": "a number",
    "INTEGRAL": "a whole number",
}
_OF_MANY = {
    "a text": "texts",
    "a date": "dates",
    "a time": "times",
    "true or false": "booleans",
    "bytes": "bytes",
    "an array": "arrays",
    "a map": "maps",
    "a struct": "structs",
    "a number": "numbers",
    "a whole number": "whole numbers",
}
_TO_COMPARE = {
    "DATE": ("a date", "it as DATE '2026-01-31'"),
    "TIMESTAMP": ("a time", "it as TIMESTAMP '2026-01-31 12:00:00'"),
    "TIMESTAMP_NTZ": ("a time", "it as TIMESTAMP_NTZ '2026-01-31 12:00:00'"),
    **dict.fromkeys(_NUMBERS, ("a number", "a number, as in 12.5")),
    **dict.fromkeys(_WHOLE, ("a whole number", "a number, as in 12")),
}


def plain_type(name: str) -> str | None:
    """`a text`, `a whole number (INT)`, `an array of texts`; None for what is not a type."""
    head = re.split(r"[(<]", name, maxsplit=1)[0].strip()
    if head in ("ANSI INTERVAL", "INTERVAL") or re.fullmatch(r"INTERVAL( [A-Z]{3,6}( TO [A-Z]{3,6})?)?", head):
        return "a length of time"
    if head in _NUMBERS or head in _WHOLE:
        words = "a whole number" if head in _WHOLE else "a number"
        return f"{words} ({name})" if _PRECISE.match(name) else words
    if head == "ARRAY" and name.endswith(">"):
        items = _OF_MANY.get((plain_type(name[6:-1]) or "").split(" (")[0])
        return f"an array of {items}" if items else "an array"
    return _WORDS.get(head)


def plain_types(listed: str) -> str | None:
    """`a number or a length of time` of `"NUMERIC" or "ANSI INTERVAL"`; None where one of them is not known."""
    words = all_plain(listed)
    return None if words is None else " or ".join(words)


def all_plain(listed: str) -> list[str] | None:
    """Each type of a list such as `("INT" or "STRING")` or `["INT", "STRING"]`, once; None where one is not known."""
    names = re.findall(r'"([^"]*)"', listed)
    if len(names) < 2:
        names = [each.strip(' ()"') for each in re.split(r"(?i)\s+or\s+|,(?![^(<]*[)>])", listed)]
    words = [plain_type(each) for each in names]
    return None if None in words else list(dict.fromkeys(each for each in words if each is not None))


def to_compare(name: str) -> tuple[str, str] | None:
    """What a text is not, that is compared with a column, and what to write instead; None for other types."""
    return _TO_COMPARE.get(name.split("(")[0])
