"""JSON as topics really hold it: fast where it is plain, exact where it is not.

orjson reads most records. It turns integers past 64 bits and long decimals into floats, drops duplicate keys in
silence, and refuses NaN, byte order marks and lone surrogates; records that might hold any of these are read again by
the standard library, exactly. Runs in Spark's workers.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from typing import Any

import orjson

_LONG_NUMBER = re.compile(rb"[0-9.]{19}")
"""What a float or a 64-bit integer may not hold: 18 digits and a point, or 19 digits. A double's shortest text has at
most 17 digits, so ordinary measurements stay on the fast way. A false alarm only costs time."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

_MAX_INTEGER_DIGITS = 400
"""Longer integers are kept as Decimal: Python's int refuses 4,300 digits, and none is a 64-bit number anyway."""

DUPLICATE_KEY = "duplicate_key"
NOT_JSON = "not_json"
TOO_DEEP = "too_deep"


def loads(body: bytes) -> tuple[Any, str | None]:
    """(value, problem). The problem is None, or `duplicate_key` (the last value counts, as everywhere), or, with
    value None, `not_json` or `too_deep`. Never raises."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        if "depth limit" in str(error):
            return None, TOO_DEEP
        return _slow(body)
    if _LONG_NUMBER.search(body):
        exact, problem = _slow(body)
        return (value, None) if problem in (NOT_JSON, TOO_DEEP) else (exact, problem)
    try:
        # In both texts `":` ends a key or stands escaped in a string; a key that was dropped makes the counts differ.
        if body.count(b'":') != orjson.dumps(value).count(b'":'):
            exact, problem = _slow(body)
            return (value, None) if problem in (NOT_JSON, TOO_DEEP) else (exact, problem)
    except (orjson.JSONEncodeError, TypeError):
        return None, TOO_DEEP
    return value, None


def _slow(body: bytes) -> tuple[Any, str | None]:
    duplicates = False

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal duplicates
        made = dict(items)
        duplicates = duplicates or len(made) != len(items)
        return made

    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None, NOT_JSON
    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_float=_decimal, parse_int=_integer)
    try:
        value = decoder.decode(text)
    except RecursionError:
        return None, TOO_DEEP
    except ValueError:
        return _lines(text, decoder, lambda: duplicates)
    if "\\u" in text and _SURROGATE.search(text):
        value = _without_surrogates(value)
    return value, DUPLICATE_KEY if duplicates else None


def _without_surrogates(value: Any) -> Any:
    """Half a surrogate pair is no character; nothing downstream could write it."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}
    return [_without_surrogates(v) for v in value] if isinstance(value, list) else value


def _lines(text: str, decoder: json.JSONDecoder, duplicates: Any) -> tuple[Any, str | None]:
    """Several documents, one a line, in one record: an array of them."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or lines[0].lstrip()[0] not in "{[":
        return None, NOT_JSON
    try:
        return [decoder.decode(line) for line in lines], DUPLICATE_KEY if duplicates() else None
    except RecursionError:
        return None, TOO_DEEP
    except ValueError:
        return None, NOT_JSON


def _decimal(text: str) -> float | Decimal:
    """A float where it prints back as the same number, else a Decimal."""
    exact, number = Decimal(text), float(text)
    return number if math.isfinite(number) and Decimal(repr(number)) == exact else exact


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) <= _MAX_INTEGER_DIGITS else Decimal(text)
