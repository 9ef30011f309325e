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

from scanners.containers.wrapping import latin_text

_LONG_NUMBER = re.compile(rb"(?:^|[:,\[\s])(?:-[0-9]{19}|[0-9]{20}|(?=[1-9][0-9]*\.)[0-9.]{19}|0\.0*[1-9][0-9]{17})")
"""What a float or a 64-bit integer may not hold: 20 digits, or 18 significant ones with a point. A double's shortest text
has at most 17 significant digits. A false alarm only costs time."""

quick = orjson.loads
"""Reads plain JSON; raises ValueError. Whether it was plain is for the caller to ask: `long_numbers`, `key_marks`."""


def readable(body: bytes) -> bool:
    """Whether `quick` reads a body."""
    try:
        quick(body)
    except ValueError:
        return False
    return True


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")

_MAX_INTEGER_DIGITS = 400
"""Longer integers are kept as Decimal: Python's int refuses 4,300 digits, and none is a 64-bit number anyway."""

DUPLICATE_KEY = "duplicate_key"
NOT_JSON = "not_json"
OTHER_ENCODING = "other_encoding"
TOO_DEEP = "too_deep"
SEVERAL = "several_documents"


def long_numbers(body: bytes) -> bool:
    """Whether there may be a number that `quick` does not keep exactly."""
    # Runs are found fifty times as fast as by the regular expression, which then only distinguishes numbers from texts.
    return any(_LONG_NUMBER.search(body, max(0, at - 2), at + 400) for at in _runs(body))


def _runs(body: bytes) -> list[int]:
    """Where 19 digits or points, or more, follow one another."""
    import numpy

    codes = numpy.frombuffer(body, numpy.uint8)
    if len(codes) < 19:
        return []
    run = ((codes - numpy.uint8(48)) <= 9) | (codes == 46)
    for length in (1, 2, 4, 8):
        run = run[:-length] & run[length:]
    run = run[:-3] & run[3:]
    if not run.any():
        return []
    return numpy.flatnonzero(run & ~numpy.concatenate(([False], run[:-1]))).tolist()


def has_key_marks(text: bytes, count: int) -> bool:
    """Whether `":` occurs in a text as often as there are keys in it, so that none was dropped."""
    import numpy

    codes = numpy.frombuffer(text, numpy.uint8)
    marks = int(numpy.count_nonzero((codes[:-1] == 34) & (codes[1:] == 58)))
    return marks == count or key_marks(text) == count


def key_marks(body: bytes) -> int:
    """How often `":` occurs in a text: once a key, and where a string contains it."""
    return body.count(b'":') + body.count(b'" :')


def has_duplicate_key(body: bytes, value: Any) -> bool:
    """Whether an object of the text has a key twice; `value` is what `quick` made of it."""
    try:
        # In both texts `":` ends a key or is escaped in a string; a key that was dropped makes the counts differ.
        if key_marks(body) == orjson.dumps(value).count(b'":'):
            return False
    except (orjson.JSONEncodeError, TypeError):
        return False
    return _slow(body)[1] == DUPLICATE_KEY


def loads(body: bytes) -> tuple[Any, str | None]:
    """(value, problem). The problem is None, or `duplicate_key` (the last value counts, as everywhere), `other_encoding`
    (read as ISO 8859-1), `several_documents` (read as an array), or, with value None, `not_json` or `too_deep`. Never
    raises."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        if "depth limit" in str(error):
            return None, TOO_DEEP
        return _slow(body)
    if long_numbers(body):
        exact, problem = _slow(body)
        return (value, None) if problem in (NOT_JSON, TOO_DEEP) else (exact, problem)
    try:
        # In both texts `":` ends a key or is escaped in a string; a key that was dropped makes the counts differ.
        if key_marks(body) != orjson.dumps(value).count(b'":'):
            exact, problem = _slow(body)
            return (value, None) if problem in (NOT_JSON, TOO_DEEP) else (exact, problem)
    except (orjson.JSONEncodeError, TypeError):
        return None, TOO_DEEP
    return value, None


def _slow(body: bytes) -> tuple[Any, str | None]:
    duplicates = False

    def pairs(items: list[tuple[str, Any]]) -> dict[str, object]:
        nonlocal duplicates
        members = dict(items)
        duplicates = duplicates or len(members) != len(items)
        return members

    other: str | None = None
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        latin = latin_text(body)
        if latin is None:
            return None, NOT_JSON
        text, other = latin, OTHER_ENCODING
    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_float=number, parse_int=_integer)
    try:
        try:
            value = decoder.decode(text)
        except ValueError:
            value, documents = _several(text, decoder)
            other = other or (SEVERAL if documents > 1 else None)
    except RecursionError:
        return None, TOO_DEEP
    except ValueError:
        return None, NOT_JSON
    if "\\u" in text and _SURROGATE.search(text):
        value = _without_surrogates(value)
    return value, DUPLICATE_KEY if duplicates else other


def _without_surrogates(value: Any) -> Any:
    """Half a surrogate pair is not a character; nothing downstream could write it."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}
    return [_without_surrogates(v) for v in value] if isinstance(value, list) else value


def several(body: bytes) -> bool:
    """Whether a body is JSON to us alone: several documents, or one with marks around it."""
    try:
        orjson.loads(body)
    except ValueError:
        try:
            json.loads(body)
        except UnicodeDecodeError:
            return False
        except (ValueError, RecursionError):
            return _slow(body)[0] is not None
    return False


def _several(text: str, decoder: json.JSONDecoder) -> tuple[Any, int]:
    """Several documents in one record, one a line or one right after another: an array of them, and how many. Raises
    ValueError."""
    documents: list[Any] = []
    at = _after_blanks(text, 0)
    while at < len(text):
        if text[at] not in "{[":
            raise ValueError("not the beginning of a document")
        value, end = decoder.raw_decode(text, at)
        documents.append(value)
        at = _after_blanks(text, end)
    if not documents:
        raise ValueError("no document")
    return (documents[0] if len(documents) == 1 else documents), len(documents)


def _after_blanks(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at


_BETWEEN = re.compile(r"[ \t\r\n\x00\x1e]*")
"""What separates and surrounds documents: blanks, the mark of RFC 7464, and the end of a text as C writes it."""


def number(text: str) -> float | Decimal:
    """A float where it prints back as the same number, else a Decimal."""
    exact, number = Decimal(text), float(text)
    return number if math.isfinite(number) and Decimal(repr(number)) == exact else exact


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) <= _MAX_INTEGER_DIGITS else Decimal(text)
