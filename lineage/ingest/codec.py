"""Events as the bytes of the topic, and back. Both ways refuse with InvalidInput, never another error."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

from catalog.errors import InvalidInput
from catalog.problem_words import place_in

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def encode(raw: Any) -> bytes:
    """JSON of an event, UTF-8, without spaces."""
    try:
        return orjson.dumps(raw)
    except (TypeError, RecursionError):
        pass
    try:  # numbers beyond 64 bits
        return json.dumps(raw, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(
            "The event cannot be written as JSON: it is nested too deeply, or holds text that is not valid Unicode."
        ) from None


def decode(data: bytes | str | None) -> Any:
    """The JSON value in a message. Numbers like NaN, which are not JSON but are sent, read as null."""
    if isinstance(data, bytes):
        data = data.removeprefix(b"\xef\xbb\xbf")  # a byte order mark, as some shells put before what they send
    if not data:
        raise InvalidInput("The message is empty: an OpenLineage event is a JSON object.")
    try:
        return orjson.loads(data)
    except ValueError:
        pass
    try:
        text = data.decode() if isinstance(data, bytes) else data
        value = json.loads(text, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        where = place_in(error.doc, error.pos)
        raise InvalidInput(f"The message is not JSON in UTF-8: it breaks at {where}.") from None
    except (ValueError, RecursionError):
        raise InvalidInput("The message is not JSON in UTF-8.") from None
    if _SURROGATE.search(text.encode(errors="replace")):
        encode(value)
    return value
