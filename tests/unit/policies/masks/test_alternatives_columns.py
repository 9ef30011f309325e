"""Objects beside arrays and scalars: a column or member each, and every rule holds in the right one."""

from __future__ import annotations

from catalog.datatypes import STRING, ArrayType, MapType, Primitive, StructType, alternatives
from catalog.paths import VALUE
from policies.columns.expression import build, context
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, Effect, Mask, MaskType
from policies.plan.value_columns import value_columns

PERSON = StructType((("email", STRING), ("city", STRING)))
BOTH = alternatives({"as_object": PERSON, "as_array": ArrayType(PERSON)})


def decided(path: str, effect: Effect = Effect.ALLOW, mask: str | None = None) -> ColumnDecision:
    return ColumnDecision(path, effect, Mask(mask) if mask else None)


def sql(kind: object, *decisions: ColumnDecision) -> str | None:
    return build(context(decisions, MaskKeys(b"k" * 32), {}), VALUE.field("x"), kind, "x")  # type: ignore[arg-type]


def test_a_mask_on_the_object_leaves_the_array_alone_and_the_other_way_round() -> None:
    clear = [decided(f"value.x{way}.{name}") for way in ("", "[]") for name in ("email", "city")]
    assert sql(BOTH, *clear) == "x"
    masked = [decided("value.x.email", mask=MaskType.MASK_NULL), *clear[1:]]
    text = sql(BOTH, *masked)
    assert text is not None
    assert "'as_object', CASE WHEN x.`as_object` IS NOT NULL THEN named_struct('email', CAST(NULL AS" in text
    assert text.endswith("'as_array', x.`as_array`) END")
    elements = sql(BOTH, clear[0], clear[1], decided("value.x[].email", mask=MaskType.MASK_NULL), clear[3])
    assert elements is not None
    assert "'as_object', x.`as_object`" in elements and "transform(x.`as_array`" in elements


def test_a_denied_alternative_is_left_out() -> None:
    text = sql(BOTH, decided("value.x.email"), decided("value.x.city"), decided("value.x[].email", Effect.DENY))
    assert text is not None and "as_array" not in text and "x.`as_object`" in text


def test_a_mask_on_the_place_holds_for_every_alternative() -> None:
    kind = alternatives({"as_object": PERSON, "as_array": ArrayType(STRING), "as_scalar": Primitive("BIGINT")})
    text = sql(kind, decided("value.x", mask=MaskType.MASK_NULL))
    assert text is not None
    for read in ("x.`as_object`.`email`", "x.`as_object`.`city`", "x.`as_scalar`"):
        assert read not in text
    assert sql(kind, decided("value.x", Effect.DENY)) is None


def test_a_scalar_that_nobody_decided_is_shown_only_beside_clear_fields() -> None:
    kind = alternatives({"as_object": PERSON, "as_scalar": STRING})
    assert sql(kind, decided("value.x.email"), decided("value.x.city")) == "x"
    text = sql(kind, decided("value.x.email", mask="MASK_HASH"), decided("value.x.city"))
    assert text is not None and "x.`as_scalar`" not in text


def test_the_fields_of_an_object_are_columns_and_the_array_has_its_own() -> None:
    kind = alternatives(
        {"as_object": StructType((("id", STRING), ("As_Array", STRING))), "as_array": ArrayType(PERSON)}
    )
    columns = [(each.name, str(each.path), each.source) for each in value_columns(kind)]
    assert columns == [
        ("id", "value.id", "weir_value.`as_object`.`id`"),
        ("As_Array", "value.As_Array", "weir_value.`as_object`.`As_Array`"),
        ("as_array_", "value", "weir_value.`as_array`"),
    ]
    mapped = alternatives({"as_object": MapType(STRING, STRING), "as_scalar": STRING})
    assert [each.name for each in value_columns(mapped)] == ["as_object", "as_scalar"]
