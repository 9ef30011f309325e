"""What sqlglot reads by a grammar of its own and Spark reads as the call of a function."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

KINDS: dict[type[Any], str] = {
    exp.Concat: "concat",
    exp.StrPosition: "locate",
    exp.Chr: "chr",
    exp.CurrentTimestamp: "current_timestamp",
    exp.BitwiseLeftShift: "shiftleft",
    exp.BitwiseRightShift: "shiftright",
    exp.Trim: "trim",
}
"""What sqlglot writes back under a name that the gate reads as another thing."""


def as_call(node: Any) -> exp.Anonymous | None:
    """What sqlglot read from a grammar of its own ('a' 'b', POSITION(a IN b)) as the call that Spark makes of it."""
    name, arguments = KINDS[type(node)], node.expressions
    match node:
        case exp.StrPosition():
            arguments = [node.args["substr"], node.this]
        case exp.CurrentTimestamp():
            arguments = []
        case exp.BitwiseLeftShift() | exp.BitwiseRightShift():
            arguments = [node.this, node.expression]
        case exp.Trim():
            if node.args.get("expression"):
                return None
            name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position")).upper(), "trim")
            arguments = [node.this]
    return exp.Anonymous(this=name, expressions=[a.copy() for a in arguments])
