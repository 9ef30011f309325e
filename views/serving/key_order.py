"""Keys of rows as bytes that sort as their values do, so that every read by key is a range of one BLOB column. Pure.

A key is a JSON list of values. Each value is a tag byte and a body that ends by itself, so that a list that begins
another one sorts before it. NULL < false < true < numbers by value < texts by code point < lists and objects by their
canonical JSON text. 1 and 1.0 are one number. Two keys that differ have different bytes.

A key of more than LONGEST bytes is cut, and a digest of all of it follows: such keys differ, but those that
begin with the same LONGEST bytes are in no particular order. PostgreSQL's indexes hold no longer ones.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

import orjson

from catalog.errors import InvalidInput
from views.row_ports import Wanted

LONGEST = 2_000
_NULL, _FALSE, _TRUE, _NUMBER, _TEXT, _OTHER = b"\x01", b"\x02", b"\x03", b"\x04", b"\x05", b"\x06"
_NEGATIVE, _ZERO, _POSITIVE = b"\x04\x02", b"\x04\x03", b"\x04\x04"
_LOWEST, _HIGHEST, _NAN = b"\x04\x01", b"\x04\x05", b"\x04\x06"
_BEHIND = b"\xff"  # above every tag, and above what ends a text
_BIAS = 1 << 15  # of exponents: numbers up to 2**32767, far above what JSON readers take
_MEMORY = 4096
_SHORT = 19
"""A text of fewer characters has no whole number beyond 64 bits, which the faster reader would round."""
_WHOLE = re.compile(r"(?:0|[1-9][0-9]{0,14})\Z")
_FLIP = bytes(255 - n for n in range(256))


def key_bytes(key: str) -> bytes:
    """The bytes of a `Row.key`. Raises InvalidInput when it is not a JSON list; the message does not repeat the key."""
    begin, comma, last = key.rpartition(",")
    number = last[:-1]
    if comma and begin.strip() != "[" and last[-1:] == "]" and _WHOLE.match(number):
        return shortened(_encoded(begin + "]") + _number(int(number), 0))
    return shortened(encode(_values(key)))


def _values(key: str) -> list[object]:
    values = _read(key)
    if not isinstance(values, list):
        raise InvalidInput("The key of a row must be a JSON list of the key's values.")
    return values


@lru_cache(_MEMORY)
def _encoded(key: str) -> bytes:
    """The rows of a batch have keys of their own, whose last part alone differs."""
    return encode(_values(key))


def _read(key: str) -> object:
    if len(key) < _SHORT:
        with suppress(ValueError):  # for NaN and halves of characters, which only the other reader takes
            return orjson.loads(key)
    try:
        return json.loads(key)
    except (ValueError, RecursionError):
        return None


def encode(values: Sequence[object]) -> bytes:
    """All bytes of a key, of any length."""
    return b"".join(map(_value, values))


def shortened(encoded: bytes) -> bytes:
    """What a store keeps as the key."""
    return encoded if len(encoded) <= LONGEST else encoded[:LONGEST] + hashlib.sha256(encoded).digest()


def bounds(wanted: Wanted) -> tuple[bytes, bytes | None]:
    """Which keys `prefix`, `low`, `high` and `after` leave: from the first, inclusive, to the second, exclusive.

    None: no end. Raises InvalidInput for a prefix or bound of LONGEST bytes or more.
    """
    lows, highs = [b""], []
    if wanted.prefix:
        start = encode(wanted.prefix)
        if wanted.begins and isinstance(wanted.prefix[-1], str):
            start = _bound(encode(wanted.prefix[:-1]) + _TEXT + _escaped(wanted.prefix[-1]))
            highs.append(_after_all(start))
        else:
            highs.append(_bound(start) + _BEHIND)
        lows.append(start)
    if wanted.low is not None:
        lows.append(_bound(encode([wanted.low])))
    if wanted.high is not None:
        highs.append(_bound(encode([wanted.high])) + _BEHIND)
    if wanted.after is not None:
        lows.append(key_bytes(wanted.after) + b"\0")
    return max(lows), min(highs, default=None)


def _bound(encoded: bytes) -> bytes:
    if len(encoded) >= LONGEST:
        raise InvalidInput(f"A prefix or bound of a key has less than {LONGEST} bytes; give a shorter one.")
    return encoded


def _after_all(start: bytes) -> bytes:
    """The first bytes behind everything that begins with `start`."""
    stem = start.rstrip(b"\xff")
    return stem[:-1] + bytes([stem[-1] + 1])


def _value(value: object) -> bytes:
    match value:
        case str():
            return _TEXT + _escaped(value) + b"\0"
        case None:
            return _NULL
        case bool():
            return _TRUE if value else _FALSE
        case int():
            return _few(value) if -_MEMORY < value < _MEMORY else _number(value, 0)
        case float():
            if not math.isfinite(value):
                return _NAN if math.isnan(value) else _HIGHEST if value > 0 else _LOWEST
            top, bottom = value.as_integer_ratio()  # bottom is a power of two
            return _number(top, 1 - bottom.bit_length())
        case _:
            text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            return _OTHER + _escaped(text) + b"\0"


@lru_cache(maxsize=4096)
def _few(value: int) -> bytes:
    """Numbers of batches, runs and partitions come again and again."""
    return _number(value, 0)


def _escaped(text: str) -> bytes:
    """UTF-8 sorts by code point. A zero byte ends a text, so one inside it is followed by 255."""
    return text.encode("utf-8", "surrogatepass").replace(b"\0", b"\0\xff")


def _number(whole: int, exponent: int) -> bytes:
    """The value whole * 2**exponent: its magnitude, then its bits from the highest, seven in a byte.

    The lowest bit of a byte is 1 where another one follows; trailing zeros are left out. So more bits sort above
    fewer, and with every bit flipped below.
    """
    if whole == 0:
        return _ZERO
    bits = abs(whole)
    length = bits.bit_length()
    groups = -(-length // 7)
    bits <<= groups * 7 - length
    body = bytearray((length + exponent + _BIAS).to_bytes(2, "big"))
    for n in range(groups - 1, -1, -1):
        rest = bits & ((1 << 7 * n) - 1)
        body.append((bits >> 7 * n) << 1 | (rest > 0))
        if rest == 0:
            break
        bits = rest
    return _POSITIVE + body if whole > 0 else _NEGATIVE + body.translate(_FLIP)
