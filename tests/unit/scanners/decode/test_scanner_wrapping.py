"""What bodies are wrapped in: any bytes at all, and whatever was packed comes out again."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from scanners.containers.packed import PackedRefusal
from scanners.containers.plain_tree import TooLarge, plain_tree
from scanners.containers.wrapping import latin_text, unwrapped

HEADS = [
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
    b"\x78\x9c",
    b"\x78\x5e",
    b"\xff\xfe",
    b"\xfe\xff",
    b"{\0",
    b"\0<",
    b"\xef\xbb\xbf",
]
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    "zstd": zstandard.compress,
}


@given(st.sampled_from(HEADS), st.binary(max_size=60))
def test_what_only_begins_so_is_left_as_it_is_or_is_some(head: bytes, rest: bytes) -> None:
    body, names = unwrapped(head + rest)
    assert names or body in (head + rest, rest)


@given(st.sampled_from(sorted(PACKERS)), st.binary(max_size=400).filter(lambda b: unwrapped(b) == (b, ())))
def test_what_was_packed_comes_out(name: str, body: bytes) -> None:
    assert unwrapped(PACKERS[name](body)) == (body, (name,))


@given(st.text(min_size=1, max_size=50).filter(lambda t: t.isprintable() and not t.startswith("\ufeff")))
def test_utf_16_with_a_mark(text: str) -> None:
    assert unwrapped(text.encode("utf-16")) == (text.encode(), ("utf-16",))


@pytest.mark.parametrize("name", sorted(PACKERS))
def test_long_records_that_repeat_themselves_are_read_and_bombs_are_not(name: str) -> None:
    record = b'{"kind":"tick","value":0}\n' * 20_000
    assert unwrapped(PACKERS[name](record))[0] == record
    with pytest.raises(PackedRefusal, match="unpacks_too_large"):
        unwrapped(PACKERS[name](bytes(70_000_000)))


def test_wrapping_has_an_end() -> None:
    body = b"x"
    for _ in range(10):
        body = gzip.compress(body)
    assert len(unwrapped(body)[1]) == 3


@given(st.binary(max_size=80))
def test_text_in_iso_8859_1_has_no_control_characters_and_is_mostly_ascii(body: bytes) -> None:
    text = latin_text(body)
    if text is not None:
        assert text.encode("latin-1") == body and not any("\x7f" <= c < "\xa0" for c in text)


def test_a_tree_is_as_large_as_its_body_allows() -> None:
    shared: list[object] = [1]
    for _ in range(40):
        shared = [shared, shared]
    with pytest.raises(TooLarge):
        plain_tree(shared, 200)
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises((TooLarge, RecursionError)):
        plain_tree(loop, 100)
    assert plain_tree({1: (None, {2.5}), b"\xff": bytearray(b"x")}, 10) == {"1": [None, [2.5]], "/w==": b"x"}
