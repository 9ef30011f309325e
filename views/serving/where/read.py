"""From the text of `where` to a check of rows.

The language is one condition of Spark's SQL over the columns that the asker sees; see docs/views.md. It is read by sqlglot and
computed here, on rows as the asker sees them, with Spark's types and results. It has no queries, no aggregates, no time, no
chance and no regular expressions; its text, its depth and its number of operations are bounded, so a row costs bounded time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.tokens import TokenType

from catalog.datatypes import ArrayType, DataType, MapType, StructType
from policies.masks.primitives import family
from views.model import Column
from views.serving.values import json_form
from views.serving.where import logic
from views.serving.where.casts import cast, primitive_of
from views.serving.where.functions import call
from views.serving.where.numbers import OPERATORS, arithmetic, negative, number
from views.serving.where.refusals import refused, shown, unfit
from views.serving.where.typed import BIGINT, BOOLEAN, DOUBLE, TEXT, VOID, Row, Typed, loader

Condition = Callable[[Mapping[str, object]], bool]
"""Whether a row in JSON form meets a condition; a column that the row does not have is NULL."""

MOST_TEXT = 4_000
MOST_DEPTH = 50
MOST_OPERATIONS = 300
_SPARK = Spark()
_BEGINS_QUERY = re.compile(r"\s*(?:SELECT|WITH)\s", re.I)
_NO_OPERATION = (
    exp.Literal,
    exp.Identifier,
    exp.Column,
    exp.Paren,
    exp.DataType,
    exp.DataTypeParam,
    exp.Null,
    exp.Boolean,
)


def read_where(text: str, columns: Sequence[Column]) -> Condition:
    """`columns`: those that the asker sees, with the types that they see.

    Raises InvalidInput naming the place (details: field, line, column where they are known) and what to write.
    """
    tree = _parsed(text)
    _refuse_large(tree)
    value = logic.truth(_Builder(columns).build(tree)).value
    return lambda row: value(row) is True


def _parsed(text: str) -> exp.Expression:
    if len(text) > MOST_TEXT:
        raise refused(f"where has more than {MOST_TEXT} characters")
    try:
        # As a condition, not as a statement: of `refresh = 'x'` sqlglot would make a command, and log its text.
        trees = _SPARK.parse_into(exp.Condition, _quotes_by_backslash(text))
    except SqlglotError as error:
        first: dict[str, Any] = next(iter(getattr(error, "errors", ())), {})
        line, column = first.get("line"), first.get("col")
        if _BEGINS_QUERY.match(text):
            raise refused("where holds a query, which is not a condition of columns and values") from error
        place = f" at line {line}, column {column}" if line else ""
        raise refused(f"where cannot be read{place}", line=line, column=column) from error
    except RecursionError as error:
        raise _too_deep() from error
    if len(trees) != 1 or trees[0] is None:
        raise refused("where is empty" if not any(trees) else "where holds more than one condition, divided by ;")
    return trees[0]


def _too_deep() -> Exception:
    return refused("where is nested too deeply", how=f"write at most {MOST_DEPTH} levels")


def _quotes_by_backslash(text: str) -> str:
    """Two quotes inside a text are one, as in Spark 4 and standard SQL: `'O''Brien'`. sqlglot reads two texts."""
    strings = [each for each in _SPARK.tokenize(text) if each.token_type is TokenType.STRING]
    letters = list(text)
    for one, next_one in pairwise(strings):
        if one.end + 1 == next_one.start and text[one.end] == text[next_one.start]:
            letters[one.end] = "\\"
    return "".join(letters)


def _refuse_large(tree: exp.Expression) -> None:
    """A chain of one operator, as `a AND b AND c`, is one level."""
    operations = 0
    left = [(tree, 1)]
    while left:
        node, depth = left.pop()
        if depth > MOST_DEPTH:
            raise _too_deep()
        operations += not isinstance(node, _NO_OPERATION)
        if operations > MOST_OPERATIONS:
            raise refused(
                f"where has more than {MOST_OPERATIONS} operations", how="write fewer; IN takes any number of values"
            )
        for each in node.iter_expressions():
            chained = type(each) is type(node) and isinstance(each, exp.And | exp.Or | exp.DPipe)
            left.append((each, depth if chained else depth + 1))


class _Builder:
    """Expressions of the parts of one tree."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns

    def build(self, node: exp.Expression) -> Typed:
        """Raises InvalidInput for a part that is none of the language."""
        match node:
            case exp.Paren():
                return self.build(node.this)
            case exp.Column() | exp.Dot():
                return self._column(node)
            case exp.Bracket():
                return self._member(node)
            case exp.Literal():
                return self._literal(node)
            case exp.Boolean():
                flag = bool(node.this)
                return Typed(node, BOOLEAN, lambda _: flag, constant=True, literal=flag)
            case exp.Null():
                return Typed(node, VOID, lambda _: None, constant=True)
            case exp.Neg():
                return self._negative(node)
            case exp.Cast():
                return self._cast(node)
            case _:
                return self._operation(node)

    def _operation(self, node: exp.Expression) -> Typed:
        build = self.build
        if isinstance(node, OPERATORS):
            typed = arithmetic(node, build(node.this), build(node.expression))
        elif (maker := _LOGIC.get(type(node))) is not None:
            typed = maker(node, build)
        elif isinstance(node, exp.Func):
            typed = call(node, build)
        else:
            raise refused(f"where holds {shown(node)}, which a condition may not hold", node)
        constant = not node.find(exp.Column)
        if not constant:
            return typed
        value = typed.value({})
        return Typed(node, typed.kind, lambda _: value, constant=True)

    def _literal(self, node: exp.Literal) -> Typed:
        text = str(node.this)
        if node.is_string:
            return Typed(node, TEXT, lambda _: text, constant=True, literal=text)
        return number(text, node)

    def _negative(self, node: exp.Neg) -> Typed:
        if isinstance(node.this, exp.Literal) and not node.this.is_string:
            return number(f"-{node.this.this}", node)
        return negative(node, self.build(node.this))

    def _cast(self, node: exp.Cast) -> Typed:
        to = primitive_of(node)
        inner = node.this
        if type(node) is exp.Cast and isinstance(inner, exp.Literal) and inner.is_string and family(to) in _WRITTEN:
            try:  # DATE '2026-11-23'
                value = json_form(str(inner.this), to)
            except ValueError as error:
                raise unfit("where", Column(to.name, to.name.lower(), to), node) from error
            return Typed(node, to, lambda _: value, constant=True)
        one = cast(node, self.build(inner), to)
        if not one.constant:
            return one
        value = one.value({})
        written = isinstance(inner, exp.Literal) and not inner.is_string and to in (BIGINT, DOUBLE)
        return Typed(node, to, lambda _: value, constant=True, literal=str(inner.this) if written else None)

    def _column(self, node: exp.Column | exp.Dot) -> Typed:
        if isinstance(node, exp.Dot):  # tags[0].name
            of = self.build(node.this)
            return _within(node, of.kind, of.value, [node.name], shown(node.this))
        first, *fields = [each.name for each in node.parts]
        column = named(first, self._columns, node)
        return _within(node, column.kind, _whole(column), fields, column.name, column)

    def _member(self, node: exp.Bracket) -> Typed:
        """One element of a list, or one value of a map."""
        of = self.build(node.this)
        at = self.build(node.expressions[0]) if len(node.expressions) == 1 else None
        first = node.args.get("offset") or 0
        if at is None or not at.constant:
            raise refused(f"where takes {shown(node)} at a place that is not written out", node, how="write tags[0]")
        place = at.value({})
        if isinstance(of.kind, ArrayType) and at.family == "integer":
            return _loaded(node, of.kind.element, _element(of, place, first))
        if isinstance(of.kind, MapType) and at.family in ("integer", "string"):
            value, name = of.value, str(place)
            return _loaded(
                node, of.kind.value, lambda row: None if (result := value(row)) is None else result.get(name)
            )
        raise refused(f"where takes {shown(node)} of what is neither a list nor a map", node, how="write tags[0]")


def _whole(column: Column) -> Callable[[Row], Any]:
    name = column.name
    return lambda row: row.get(name)


def _within(
    node: exp.Expression,
    kind: DataType,
    value: Callable[[Row], Any],
    fields: Sequence[str],
    name: str,
    column: Column | None = None,
) -> Typed:
    """A column, or a field of an object in it. `name`: what messages call the whole; `column`: where it is one."""
    for each in fields:
        members = [member for member, _ in kind.fields] if isinstance(kind, StructType) else []
        exact = [n for n in members if n == each] or [n for n in members if n.lower() == each.lower()]
        if len(exact) != 1:
            there = f"; there are {', '.join(members)}" if members else ""
            raise refused(f"where names {each}, which is not a field of {name}{there}", node)
        assert isinstance(kind, StructType)
        kind, value = kind.get(exact[0]) or VOID, _field(value, exact[0])
    return _loaded(node, kind, value, None if fields else column)


def _field(value: Callable[[Row], Any], name: str) -> Callable[[Row], Any]:
    return lambda row: None if (result := value(row)) is None else result.get(name)


def _element(of: Typed, place: int, first: int) -> Callable[[Row], Any]:
    """The element of a list; `first`: the number of the first. From 1 on, a negative one counts from the end."""
    value = of.value

    def compute(row: Row) -> Any:
        result = value(row)
        at = place - first if place >= first else len(result or ()) + place if first and place < 0 else -1
        return result[at] if result is not None and 0 <= at < len(result) else None

    return compute


def _loaded(node: exp.Expression, kind: DataType, value: Callable[[Row], Any], column: Column | None = None) -> Typed:
    load = loader(kind)
    if load is None:
        return Typed(node, kind, value, column=column)
    return Typed(node, kind, lambda row: None if (result := value(row)) is None else load(result), column=column)


def named(name: str, columns: Sequence[Column], node: exp.Expression) -> Column:
    """The column of a name, in upper or lower case where only one fits. Raises InvalidInput."""
    exact = [each for each in columns if each.name == name]
    fitting = exact or [each for each in columns if each.name.lower() == name.lower()]
    if len(fitting) != 1:
        names = ", ".join(each.name for each in columns)
        raise refused(f"where names {name}, which is not a column; there are {names}", node)
    return fitting[0]


_WRITTEN = ("date", "timestamp")
_LOGIC: dict[type[exp.Expression], Callable[[Any, Any], Typed]] = {
    exp.And: logic.joined,
    exp.Or: logic.joined,
    exp.Not: logic.negated,
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE), logic.compared),
    exp.NullSafeEQ: logic.null_safe_equal,
    exp.Between: logic.between,
    exp.In: logic.among,
    exp.Is: logic.is_test,
    **dict.fromkeys((exp.Like, exp.ILike, exp.Escape), logic.like),
    exp.Case: logic.case,
    exp.If: logic.case,
    exp.Nullif: logic.null_if,
    exp.Greatest: logic.extreme,
    exp.Least: logic.extreme,
    exp.DPipe: call,
}
