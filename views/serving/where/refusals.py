"""Refusals of a condition that cannot be computed: the place, the names in it, and what to write. No values, which may
be personal data. Pure."""

from __future__ import annotations

from sqlglot import exp

from catalog.datatypes import Primitive, family
from catalog.errors import InvalidInput
from views.model import Column

HOW = (
    "write a condition of columns and values with AND, OR, NOT, comparisons, IN, BETWEEN, LIKE, IS NULL, CASE, CAST,"
    " + - * / %, || and functions, as in region = 'EU' AND total >= 10"
)


def unfit(parameter: str, column: Column, node: exp.Expression | None = None) -> InvalidInput:
    """The refusal of a value that cannot be one of a column. It does not repeat the value."""
    hint = _HINTS.get(family(column.kind) if isinstance(column.kind, Primitive) else "", "")
    message = f"{parameter} has a value for the column {column.name} that cannot be a {column.type}{hint}."
    return InvalidInput(
        message, details={"field": parameter, "name": column.name, "type": column.type, **position(node)}
    )


def refused(
    reason: str,
    node: exp.Expression | None = None,
    line: int | None = None,
    column: int | None = None,
    how: str = HOW,
) -> InvalidInput:
    """The refusal of a condition, or of the part of it at `node`. `how`: what to write instead."""
    where = position(node) if node is not None else {"line": line, "column": column}
    place = f" (line {where['line']}, column {where['column']})" if node is not None and where.get("line") else ""
    place_details = {name: value for name, value in where.items() if value is not None}
    return InvalidInput(f"{reason}{place}; {how}.", details={"field": "where", **place_details})


def position(node: exp.Expression | None) -> dict[str, int | None]:
    """Where a node's first name is, 1-based; empty where it has none."""
    for each in node.find_all(exp.Identifier, bfs=False) if node is not None else ():
        line, column, start, end = (each.meta.get(name) for name in ("line", "col", "start", "end"))
        if line is not None and column is not None:
            return {"line": int(line), "column": int(column) - int(end or 0) + int(start or 0)}
    return {}


def shown(node: exp.Expression) -> str:
    """The kind of a part, and the columns in it."""
    names = ", ".join(dict.fromkeys(each.sql("spark") for each in node.find_all(exp.Column)))
    kind = _WORDS.get(type(node), type(node).__name__.upper())
    if isinstance(node, exp.Anonymous):
        kind = f"the function {node.name}"
    elif isinstance(node, exp.Func) and type(node) not in _WORDS:
        kind = f"the function {node.sql_name().lower()}"
    return f"{kind} of {names}" if names else kind


_HINTS = {
    "string": "; put a text in quotes",
    "integer": "; write a whole number in its range, as in 12",
    "decimal": "; write a number with no more digits than the type has, as in 10.50",
    "float": "; write a number, as in 1.5",
    "boolean": "; write true or false",
    "date": "; write it as in 2026-11-23",
    "timestamp": "; write it as in '2026-11-23T10:00:00Z', or timestamp_millis(1795424400000)",
    "binary": "; write its base64",
}

_WORDS: dict[type[exp.Expression], str] = {
    exp.Or: "OR",
    exp.And: "AND",
    exp.Not: "NOT",
    exp.Between: "BETWEEN",
    exp.In: "IN",
    exp.Like: "LIKE",
    exp.RegexpLike: "RLIKE",
    exp.Is: "IS",
    exp.Null: "NULL",
    exp.NullSafeEQ: "<=>",
    exp.Column: "the name",
    exp.Select: "a query",
    exp.Literal: "a value alone",
    exp.HexString: "a value alone",
    exp.Interval: "an interval",
    exp.Placeholder: "a placeholder",
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.IntDiv: "DIV",
    exp.DPipe: "||",
    exp.EQ: "=",
    exp.Cast: "CAST",
    exp.TryCast: "CAST",
    exp.Case: "CASE",
    exp.If: "IF",
}
