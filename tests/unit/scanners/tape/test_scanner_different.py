"""Columns that compiled code read have what Python's have, and a distinct estimate is the same of the few that it is fed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import datasketches
import numpy as np
import pyarrow
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scanners.columns.distinct_values import CountedTexts, ListedIntegers
from scanners.columns.scalars import Distinct
from scanners.sketch.nodes import load_hll, merge_hll, new_hll
from scanners.tape import hll_filter
from scanners.tape.values import DifferentIntegers, PlainTexts

SALTS = st.text(max_size=40) | st.sampled_from(["", "0" * 16, "0" * 32, "ä" * 9])
TEXTS = st.text(max_size=40) | st.sampled_from(["2024-01-02", "12", "{}", "7d9f1f4e-1111-4111-8111-111111111111"])


def column(texts: Sequence[str], weights: Sequence[int] | None = None) -> PlainTexts:
    array = pyarrow.array(texts, pyarrow.large_string())
    _, offsets, values = array.buffers()
    return PlainTexts(
        array,
        np.frombuffer(values or b"", np.uint8),
        np.frombuffer(offsets, np.int64)[: len(texts) + 1],
        np.array(weights or [1] * len(texts), np.int64),
    )


def many(seed: int, count: int) -> list[str]:
    """Different texts of some lengths, a few of them beyond ASCII."""
    draw = random.Random(seed)
    return list(dict.fromkeys("".join(draw.choices("abcdefgh0123é€😀", k=draw.randrange(40))) for _ in range(count)))


def fed(sketch: Any, texts: Any, salt: str) -> int:
    before = 0
    for text in texts:
        sketch.update(salt + text)
        before += 1
    return before


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), SALTS, st.lists(st.integers(0, 900), min_size=1, max_size=5))
@example(7, "0" * 32, [900, 900, 900])
@example(7, "", [1, 60, 900])
def test_a_sketch_of_texts_is_the_same_to_the_byte(seed: int, salt: str, sizes: list[int]) -> None:
    everything, few = new_hll(), new_hll()
    for batch, size in enumerate(sizes):
        texts = many(seed + batch, size)
        fed(everything, texts, salt)
        fed(few, column(texts).telling(few, salt), salt)
        assert few.serialize_updatable() == everything.serialize_updatable()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**56 - 1), st.lists(st.integers(0, 900), min_size=1, max_size=5))
def test_a_sketch_of_integers_is_the_same_to_the_byte(seed: int, key: int, sizes: list[int]) -> None:
    draw = random.Random(seed)
    everything, few = new_hll(), new_hll()
    for size in sizes:
        numbers = [draw.choice([draw.randrange(-(2**63), 2**63), draw.randrange(-9, 2000)]) for _ in range(size)]
        for number in numbers:
            everything.update(key ^ number)
        for number in hll_filter.integers(few, key, np.array(numbers, np.int64)):
            few.update(key ^ number)
        assert few.serialize_updatable() == everything.serialize_updatable()


def test_a_sketch_that_was_merged_or_has_travelled_is_fed_as_well() -> None:
    everything, few = new_hll(), new_hll()
    for batch in range(6):
        texts = many(batch, 700)
        fed(everything, texts, "salt")
        fed(few, column(texts).telling(few, "salt"), "salt")
        other = new_hll()
        fed(other, many(100 + batch, 700), "salt")
        everything = load_hll(bytes(merge_hll(everything, other).serialize_compact()))
        few = load_hll(bytes(merge_hll(few, other).serialize_compact()))
        assert few.serialize_updatable() == everything.serialize_updatable()


def test_few_are_fed_once_many_have_been_seen() -> None:
    sketch = new_hll()
    first = fed(sketch, column(many(1, 8000)).telling(sketch, "salt"), "salt")
    second = fed(sketch, column(many(2, 8000)).telling(sketch, "salt"), "salt")
    assert first < 2500 and second < 600


@pytest.mark.parametrize(
    "make",
    [
        lambda: datasketches.hll_sketch(9, datasketches.tgt_hll_type.HLL_8),
        lambda: datasketches.hll_sketch(9, datasketches.tgt_hll_type.HLL_6),
        new_hll,
    ],
)
def test_a_sketch_of_another_kind_or_without_registers_is_fed_everything(make: Callable[[], Any]) -> None:
    sketch = make()
    assert hll_filter.registers_of(sketch) is None
    texts = many(3, 40)
    assert list(column(texts).telling(sketch, "salt")) == texts


def test_a_register_that_four_bits_do_not_hold_is_fed_rather_once_more_than_not() -> None:
    for start in range(0, 10**6, 2000):
        numbers = np.arange(start, start + 2000)
        sketch = new_hll()
        for number in numbers.tolist():
            sketch.update(number)
        before = bytes(sketch.serialize_updatable())
        exceptions = int.from_bytes(before[36:40], "little")
        again = list(hll_filter.integers(sketch, 0, numbers))
        assert len(again) <= exceptions
        for number in again:
            sketch.update(number)
        assert bytes(sketch.serialize_updatable()) == before
        if exceptions:
            return
    raise AssertionError("no register was beyond four bits")


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(TEXTS, st.integers(1, 9), min_size=1, max_size=60))
def test_columns_of_texts_say_what_python_says(counts: dict[str, int]) -> None:
    ours, python = column(list(counts), list(counts.values())), CountedTexts(counts)
    assert ours.counts() == counts
    assert ours.lengths() == python.lengths()
    assert dict(ours.forms()) == dict(python.forms())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5), min_size=1, max_size=30, unique=True))
@example([-(2**63)])
@example([2**63 - 1, -(2**63), -1])
def test_columns_of_integers_say_what_python_says(numbers: list[int]) -> None:
    ours = DifferentIntegers(np.array(numbers, np.int64), np.ones(len(numbers), np.int64))
    python = ListedIntegers(numbers)
    assert ours.extent() == python.extent()
    assert ours.counts() == python.counts()
    assert list(ours.long()) == list(python.long()) == []
    assert set(ours.telling(new_hll(), 5)) == set(python.telling(new_hll(), 5)) == set(numbers)


def test_integers_beyond_64_bits_are_told_apart() -> None:
    python = ListedIntegers([1, 2**63, -(2**63) - 1, -(2**63), 1])
    assert set(python.long()) == {2**63, -(2**63) - 1}
    assert set(python.telling(None, 0)) == {1, -(2**63)}
    assert python.counts()[1] == 2


def test_the_key_keeps_integers_within_64_bits() -> None:
    """What `Distinct` feeds is what the compiled filter hashes."""
    key = Distinct("\U0001f600" * 9)._number
    assert 0 <= key < 2**56
