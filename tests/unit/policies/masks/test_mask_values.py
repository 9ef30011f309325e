"""Values under masks at the edges of each mask, by the reference; and the SQL of each mask, which Spark holds against it."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from catalog.datatypes import STRING, Primitive
from catalog.errors import InvalidInput
from policies.masks import custom, names, primitives, reference, registry
from policies.masks.keys import MaskKeys
from policies.masks.preview import PREVIEW_KEYS, preview
from policies.model import Mask, MaskType

KEYS = MaskKeys(b"a secret for tests, sixteen or more")
TINYINT, SMALLINT, INT, BIGINT, DOUBLE, DATE, TIMESTAMP, BOOLEAN, BINARY = map(
    Primitive, ("TINYINT", "SMALLINT", "INT", "BIGINT", "DOUBLE", "DATE", "TIMESTAMP", "BOOLEAN", "BINARY")
)
DECIMAL = Primitive("DECIMAL(12,2)")
M = MaskType


def masked(type_: str, value: Any, kind: Primitive = STRING, **params: Any) -> Any:
    return reference.apply(Mask(type_, params=params), value, kind, KEYS)


@pytest.mark.parametrize(
    ("type_", "value", "params", "expected"),
    [
        ("MASK_SHOW_LAST_4", "abcdef", {"show": 2}, "xxxxef"),
        ("MASK_SHOW_LAST_4", "ab cd-ö1", {"show": 1}, "xx xx-x1"),
        ("MASK_SHOW_LAST_4", "abcdef", {"show": 0}, "xxxxxx"),
        ("MASK_SHOW_FIRST_4", "abcdef", {"show": 0}, "xxxxxx"),
        ("MASK_SHOW_LAST_4", "", {"show": 0}, ""),
        ("MASK_SHOW_LAST_4", "abc", {}, "xxx"),
        ("MASK_SHOW_FIRST_4", "abcdef", {"show": 2}, "abxxxx"),
        ("MASK_SHOW_FIRST_4", "abcd", {}, "xxxx"),
        ("MASK_SHOW_FIRST_4", "abcde", {}, "abcdx"),
        ("EMAIL_DOMAIN", "a@b", {}, "xxxx@b"),
        ("EMAIL_DOMAIN", "a b@c", {}, "x x@x"),
        ("EMAIL_DOMAIN", "anna@keller@x.eu", {}, "xxxx@xxxxxx@x.xx"),
        (M.MASK, "ǅ1", {}, "Xn"),
        ("EMAIL_DOMAIN", "a@b\n", {}, "x@x\n"),
        ("EMAIL_DOMAIN", "@b", {}, "@x"),
        ("EMAIL_DOMAIN", "a@", {}, "x@"),
        ("TRUNCATE_IP", "10.1.2.3:", {}, "nn.n.n.n:"),
        ("TRUNCATE_IP", "1000.1.2.3", {}, "nnnn.n.n.n"),
        ("TRUNCATE_IP", "10.1.2", {}, "nn.n.n"),
        ("TRUNCATE_IP", "2001:db8:1:2:3:4:5:6", {}, "2001:db8:1::"),
        ("TRUNCATE_IP", "fe80::1%eth0", {}, "fe80::"),
        ("TRUNCATE_IP", "::ffff:10.1.2.3", {}, "::"),
        ("TRUNCATE_IP", "12:30", {}, "nn:nn"),
        ("TRUNCATE_GEO", "-52.5299, 13.4050", {}, "-52.5, 13.4"),
        ("TRUNCATE_GEO", "52.5299 13.4050", {"decimals": 3}, "52.529 13.405"),
        ("TRUNCATE_GEO", "52.5299;13.4050", {"decimals": 0}, "52;13"),
        ("TRUNCATE_GEO", "52.52995555,13", {"decimals": 99}, "52.529955,13"),
        ("TRUNCATE_GEO", "52.5299", {"decimals": -3}, "52"),
        ("TRUNCATE_GEO", "52.5 13.4 7.1", {}, "nn.n nn.n n.n"),
        ("TRUNCATE_GEO", "1234.5,1", {}, "nnnn.n,n"),
        ("MASK_DATE_SHOW_YEAR", "1987-03", {}, "1987-01-01"),
        ("MASK_DATE_SHOW_YEAR", "1987-03x", {}, "nnnn-nnx"),
        ("MASK_DATE_SHOW_YEAR", "3/14/1987", {}, "1987-01-01"),
        ("MASK_DATE_SHOW_YEAR", "3-14-19870", {}, "n-nn-nnnnn"),
        (M.MASK, "aB1_ Ǆ", {}, "xXn_ X"),
        (M.MASK, "\U00011f50\U0001d2c0\U0001e4f9\U0001e4ee", {}, "nnnx"),
        (M.DROP, "x", {}, None),
        (M.CUSTOM, "x", {}, None),
    ],
)
def test_texts_at_the_edges(type_: str, value: str, params: Any, expected: str | None) -> None:
    assert masked(type_, value, **params) == expected


@pytest.mark.parametrize(
    ("type_", "value", "kind", "params", "expected"),
    [
        ("MASK_SHOW_LAST_4", -4111234, BIGINT, {}, 1234),
        ("MASK_SHOW_LAST_4", 10000, BIGINT, {}, 0),
        ("MASK_SHOW_LAST_4", 10001, BIGINT, {}, 1),
        ("MASK_SHOW_LAST_4", 9999, BIGINT, {}, 0),
        ("MASK_SHOW_LAST_4", 123456, BIGINT, {"show": 2}, 56),
        ("MASK_SHOW_LAST_4", 123456, BIGINT, {"show": 0}, 0),
        ("MASK_SHOW_FIRST_4", 123456, BIGINT, {"show": 0}, 0),
        ("MASK_SHOW_LAST_4", 12345678901, BIGINT, {"show": 99}, 345678901),
        ("MASK_SHOW_LAST_4", Decimal("12345.67"), DECIMAL, {}, Decimal(0)),
        ("MASK_SHOW_FIRST_4", -987654, BIGINT, {}, 987600),
        ("MASK_SHOW_FIRST_4", 9876, BIGINT, {}, 0),
        ("MASK_SHOW_FIRST_4", 98765, BIGINT, {}, 98760),
        ("MASK_SHOW_FIRST_4", 98765, BIGINT, {"show": 1}, 90000),
        ("GENERALIZE", 40, BIGINT, {"step": 20}, 40),
        ("GENERALIZE", 49, BIGINT, {}, 40),
        ("GENERALIZE", 3, BIGINT, {"step": 2.5}, 2),
        ("GENERALIZE", 3, BIGINT, {"step": 0.5}, 3),
        ("GENERALIZE", 47, BIGINT, {"step": 0}, 40),
        ("GENERALIZE", 47, BIGINT, {"step": -5}, 40),
        ("GENERALIZE", 47, BIGINT, {"step": 1e15}, 40),
        ("GENERALIZE", -128, TINYINT, {"step": 100}, None),
        ("GENERALIZE", -128, TINYINT, {"step": 128}, -128),
        ("GENERALIZE", -(2**15), SMALLINT, {}, None),
        ("GENERALIZE", -(2**15), SMALLINT, {"step": 2}, -(2**15)),
        ("GENERALIZE", -(2**31), INT, {}, None),
        ("GENERALIZE", -(2**31), INT, {"step": 4}, -(2**31)),
        ("GENERALIZE", -(2**31), BIGINT, {}, -2147483650),
        ("GENERALIZE", -(2**63), BIGINT, {}, None),
        ("GENERALIZE", -(2**63), BIGINT, {"step": 8}, -(2**63)),
        ("GENERALIZE", 47.5, DOUBLE, {}, 40.0),
        ("GENERALIZE", -0.5, DOUBLE, {"step": 0.25}, -0.5),
        ("GENERALIZE", 1e15, DOUBLE, {"step": 3}, 1e15 - 1e15 % 3),
        ("GENERALIZE", Decimal("-0.01"), DECIMAL, {}, Decimal(-10)),
        ("TRUNCATE_GEO", 180.0, DOUBLE, {}, 180.0),
        ("TRUNCATE_GEO", -180.04, DOUBLE, {}, 0.0),
        ("TRUNCATE_GEO", 52.55, DOUBLE, {"decimals": 0}, 53.0),
        ("TRUNCATE_GEO", 52.12345678, DOUBLE, {"decimals": 9}, 52.123457),
        ("TRUNCATE_GEO", 52.6, DOUBLE, {"decimals": -2}, 53.0),
        ("TRUNCATE_GEO", Decimal("13.45"), DECIMAL, {}, Decimal("13.5")),
        ("TRUNCATE_GEO", 52, INT, {}, 52),
        ("TRUNCATE_GEO", 181, INT, {}, 0),
        ("MASK_DATE_SHOW_YEAR", 5, INT, {}, 0),
        (M.MASK, 1.5, DOUBLE, {}, 0.0),
        (M.MASK_NONE, 5, INT, {}, 5),
        (M.MASK_NONE, b"x", BINARY, {}, b"x"),
        (M.MASK_NULL, 5, INT, {}, None),
        ("EMAIL_DOMAIN", date(1987, 3, 14), DATE, {}, date(1900, 1, 1)),
        (M.MASK, datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC), TIMESTAMP, {}, datetime(1900, 1, 1, tzinfo=UTC)),
        ("GENERALIZE", datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC), TIMESTAMP, {}, datetime(2026, 3, 1, tzinfo=UTC)),
        (
            "MASK_DATE_SHOW_YEAR",
            datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC),
            TIMESTAMP,
            {},
            datetime(2026, 1, 1, tzinfo=UTC),
        ),
        ("GENERALIZE", 1.0, DOUBLE, {"step": 0.1}, 1.0),
        (
            "GENERALIZE",
            Decimal(-883596917441320644140522946423),
            Primitive("DECIMAL(38,0)"),
            {},
            Decimal(-883596917441320644140522946430),
        ),
        ("GENERALIZE", Decimal("-99.99"), Primitive("DECIMAL(4,2)"), {}, None),
        ("GENERALIZE", Decimal(236629692076446022544021638108066913), Primitive("DECIMAL(38,0)"), {}, None),
        ("TRUNCATE_GEO", Decimal("0.999"), Primitive("DECIMAL(3,3)"), {}, None),
        ("GENERALIZE", True, BOOLEAN, {}, None),
        ("GENERALIZE", b"abc", BINARY, {}, b""),
        (M.MASK, "x", Primitive("INTERVAL"), {}, None),
    ],
)
def test_other_types_at_the_edges(type_: str, value: Any, kind: Primitive, params: Any, expected: Any) -> None:
    value_seen = masked(type_, value, kind, **params)
    assert value_seen == expected and type(value_seen) is type(expected)


@pytest.mark.parametrize(
    ("value", "kind", "hashed"),
    [
        ("ä", STRING, "ä"),
        (b"\xff", BINARY, b"\xff"),
        (True, BOOLEAN, "true"),
        (17, INT, "17"),
        (1.5, DOUBLE, "1.5"),
        (Decimal("1E+3"), DECIMAL, "1000.00"),
        (Decimal("-0.5"), DECIMAL, "-0.50"),
        (Decimal(0), Primitive("DECIMAL(10,8)"), "0E-8"),
        (Decimal("0.0000001"), Primitive("DECIMAL(10,7)"), "1E-7"),
        (Decimal("0.000001"), Primitive("DECIMAL(10,6)"), "0.000001"),
        (datetime(987, 6, 5, 4, 3, 2, 100, tzinfo=UTC), TIMESTAMP, "0987-06-05 04:03:02.0001"),
        (date(2026, 1, 2), DATE, "2026-01-02"),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=1))), TIMESTAMP, "2026-01-02 02:04:05"),
        (datetime(2026, 1, 2, 3, 4, 5, 120000, tzinfo=UTC), TIMESTAMP, "2026-01-02 03:04:05.12"),
        (datetime(2026, 1, 2, 3, 4, 10, tzinfo=UTC), TIMESTAMP, "2026-01-02 03:04:10"),
    ],
)
def test_what_is_hashed_is_the_text_that_spark_writes(value: Any, kind: Primitive, hashed: str | bytes) -> None:
    data = hashed if isinstance(hashed, bytes) else hashed.encode()
    assert masked("MASK_HASH", value, kind) == KEYS.hexdigest('["MASK_HASH", 1, "topic", "", ""]', data)
    assert masked("TOKEN", value, kind, scope="s") == "tok_" + KEYS.hexdigest('["TOKEN", 1, "scope", "s"]', data)[:26]
    assert masked("TOKEN", value, kind) == "tok_" + KEYS.hexdigest('["TOKEN", 1, "topic", "", ""]', data)[:26]


# -- keys -------------------------------------------------------------------------------------------------------------


def test_the_sql_of_a_keyed_hash_is_hmac() -> None:
    """Computed by the SQL's own steps: sha256(outer key, sha256(inner key, text))."""
    sql = KEYS.sql("hash", "v")
    match = re.fullmatch(
        r"sha2\(concat\(X'(\w+)', unhex\(sha2\(concat\(X'(\w+)', CAST\(v AS BINARY\)\), 256\)\)\), 256\)", sql
    )
    assert match is not None
    outer, inner = map(bytes.fromhex, match.groups())
    assert len(outer) == len(inner) == 64
    assert hashlib.sha256(outer + hashlib.sha256(inner + b"abc").digest()).hexdigest() == KEYS.hexdigest("hash", b"abc")
    derived = hmac.new(b"a secret for tests, sixteen or more", b"weir-mask-1:hash", hashlib.sha256).digest()
    assert KEYS.derived("hash") == derived, "tokens of an installation stay the same"
    assert KEYS.hexdigest("hash", b"abc") == hmac.new(derived, b"abc", hashlib.sha256).hexdigest()


# -- names and previews -----------------------------------------------------------------------------------------------


def test_names_of_masks_however_written() -> None:
    assert names.read(" mask-show last_4 ") == ("MASK_SHOW_LAST_4", {})
    assert names.read("last 1") == ("MASK_SHOW_LAST_4", {"show": 1}) and names.read("Last-4")[1] == {}
    for bad, hint in (("MASK_HASCH", "did you mean MASK_HASH?"), ("q" * 70, "write one of MASK_NONE,")):
        with pytest.raises(InvalidInput) as raised:
            names.read(bad)
        assert hint in raised.value.message and raised.value.details == {"mask": bad[:60]}
        assert f"The mask {bad[:60]!r} is not known; " in raised.value.message


def test_previews() -> None:
    assert preview(Mask(M.CUSTOM, "upper({col})"), ["a"]) == {
        "type": None,
        "values": [],
        "note": "Spark computes upper({col})",
    }
    with pytest.raises(InvalidInput, match=r"does not name"):
        preview(Mask(M.CUSTOM), ["a"])
    assert preview(Mask("GENERALIZE"), [47, None], INT) == {
        "type": "INT",
        "values": [{"value": 47, "masked": 40}, {"value": None, "masked": None}],
        "note": None,
    }
    for type_ in ("MASK_HASH", "TOKEN"):
        shown = preview(Mask(type_), [5], INT)
        assert (shown["type"], shown["note"]) == ("STRING", "under a key of the preview's own")
        assert shown["values"][0]["masked"] == reference.apply(Mask(type_), 5, INT, PREVIEW_KEYS)


# -- expressions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("upper(x)", "The mask expression does not name {col}; write Spark SQL of {col} only"),
        ("weir_masked_column || {col}", "weir_masked_column is kept for Weir's own use; write"),
        ("reflect('a', {col})", "The mask expression cannot be used: "),
        ("{col} + other", "The mask expression names 'other'; write"),
        ("{col}.x.y", "The mask expression names 'y'; write"),
        ("concat({col}, '{col}')", "{col} is inside a string of the mask expression; write"),
    ],
)
def test_why_an_expression_cannot_be_used(expression: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        custom.check(expression)
    assert raised.value.message.startswith(sentence)


def test_an_expression_is_rendered_as_one_operand() -> None:
    assert custom.render("{col} + 1", "a OR b") == "((a OR b) + 1)"
    assert custom.render("concat({col}, {col})", "v") == "(concat((v), (v)))"


def test_row_conditions_name_what_they_use() -> None:
    assert custom.check_condition("b > 1 AND A.x = 2 AND b < 3") == ("A", "b")
    sql = custom.render_condition("active", {"Active": "v.`Active`"})
    assert sql == "coalesce(CAST((v.`Active`) AS BOOLEAN), FALSE)"
    both = custom.render_condition("A = a", {"a": "lower", "A": "upper"})
    assert both == "coalesce(CAST((upper = lower) AS BOOLEAN), FALSE)", "the exact name goes first"
    with pytest.raises(InvalidInput, match=r"^The row condition names 'zzz'; the record has no such field.$") as raised:
        custom.render_condition("zzz = 1", {"region": "r"})
    assert raised.value.details == {"column": "zzz"}
    with pytest.raises(InvalidInput, match=r"^The row condition cannot be used: .* Write one as in region = 'EU'.$"):
        custom.check_condition("region = ")
    with pytest.raises(InvalidInput, match=r"^The row condition gives int, not true or false. Write one") as raised:
        custom.check_condition("CAST(a AS INT)")
    assert raised.value.details == {"condition": "CAST(a AS INT)"}


# -- the SQL ----------------------------------------------------------------------------------------------------------

SQL = Path(__file__).with_name("mask_sql.txt")
KINDS = (
    "STRING",
    "VARCHAR(9)",
    "TINYINT",
    "BIGINT",
    "DECIMAL(12,2)",
    "DOUBLE",
    "BOOLEAN",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
    "BINARY",
    "INTERVAL",
)
PARAMS: dict[str, list[dict[str, Any]]] = {
    "MASK_SHOW_LAST_4": [{}, {"show": 2}, {"show": 0}, {"show": 99}],
    "MASK_SHOW_FIRST_4": [{}, {"show": 2}, {"show": 0}, {"show": 99}],
    "TRUNCATE_GEO": [{}, {"decimals": 0}, {"decimals": 9}, {"decimals": -1}],
    "TOKEN": [{}, {"scope": "s"}],
    "MASK_HASH": [{}, {"scope": "s", "keyVersion": 2}],
    "GENERALIZE": [{}, {"step": 2.5}, {"step": 0}, {"step": 1e15}, {"step": 20}, {"step": "5"}],
}


def test_the_sql_of_every_mask() -> None:
    """As it was when Spark agreed with the reference (tests/integration/test_query_masks.py): run that where this differs.

    WEIR_WRITE=1 writes the file again.
    """
    lines = []
    for type_, declared in registry.installed().kinds.items():
        for kind in map(Primitive, KINDS):
            for params in PARAMS.get(type_) or [{}, *({each.name: each.least} for each in declared.parameters)]:
                mask = Mask(type_, "upper({col})" if type_ == M.CUSTOM else None, params)
                output = primitives.output_type(mask, kind)
                given = ", ".join(f"{k}={v}" for k, v in params.items())
                sql = primitives.expression(mask, "v", kind, KEYS)
                lines.append(f"{type_} {kind.name} ({given}) -> {output.name if output else '?'}: {sql}")
    if os.environ.get("WEIR_WRITE"):
        SQL.write_text("\n".join(lines) + "\n")
    assert SQL.read_text().splitlines() == lines
