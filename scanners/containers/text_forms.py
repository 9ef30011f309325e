"""What a text looks like: a date, a UUID, a number, a document in another format. Runs in Spark's workers."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from scanners.containers.wrapping import unwrapped

_DAY = r"(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_HOUR = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]"
"""Such as there are: some databases write 0000-00-00 for none."""

_PATTERNS = {
    "uuid": r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
    "timestamp": _DAY + "[T ]" + _HOUR + r"(?::[0-5][0-9](?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?(?:[0-9]{2})?)?",
    "date": _DAY,
    "date_local": r"[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4}",
    "time": _HOUR + r"(?::[0-5][0-9](?:\.[0-9]+)?)?",
    "duration": r"P(?:(?:[0-9]+[YMWD])+(?:T(?:[0-9]+(?:\.[0-9]+)?[HMS])+)?|T(?:[0-9]+(?:\.[0-9]+)?[HMS])+)",
    "integer": r"[+-]?[0-9]+",
    "decimal": r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?",
    "boolean": r"true|false|TRUE|FALSE|True|False",
    "ulid": r"[0-7][0-9A-HJKMNP-TV-Z]{25}",
    "hex": r"(?:[0-9a-f]{2}){8,}",
    "url": r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^ \t\r\n\f\v]+",
    "version": r"v?[0-9]+\.[0-9]+(?:\.[0-9]+){1,3}(?:[-+][0-9A-Za-z.-]+)?",
}
"""Forms by name, written so that Python and RE2 read them alike; a text that fits two has the first."""

_EXCEPT = {"ulid": r"[0-9]+", "hex": r"[0-9]+|[a-f]+", "version": _PATTERNS["date_local"]}
"""What has an earlier form, or none: a ULID has a letter, a hexadecimal number has both kinds of digits."""

_FORM = re.compile(
    "|".join(
        f"(?P<{name}>" + (f"(?!(?:{_EXCEPT[name]})\\Z)" if name in _EXCEPT else "") + f"(?:{pattern}))"
        for name, pattern in _PATTERNS.items()
    )
)
_ANY = "|".join(_PATTERNS.values())
_ANY_OR_MORE = _ANY + r"||[{\[](?s:.)*|[A-Za-z0-9+/_-]{22,}={0,2}"
"""A form, nothing, or what may be a document or base64."""

FEW = 24
"""Texts up to which Python's own regular expressions are quicker than handing a column over."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}\Z")
_PRINTABLE = re.compile(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+\Z")

DATA_KEY = re.compile(
    r"@|\d{5}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}|^[0-9a-fA-F]{16,}$|^\+?[\d .()/:-]*\d[\d .()/:-]*$|[^\x00-\x7f]{12}|.{129}|^.*[\r\n]"
)
"""A key of an object that is data and not a name somebody gave: an e-mail address, an id, a number, a date, a sentence.
Such a key makes its entry one of a map, and is never kept as the name of a field."""


def text_form(text: str) -> str | None:
    """The form of a text, or None for ordinary words."""
    match = _FORM.fullmatch(text)
    if match:
        return match.lastgroup
    if not text:
        return "empty"
    if (text[0] == "{" and text[-1] == "}" and len(text) > 4) or (text[0] == "[" and text[-1] == "]" and len(text) > 2):
        return "json"
    if len(text) >= 24 and _base64_text(text) is not None:
        return "base64"
    return None


def forms_of(counts: Mapping[str, int]) -> dict[str, int]:
    """How many texts have which form; `counts` maps a text to how often it was seen."""
    totals: Counter[str] = Counter()
    if len(counts) <= FEW:
        for text, count in counts.items():
            form = text_form(text)
            if form:
                totals[form] += count
        return totals
    import numpy
    import pyarrow

    try:
        column = pyarrow.array(list(counts), pyarrow.string())
    except UnicodeEncodeError:  # half a surrogate pair
        return forms_of({t.encode("utf-8", "replace").decode(): n for t, n in counts.items()})
    return forms_of_column(column, numpy.fromiter(counts.values(), numpy.int64, len(counts)))


def forms_of_column(column: Any, counts: Any) -> dict[str, int]:
    """The same by RE2, which reads a text of a column in a tenth of a microsecond: an Arrow array, and a numpy one."""
    import numpy
    import pyarrow
    import pyarrow.compute

    def fits(texts: Any, pattern: str) -> Any:
        return pyarrow.compute.match_substring_regex(texts, f"^(?:{pattern})$").to_numpy(zero_copy_only=False)

    totals: Counter[str] = Counter()
    where = numpy.arange(len(column))
    slow: list[int] = []
    narrowed = False
    while len(where):
        match = _FORM.fullmatch(column[where[0]].as_py())
        rest = column if len(where) == len(column) else column.take(pyarrow.array(where))
        if match is None or match.lastgroup is None:
            if narrowed:
                slow += where.tolist()
                break
            # What has no form is left out, but for what may hold more than meets the eye.
            narrowed = True
            where = where[fits(rest, _ANY_OR_MORE)]
            if len(where) and _FORM.fullmatch(column[where[0]].as_py()) is None:
                formed = fits(column.take(pyarrow.array(where)), _ANY)
                slow, where = where[~formed].tolist(), where[formed]
            continue
        form = match.lastgroup
        mask = fits(rest, _PATTERNS[form])
        if form in _EXCEPT:
            mask &= ~fits(rest, _EXCEPT[form])
        totals[form] += int(counts[where[mask]].sum())
        where = where[~mask]
    for index in slow:
        other = text_form(column[index].as_py())
        if other:
            totals[other] += int(counts[index])
    return totals


def embedded_text(text: str) -> str | None:
    """The document in a text: itself when it may be JSON, what it decodes to when it is base64 of text, else None."""
    if text[:1] in ("{", "["):
        return text
    return _base64_text(text)


def _base64_text(text: str) -> str | None:
    if not _BASE64.match(text) or len(text) % 4 == 1:
        return None
    body = text.rstrip("=")
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_" if "-" in body or "_" in body else None)
        decoded = unwrapped(raw)[0].decode()
    except (binascii.Error, ValueError):
        return None
    return decoded if len(decoded) >= 8 and _PRINTABLE.match(decoded) else None
