"""Keys as bytes sort as the keys' values do."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalog.errors import InvalidInput
from views.row_ports import Wanted
from views.serving.key_order import LONGEST, bounds, encode, key_bytes, shortened

TEXTS = st.text(max_size=6) | st.text(alphabet="a\x00\x01\xff\U0010ffff\ud800\uffff", max_size=5)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.integers()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([2**53, 2**53 + 1, float(2**53), 1.0, 1, -0.0, 0.5])
    | TEXTS
)
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(max_size=3), SCALARS, max_size=2)
KEYS = st.lists(VALUES, max_size=4)


def plain(values: list[Any]) -> list[tuple[int, Any]]:
    """The same order, by Python's own comparisons."""

    def one(value: Any) -> tuple[int, Any]:
        if value is None:
            return 0, 0
        if isinstance(value, bool):
            return 1, value
        if isinstance(value, (int, float)):
            return 2, Fraction(value)
        if isinstance(value, str):
            return 3, [ord(each) for each in value]
        return 4, json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    return [one(value) for value in values]


@given(KEYS, KEYS)
@example(["a"], ["a", "b"])
@example(["a"], ["a\x00"])
@example(["a", None], ["a\x00"])
@example([-1], [-1.5])
@example([-(2**70)], [-(2**70) - 1])
@example([-64, None], [-65])
@example([2**53], [2**53 + 1])
@example(["9.5"], ["10"])
@example([5e-324], [0])
def test_bytes_sort_as_values(a: list[Any], b: list[Any]) -> None:
    left, right = plain(a), plain(b)
    assert (encode(a) < encode(b)) == (left < right)
    assert (encode(a) == encode(b)) == (left == right)


def test_infinities_and_nan_are_at_the_ends() -> None:
    order: list[list[object]] = [
        [False],
        [float("-inf")],
        [-(2**900)],
        [0],
        [1e308],
        [2**1100],
        [float("inf")],
        [float("nan")],
        [""],
    ]
    assert sorted(order, key=encode) == order


@given(st.lists(SCALARS, min_size=1, max_size=3), st.lists(SCALARS, max_size=4))
def test_a_prefix_is_a_range(prefix: list[Any], key: list[Any]) -> None:
    low, high = bounds(Wanted(prefix=tuple(prefix)))
    inside = low <= encode(key) and (high is None or encode(key) < high)
    assert inside == (plain(key)[: len(prefix)] == plain(prefix))


@given(st.lists(SCALARS, max_size=2), TEXTS, st.lists(SCALARS, max_size=4))
@example([], "a", ["a\x00"])
@example([], "a\x00", ["a"])
@example([], "a\x00", ["a\x00\x00"])
@example([], "", [""])
@example([], "", [5])
def test_the_beginning_of_a_text_is_a_range(before: list[Any], begin: str, key: list[Any]) -> None:
    low, high = bounds(Wanted(prefix=(*before, begin), begins=True))
    inside = low <= encode(key) and (high is None or encode(key) < high)
    n = len(before)
    fits = plain(key)[:n] == plain(before) and len(key) > n and isinstance(key[n], str) and key[n].startswith(begin)
    assert inside == fits


@given(st.lists(TEXTS, min_size=2, max_size=2), st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=2))
def test_bounds_and_after_count_together(ends: list[str], key: list[str], after: list[str]) -> None:
    low, high = bounds(Wanted(low=ends[0], high=ends[1], after=json.dumps(after)))
    inside = low <= encode(key) and (high is None or encode(key) < high)
    assert inside == (bool(key) and ends[0] <= key[0] <= ends[1] and plain(key) > plain(after))


@given(st.integers(LONGEST - 10, LONGEST + 50), TEXTS)
def test_long_keys_are_told_apart(length: int, tail: str) -> None:
    one, other = json.dumps(["x" * length + tail]), json.dumps(["x" * length + tail + "y"])
    assert key_bytes(one) != key_bytes(other)
    assert len(key_bytes(one)) <= LONGEST + 32
    assert shortened(b"a") == b"a"


@given(KEYS, st.booleans())
@example([10**18], False)
@example([1e17], False)
@example([float("inf"), float("nan")], False)
def test_short_texts_are_read_as_long_ones(values: list[Any], ascii_only: bool) -> None:
    text = json.dumps(values, ensure_ascii=ascii_only, separators=(",", ":"))
    assert key_bytes(text) == key_bytes(text + " " * 30) == shortened(encode(json.loads(text)))


@given(st.text(alphabet='[]{}",:\\0159.-e a\n', max_size=14), st.text(alphabet="0159,] -.", max_size=8))
@example("[", "5]")
@example("[ ", ",5]")
@example("[1", ",05]")
@example('["a,1', ",5]")
@example('["a"', ",5]")
@example("[[1", ",5]")
def test_a_key_that_ends_in_a_number_is_read_as_any_other(begin: str, end: str) -> None:
    text = begin + end
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if isinstance(values, list):
        assert key_bytes(text) == shortened(encode(values))
    else:
        with pytest.raises(InvalidInput, match="JSON list"):
            key_bytes(text)


@pytest.mark.parametrize("key", ["", "a", "{}", "5", "[", '"a"'])
def test_what_is_no_list_is_refused_without_the_value(key: str) -> None:
    with pytest.raises(InvalidInput, match="JSON list"):
        key_bytes(key)


def test_a_long_bound_is_refused() -> None:
    for wanted in (Wanted(prefix=("x" * 3000,)), Wanted(low="x" * 3000), Wanted(prefix=("x" * 3000,), begins=True)):
        with pytest.raises(InvalidInput, match="shorter"):
            bounds(wanted)
