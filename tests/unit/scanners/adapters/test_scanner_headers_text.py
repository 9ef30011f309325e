"""Headers on their way to the workers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scanners.adapters.spark import headers_text

PAIRS = st.lists(st.tuples(st.text(max_size=5), st.none() | st.binary(max_size=5)), max_size=4)


def as_spark_makes_it(pairs: list[tuple[str, bytes | None]]) -> str | None:
    return (
        ",".join(
            key.encode("utf-8", "replace").hex().upper() + ("" if value is None else ":" + value.hex().upper())
            for key, value in pairs
        )
        if pairs
        else None
    )


@given(st.lists(PAIRS, max_size=5))
def test_headers_come_as_they_were(records: list[list[tuple[str, bytes | None]]]) -> None:
    answer = headers_text.read([as_spark_makes_it(pairs) for pairs in records])
    wanted = [[(k.encode("utf-8", "replace").decode(), v) for k, v in pairs] for pairs in records]
    assert [list(pairs) for pairs in answer] == (wanted if any(wanted) else [])
