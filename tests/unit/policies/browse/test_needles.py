"""A record may be left out unread only where it cannot hold the text as its reader would see it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from catalog.datatypes import STRING, Primitive, parse_ddl
from policies.browse.conditions import PARTS, Filters
from policies.browse.needles import Needle, needle
from policies.model import ColumnDecision, Decision, Effect, Mask, MaskType, RowFilter
from policies.plan.model import PartRead
from policies.plan.ports import QueryTable
from policies.plan.views import govern
from tests.unit.policies.query.test_query import FACTS, ID, KEYS

DDL = "id STRING, note STRING, amount DOUBLE, vip BOOLEAN, at TIMESTAMP, tags ARRAY<STRING>, more MAP<STRING, STRING>"
TABLE = QueryTable("prod/orders", "orders", FACTS, {}, PartRead("text", STRING), PartRead("json", parse_ddl(DDL)))
PLACES = ("id", "note", "amount", "vip", "at", "tags[]", "more{}", "more@keys")
PATHS = ("key", "headers.trace", *(f"value.{name}" for name in PLACES))


def decision(masked: str | None = None, filters: tuple[RowFilter, ...] = (), denied: str | None = None) -> Decision:
    columns = tuple(
        ColumnDecision(
            path,
            Effect.DENY if path == denied else Effect.ALLOW,
            Mask(MaskType.MASK) if path == masked else None,
        )
        for path in PATHS
    )
    return Decision(ID, "prod/orders", Effect.ALLOW, columns, filters)


def of(text: str, table: QueryTable = TABLE, decided: Decision | None = None, **more: Any) -> Needle | None:
    return needle(Filters(text, **more), govern(table, decided or decision(), KEYS))


def test_there_is_one_for_a_word_in_plain_json() -> None:
    assert of("Example7") == Needle(b"example7", frozenset(PARTS), frozenset(["trace"]))
    assert of("anna@example.eu", parts=("value",)) == Needle(
        b"anna@example.eu", frozenset(["value"]), frozenset(["trace"])
    )


@pytest.mark.parametrize(
    "text", ["", "ab", '"id"', "a,b", "a\\b", "a\nb", "über", "2026-01", "12.5", "1e9", "tru", "infinit", "note", "ags", "x" * 300]
)  # fmt: skip
def test_there_is_none_where_json_may_write_the_text_otherwise(text: str) -> None:
    assert of(text) is None


@pytest.mark.parametrize("path", PATHS)
def test_there_is_none_where_anything_is_masked_or_denied(path: str) -> None:
    assert of("example", decided=decision(masked=path)) is None
    assert of("example", decided=decision(denied=path)) is None


def test_there_is_none_where_rows_are_hidden_or_values_are_decoded() -> None:
    assert of("example", decided=decision(filters=(RowFilter("prod/orders", "id = 'a'"),))) is None
    for kind in ("avro", "text", "csv"):
        assert of("example", replace(TABLE, value=PartRead(kind, TABLE.value.kind))) is None
    for ddl in ("id STRING, raw BINARY", "id STRING, m MAP<STRING, BINARY>"):
        assert of("example", replace(TABLE, value=PartRead("json", parse_ddl(ddl)))) is None
    assert of("example", replace(TABLE, key=PartRead("avro", STRING))) is None
    assert of("example", replace(TABLE, key=PartRead("text", Primitive("BIGINT")))) is None


WORDS = st.text(st.sampled_from('kKaB@. -_7Üéı\u212a\u0130"\\\n\t/'), min_size=3, max_size=12)
VALUES = st.recursive(
    WORDS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2), max_leaves=5
)


def part_of(shown: str, data: Any) -> str:
    """A text that could be typed to find it."""
    words = re.findall(r"[a-z0-9 _.@+-]{3,}", shown)
    word = data.draw(st.sampled_from(words)) if words else shown
    start = data.draw(st.integers(0, max(0, len(word) - 3)))
    return str(word[start : start + data.draw(st.integers(3, 6))])


@given(VALUES, st.booleans(), st.sampled_from([None, 1, (", ", ": ")]), st.data())
def test_a_record_that_shows_the_text_is_never_left_out(value: Any, ascii_only: bool, form: Any, data: Any) -> None:
    """However its JSON is written: with escapes, with spaces, in several lines."""
    shown = json.dumps(value, ensure_ascii=False, separators=(",", ":")).lower()
    sent = json.dumps(
        value,
        ensure_ascii=ascii_only,
        indent=form if isinstance(form, int) else None,
        separators=form if isinstance(form, tuple) else None,
    )
    sought = of(part_of(shown, data), parts=("value",))
    event("sought" if sought else "left to the engine")
    if sought is not None:
        assert sought.may_be_in(None, sent.encode(), None)
        assert not sought.may_be_in(sent.encode(), b"{}", None)


@given(WORDS, st.data())
def test_a_header_that_shows_the_text_is_never_left_out(value: str, data: Any) -> None:
    shown = json.dumps({"trace": value}, ensure_ascii=False, separators=(",", ":")).lower()
    sought = of(part_of(shown, data), parts=("headers",))
    if sought is not None:
        assert sought.may_be_in(None, None, [("trace", value.encode())])


def test_how_far_a_search_is_does_not_depend_on_what_is_not_shown() -> None:
    """A header that nobody has decided on, and a key that a scan has not seen, are not shown."""
    sought = of("example")
    assert sought is not None and not sought.may_be_in(None, b"{}", [("unknown", b"example")])
    keyless = replace(TABLE, keyless=True)
    without_key = Decision(ID, "prod/orders", Effect.ALLOW, decision().columns[1:])
    sought = of("example", keyless, without_key)
    assert sought is not None and not sought.may_be_in(b"example", b"{}", None)


def test_what_is_not_searched_is_not_looked_at() -> None:
    sought = of("example", parts=("key",))
    assert sought is not None
    assert not sought.may_be_in(b"x", b"example", [("h", b"example")]) and sought.may_be_in(b"an Example", None, None)
