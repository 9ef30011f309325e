"""Decimals as Spark computes them: each step has a type, which rounds, and is NULL where it is too small. Pure."""

from __future__ import annotations

import re
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal

from catalog.datatypes import Primitive

WIDE = Context(prec=120)
"""Exact for all that is done here."""
_MOST = 38
_LEAST_SCALE = 6
_DECIMAL = re.compile(r"DECIMAL\(\s*(\d+)\s*,\s*(\d+)\s*\)\Z", re.I)


def precision_scale(kind: Primitive) -> tuple[int, int]:
    """Digits of a DECIMAL, and those of them behind the point."""
    numbers = _DECIMAL.match(kind.name)
    return (int(numbers[1]), int(numbers[2])) if numbers else (10, 0)


def fitting(value: Decimal | None, kind: Primitive) -> Decimal | None:
    """The value as a column of this type holds it, never -0; None where it has too many digits before the point."""
    return rounded(value, *precision_scale(kind))


def multiple_below(value: Decimal, step: Decimal, kind: Primitive) -> Decimal | None:
    """`CAST(floor(value / step) * step AS kind)`, where `step` is a literal."""
    (p, s), (step_p, step_s) = precision_scale(kind), _literal(step)
    scale = max(_LEAST_SCALE, s + step_p + 1)
    divided_p, divided_s = bounded(p - s + step_s + scale, scale)
    quotient = WIDE.divide(value, step).quantize(Decimal(1).scaleb(-_MOST - 1), ROUND_HALF_UP, WIDE)
    fitted = rounded(quotient, divided_p, divided_s)
    if fitted is None:
        return None
    floor_p = min(_MOST, divided_p - divided_s + 1)
    floor = rounded(fitted.to_integral_value(ROUND_FLOOR, WIDE), floor_p, 0)
    if floor is None:
        return None
    product = rounded(WIDE.multiply(floor, step), *bounded(floor_p + step_p + 1, step_s))
    return fitting(product, kind)


def _literal(number: Decimal) -> tuple[int, int]:
    _, digits, exponent = number.as_tuple()
    scale = max(0, -int(exponent))
    return max(len(digits) + max(0, int(exponent)), scale), scale


def bounded(precision: int, scale: int) -> tuple[int, int]:
    """Spark's rule for results of more than 38 digits: digits behind the point are given up, down to six."""
    if precision <= _MOST:
        return precision, scale
    return _MOST, max(_MOST - (precision - scale), min(scale, _LEAST_SCALE))


def rounded(value: Decimal | None, precision: int, scale: int) -> Decimal | None:
    """The value with this many digits, never -0; None where it has too many before the point."""
    if value is None:
        return None
    number = value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, WIDE)
    if not number:
        return number.copy_abs()
    return number if number.adjusted() < precision - scale else None
