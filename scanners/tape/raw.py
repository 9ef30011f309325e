"""Bytes as compiled code reads and moves them.

Places are unsigned here: of a signed one numba asks at each byte whether it counts from the end, which takes ten times
as long as the byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scanners.tape.compiled import compiled, inlined


@inlined
def eight(body: Any, at: Any) -> Any:
    """Eight bytes as a number, the first lowest; written so that they are read at once."""
    return (
        np.uint64(body[at])
        | np.uint64(body[at + np.uint64(1)]) << np.uint64(8)
        | np.uint64(body[at + np.uint64(2)]) << np.uint64(16)
        | np.uint64(body[at + np.uint64(3)]) << np.uint64(24)
        | np.uint64(body[at + np.uint64(4)]) << np.uint64(32)
        | np.uint64(body[at + np.uint64(5)]) << np.uint64(40)
        | np.uint64(body[at + np.uint64(6)]) << np.uint64(48)
        | np.uint64(body[at + np.uint64(7)]) << np.uint64(56)
    )


@compiled
def gathered(body: Any, places: Any, sizes: Any) -> Any:
    """(bytes, offsets) of pieces of a body one after the other, as an Arrow array of texts has them."""
    offsets = np.zeros(len(places) + 1, np.int64)
    for index in range(len(places)):
        offsets[index + 1] = offsets[index] + sizes[index]
    content = np.empty(offsets[len(places)], np.uint8)
    for index in range(len(places)):
        begin, target = np.uint64(places[index]), np.uint64(offsets[index])
        for place in range(np.uint64(sizes[index])):
            content[target + place] = body[begin + place]
    return content, offsets


@compiled
def characters(content: Any, offsets: Any) -> Any:
    """(fewest, most) characters of texts in UTF-8."""
    fewest, most = offsets[len(offsets) - 1], 0
    for index in range(len(offsets) - 1):
        begin, size = np.uint64(offsets[index]), offsets[index + 1] - offsets[index]
        count = size
        for place in range(np.uint64(size)):
            # Bytes after the first of a character are 10xxxxxx.
            count -= np.int64(content[begin + place] & 0xC0 == 0x80)
        fewest, most = min(fewest, count), max(most, count)
    return fewest, most


@compiled
def same(body: Any, one: int, other: int, size: int) -> bool:
    """Whether the bytes at two places are the same."""
    this, that = np.uint64(one), np.uint64(other)
    for place in range(np.uint64(size)):  # noqa: SIM110 - a generator is nothing that can be compiled
        if body[this + place] != body[that + place]:
            return False
    return True


@compiled
def hashed(body: Any, at: int, size: int) -> Any:
    """A quick hash of bytes; there are more than eight behind them."""
    mixed = np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(size)
    place, end = np.uint64(at), np.uint64(at) + np.uint64(size)
    while place + np.uint64(8) <= end:
        mixed = (mixed ^ eight(body, place)) * np.uint64(0xFF51AFD7ED558CCD)
        mixed ^= mixed >> np.uint64(32)
        place += np.uint64(8)
    if place < end:
        rest = eight(body, place) & ((np.uint64(1) << np.uint64(8) * (end - place)) - np.uint64(1))
        mixed = (mixed ^ rest) * np.uint64(0xFF51AFD7ED558CCD)
    return mixed ^ (mixed >> np.uint64(29))
