"""Masks: their order, their names, CUSTOM expressions and row conditions, the reference, and whole columns."""

from __future__ import annotations

import itertools
import re
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.datatypes import STRING, Primitive
from catalog.errors import InvalidInput
from policies.decision.mask_order import strictest, strictness
from policies.masks import custom, names, primitives, reference, registry, texts
from policies.masks.keys import MaskKeys
from policies.masks.preview import preview
from policies.model import Mask, MaskType

KEYS = MaskKeys(b"a secret for tests, sixteen or more")
BIGINT, DOUBLE, DATE, TIMESTAMP = map(Primitive, ("BIGINT", "DOUBLE", "DATE", "TIMESTAMP"))


def masked(type_: str, value: Any, kind: Primitive = STRING, **params: Any) -> Any:
    return reference.apply(Mask(type_, params=params), value, kind, KEYS)


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        (MaskType.MASK, "Anna-Maria Müller 42", "Xxxx-Xxxxx Xxxxxx nn"),
        (MaskType.MASK, "李雷 ٣ 😀", "xx n x"),
        ("MASK_SHOW_LAST_4", "4111-1111-1111-1234", "xxxx-xxxx-xxxx-1234"),
        ("MASK_SHOW_LAST_4", "4111111111111234", "xxxxxxxxxxxx1234"),
        ("MASK_SHOW_LAST_4", "12345", "x2345"),
        ("MASK_SHOW_LAST_4", "1234", "xxxx"),
        ("MASK_SHOW_FIRST_4", "41111111", "4111xxxx"),
        ("MASK_SHOW_FIRST_4", "4111 1111", "4111 xxxx"),
        ("MASK_SHOW_FIRST_4", "abc", "xxx"),
        ("EMAIL_DOMAIN", "anna.k@example.eu", "xxxx@example.eu"),
        ("EMAIL_DOMAIN", "not an email", "xxx xx xxxxx"),
        ("EMAIL_DOMAIN", "a@b@c", "x@x@x"),
        ("TRUNCATE_IP", "10.1.2.3", "10.1.2.0"),
        ("TRUNCATE_IP", "10.1.2.3:443", "10.1.2.0"),
        ("TRUNCATE_IP", "2001:db8:1:2::7", "2001:db8:1::"),
        ("TRUNCATE_IP", "::1", "::"),
        ("TRUNCATE_IP", "host-7", "xxxx-n"),
        ("TRUNCATE_GEO", "52.5200,13.4050", "52.5,13.4"),
        ("TRUNCATE_GEO", "Berlin", "Xxxxxx"),
        ("MASK_DATE_SHOW_YEAR", "1987-03-14", "1987-01-01"),
        ("MASK_DATE_SHOW_YEAR", "1987-03-14T10:00:00Z", "1987-01-01"),
        ("MASK_DATE_SHOW_YEAR", "14.3.1987", "1987-01-01"),
        ("MASK_DATE_SHOW_YEAR", "in spring", "xx xxxxxx"),
        (MaskType.MASK_NULL, "x", None),
        (MaskType.MASK_NONE, "x", "x"),
        ("GENERALIZE", "Anna", "Xxxx"),
    ],
)
def test_texts(type_: str, value: str, expected: str | None) -> None:
    assert masked(type_, value) == expected


@pytest.mark.parametrize(
    ("type_", "value", "kind", "params", "expected"),
    [
        (MaskType.MASK, 4111, BIGINT, {}, 0),
        ("MASK_SHOW_LAST_4", 4111111111111234, BIGINT, {}, 1234),
        ("MASK_SHOW_LAST_4", 1234, BIGINT, {}, 0),
        ("MASK_SHOW_FIRST_4", 987654, BIGINT, {}, 987600),
        ("GENERALIZE", 47, BIGINT, {"step": 20}, 40),
        ("GENERALIZE", -1, BIGINT, {}, -10),
        ("GENERALIZE", Decimal("47.25"), Primitive("DECIMAL(12,2)"), {}, Decimal(40)),
        ("TRUNCATE_GEO", 52.5163, DOUBLE, {}, 52.5),
        ("TRUNCATE_GEO", 525163000.0, DOUBLE, {}, 0.0),
        ("TRUNCATE_GEO", 52.5163, DOUBLE, {"decimals": 2}, 52.52),
        ("MASK_DATE_SHOW_YEAR", date(1987, 3, 14), DATE, {}, date(1987, 1, 1)),
        ("GENERALIZE", date(1987, 3, 14), DATE, {}, date(1987, 3, 1)),
        (MaskType.MASK, date(1987, 3, 14), DATE, {}, date(1900, 1, 1)),
        (MaskType.MASK, True, Primitive("BOOLEAN"), {}, None),
        (MaskType.MASK, b"abc", Primitive("BINARY"), {}, b""),
        (
            "MASK_DATE_SHOW_YEAR",
            datetime(2026, 3, 4, 5, tzinfo=UTC),
            TIMESTAMP,
            {},
            datetime(2026, 1, 1, tzinfo=UTC),
        ),
    ],
)
def test_other_types_are_kept(type_: str, value: Any, kind: Primitive, params: Any, expected: Any) -> None:
    assert masked(type_, value, kind, **params) == expected


@pytest.mark.parametrize("show", [None, 1, 4, 7])
def test_the_engine_shows_as_many_characters_as_the_mask_names(show: int | None) -> None:
    """The SQL of the view, which no test without an engine can run: the same numbers are in it as in the mask."""
    count, params = show or 4, {"show": show} if show else {}
    text, big = Primitive("STRING"), Primitive("BIGINT")
    last = primitives.expression(Mask("MASK_SHOW_LAST_4", params=params), "v", text, KEYS)
    assert set(re.findall(r"right\(v, (\d+)\)", last)) == {str(count)}
    assert (
        set(re.findall(r"length\(v\) > (\d+)", last)) == set(re.findall(r"length\(v\) - (\d+)", last)) == {str(count)}
    )
    first = primitives.expression(Mask("MASK_SHOW_FIRST_4", params=params), "v", text, KEYS)
    assert set(re.findall(r"left\(v, (\d+)\)", first)) == set(re.findall(r"length\(v\) > (\d+)", first)) == {str(count)}
    assert set(re.findall(r"substring\(v, (\d+)\)", first)) == {str(count + 1)}
    digits = primitives.expression(Mask("MASK_SHOW_LAST_4", params=params), "v", big, KEYS)
    assert set(re.findall(r"(?:>=|%) (\d+)", digits)) == {str(10**count)}
    leading = primitives.expression(Mask("MASK_SHOW_FIRST_4", params=params), "v", big, KEYS)
    assert set(re.findall(r"1, (\d+)\)", leading)) == set(re.findall(r"> (\d+) THEN", leading)) == {str(count)}


def test_tokens_join_and_need_the_secret() -> None:
    assert masked("TOKEN", "a") == masked("TOKEN", "a") != masked("TOKEN", "b")
    assert masked("TOKEN", "5") == masked("TOKEN", 5, BIGINT)
    assert masked("TOKEN", "a") != masked("TOKEN", "a", scope="fraud")
    other = MaskKeys(b"another secret, sixteen or more")
    assert reference.apply(Mask("MASK_HASH"), "a", STRING, other) != masked("MASK_HASH", "a")
    assert "secret" not in repr(KEYS)


@given(st.text(max_size=40))
def test_nothing_of_a_text_is_left(text: str) -> None:
    shown = texts.redacted(text)
    assert len(shown) == len(text)
    assert all(c in "xXn" or (c == t and not t.isalnum()) for c, t in zip(shown, text, strict=True))


@given(st.sampled_from(list(registry.installed().kinds)))
def test_null_stays_null(type_: str) -> None:
    assert masked(type_, None) is None


LEAST_TO_MOST = [
    "MASK_NONE",
    "GENERALIZE",
    "TRUNCATE_GEO",
    "TRUNCATE_IP",
    "EMAIL_DOMAIN",
    "MASK_DATE_SHOW_YEAR",
    "MASK_SHOW_FIRST_4",
    "MASK_SHOW_LAST_4",
    "TOKEN",
    "MASK_HASH",
    "MASK",
    "MASK_NULL",
    "DROP",
]
"""Written out here, so that a change of the product's table shows."""


@pytest.mark.parametrize(("weaker", "stronger"), itertools.combinations(LEAST_TO_MOST, 2))
def test_of_two_masks_the_one_that_hides_more_holds(weaker: str, stronger: str) -> None:
    both = [Mask(weaker), Mask(stronger)]
    assert strictest(both) == strictest(both[::-1]) == both[1]
    assert (strictness(both[0]) or 0) < (strictness(both[1]) or 0)


@pytest.mark.parametrize("other", [*LEAST_TO_MOST[1:-1], "CUSTOM"])
def test_an_expression_beside_another_mask_shows_nothing(other: str) -> None:
    """Neither is known to hide more: HASH would show what the expression hides, the expression what HASH hides."""
    expression = Mask(MaskType.CUSTOM, "upper({col})")
    beside = Mask(other, "lower({col})" if other == "CUSTOM" else None)
    assert strictest([expression, beside]) == strictest([beside, expression]) == Mask(MaskType.MASK_NULL)
    assert strictest([expression, beside, Mask(MaskType.DROP)]) == Mask(MaskType.DROP)
    assert strictest([expression, expression]) == strictest([expression]) == expression
    assert strictness(expression) is None


def test_parameters_order_masks_of_one_type() -> None:
    wide, narrow = Mask("GENERALIZE", params={"step": 100}), Mask("GENERALIZE")
    assert strictest([wide, narrow]) == strictest([narrow, wide]) == wide
    rough, fine = Mask("TRUNCATE_GEO"), Mask("TRUNCATE_GEO", params={"decimals": 3})
    assert strictest([rough, fine]) == strictest([fine, rough]) == rough
    one, four = Mask("MASK_SHOW_LAST_4", params={"show": 1}), Mask("MASK_SHOW_LAST_4")
    assert strictest([one, four]) == Mask(MaskType.MASK), "neither of two that hide alike has its way"
    assert strictest([one, four, Mask("MASK_HASH")]) == Mask("MASK_HASH")


def test_parameters_never_lift_a_mask_over_one_of_another_type() -> None:
    """However wide the step, and whatever is in the place of a number of decimals."""
    widest = Mask("GENERALIZE", params={"step": 1e14})
    assert strictest([widest, Mask("TRUNCATE_GEO", params={"decimals": 6})]).type == "TRUNCATE_GEO"
    for decimals in (-5, 0, 6, 1000):
        rough = Mask("TRUNCATE_GEO", params={"decimals": decimals})
        assert strictest([rough, Mask("TRUNCATE_IP")]).type == "TRUNCATE_IP"
        assert strictest([rough, Mask("GENERALIZE", params={"step": 5})]) == rough


def test_a_parameter_that_is_not_given_counts_as_its_default() -> None:
    step, decimals = Mask("GENERALIZE"), Mask("TRUNCATE_GEO")
    same = [
        (step, Mask("GENERALIZE", params={"step": 10})),
        (decimals, Mask("TRUNCATE_GEO", params={"decimals": 1})),
    ]
    for plain, written in same:
        assert strictness(plain) == strictness(written)
    one, none = Mask("GENERALIZE", params={"step": 1}), Mask("TRUNCATE_GEO", params={"decimals": 0})
    assert strictest([Mask("GENERALIZE", params={"step": 0.5}), one]) == one
    assert strictest([none, decimals]) == none


def test_the_documents_have_the_same_order() -> None:
    table = Path("docs/reference/masks.md").read_text().partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|", table, re.M)
    assert [row for row in rows if row != "CUSTOM"] == LEAST_TO_MOST
    assert sorted(rows) == sorted(registry.installed().kinds)


def test_names_of_other_products() -> None:
    assert names.read("Last-4") == ("MASK_SHOW_LAST_4", {})
    assert names.read("ShowLast4") == ("MASK_SHOW_LAST_4", {})
    assert names.read("First-1") == ("MASK_SHOW_FIRST_4", {"show": 1})
    assert names.read("REMOVE") == (MaskType.DROP, {})
    assert names.read("REPLACE") == names.read("mask") == (MaskType.MASK, {})
    with pytest.raises(InvalidInput, match="MASK_HASH"):
        names.read("MASK_HASCH")


def test_preview() -> None:
    shown = preview(Mask("EMAIL_DOMAIN"), ["anna@example.eu", None])
    assert shown["values"] == [
        {"value": "anna@example.eu", "masked": "xxxx@example.eu"},
        {"value": None, "masked": None},
    ]
    assert preview(Mask("TOKEN"), ["a"])["note"]
    with pytest.raises(InvalidInput):
        preview(Mask(MaskType.CUSTOM, "reflect({col})"), ["a"])


@pytest.mark.parametrize(
    "expression",
    [
        "substring_index({col}, '?', 1)",
        "concat(left({col}, 2), '***')",
        "CASE WHEN {col} > 3 THEN 3 ELSE {col} END",
        "transform(split({col}, ','), x -> upper(x))",
        "{col}",
        "date_trunc('MONTH', {col})",
    ],
)
def test_custom_expressions_that_can_be_used(expression: str) -> None:
    custom.check(expression)
    assert "weir_masked_column" not in custom.render(expression, "weir_value.`x`")
    assert "weir_value.`x`" in custom.render(expression, "weir_value.`x`")


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "upper(x)",
        "{col} + other",
        "concat({col}, '{col}')",
        "(SELECT {col})",
        "sum({col})",
        "{col} AS y",
        "{col}, 1",
        "reflect('a', {col})",
        "rand() + {col}",
        "{col}; SELECT 1",
        "weir_masked_column || {col}",
        "raise_error({col})",
        "{col}.x.y, *",
        "{col} OVER ()",
        "count(*) OVER (PARTITION BY {col})",
        "'${env:X}' || {col}",
    ],
)
def test_custom_expressions_that_cannot(expression: str) -> None:
    with pytest.raises(InvalidInput):
        custom.check(expression)


def test_row_conditions() -> None:
    assert custom.check_condition("region = 'EU' AND exists(items, i -> i.qty > 1)") == ("items", "region")
    sql = custom.render_condition(
        "Region = 'EU' OR customer.age > 3", {"region": "v.`region`", "customer": "v.`customer`"}
    )
    assert sql == "coalesce(CAST((v.`region` = 'EU' OR v.`customer`.`age` > 3) AS BOOLEAN), FALSE)"
    with pytest.raises(InvalidInput, match="did you mean region"):
        custom.render_condition("regio = 'EU'", {"region": "v.region"})
    for bad in ("region = ", "(SELECT true)", "count(*) > 1", "reflect('a') = 1", "rand() < 0.5"):
        with pytest.raises(InvalidInput):
            custom.check_condition(bad)


@pytest.mark.parametrize("condition", ["'EU'", "1", "region || 'x'", "CAST(amount AS INT)", "date(ts)", "-1"])
def test_what_is_no_condition_would_hide_every_row_and_is_refused(condition: str) -> None:
    with pytest.raises(InvalidInput, match=r"gives \w+, not true or false"):
        custom.check_condition(condition)


@pytest.mark.parametrize("condition", ["active", "NOT active", "startswith(a, 'x')", "if(a, b, c)", "TRUE", "NULL"])
def test_conditions_of_types_that_only_the_engine_knows_are_taken(condition: str) -> None:
    custom.check_condition(condition)
