"""Whole columns: from decided rules to one Spark SQL expression, as text that can be read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from catalog.datatypes import STRING, StructType, parse_ddl
from catalog.paths import VALUE, FieldPath
from policies.columns.expression import build, context
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, Effect, Mask, MaskType
from policies.sql.literals import literal

KEYS = MaskKeys(b"a secret for tests, sixteen or more")
RECORD = parse_ddl(
    "id STRING, who STRUCT<name: STRING, mail: STRING>, items ARRAY<STRUCT<sku: STRING, mail: STRING>>,"
    " attrs MAP<STRING, STRING>, nested MAP<STRING, STRUCT<a: INT, b: STRING>>, qty INT, lists ARRAY<ARRAY<INT>>,"
    " ages MAP<INT, INT>, flags MAP<BOOLEAN, INT>, odd MAP<STRUCT<a: INT>, INT>, spans MAP<INTERVAL, INT>,"
    " days MAP<DATE, INT>, sums MAP<DECIMAL(9,2), INT>, deep MAP<STRING, STRUCT<m: MAP<STRING, INT>, l: ARRAY<INT>>>"
)


def column(path: str, decisions: Mapping[str, Mask | str | None], clear_when: str | None = None) -> str | None:
    """SQL of a column under {path: mask | None unmasked | "deny"}."""
    column_decisions = [
        ColumnDecision(
            p,
            Effect.DENY if m == "deny" else Effect.ALLOW,
            m if isinstance(m, Mask) else None,
            clear_when if isinstance(m, Mask) else None,
        )
        for p, m in decisions.items()
    ]
    at = FieldPath.parse(path)
    kind: Any = RECORD
    for step in at.steps:
        assert isinstance(kind, StructType)
        kind = kind.get(step.name or "")
    sql = build(context(column_decisions, KEYS, {"region = 'EU'": "`c0`"}), at, kind, "src")
    return _FORM.sub(r"form(\1)", sql) if sql is not None else None


_FORM = re.compile(r"CASE WHEN length\((\w+)\) = octet_length\(\1\) THEN lower\(\1\) ELSE .*? END")
"""The form of a key, see `policies.map_keys`."""

NULLED = Mask(MaskType.MASK_NULL)


def test_clear_is_the_source_itself() -> None:
    assert column("value.who", {"value.who.name": None, "value.who.mail": None}) == "src"
    assert column("value.items", {"value.items[].sku": None, "value.items[].mail": None}) == "src"
    assert column("value.attrs", {"value.attrs@keys": None, "value.attrs{}": None}) == "src"
    assert column("value", {"value": None}) is not None


def test_undecided_is_left_out() -> None:
    assert column("value.id", {}) is None
    assert column("value.who", {"value.who.name": None}) == (
        "CASE WHEN src IS NOT NULL THEN named_struct('name', src.`name`) END"
    )
    assert column("value.attrs", {"value.attrs{}": None}) is None
    assert column("value.who", {"value.id": None}) is None


def test_nested_masks() -> None:
    assert column("value.who", {"value.who.name": None, "value.who.mail": NULLED}) == (
        "CASE WHEN src IS NOT NULL THEN named_struct('name', src.`name`, 'mail', CAST(NULL AS STRING)) END"
    )
    assert column("value.items", {"value.items[].sku": None, "value.items[].mail": Mask(MaskType.DROP)}) == (
        "transform(src, weir_x0 -> CASE WHEN weir_x0 IS NOT NULL THEN named_struct('sku', weir_x0.`sku`) END)"
    )
    assert column("value.items", {"value.items[].sku": "deny", "value.items[].mail": "deny"}) is None


def test_a_mask_on_a_struct_reaches_its_leaves() -> None:
    assert column("value.who", {"value.who": NULLED}) == "CAST(NULL AS STRUCT<`name`: STRING, `mail`: STRING>)"
    assert column("value.who", {"value.who": Mask("MASK_DATE_SHOW_YEAR")}) != column("value.who", {"value.who": NULLED})


def test_null_of_all_that_is_inside_is_one_null() -> None:
    """Neither the length of an array nor the fields of an object show, in any row that does not show them whole."""
    assert column("value.lists", {"value.lists": NULLED}) == "CAST(NULL AS ARRAY<ARRAY<INT>>)"
    assert column("value.lists", {"value.lists[][]": NULLED}) == "CAST(NULL AS ARRAY<ARRAY<INT>>)"
    assert column("value.attrs", {"value.attrs": NULLED}) == "CAST(NULL AS MAP<STRING, STRING>)"
    assert column("value.attrs", {"value.attrs{}": NULLED, "value.attrs@keys": None}) == (
        "transform_values(src, (weir_x0, weir_x1) -> CAST(NULL AS STRING))"
    ), "the keys are shown, so the map is"
    assert column("value.lists", {"value.lists": NULLED}, "region = 'EU'") == "CASE WHEN `c0` THEN src END"
    items = column("value.items", {"value.items[].sku": NULLED, "value.items[].mail": NULLED})
    assert items == "CAST(NULL AS ARRAY<STRUCT<`sku`: STRING, `mail`: STRING>>)"
    assert column("value.who", {"value.who": "deny"}) is None


def test_the_nearest_decision_is_the_rule_of_a_place() -> None:
    """`decide` has put into the field's own decision all that holds for what it is part of; a grant may have lifted it."""
    assert column("value.who", {"value.who": NULLED, "value.who.name": None}) == (
        "CASE WHEN src IS NOT NULL THEN named_struct('name', src.`name`, 'mail', CAST(NULL AS STRING)) END"
    )
    assert column("value.who", {"value.who": "deny", "value.who.name": None}) == (
        "CASE WHEN src IS NOT NULL THEN named_struct('name', src.`name`) END"
    )


def test_what_holds_more_than_it_shows_is_hidden_whole() -> None:
    """A field that is sometimes an object is read as JSON text; a rule inside it must not be lost."""
    assert column("value.id", {"value.id": None, "value.id.mail": Mask("EMAIL_DOMAIN")}) == "CAST(NULL AS STRING)"
    assert column("value.id", {"value.id": None, "value.id.mail": "deny"}) is None
    assert column("value.id", {"value.id": None, "value.id.mail": None}) == "src"
    assert column("value.id", {"value.id.mail": Mask(MaskType.CUSTOM, "{col}")}) == "CAST(NULL AS STRING)"


def test_what_holds_several_conditional_fields_is_clear_where_all_of_them_are() -> None:
    decisions = [
        ColumnDecision("value.id", Effect.ALLOW),
        ColumnDecision("value.id.a", Effect.ALLOW, NULLED, "r1"),
        ColumnDecision("value.id.b", Effect.ALLOW, NULLED, "r2"),
    ]
    ctx = context(decisions, KEYS, {"r1": "`c1`", "r2": "`c2`"})
    assert build(ctx, VALUE.field("id"), STRING, "src") == (
        "CASE WHEN `c1` AND `c2` THEN src ELSE CAST(NULL AS STRING) END"
    )
    ctx = context([*decisions, ColumnDecision("value.id.c", Effect.ALLOW, NULLED)], KEYS, {"r1": "`c1`", "r2": "`c2`"})
    assert build(ctx, VALUE.field("id"), STRING, "src") == "CAST(NULL AS STRING)"


def test_map_keys_have_rules_of_their_own() -> None:
    keys = {"value.attrs@keys": None}
    assert column("value.attrs", {**keys, "value.attrs{}": None, "value.attrs{a'b}": NULLED}) == (
        "transform_values(src, (weir_x0, weir_x1) -> CASE form(weir_x0) WHEN 'a\\'b' THEN CAST(NULL AS STRING)"
        " ELSE weir_x1 END)"
    )
    assert column("value.attrs", {**keys, "value.attrs{}": None, "value.attrs{a}": "deny"}) == (
        "map_filter(src, (weir_x0, weir_x1) -> form(weir_x0) NOT IN ('a'))"
    )
    assert column("value.attrs", {**keys, "value.attrs{a}": None}) == (
        "map_filter(src, (weir_x0, weir_x1) -> form(weir_x0) IN ('a'))"
    )
    shown = column("value.attrs", {"value.attrs@keys": Mask(MaskType.MASK), "value.attrs{}": None})
    assert shown is not None and shown.startswith(
        "transform_keys(src, (weir_x0, weir_x1) -> CASE WHEN length(weir_x0) = "
    )
    assert column("value.attrs", {"value.attrs@keys": NULLED, "value.attrs{}": None}) is None


def test_both_branches_of_a_map_keep_one_type() -> None:
    sql = column(
        "value.nested",
        {
            "value.nested@keys": None,
            "value.nested{}.a": None,
            "value.nested{}.b": None,
            "value.nested{x}.a": "deny",
            "value.nested{x}.b": Mask("MASK_HASH"),
        },
    )
    assert sql is not None
    assert (
        "form(weir_x0) WHEN 'x' THEN CASE WHEN weir_x1 IS NOT NULL THEN named_struct('a', CAST(NULL AS INT), 'b', sha2("
        in sql
    )


def test_clear_when_shows_the_value_in_those_rows_only() -> None:
    assert column("value.id", {"value.id": NULLED}, "region = 'EU'") == (
        "CASE WHEN `c0` THEN src ELSE CAST(NULL AS STRING) END"
    )


def test_where_two_decisions_are_equally_near_the_strictest_of_them_holds() -> None:
    """`decide` gives every key its own decision; decisions of another make need not."""
    near = {"value.nested@keys": None, "value.nested{}.a": None, "value.nested{}.b": None, "value.nested{x}": NULLED}
    sql = column("value.nested", near)
    assert sql is not None and "form(weir_x0) WHEN 'x' THEN CAST(NULL AS STRUCT<`a`: INT, `b`: STRING>) ELSE" in sql


def test_an_expression_below_a_key_keeps_the_type() -> None:
    keys = {"value.nested@keys": None, "value.nested{}.a": None, "value.nested{}.b": None, "value.nested{x}.b": None}
    sql = column("value.nested", {**keys, "value.nested{x}.a": Mask(MaskType.CUSTOM, "{col} DIV 10")})
    assert sql is not None and (
        "'a', try_cast(CASE WHEN weir_x1.`a` IS NOT NULL THEN ((weir_x1.`a`) DIV 10) END AS INT), 'b'" in sql
    )


@pytest.mark.parametrize("text", ["it's", "a\\b", "\\' OR 1=1 --", "\\\\", "plain", "'", "\n", "ä"])
def test_a_literal_is_the_text_and_nothing_else(text: str) -> None:
    """Read back by Spark's rules: a backslash takes the next character, and a bare quote ends the text."""
    written = literal(text)
    assert written[0] == written[-1] == "'"
    read, rest = "", iter(written[1:-1])
    for character in rest:
        assert character != "'", f"{written} ends before its end"
        read += next(rest) if character == "\\" else character
    assert read == text


# -- types, names and shapes ------------------------------------------------------------------------------------------

EU = "region = 'EU'"
HASH, MASKED, CUSTOM = Mask("MASK_HASH"), Mask(MaskType.MASK), Mask(MaskType.CUSTOM, "{col} + 1")


def short(sql: str | None) -> str:
    """With each hash written as HASH(what is hashed)."""
    return re.sub(
        r"sha2\(concat\(X'\w+', unhex\(sha2\(concat\(X'\w+', CAST\((.*?) AS BINARY\)\), 256\)\)\), 256\)",
        r"HASH(\1)",
        sql or "None",
    )


def test_what_is_clear_in_some_rows_has_the_type_of_what_is_shown_in_the_others() -> None:
    assert short(column("value.qty", {"value.qty": HASH}, EU)) == (
        "CASE WHEN `c0` THEN CAST(src AS STRING) ELSE HASH(CAST(src AS STRING)) END"
    )
    assert column("value.qty", {"value.qty": CUSTOM}, EU) == (
        "CASE WHEN `c0` THEN src ELSE CASE WHEN src IS NOT NULL THEN ((src) + 1) END END"
    )
    assert column("value.qty", {"value.qty": MASKED}, EU) == (
        "CASE WHEN `c0` THEN src ELSE CASE WHEN src IS NOT NULL THEN CAST(0 AS INT) END END"
    )
    below = {"value.nested@keys": None, "value.nested{}.a": None, "value.nested{}.b": None}
    assert column("value.nested", {**below, "value.nested{x}.a": HASH, "value.nested{x}.b": None}, EU) == (
        "transform_values(src, (weir_x0, weir_x1) -> CASE form(weir_x0) WHEN 'x' THEN CASE WHEN weir_x1 IS NOT NULL THEN"
        " named_struct('a', CASE WHEN `c0` THEN weir_x1.`a` ELSE CAST(NULL AS INT) END, 'b', weir_x1.`b`) END"
        " ELSE weir_x1 END)"
    )


def test_arrays_in_arrays_have_variables_of_their_own() -> None:
    assert column("value.lists", {"value.lists[][]": MASKED}) == (
        "transform(src, weir_x0 -> transform(weir_x0, weir_x1 ->"
        " CASE WHEN weir_x1 IS NOT NULL THEN CAST(0 AS INT) END))"
    )


def test_keys_that_are_no_texts_are_compared_as_texts() -> None:
    clear = {"value.ages@keys": None, "value.ages{}": None}
    assert column("value.ages", {**clear, "value.ages{3}": NULLED}) == (
        "transform_values(src, (weir_x0, weir_x1) -> CASE CAST(weir_x0 AS STRING) WHEN '3' THEN CAST(NULL AS INT)"
        " ELSE weir_x1 END)"
    )
    assert column("value.ages", {**clear, "value.ages{3}": "deny"}) == (
        "map_filter(src, (weir_x0, weir_x1) -> CAST(weir_x0 AS STRING) NOT IN ('3'))"
    )
    assert column("value.ages", {"value.ages@keys": None, "value.ages{3}": None, "value.ages{4}": None}) == (
        "map_filter(src, (weir_x0, weir_x1) -> CAST(weir_x0 AS STRING) IN ('3', '4'))"
    )


def test_some_keys_go_some_are_masked_some_are_clear() -> None:
    rules: dict[str, Mask | str | None] = {"value.attrs@keys": None, "value.attrs{a}": None, "value.attrs{b}": "deny"}
    others: dict[str, Mask | str | None] = {"value.attrs{c}": NULLED, "value.attrs{d}": "deny"}
    assert column("value.attrs", {**rules, **others, "value.attrs{}": NULLED}) == (
        "transform_values(map_filter(src, (weir_x0, weir_x1) -> form(weir_x0) NOT IN ('b', 'd')), (weir_x0, weir_x1) ->"
        " CASE form(weir_x0) WHEN 'a' THEN weir_x1 ELSE CAST(NULL AS STRING) END)"
    )
    assert column("value.attrs", {**rules, **others}) == (
        "transform_values(map_filter(src, (weir_x0, weir_x1) -> form(weir_x0) IN ('a', 'c')), (weir_x0, weir_x1) ->"
        " CASE form(weir_x0) WHEN 'c' THEN CAST(NULL AS STRING) ELSE weir_x1 END)"
    )
    assert column("value.attrs", {"value.attrs@keys": None, "value.attrs{}": NULLED}) == (
        "transform_values(src, (weir_x0, weir_x1) -> CAST(NULL AS STRING))"
    )
    assert column("value.attrs", {"value.attrs@keys": None, "value.attrs{}": NULLED, "value.attrs{a}": NULLED}) == (
        "transform_values(src, (weir_x0, weir_x1) -> CAST(NULL AS STRING))"
    )


def test_a_rule_inside_the_text_of_one_key_opens_no_other_key() -> None:
    """Texts that hold objects: what is decided on a part of one key's text is not decided on the values as such."""
    assert column("value.attrs", {"value.attrs@keys": None, "value.attrs{x}.a": None}) == (
        "map_filter(src, (weir_x0, weir_x1) -> form(weir_x0) IN ('x'))"
    )


def test_a_denied_key_goes_whatever_is_under_it() -> None:
    """Of objects as of texts: an object of NULLs would still show that the key is there."""
    clear: dict[str, Mask | str | None] = {
        "value.nested@keys": None,
        "value.nested{}.a": None,
        "value.nested{}.b": None,
    }
    denied: dict[str, Mask | str | None] = {"value.nested{x}.a": "deny", "value.nested{x}.b": Mask(MaskType.DROP)}
    assert column("value.nested", {**clear, **denied}) == (
        "map_filter(src, (weir_x0, weir_x1) -> form(weir_x0) NOT IN ('x'))"
    )
    only = {
        "value.nested{}.a": "deny",
        "value.nested{}.b": "deny",
        "value.nested{x}.a": None,
        "value.nested{x}.b": None,
    }
    assert column("value.nested", {"value.nested@keys": None, **only}) == (
        "map_filter(src, (weir_x0, weir_x1) -> form(weir_x0) IN ('x'))"
    )
    assert column("value.nested", {**clear, **denied, "value.nested{}.a": "deny", "value.nested{}.b": "deny"}) is None


def test_below_a_key_every_level_keeps_its_shape() -> None:
    clear: dict[str, Mask | str | None] = {
        f"value.deep{place}": None for place in ("@keys", "{}.m@keys", "{}.m{}", "{}.l[]", "{x}.m@keys")
    }
    assert column("value.deep", {**clear, "value.deep{x}.m{}": HASH, "value.deep{x}.l[]": "deny"}) == (
        "transform_values(src, (weir_x0, weir_x1) -> CASE form(weir_x0) WHEN 'x' THEN CASE WHEN weir_x1 IS NOT NULL THEN"
        " named_struct('m', transform_values(weir_x1.`m`, (weir_x5, weir_x6) -> CAST(NULL AS INT)),"
        " 'l', transform(weir_x1.`l`, weir_x7 -> CAST(NULL AS INT))) END ELSE weir_x1 END)"
    )
    # Without a key of its own nothing has to fit: what is denied goes, and a hash is a text.
    assert short(column("value.deep", {"value.deep@keys": None, "value.deep{}.l[]": HASH})) == (
        "transform_values(src, (weir_x0, weir_x1) -> CASE WHEN weir_x1 IS NOT NULL THEN"
        " named_struct('l', transform(weir_x1.`l`, weir_x4 -> HASH(CAST(weir_x4 AS STRING)))) END)"
    )
    below = {"value.deep@keys": None, "value.deep{}.m@keys": None, "value.deep{}.m{}": None, "value.deep{}.m{y}": HASH}
    assert short(column("value.deep", below)) == (
        "transform_values(src, (weir_x0, weir_x1) -> CASE WHEN weir_x1 IS NOT NULL THEN"
        " named_struct('m', transform_values(weir_x1.`m`, (weir_x2, weir_x3) ->"
        " CASE form(weir_x2) WHEN 'y' THEN HASH(CAST(weir_x3 AS STRING)) ELSE weir_x3 END)) END)"
    )


def keys(name: str, mask: Mask | str | None, values: Mask | None = None) -> str:
    return short(column(f"value.{name}", {f"value.{name}@keys": mask, f"value.{name}{{}}": values}))


def test_masks_on_the_keys_of_a_map() -> None:
    head = "transform_keys(src, (weir_x0, weir_x1) -> "
    assert keys("ages", MASKED) == f"{head}CASE WHEN weir_x0 IS NOT NULL THEN CAST(0 AS INT) END)"
    assert keys("attrs", HASH) == f"{head}HASH(weir_x0))"
    assert keys("ages", CUSTOM) == (
        f"{head}coalesce(CAST(CASE WHEN weir_x0 IS NOT NULL THEN ((weir_x0) + 1) END AS STRING), ''))"
    )
    assert keys("ages", HASH, MASKED) == (
        "transform_keys(transform_values(src, (weir_x0, weir_x1) -> CASE WHEN weir_x1 IS NOT NULL THEN CAST(0 AS INT)"
        " END), (weir_x0, weir_x1) -> HASH(CAST(weir_x0 AS STRING)))"
    )
    assert short(column("value.attrs", {"value.attrs@keys": HASH, "value.attrs{}": None}, EU)) == (
        f"{head}CASE WHEN `c0` THEN weir_x0 ELSE HASH(weir_x0) END)"
    )
    sums = keys("sums", Mask("GENERALIZE"))
    assert sums.startswith(f"{head}coalesce(CASE WHEN weir_x0") and sums.endswith(" END, CAST(0 AS DECIMAL(9,2))))")
    general = keys("ages", Mask("GENERALIZE"))
    assert general.startswith(f"{head}coalesce(CASE WHEN weir_x0") and general.endswith(" END, CAST(0 AS INT)))")
    assert "coalesce" not in keys("attrs", Mask("GENERALIZE")) + keys("days", Mask("GENERALIZE"))


@pytest.mark.parametrize(
    ("name", "mask"),
    [
        ("ages", NULLED),
        ("ages", Mask(MaskType.DROP)),
        ("ages", "deny"),
        ("flags", MASKED),
        ("spans", MASKED),
        ("odd", None),
    ],
)
def test_keys_that_cannot_be_masked_take_the_map_with_them(name: str, mask: Mask | str | None) -> None:
    assert keys(name, mask) == "None"


def test_keys_of_any_plain_type_show_when_they_are_clear() -> None:
    assert keys("flags", None) == keys("ages", None) == keys("spans", None) == "src"


def test_below_a_key_the_masks_on_inner_keys_hold_as_well() -> None:
    clear: dict[str, Mask | str | None] = {
        f"value.deep{place}": None for place in ("@keys", "{}.m@keys", "{}.m{}", "{}.l[]", "{x}.m{}", "{x}.l[]")
    }
    assert short(column("value.deep", {**clear, "value.deep{x}.m@keys": HASH})) == (
        "transform_values(src, (weir_x0, weir_x1) -> CASE form(weir_x0) WHEN 'x' THEN CASE WHEN weir_x1 IS NOT NULL THEN"
        " named_struct('m', transform_keys(weir_x1.`m`, (weir_x5, weir_x6) -> HASH(weir_x5)), 'l', weir_x1.`l`) END"
        " ELSE weir_x1 END)"
    )


def test_an_expression_on_inner_keys_gives_texts() -> None:
    clear: dict[str, Mask | str | None] = {
        f"value.deep{place}": None for place in ("@keys", "{}.m@keys", "{}.m{}", "{}.l[]", "{x}.m{}", "{x}.l[]")
    }
    sql = column("value.deep", {**clear, "value.deep{x}.m@keys": CUSTOM})
    assert sql is not None and (
        "-> coalesce(CAST(CASE WHEN weir_x5 IS NOT NULL THEN ((weir_x5) + 1) END AS STRING), '')), 'l', weir_x1.`l`)"
        in sql
    )


def test_several_keys_have_a_case_each() -> None:
    clear = {"value.ages@keys": None, "value.ages{}": None}
    assert column("value.ages", {**clear, "value.ages{3}": NULLED, "value.ages{4}": MASKED}) == (
        "transform_values(src, (weir_x0, weir_x1) -> CASE CAST(weir_x0 AS STRING) WHEN '3' THEN CAST(NULL AS INT)"
        " WHEN '4' THEN CASE WHEN weir_x1 IS NOT NULL THEN CAST(0 AS INT) END"
        " ELSE weir_x1 END)"
    )


def test_a_column_knows_the_places_it_rests_on() -> None:
    ctx = context([ColumnDecision("value.ages{}", Effect.ALLOW)], KEYS, {})
    kind = RECORD.get("ages")
    assert kind is not None and build(ctx, VALUE.field("ages"), kind, "src") is None
    assert list(dict.fromkeys(map(str, ctx.looked))) == ["value.ages{}", "value.ages@keys"]
