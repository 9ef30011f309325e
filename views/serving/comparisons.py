"""`where`: simple comparisons joined by AND, read by sqlglot, and whether a row meets them. Pure."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from catalog.datatypes import Primitive, family
from catalog.errors import InvalidInput
from views.model import Column
from views.row_ports import Comparison
from views.serving.values import comparable, json_form, order_key

_SPARK = Spark()
_BEGINS_QUERY = re.compile(r"\s*(?:SELECT|WITH)\s", re.I)
_OPERATORS = {exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda value, wanted: value in wanted,
}
_HOW = "write comparisons of a column with a value, IN, BETWEEN or IS NULL, joined by AND, as in region = 'EU' AND total >= 10"
MOST_TEXT = 4_000


def read_where(text: str, columns: Sequence[Column]) -> list[Comparison]:
    """Comparisons in the order they are written, values in JSON form. `columns`: those that the asker sees.

    Raises InvalidInput naming the place (details: field, line, column where they are known) and what to write.
    """
    if len(text) > MOST_TEXT:
        raise _refused(f"where has more than {MOST_TEXT} characters")
    try:
        # As a condition, not as a statement: of `refresh = 'x'` sqlglot would make a command, and log its text.
        trees = _SPARK.parse_into(exp.Condition, _quotes_by_backslash(text))
    except SqlglotError as error:
        first: dict[str, Any] = next(iter(getattr(error, "errors", ())), {})
        line, column = first.get("line"), first.get("col")
        if _BEGINS_QUERY.match(text):
            raise _refused("where holds a query, which is not a comparison of a column with a value") from error
        place = f" at line {line}, column {column}" if line else ""
        raise _refused(f"where cannot be read{place}", line=line, column=column) from error
    except RecursionError as error:
        raise _refused("where is nested too deeply") from error
    if len(trees) != 1 or trees[0] is None:
        raise _refused("where is empty" if not any(trees) else "where holds more than one condition, divided by ;")
    return [each for part in _joined(trees[0]) for each in _comparisons(part, columns)]


def _quotes_by_backslash(text: str) -> str:
    """Two quotes inside a text are one, as in Spark 4 and standard SQL: `'O''Brien'`. sqlglot reads two texts."""
    strings = [each for each in _SPARK.tokenize(text) if each.token_type is TokenType.STRING]
    letters = list(text)
    for one, next_one in pairwise(strings):
        if one.end + 1 == next_one.start and text[one.end] == text[next_one.start]:
            letters[one.end] = "\\"
    return "".join(letters)


def _joined(tree: exp.Expression) -> list[exp.Expression]:
    """The parts of an AND, from left to right."""
    parts: list[exp.Expression] = []
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, exp.Paren):
            left.append(node.this)
        elif isinstance(node, exp.And):
            left += [node.expression, node.this]
        else:
            parts.append(node)
    return parts


def _comparisons(node: exp.Expression, columns: Sequence[Column]) -> list[Comparison]:
    """What one part of the AND asks of a row."""
    negated = isinstance(node, exp.Not)
    inner = node.this if negated else node
    if isinstance(inner, exp.Is) and isinstance(inner.this, exp.Column) and isinstance(inner.expression, exp.Null):
        return [
            Comparison(named(inner.this, columns, ordered=False).name, "is not null" if negated else "is null", None)
        ]
    if isinstance(inner, exp.In) and isinstance(inner.this, exp.Column) and inner.expressions:
        column = named(inner.this, columns)
        values = tuple(_value(each, column, inner) for each in inner.expressions)
        return (
            [Comparison(column.name, "!=", v) for v in values] if negated else [Comparison(column.name, "in", values)]
        )
    if isinstance(node, exp.Between) and isinstance(node.this, exp.Column):
        column = named(node.this, columns)
        low, high = (_value(node.args[end], column, node) for end in ("low", "high"))
        return [Comparison(column.name, ">=", low), Comparison(column.name, "<=", high)]
    op = _OPERATORS.get(type(node))
    if op is not None and isinstance(node.this, exp.Column):
        column = named(node.this, columns)
        return [Comparison(column.name, op, _value(node.expression, column, node))]
    if op is not None and isinstance(node.expression, exp.Column) and _is_value(node.this):
        column = named(node.expression, columns)
        return [Comparison(column.name, _TURNED[op], _value(node.this, column, node))]
    raise _refused(f"where holds {_shown(node)}, which is not a comparison of a column with a value", node)


def _value(node: exp.Expression, column: Column, whole: exp.Expression) -> object:
    """A value that a column is compared with, in JSON form."""
    assert isinstance(column.kind, Primitive)
    literal = _literal(node, column.kind)
    if literal is None:
        hint = f"; write {column.name} IS NULL" if isinstance(node, exp.Null) else ""
        raise _refused(f"where compares {column.name} with {_shown(node)}, which is not a value{hint}", whole)
    try:
        return json_form(literal, column.kind)
    except ValueError as error:
        raise unfit("where", column, whole) from error


def _is_value(node: exp.Expression) -> bool:
    return not any(node.find_all(exp.Column))


def named(node: exp.Column, columns: Sequence[Column], ordered: bool = True) -> Column:
    """The column of a name, in upper or lower case where only one fits. `ordered`: whether its values must compare.

    Raises InvalidInput."""
    if len(node.parts) != 1:
        raise _refused(f"where names {_shown(node)}, a part of a column; only whole columns can be compared", node)
    exact = [each for each in columns if each.name == node.name]
    fitting = exact or [each for each in columns if each.name.lower() == node.name.lower()]
    if len(fitting) != 1:
        names = ", ".join(each.name for each in columns)
        raise _refused(f"where names {node.name}, which is not a column; there are {names}", node)
    if ordered and not comparable(fitting[0].kind):
        raise _refused(f"where compares {fitting[0].name}, whose type {fitting[0].type} has no order", node)
    return fitting[0]


def _literal(node: exp.Expression, kind: Primitive) -> object | None:
    """The text of a literal, or its number where the column has no numbers; None for anything else."""
    negative = isinstance(node, exp.Neg)
    inner = node.this if negative else node
    if isinstance(inner, exp.Boolean):
        return None if negative else bool(inner.this)
    if isinstance(inner, exp.Cast):  # DATE '...', TIMESTAMP '...', 10L
        inner = inner.this
    if not isinstance(inner, exp.Literal) or (negative and inner.is_string):
        return None
    text = ("-" if negative else "") + str(inner.this)
    if inner.is_string or family(kind) in ("integer", "decimal", "float"):
        return text
    return 0  # a number, which nothing but a number can be


def met_by(comparisons: Sequence[Comparison], columns: Sequence[Column]) -> Callable[[Mapping[str, object]], bool]:
    """A check of rows in JSON form. NULL, and a column that a row does not have, meet `is null` and nothing else."""
    kinds = {each.name: each.kind for each in columns}
    nulls = [(each.column, each.op == "is null") for each in comparisons if each.op in ("is null", "is not null")]
    checks: list[tuple[str, Callable[[Any], Any], Callable[[Any, Any], bool], Any]] = []
    for each in comparisons:
        if each.op in ("is null", "is not null"):
            continue
        kind = kinds[each.column]
        assert isinstance(kind, Primitive)
        key = order_key(kind)
        if each.op == "in":
            assert isinstance(each.value, tuple)
            operand: Any = tuple(map(key, each.value))
        else:
            operand = None if each.value is None else key(each.value)
        checks.append((each.column, key, _CHECKS[each.op], operand))

    def check(row: Mapping[str, object]) -> bool:
        for name, wanted_null in nulls:
            if (row.get(name) is None) != wanted_null:
                return False
        for name, key, compare, operand in checks:
            value = row.get(name)
            if value is None or operand is None or not compare(key(value), operand):
                return False
        return True

    return check


def unfit(parameter: str, column: Column, node: exp.Expression | None = None) -> InvalidInput:
    """The refusal of a value that cannot be one of a column. It does not repeat the value."""
    hint = _HINTS.get(family(column.kind) if isinstance(column.kind, Primitive) else "", "")
    message = f"{parameter} has a value for the column {column.name} that cannot be a {column.type}{hint}."
    return InvalidInput(
        message, details={"field": parameter, "name": column.name, "type": column.type, **_position(node)}
    )


_HINTS = {
    "string": "; put a text in quotes",
    "integer": "; write a whole number in its range, as in 12",
    "decimal": "; write a number with no more digits than the type has, as in 10.50",
    "float": "; write a number, as in 1.5",
    "boolean": "; write true or false",
    "date": "; write it as in 2026-11-23",
    "timestamp": "; write it as in 2026-11-23T10:00:00Z",
    "binary": "; write its base64",
}


def _refused(
    reason: str, node: exp.Expression | None = None, line: int | None = None, column: int | None = None
) -> InvalidInput:
    where = _position(node) if node is not None else {"line": line, "column": column}
    place = f" (line {where['line']}, column {where['column']})" if node is not None and where.get("line") else ""
    place_details = {name: value for name, value in where.items() if value is not None}
    return InvalidInput(f"{reason}{place}; {_HOW}.", details={"field": "where", **place_details})


def _position(node: exp.Expression | None) -> dict[str, int | None]:
    """Where a node's first name is, 1-based."""
    for each in node.find_all(exp.Identifier, bfs=False) if node is not None else ():
        line, column, start, end = (each.meta.get(name) for name in ("line", "col", "start", "end"))
        if line is not None and column is not None:
            return {"line": int(line), "column": int(column) - int(end or 0) + int(start or 0)}
    return {}


def _shown(node: exp.Expression) -> str:
    """The kind of a part, and the columns in it: no values, which may be personal data."""
    names = ", ".join(dict.fromkeys(each.sql("spark") for each in node.find_all(exp.Column)))
    kind = _WORDS.get(type(node), type(node).__name__.upper())
    return f"{kind} of {names}" if names else kind


_WORDS: dict[type[exp.Expression], str] = {
    exp.Or: "OR",
    exp.Not: "NOT",
    exp.Between: "BETWEEN",
    exp.In: "IN",
    exp.Like: "LIKE",
    exp.Is: "IS",
    exp.Null: "NULL",
    exp.NullSafeEQ: "<=>",
    exp.Column: "the name",
    exp.Anonymous: "a function",
    exp.Select: "a query",
    exp.Literal: "a value alone",
    exp.EQ: "= with no column on its left",
}
