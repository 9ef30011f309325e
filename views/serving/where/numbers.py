"""Arithmetic with the types of Spark. What cannot be computed is NULL: a division by zero, a number beyond its type. Pure."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Any

from sqlglot import exp

from catalog.datatypes import Primitive
from policies.masks.spark_decimals import WIDE, precision_scale, rounded
from views.serving.values import BITS
from views.serving.where.refusals import refused, shown
from views.serving.where.typed import (
    BIGINT,
    DOUBLE,
    INT,
    NUMBERS,
    VOID,
    Compute,
    Row,
    Typed,
    as_kind,
    common,
    decimal,
    digits,
    mapped,
    to_single,
)

OPERATORS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.IntDiv)
_EXACT: dict[type[exp.Expression], Callable[[Any, Any], Any]] = {
    exp.Add: operator.add,
    exp.Sub: operator.sub,
    exp.Mul: operator.mul,
}
_FINEST = Decimal(1).scaleb(-39)


def number(text: str, node: exp.Expression) -> Typed:
    """A number as it is written. Raises InvalidInput for one beyond every type."""
    value: Any
    kind: Primitive
    if "e" in text.lower():
        kind, value = DOUBLE, float(text)
    else:
        value = Decimal(text)
        _, figures, exponent = value.as_tuple()
        scale = max(0, -int(exponent))
        if max(len(figures), scale) > 38:
            raise refused("where holds a number of more than 38 digits", node)
        kind = Primitive(f"DECIMAL({max(len(figures), scale, 1)},{scale})")
        if "." not in text and -(1 << 63) <= value < 1 << 63:
            value = int(value)
            kind = INT if in_range(value, INT) else BIGINT
    return Typed(node, kind, lambda _: value, constant=True, literal=text)


def in_range(value: int, kind: Primitive) -> bool:
    limit = 1 << BITS[kind.name] - 1
    return -limit <= value < limit


def arithmetic(node: exp.Expression, left: Typed, right: Typed) -> Typed:
    """`left` + - * / % DIV `right`. Raises InvalidInput where one is not a number."""
    for each in (left, right):
        if each.family not in (*NUMBERS, "null"):
            raise refused(f"where computes {shown(node)} with {shown(each.node)}, which is not a number", node)
    if "null" in (left.family, right.family):
        return Typed(
            node, DOUBLE if isinstance(node, exp.Div) else common(left.primitive, right.primitive) or VOID, _null
        )
    if "float" in (left.family, right.family):
        return _of_floats(node, left, right)
    if "decimal" in (left.family, right.family):
        return _of_decimals(node, left, right)
    return _of_integers(node, left, right)


def _null(_: Row) -> None:
    return None


def _both(left: Compute, right: Compute, compute: Callable[[Any, Any], Any]) -> Compute:
    def value(row: Row) -> Any:
        one = left(row)
        if one is None:
            return None
        other = right(row)
        return None if other is None else compute(one, other)

    return value


def _of_integers(node: exp.Expression, left: Typed, right: Typed) -> Typed:
    if isinstance(node, exp.Div):
        return _of_floats(node, as_kind(left, DOUBLE), as_kind(right, DOUBLE))
    kind = BIGINT if isinstance(node, exp.IntDiv) else common(left.primitive, right.primitive) or BIGINT
    exact = _EXACT.get(type(node))

    def compute(one: int, other: int) -> int | None:
        if exact is not None:
            result = exact(one, other)
        elif other == 0:
            return None
        elif isinstance(node, exp.IntDiv):
            result = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
        else:
            result = abs(one) % abs(other) * (-1 if one < 0 else 1)
        return result if in_range(result, kind) else None

    return Typed(node, kind, _both(left.value, right.value, compute))


def _of_floats(node: exp.Expression, left: Typed, right: Typed) -> Typed:
    if isinstance(node, exp.IntDiv):
        raise refused("where divides by DIV what is not whole", node, how="write / or CAST both sides to BIGINT")
    kind = DOUBLE if isinstance(node, exp.Div) else common(left.primitive, right.primitive) or DOUBLE
    exact = _EXACT.get(type(node))

    def compute(one: float, other: float) -> float | None:
        if exact is not None:
            result = exact(one, other)
        elif other == 0:
            return None
        elif isinstance(node, exp.Div):
            result = one / other
        else:
            result = math.nan if math.isinf(one) or math.isnan(other) else math.fmod(one, other)
        return to_single(result) if kind != DOUBLE else result

    return Typed(node, kind, _both(as_kind(left, kind).value, as_kind(right, kind).value, compute))


def _of_decimals(node: exp.Expression, left: Typed, right: Typed) -> Typed:
    (p1, s1), (p2, s2) = _written_digits(left), _written_digits(right)
    match node:
        case exp.Mul():
            kind = decimal(p1 + p2 + 1, s1 + s2)
        case exp.Div():
            scale = max(6, s1 + p2 + 1)
            kind = decimal(p1 - s1 + s2 + scale, scale)
        case exp.Mod():
            kind = decimal(min(p1 - s1, p2 - s2) + max(s1, s2), max(s1, s2))
        case exp.IntDiv():
            kind = BIGINT
        case _:
            scale = max(s1, s2)
            kind = decimal(max(p1 - s1, p2 - s2) + scale + 1, scale)
    precision, scale = precision_scale(kind)

    def compute(one: Any, other: Any) -> Any:
        one, other = Decimal(one), Decimal(other)
        match node:
            case exp.Add():
                result = WIDE.add(one, other)
            case exp.Sub():
                result = WIDE.subtract(one, other)
            case exp.Mul():
                result = WIDE.multiply(one, other)
            case _ if not other:
                return None
            case exp.Div():
                result = WIDE.divide(one, other).quantize(_FINEST, ROUND_HALF_UP, WIDE)
            case exp.Mod():
                result = WIDE.remainder(one, other)
            case _:
                whole = int(WIDE.divide_int(one, other))
                return whole if in_range(whole, BIGINT) else None
        return rounded(result, precision, scale)

    return Typed(node, kind, _both(left.value, right.value, compute))


def _written_digits(one: Typed) -> tuple[int, int]:
    """A whole number that is written out has as many digits as it is written with."""
    if isinstance(one.literal, str) and one.family == "integer":
        return len(one.literal.lstrip("-")), 0
    return digits(one.primitive)


def negative(node: exp.Expression, of: Typed) -> Typed:
    """`-x`; of the least whole number it is itself."""
    require_number(node, of)
    change = wrapping(of.primitive, operator.neg) if of.family == "integer" else _minus
    return Typed(node, of.kind, mapped(of.value, change), constant=of.constant)


def _minus(value: Any) -> Any:
    return value.copy_abs() if isinstance(value, Decimal) and not value else -value


def wrapping(kind: Primitive, change: Callable[[int], int]) -> Callable[[int], int]:
    def wrapped(value: int) -> int:
        result = change(value)
        return result if in_range(result, kind) else value

    return wrapped


def require_number(node: exp.Expression, of: Typed) -> None:
    """Raises InvalidInput for what is not a number."""
    if of.family not in (*NUMBERS, "null"):
        raise refused(f"where computes {shown(node)} with {shown(of.node)}, which is not a number", node)


def absolute(node: exp.Expression, of: Typed) -> Typed:
    require_number(node, of)
    change: Callable[[Any], Any] = wrapping(of.primitive, abs) if of.family == "integer" else abs
    return Typed(node, of.kind, mapped(of.value, change))


def sign(node: exp.Expression, of: Typed) -> Typed:
    require_number(node, of)
    return Typed(node, DOUBLE, mapped(of.value, _sign))


def _sign(value: Any) -> float:
    return math.nan if value != value else float((value > 0) - (value < 0))


def whole(node: exp.Expression, of: Typed) -> Typed:
    """`ceil(x)` and `floor(x)`."""
    require_number(node, of)
    if node.args.get("decimals") is not None or node.args.get("to") is not None:
        raise refused(f"where gives {shown(node)} a number of digits", node, how="write round(x, digits)")
    up = isinstance(node, exp.Ceil)
    if of.family == "decimal":
        precision, scale = precision_scale(of.primitive)
        kind = decimal(precision - scale + 1, 0)
        way = ROUND_CEILING if up else ROUND_FLOOR
        return Typed(node, kind, mapped(of.value, lambda value: rounded(value.to_integral_value(way, WIDE), 38, 0)))
    if of.family == "float":
        return Typed(node, BIGINT, mapped(of.value, lambda value: saturated(value, math.ceil if up else math.floor)))
    return Typed(node, BIGINT, of.value)


def saturated(value: float, change: Callable[[float], int]) -> int:
    """A whole number as Java makes it of a DOUBLE."""
    if math.isnan(value):
        return 0
    least, most = -(1 << 63), (1 << 63) - 1
    return (most if value > 0 else least) if math.isinf(value) else max(least, min(most, change(value)))


def round_half_up(node: exp.Expression, of: Typed, places: int) -> Typed:
    """`round(x, places)`."""
    require_number(node, of)
    if of.family in ("integer", "null"):
        return Typed(node, of.kind, of.value)
    if of.family == "decimal":
        precision, scale = precision_scale(of.primitive)
        kept = min(scale, places)
        kind = decimal(precision - scale + kept + 1, kept)
        return Typed(node, kind, mapped(of.value, lambda value: rounded(value, *precision_scale(kind))))

    def change(value: float) -> float:
        if not math.isfinite(value):
            return value
        return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _VERY_WIDE))

    return Typed(node, of.kind, mapped(of.value, change))


_VERY_WIDE = WIDE.copy()
_VERY_WIDE.prec = 400
"""A DOUBLE has up to 309 digits before the point."""


def truncated(value: Any, kind: Primitive) -> int | None:
    """A number without what is behind the point; NULL where it is beyond the type."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    result = int(value.to_integral_value(ROUND_DOWN, WIDE)) if isinstance(value, Decimal) else int(value)
    return result if in_range(result, kind) else None
