"""Which values can change a distinct estimate, so that only those are handed to its sketch; compiled by numba.

A sketch keeps of each value, by a hash, a register and a height, and of each register the greatest height: of eight
thousand values a handful raise one, once some thousands have been seen. Only those are fed, in the same order, so that
the sketch is the same to the byte. What it holds is read from the sketch itself, which may have been merged meanwhile.

The hash and the layout are those of Apache DataSketches, which writes the same bytes in every language: MurmurHash3 (x64,
128 bits, seed 9001) of a text's UTF-8 or of an integer's eight bytes; its low bits name the register, the leading zeros of
its upper half and one are the height. Sources: HllUtil.hpp, HllSketch-internal.hpp and Hll4Array-internal.hpp of
apache/datasketches-cpp. A test holds this to the library.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from scanners.tape.compiled import compiled, inlined
from scanners.tape.raw import eight

_LAYOUT = bytes((10, 1, 7))
"""How the bytes of a sketch begin that has registers: words before them, version, family."""
_REGISTERS_AT, _MODE_AT, _LOWEST_AT, _LG_AT = 40, 7, 6, 3
_HLL_4 = 2
"""The mode of a sketch with registers of four bits (kind 0 in the bits above); less than that is a list of values."""

_SOME = 64
"""Values fed to a sketch without registers before it is asked again: it has some after 48 different ones."""

_ONE, _TWO = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
_SEED = np.uint64(9001)


def texts(sketch: Any, salt: str, column: Any, content: Any, offsets: Any) -> Iterator[str]:
    """Those of an Arrow column's texts that can change the sketch that each is fed to, after the salt, as it comes.

    content, offsets   the texts' bytes, and where each begins in them and, one past the last, where another would
    """
    before = np.frombuffer(salt.encode(), np.uint8)
    begun = 0
    while begun < len(column):
        registers = registers_of(sketch)
        if registers is not None:
            yield from column.take(_texts(content, offsets[begun:], before, registers) + begun).to_pylist()
            return
        yield from column[begun : begun + _SOME].to_pylist()
        begun += _SOME


def integers(sketch: Any, key: int, numbers: Any) -> Iterator[int]:
    """Those of an array of integers that can change the sketch that each is fed to, by exclusive or with the key."""
    begun = 0
    while begun < len(numbers):
        registers = registers_of(sketch)
        if registers is not None:
            rest = numbers[begun:]
            yield from rest[_integers(rest, key, registers)].tolist()
            return
        yield from numbers[begun : begun + _SOME].tolist()
        begun += _SOME


def registers_of(sketch: Any) -> Any:
    """The least that each register of a sketch holds, or None when it has none yet. Where four bits cannot hold the
    distance to the lowest, the register holds more."""
    data = sketch.serialize_updatable()
    if data[:3] != _LAYOUT or data[_MODE_AT] & 15 != _HLL_4:
        return None
    packed = np.frombuffer(data, np.uint8, 1 << data[_LG_AT] - 1, _REGISTERS_AT)
    registers = np.empty(2 * len(packed), np.uint8)
    registers[::2], registers[1::2] = packed & 15, packed >> 4
    return registers + np.uint8(data[_LOWEST_AT])


@compiled
def _texts(content: Any, offsets: Any, salt: Any, registers: Any) -> Any:
    """The texts that raise a register, each after those before it."""
    blocks = len(salt) // 16 * 16
    one, two = _SEED, _SEED
    for block in range(0, blocks, 16):
        at = np.uint64(block)
        one, two = _mixed_in(one, two, eight(salt, at), eight(salt, at + np.uint64(8)))
    longest = 0
    for index in range(len(offsets) - 1):
        longest = max(longest, offsets[index + 1] - offsets[index])
    rest = len(salt) - blocks
    whole = np.empty(rest + longest + 16, np.uint8)
    whole[:rest] = salt[blocks:]
    indexes = np.empty(len(offsets) - 1, np.int64)
    count = 0
    for index in range(len(offsets) - 1):
        begin, size = np.uint64(offsets[index]), offsets[index + 1] - offsets[index]
        target = np.uint64(rest)
        for place in range(np.uint64(size)):
            whole[target + place] = content[begin + place]
        target += np.uint64(size)
        for place in range(np.uint64(16)):
            whole[target + place] = 0
        low, high = _hash(one, two, whole, target, len(salt) + size)
        # The library takes no notice of empty texts.
        if len(salt) + size and _raises(low, high, registers):
            indexes[count] = index
            count += 1
    return indexes[:count]


@compiled
def _integers(numbers: Any, key: int, registers: Any) -> Any:
    """The integers that raise a register, each after those before it."""
    indexes = np.empty(len(numbers), np.int64)
    count = 0
    for index in range(len(numbers)):
        low, high = _ended(_SEED ^ _first(np.uint64(numbers[index] ^ key)), _SEED, 8)
        if _raises(low, high, registers):
            indexes[count] = index
            count += 1
    return indexes[:count]


@inlined
def _raises(low: Any, high: Any, registers: Any) -> bool:
    """Whether a hash raises its register; it is raised here, too."""
    slot = low & np.uint64(len(registers) - 1)
    height = registers[slot]
    if height and high >> np.uint64(64 - height):
        return False
    while height < 63 and not high >> np.uint64(63 - height):
        height += 1
    registers[slot] = height + 1
    return True


# --- MurmurHash3 ------------------------------------------------------------------------------------------------------


@inlined
def _hash(one: Any, two: Any, body: Any, size: Any, whole: int) -> Any:
    """The hash of bytes with sixteen zeros behind them; `one` and `two` hold what is before them, `whole` counts all."""
    at = np.uint64(0)
    while at + np.uint64(16) <= size:
        one, two = _mixed_in(one, two, eight(body, at), eight(body, at + np.uint64(8)))
        at += np.uint64(16)
    one ^= _first(eight(body, at))
    two ^= _second(eight(body, at + np.uint64(8)))
    return _ended(one, two, whole)


@inlined
def _turned(word: Any, by: int) -> Any:
    return word << np.uint64(by) | word >> np.uint64(64 - by)


@inlined
def _first(word: Any) -> Any:
    return _turned(word * _ONE, 31) * _TWO


@inlined
def _second(word: Any) -> Any:
    return _turned(word * _TWO, 33) * _ONE


@inlined
def _mixed_in(one: Any, two: Any, first: Any, second: Any) -> Any:
    one = (_turned(one ^ _first(first), 27) + two) * np.uint64(5) + np.uint64(0x52DCE729)
    two = (_turned(two ^ _second(second), 31) + one) * np.uint64(5) + np.uint64(0x38495AB5)
    return one, two


@inlined
def _ended(one: Any, two: Any, whole: int) -> Any:
    one, two = one ^ np.uint64(whole), two ^ np.uint64(whole)
    one += two
    two += one
    one, two = _stirred(one), _stirred(two)
    one += two
    return one, two + one


@inlined
def _stirred(word: Any) -> Any:
    word = (word ^ word >> np.uint64(33)) * np.uint64(0xFF51AFD7ED558CCD)
    word = (word ^ word >> np.uint64(33)) * np.uint64(0xC4CEB9FE1A85EC53)
    return word ^ word >> np.uint64(33)
