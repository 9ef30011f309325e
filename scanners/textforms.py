"""What a text looks like: a date, a UUID, a number, a document in another format. Runs in Spark's workers."""

from __future__ import annotations

import base64
import binascii
import re

_FORM = re.compile(
    r"(?P<uuid>[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})"
    r"|(?P<timestamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?(?:\d\d)?)?)"
    r"|(?P<date>\d{4}-\d\d-\d\d)"
    r"|(?P<date_local>\d{1,2}[./-]\d{1,2}[./-]\d{4})"
    r"|(?P<time>\d\d:\d\d(?::\d\d(?:\.\d+)?)?)"
    r"|(?P<duration>P(?=\d|T)(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?)"
    r"|(?P<integer>[+-]?\d+)"
    r"|(?P<decimal>[+-]?\d*\.\d+(?:[eE][+-]?\d+)?)"
    r"|(?P<boolean>true|false|TRUE|FALSE|True|False)"
    r"|(?P<ulid>[0-7][0-9A-HJKMNP-TV-Z]{25})"
    r"|(?P<hex>(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])(?:[0-9a-f]{2}){8,})"
    r"|(?P<url>[a-zA-Z][a-zA-Z0-9+.-]{1,20}://\S+)"
    r"|(?P<version>v?\d+\.\d+(?:\.\d+){1,3}(?:[-+][0-9A-Za-z.-]+)?)"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}\Z")
_PRINTABLE = re.compile(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+\Z")

DATA_KEY = re.compile(
    r"@|\d{5}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}|^[0-9a-fA-F]{16,}$|^\+?[\d .()/:-]*\d[\d .()/:-]*$|[^\x00-\x7f]{12}|.{129}|^.*[\r\n]"
)
"""A key of an object that is data and not a name somebody gave: an e-mail address, an id, a number, a date, a sentence.
Such a key makes its entry one of a map, and is never kept as the name of a field."""


def text_form(text: str) -> str | None:
    """The form of a text, or None for ordinary words."""
    found = _FORM.fullmatch(text)
    if found:
        return found.lastgroup
    if not text:
        return "empty"
    if (text[0] == "{" and text[-1] == "}" and len(text) > 4) or (text[0] == "[" and text[-1] == "]" and len(text) > 2):
        return "json"
    if len(text) >= 24 and _base64_text(text) is not None:
        return "base64"
    return None


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
        made = base64.b64decode(
            body + "=" * (-len(body) % 4), altchars=b"-_" if "-" in body or "_" in body else None
        ).decode()
    except (binascii.Error, ValueError):
        return None
    return made if len(made) >= 8 and _PRINTABLE.match(made) else None
