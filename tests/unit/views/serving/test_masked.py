"""Rows under a decision, without Spark: what is shown, what is left out, and what goes through SQL instead."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.datatypes import Alternatives, Primitive, StructType, parse_ddl
from catalog.errors import NotAllowed
from catalog.model import DatasetId
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, Decision, Effect, Mask, MaskType, Reason, RowFilter
from views.model import Column
from views.serving.leaves import NotExact
from views.serving.masked import MaskedView, masked_view, type_name, why_not

KEYS = MaskKeys(b"a secret for tests, sixteen or more")
M = MaskType


def columns(ddl: str) -> list[Column]:
    return [Column(name, type_name(kind), kind) for name, kind in parse_ddl(ddl).fields]


def decision(decided: dict[str, Any], **more: Any) -> Decision:
    masked = [
        ColumnDecision(
            f"value.{path}",
            Effect.DENY if mask == "deny" else Effect.ALLOW,
            mask if isinstance(mask, Mask) else None if mask in (None, "deny") else Mask(mask),
        )
        for path, mask in decided.items()
    ]
    return Decision(DatasetId("kafka", "v"), "prod/v", more.pop("effect", Effect.ALLOW), masked, **more)


def view(ddl: str, decided: dict[str, Any]) -> MaskedView:
    return masked_view(columns(ddl), decision(decided), KEYS)


def test_clear_denied_and_undecided_columns() -> None:
    masked = view("a STRING, b STRING, c STRING, d BIGINT", {"a": None, "b": "deny", "d": "MASK_HASH"})
    assert [(c.name, c.type) for c in masked.columns] == [("a", "string"), ("d", "string")]
    assert masked.left_out == ("b", "c") and masked.changed == frozenset({"d"})
    assert [masked.unmasked(name) for name in "abcd"] == [True, False, False, False]
    assert masked.row({"a": "x", "b": "y", "d": 17}) == {
        "a": "x",
        "d": KEYS.hexdigest('["MASK_HASH", 1, "topic", "prod/v", ""]', b"17"),
    }
    assert masked.row({}) == {"a": None, "d": None}


@pytest.mark.parametrize(
    ("kind", "mask", "value", "expected"),
    [
        ("DECIMAL(12,2)", "GENERALIZE", "-0.01", "-10.00"),
        ("DECIMAL(12,2)", M.MASK, "5.00", "0.00"),
        ("DOUBLE", "GENERALIZE", 17.5, 10.0),
        ("DOUBLE", "GENERALIZE", "NaN", "NaN"),
        ("DOUBLE", M.MASK, "-Infinity", 0.0),
        ("DOUBLE", "TRUNCATE_GEO", -0.01, 0.0),
        ("FLOAT", "TRUNCATE_GEO", 13.4567, 13.5),
        ("DATE", "MASK_DATE_SHOW_YEAR", "1969-07-20", "1969-01-01"),
        ("TIMESTAMP", "GENERALIZE", "2026-03-04T05:06:07.000008Z", "2026-03-01T00:00:00Z"),
        ("TIMESTAMP_NTZ", M.MASK, "2026-03-04T05:06:07", "1900-01-01T00:00:00"),
        ("BINARY", M.MASK, "AAE=", ""),
        ("BOOLEAN", M.MASK, True, None),
        ("BOOLEAN", M.MASK_NONE, True, True),
        ("VARIANT", M.MASK, '{"a": 1}', None),
        ("STRING", "EMAIL_DOMAIN", "anna@x.eu", "xxxx@x.eu"),
        ("BIGINT", "MASK_SHOW_LAST_4", 123456, 3456),
    ],
)
def test_values_keep_their_json_form(kind: str, mask: str, value: Any, expected: Any) -> None:
    shown = view(f"v {kind}", {"v": mask}).row({"v": value})["v"]
    assert shown == expected and type(shown) is type(expected) and repr(shown) == repr(expected)


def test_fields_of_structs_are_left_out_and_named() -> None:
    ddl = "who STRUCT<name: STRING, mail: STRING, at: STRUCT<x: INT, y: INT>>, none STRUCT<a: INT>"
    masked = view(
        ddl, {"who.name": None, "who.mail": "EMAIL_DOMAIN", "who.at.x": "deny", "who.at.y": None, "none.a": "deny"}
    )
    assert masked.columns[0].type == "struct<name:string,mail:string,at:struct<y:int>>" and len(masked.columns) == 1
    assert masked.left_out == ("none", "who.at.x")
    row = {"who": {"name": "a", "mail": "a@b", "at": {"x": 1, "y": 2}}, "none": {"a": 1}}
    assert masked.row(row) == {"who": {"name": "a", "mail": "xxxx@b", "at": {"y": 2}}}
    assert masked.row({"who": {"name": None, "mail": None, "at": None}}) == {
        "who": {"name": None, "mail": None, "at": None}
    }
    assert masked.row({"who": None}) == {"who": None}


def test_arrays_go_with_their_elements() -> None:
    masked = view("l ARRAY<STRUCT<a: INT, b: INT>>, m ARRAY<INT>", {"l[].a": None, "m[]": "deny"})
    assert masked.row({"l": [{"a": 1, "b": 2}, None], "m": [1]}) == {"l": [{"a": 1}, None]}
    assert masked.left_out == ("m", "l.b")


def test_maps_lose_keys_and_merge_those_that_become_equal() -> None:
    decided = {"m@keys": None, "m{}": None, "m{mail}": "EMAIL_DOMAIN", "m{secret}": "deny"}
    masked = view("m MAP<STRING, STRING>", decided)
    assert masked.row({"m": {"mail": "a@b", "secret": "s", "x": "y"}}) == {"m": {"mail": "xxxx@b", "x": "y"}}
    only = view("m MAP<STRING, STRING>", {"m@keys": None, "m{mail}": None})
    assert only.row({"m": {"mail": "a@b", "x": "y"}}) == {"m": {"mail": "a@b"}}
    merged = view("m MAP<STRING, INT>", {"m@keys": M.MASK, "m{}": None})
    assert list(merged.row({"m": {"ab": 1, "c": 2, "cd": 3}})["m"].items()) == [("xx", 3), ("x", 2)]  # type: ignore[attr-defined]
    numbers = view("m MAP<INT, INT>", {"m@keys": "GENERALIZE", "m{}": None})
    assert numbers.row({"m": {"17": 1, "-2147483648": 2}}) == {"m": {"10": 1, "0": 2}}
    assert view("m MAP<STRING, INT>", {"m@keys": M.MASK_NULL, "m{}": None}).left_out == ("m",)
    assert view("m MAP<STRING, INT>", {"m{}": None}).left_out == ("m",)


def test_alternatives_are_one_place() -> None:
    kind = Alternatives(
        (("as_object", StructType((("mail", Primitive("STRING")),))), ("as_scalar", Primitive("STRING")))
    )
    masked = masked_view([Column("x", type_name(kind), kind)], decision({"x.mail": "EMAIL_DOMAIN", "x": None}), KEYS)
    assert masked.row({"x": {"as_object": {"mail": "a@b"}, "as_scalar": None}})["x"]["as_object"] == {"mail": "xxxx@b"}  # type: ignore[index]


@pytest.mark.parametrize(
    ("ddl", "decided", "reason"),
    [
        ("v STRING", {"v": Mask(M.CUSTOM, "upper({col})")}, "v: a CUSTOM mask"),
        ("v DOUBLE", {"v": "TOKEN"}, "Spark's own text of the number"),
        ("v VARIANT", {"v": "MASK_HASH"}, "text of the value"),
        ("v INTERVAL", {"v": "TOKEN"}, "text of the value"),
        ("v INT", {"v": Mask("GENERALIZE", params={"step": 1e-5})}, "less than 0.0001"),
        ("v FLOAT", {"v": Mask("GENERALIZE", params={"step": 2.5})}, "gives doubles"),
        ("m MAP<DOUBLE, INT>", {"m@keys": M.MASK, "m{}": None}, "keys of a map are masked"),
        ("m MAP<TIMESTAMP, INT>", {"m@keys": None, "m{}": None, "m{a}": "deny"}, "single keys of a map"),
        ("m MAP<STRING, INT>", {"m@keys": None, "m{}": None, "m{a}": "MASK_HASH"}, "different types"),
        ("m MAP<STRING, STRUCT<a: STRING>>", {"m@keys": None, "m{}.a": Mask(M.CUSTOM, "{col}")}, "CUSTOM"),
    ],
)
def test_what_is_not_done_exactly_is_not_done(ddl: str, decided: dict[str, Any], reason: str) -> None:
    assert reason in str(why_not(columns(ddl), decision(decided), KEYS))
    with pytest.raises(NotExact):
        view(ddl, decided)


def test_row_filters_and_conditions_go_through_sql() -> None:
    filtered = decision({"v": None}, filters=(RowFilter("prod/v", "v > 1"),))
    assert "row filter" in str(why_not(columns("v INT"), filtered, KEYS))
    lifted = Decision(
        DatasetId("kafka", "v"),
        "prod/v",
        Effect.ALLOW,
        [ColumnDecision("value.v", Effect.ALLOW, Mask(M.MASK), "v > 1")],
    )
    assert "row condition" in str(why_not(columns("v INT"), lifted, KEYS))
    assert why_not(columns("v INT"), decision({"v": None}), KEYS) is None


def test_who_may_not_read_gets_nothing() -> None:
    denied = decision({"v": None}, effect=Effect.DENY, reasons=(Reason("default", "", "no role of yours reads it"),))
    for ask in (masked_view, why_not):
        with pytest.raises(NotAllowed) as caught:
            ask(columns("v INT"), denied, KEYS)
        assert caught.value.details == {"reasons": ["no role of yours reads it"]}


@pytest.mark.parametrize(("kind", "value"), [("DATE", "+12026-01-01"), ("TIMESTAMP", "-0001-01-01T00:00:00Z")])
def test_a_year_out_of_the_calendar_goes_through_sql(kind: str, value: str) -> None:
    with pytest.raises(NotExact, match="year"):
        view(f"v {kind}", {"v": "MASK_DATE_SHOW_YEAR"}).row({"v": value})
    assert view(f"v {kind}", {"v": None}).row({"v": value}) == {"v": value}
