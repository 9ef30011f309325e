"""Roots, powers and logarithms: of every number a DOUBLE, as Java computes it but for the last digit. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable

from sqlglot import exp

from views.serving.where.numbers import require_number
from views.serving.where.typed import DOUBLE, Row, Typed, as_kind, mapped


def of_one(node: exp.Expression, of: Typed, change: Callable[[float], float | None]) -> Typed:
    """A function of one number. Raises InvalidInput for another type."""
    require_number(node, of)
    return Typed(node, DOUBLE, mapped(as_kind(of, DOUBLE).value, change))


def power(node: exp.Expression, base: Typed, by: Typed) -> Typed:
    """`power(x, y)`. Raises InvalidInput for what is not a number."""
    require_number(node, base)
    require_number(node, by)
    one, other = as_kind(base, DOUBLE).value, as_kind(by, DOUBLE).value

    def value(row: Row) -> float | None:
        x, y = one(row), other(row)
        return None if x is None or y is None else _power(x, y)

    return Typed(node, DOUBLE, value)


def square_root(value: float) -> float:
    return math.sqrt(value) if value >= 0 else math.nan


def exponential(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def logarithm(value: float) -> float | None:
    """NULL of what is not above zero, as in Spark."""
    return None if value <= 0 else math.log(value)


def _power(x: float, y: float) -> float:
    """As Java has it: 1 to what is not a number is none, a negative number to a fraction is none."""
    if math.isnan(y) or (abs(x) == 1 and math.isinf(y)):
        return math.nan
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        if x == 0:  # to a negative power
            return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
        return math.nan
