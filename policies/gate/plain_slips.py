"""Parts of a query that can be parsed and that the engine refuses without naming them. Pure."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from policies.gate import units
from policies.sql import stars

_IN_PARTS = ("expressions", "query", "unnest", "field")
_MOST_DIGITS = 38
"""Of a DECIMAL of Spark."""
_GREATEST_EXPONENT = 308


def problem(node: Any) -> str | None:
    """What to write instead; None where nothing is known to be wrong."""
    match node:
        case exp.Interval():
            return units.of_interval(node)
        case exp.In() if "expressions" in node.args and not any(map(node.args.get, _IN_PARTS)):
            return "IN takes at least one value in its brackets."
        case exp.Star() if stars.lacks_a_table(node):
            return "* needs a topic: write FROM and its name."
        case exp.Is() if not isinstance(node.expression.unnest(), (exp.Null, exp.Boolean)):
            return "IS takes NULL, NOT NULL, TRUE or FALSE; a value is compared with =."
        case exp.Literal() if not node.is_string:
            return _number(node.name)
        case exp.DataType() if node.this is exp.DType.DECIMAL:
            return _decimal([each.this for each in node.expressions])
    return None


def _number(text: str) -> str | None:
    digits, _, exponent = text.lower().partition("e")
    if exponent:
        whole = exponent.lstrip("+-")
        too_large = whole.isdigit() and int(whole[:6]) > _GREATEST_EXPONENT
        return "The exponent of a number is at most 308." if too_large else None
    count = sum(sign.isdigit() for sign in digits.lstrip("0"))
    return f"A number has {count} digits; at most {_MOST_DIGITS} can be compared." if count > _MOST_DIGITS else None


def _decimal(given: list[Any]) -> str | None:
    sizes = [int(each.name) for each in given if isinstance(each, exp.Literal) and each.is_int]
    if not sizes or len(sizes) != len(given):
        return None
    if not 0 < sizes[0] <= _MOST_DIGITS:
        return f"DECIMAL has 1 to {_MOST_DIGITS} digits, as in DECIMAL(12, 2)."
    if len(sizes) > 1 and sizes[1] > sizes[0]:
        return f"DECIMAL({sizes[0]}, {sizes[1]}) has more digits behind the point than in all."
    return None
