"""Blanks, texts and numbers of JSON, compiled: each gives the place after it."""

from __future__ import annotations

from typing import Any

import numpy as np

from scanners.tape.compiled import compiled, inlined
from scanners.tape.opcodes import DOUBLE, INT32, INT64, LONG_DOUBLE, NULL

_TEN = 10.0 ** np.arange(23)
"""Powers of ten that are doubles exactly; a whole number below 2^53 times or by one of them is rounded once, as it must be."""
_HEX = np.array([chr(c) in "0123456789abcdefABCDEF" for c in range(256)])
_ESCAPES = np.array([chr(c) in '"\\/bfnrt' for c in range(256)])


@inlined
def blanks(body: Any, at: int) -> int:
    while body[at] == 32 or body[at] == 10 or body[at] == 13 or body[at] == 9:
        at += 1
    return at


@compiled
def beyond_ascii(body: Any, at: int) -> int:
    """The place after a character of two to four bytes, or -1 where it is not valid UTF-8."""
    first, second = body[at], body[at + 1]
    if first < 0xC2 or first > 0xF4 or second & 0xC0 != 0x80:
        return -1
    if first < 0xE0:
        return at + 2
    if body[at + 2] & 0xC0 != 0x80:
        return -1
    if first < 0xF0:
        surrogate_or_long = (first == 0xE0 and second < 0xA0) or (first == 0xED and second > 0x9F)
        return -1 if surrogate_or_long else at + 3
    outside = (first == 0xF0 and second < 0x90) or (first == 0xF4 and second > 0x8F)
    return -1 if outside or body[at + 3] & 0xC0 != 0x80 else at + 4


@compiled
def _escape(body: Any, at: int) -> int:
    """The place after a backslash and what belongs to it, or -1."""
    if _ESCAPES[body[at + 1]]:
        return at + 2
    if body[at + 1] != 117:
        return -1
    for place in range(at + 2, at + 6):
        if not _HEX[body[place]]:
            return -1
    surrogate = (body[at + 2] | 32) == 100 and body[at + 3] not in (48, 49, 50, 51, 52, 53, 54, 55)
    return -1 if surrogate else at + 6


@inlined
def text(body: Any, at: int) -> tuple[int, bool]:
    """The place after the text that begins at a quote, or -1; and whether it has escapes."""
    at += 1
    escaped = False
    while True:
        byte = body[at]
        if byte == 34:
            return at + 1, escaped
        if byte < 32:
            return -1, escaped
        if byte == 92:
            escaped = True
            at = _escape(body, at)
            if at < 0:
                return -1, escaped
        elif byte < 128:
            at += 1
        else:
            at = beyond_ascii(body, at)
            if at < 0:
                return -1, escaped


@compiled
def number(body: Any, at: int) -> Any:
    """(place after the number or -1, kind, the integer, the double)."""
    negative = body[at] == 45
    if negative:
        at += 1
    whole, digits, shift = np.uint64(0), 0, 0
    if body[at] == 48:
        at += 1
        if 48 <= body[at] <= 57:
            return -1, NULL, 0, 0.0
    else:
        begun = at
        while 48 <= body[at] <= 57:
            if digits < 19:
                whole = whole * np.uint64(10) + np.uint64(body[at] - 48)
            digits += 1
            at += 1
        if at == begun or digits > 19:
            return -1, NULL, 0, 0.0
    if body[at] != 46 and body[at] | 32 != 101:
        if digits == 19 and (negative or whole > np.uint64(0x7FFFFFFFFFFFFFFF)):
            return -1, NULL, 0, 0.0
        number: Any = np.int64(whole)
        if negative:
            number = -number
        return at, INT32 if -0x80000000 <= number <= 0x7FFFFFFF else INT64, number, 0.0
    if body[at] == 46:
        at += 1
        begun = at
        while 48 <= body[at] <= 57:
            if digits < 19:
                whole = whole * np.uint64(10) + np.uint64(body[at] - 48)
            if digits or body[at] != 48:
                digits += 1
            shift -= 1
            at += 1
        if at == begun:
            return -1, NULL, 0, 0.0
    if digits > 17:
        return -1, NULL, 0, 0.0
    if body[at] | 32 == 101:
        at += 1
        down = body[at] == 45
        if down or body[at] == 43:
            at += 1
        begun, power = at, 0
        while 48 <= body[at] <= 57:
            if power < 10_000:
                power = power * 10 + int(body[at] - 48)
            at += 1
        if at == begun:
            return -1, NULL, 0, 0.0
        shift += -power if down else power
    if whole == 0:
        return at, DOUBLE, 0, -0.0 if negative else 0.0
    if whole >= np.uint64(1 << 53) or not -22 <= shift <= 22:
        return (at, LONG_DOUBLE, 0, 0.0) if -250 <= shift <= 250 else (-1, NULL, 0, 0.0)
    size = np.float64(whole)
    size = size * _TEN[shift] if shift >= 0 else size / _TEN[-shift]
    return at, DOUBLE, 0, -size if negative else size
