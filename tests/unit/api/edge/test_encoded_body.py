"""Compressed bodies: any way of cutting them into members gives the same bytes, in time by their length."""

from __future__ import annotations

import gzip
import os
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.edge.content_encoding import ExpandedTooLargeError, decoded
from catalog.errors import InvalidInput

MIB = 1024 * 1024


@given(st.lists(st.binary(max_size=3000), min_size=1, max_size=20))
def test_members_come_back_as_they_went_in(parts: list[bytes]) -> None:
    whole = b"".join(parts)
    assert decoded(b"".join(map(gzip.compress, parts)), "gzip", 10 * MIB) == whole
    assert decoded(zlib.compress(whole), "deflate", 10 * MIB) == whole
    assert decoded(gzip.compress(zlib.compress(whole)), "deflate, gzip", 10 * MIB) == whole


@given(st.binary(min_size=1, max_size=2000), st.data())
def test_a_body_cut_off_is_refused(whole: bytes, data: st.DataObject) -> None:
    packed = gzip.compress(whole)
    at = data.draw(st.integers(1, len(packed) - 1))
    with pytest.raises(InvalidInput, match="not gzip"):
        decoded(packed[:at], "gzip", MIB)


def test_large_members_that_do_not_compress() -> None:
    whole = os.urandom(3 * MIB)
    assert decoded(gzip.compress(whole) * 2, "gzip", 10 * MIB) == whole * 2


@pytest.mark.parametrize("member", [b"", b"x", b"x" * 1000])
def test_time_grows_with_the_body_and_not_with_its_square(member: bytes) -> None:
    packed = gzip.compress(member)

    def seconds(members: int) -> float:
        body = packed * members
        begun = time.process_time()
        decoded(body, "gzip", 200 * MIB)
        return time.process_time() - begun

    seconds(1000)
    small, large = (min(seconds(count) for _ in range(3)) for count in (8_000, 64_000))
    assert large < 24 * small, (small, large)


def test_too_many_members_are_refused() -> None:
    with pytest.raises(InvalidInput, match="100000 gzip members"):
        decoded(gzip.compress(b"") * 100_001, "gzip", MIB)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "gzip, gzip"])
def test_a_bomb_is_not_expanded_beyond_the_limit(encoding: str) -> None:
    bomb = b"\0" * (400 * MIB)
    bomb = zlib.compress(bomb, 1) if encoding == "deflate" else gzip.compress(bomb, 1)
    body = gzip.compress(bomb) if "," in encoding else bomb
    begun = time.process_time()
    with pytest.raises(ExpandedTooLargeError):
        decoded(body, encoding, MIB)
    assert time.process_time() - begun < 0.5


def test_more_than_two_encodings_are_refused() -> None:
    with pytest.raises(InvalidInput, match="3 times"):
        decoded(b"", "gzip, gzip, gzip", MIB)
