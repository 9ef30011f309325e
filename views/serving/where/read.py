"""From the text of `where` to a check of rows.

The language is one condition of Spark's SQL over the columns that the asker sees; see docs/reference/views.md. It is read by
sqlglot and computed here, on rows as the asker sees them, with Spark's types and results. It has no queries, no aggregates, no
time, no chance and no regular expressions. Its text, depth and number of operations are bounded, so a row costs bounded time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from catalog.datatypes import ArrayType, DataType, MapType, StructType, family
from views.model import Column
from views.serving.values import json_form
from views.serving.where import logic
from views.serving.where.casts import cast, primitive_of
from views.serving.where.functions import call
from views.serving.where.numbers import OPERATORS, arithmetic, negative, number
from views.serving.where.parse import parsed
from views.serving.where.refusals import refused, shown, unfit
from views.serving.where.typed import BIGINT, BOOLEAN, DOUBLE, TEXT, VOID, Row, Typed, loader, together


@dataclass(frozen=True, slots=True)
class Condition:
    """Whether a row in JSON form meets a condition; a column that the row does not have is NULL.

    equal  columns that have one value in all rows that meet it, with that value in JSON form; others may have one, too
    """

    check: Callable[[Mapping[str, object]], bool]
    equal: Mapping[str, object]

    def __call__(self, row: Mapping[str, object]) -> bool:
        return self.check(row)


def read_where(text: str, columns: Sequence[Column]) -> Condition:
    """`columns`: those that the asker sees, with the types that they see.

    Raises InvalidInput naming the place (details: field, line, column where they are known) and what to write.
    """
    tree = parsed(text)
    builder = _Builder(columns)
    value = logic.truth(builder.build(tree)).value
    return Condition(lambda row: value(row) is True, dict(_equalities(tree, builder)))


def _equalities(tree: exp.Expression, builder: _Builder) -> Iterator[tuple[str, object]]:
    """The `column = value` that all of a condition rests on, of types whose JSON form is one for equal values."""
    while isinstance(tree, exp.Paren):
        tree = tree.this
    for part in tree.flatten() if isinstance(tree, exp.And) else [tree]:
        if not isinstance(part, exp.EQ):
            continue
        sides, kind = together([builder.build(part.this), builder.build(part.expression)], part)
        column = next((each.column for each in sides if each.column is not None), None)
        value = next((each.value({}) for each in sides if each.constant), None)
        if column is not None and value is not None and family(kind) in _ONE_FORM and column.kind == kind:
            yield column.name, value


_ONE_FORM = ("integer", "string", "boolean", "date")


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
