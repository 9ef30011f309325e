"""The functions that a condition may call: each takes bounded time and depends on its arguments alone. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from catalog.datatypes import ArrayType, Primitive
from views.serving.where import instants, roots, texts
from views.serving.where.casts import as_text, cast, time_parts
from views.serving.where.numbers import absolute, arithmetic, round_half_up, sign, whole
from views.serving.where.refusals import refused, shown
from views.serving.where.typed import (
    BOOLEAN,
    DATE,
    INT,
    NUMBERS,
    TEXT,
    Row,
    Typed,
    as_kind,
    loader,
    mapped,
    together,
    type_of,
)

Build = Callable[[exp.Expression], Typed]
"""What makes an expression of a part of the tree."""

NAMES = (
    "abs, sign, ceil, floor, round, mod, pmod, sqrt, exp, ln, power, greatest, least, coalesce, nvl, nullif, if, length, upper,"
    " lower, trim, ltrim, rtrim, substring, left, right, replace, concat, startswith, endswith, contains, instr, reverse, year,"
    " month, day, hour, minute, second, to_date, unix_seconds, unix_millis, unix_micros, unix_date, timestamp_seconds,"
    " timestamp_millis, timestamp_micros, date_from_unix_date, isnull, isnotnull, isnan, array_contains"
)
_PARTS: dict[type[exp.Expression], int] = {
    exp.Year: 0, exp.Month: 1, exp.Day: 2, exp.DayOfMonth: 2, exp.Hour: 3, exp.Minute: 4, exp.Second: 5,
}  # fmt: skip
_TEXT_TEXT: dict[type[exp.Expression], Callable[[str], str]] = {
    exp.Upper: str.upper,
    exp.Lower: str.lower,
    exp.Reverse: lambda text: text[::-1],
}
_TWO_TEXTS: dict[type[exp.Expression], Callable[[str, str], bool]] = {
    exp.StartsWith: str.startswith,
    exp.EndsWith: str.endswith,
    exp.Contains: lambda text, part: part in text,
}


def call(node: exp.Expression, build: Build) -> Typed:
    """Raises InvalidInput for a function that is not known, and for arguments that do not fit."""
    if type(node) in _TEXT_TEXT:
        return _of_texts(node, build, TEXT, _TEXT_TEXT[type(node)], node.this)
    if type(node) in _TWO_TEXTS:
        return _of_texts(node, build, BOOLEAN, _TWO_TEXTS[type(node)], node.this, node.expression)
    if type(node) in _PARTS:
        return _part_of_time(node, build)
    maker = _MAKERS.get(type(node))
    if maker is None and isinstance(node, exp.Anonymous):
        maker = _BY_NAME.get((node.name.lower(), len(node.expressions)))
    if maker is None:
        raise refused(
            f"where holds {shown(node)}, which a condition may not call", node, how=f"the functions are {NAMES}"
        )
    return maker(node, build)


def _of_texts(
    node: exp.Expression, build: Build, kind: Primitive, compute: Callable[..., Any], *nodes: exp.Expression
) -> Typed:
    return _of_values(node, kind, compute, [_text(build(each), node) for each in nodes])


def _of_values(node: exp.Expression, kind: Primitive, compute: Callable[..., Any], parts: list[Typed]) -> Typed:
    """A function of values; NULL where one is NULL."""
    values = [each.value for each in parts]

    def value(row: Row) -> Any:
        arguments = []
        for each in values:
            result = each(row)
            if result is None:
                return None
            arguments.append(result)
        return compute(*arguments)

    return Typed(node, kind, value)


def _text(one: Typed, of: exp.Expression) -> Typed:
    if one.family not in ("string", "null"):
        how = "write a CAST to STRING" if one.literal is None else "put a text in quotes"
        raise refused(f"where gives {shown(of)} {type_of(one)} in place of a text", of, how=how)
    return as_kind(one, TEXT)


def _count(node: exp.Expression, build: Build, of: exp.Expression) -> Typed:
    one = build(node)
    if one.family not in ("integer", "null"):
        raise refused(f"where gives {shown(of)} {type_of(one)} in place of a whole number", of)
    return as_kind(one, INT) if one.family == "null" else one


def _part_of_time(node: exp.Expression, build: Build) -> Typed:
    inner = node.this.this if isinstance(node.this, exp.TsOrDsToDate) else node.this
    one = build(inner)
    if one.family not in ("date", "timestamp", "null"):
        raise refused(
            f"where gives {shown(node)} {type_of(one)} in place of a time", node, how="write a CAST to TIMESTAMP"
        )
    part = _PARTS[type(node)]
    return Typed(node, INT, mapped(one.value, lambda text: time_parts(text)[part]))


def _length(node: exp.Expression, build: Build) -> Typed:
    return _of_texts(node, build, INT, len, node.this)


def _trim(node: exp.Expression, build: Build) -> Typed:
    change = texts.trim(str(node.args.get("position") or "both").lower())
    letters = node.args.get("expression")
    if letters is None:
        return _of_texts(node, build, TEXT, lambda text: change(text, " "), node.this)
    return _of_texts(node, build, TEXT, change, node.this, letters)


def _substring(node: exp.Expression, build: Build) -> Typed:
    numbers = [
        _count(each, build, node) for each in (node.args.get("start"), node.args.get("length")) if each is not None
    ]
    compute: Callable[..., str] = (
        texts.substring if len(numbers) == 2 else lambda text, start: texts.substring(text, start, None)
    )
    return _of_values(node, TEXT, compute, [_text(build(node.this), node), *numbers])


def _end_of_text(node: exp.Expression, build: Build) -> Typed:
    change = texts.left if isinstance(node, exp.Left) else texts.right
    return _of_values(node, TEXT, change, [_text(build(node.this), node), _count(node.expression, build, node)])


def _replace(node: exp.Expression, build: Build) -> Typed:
    new = node.args.get("replacement") or exp.Literal.string("")
    return _of_texts(node, build, TEXT, texts.replace, node.this, node.expression, new)


def _position(node: exp.Expression, build: Build) -> Typed:
    if node.args.get("position") is not None or node.args.get("occurrence") is not None:
        raise refused(f"where gives {shown(node)} a place to begin at", node, how="write instr(text, part)")
    return _of_texts(node, build, INT, lambda text, part: text.find(part) + 1, node.this, node.args["substr"])


def concat(node: exp.Expression, build: Build) -> Typed:
    """`concat(...)` and `||`, of any number of parts."""
    if isinstance(node, exp.Concat) and "safe" not in node.args:  # as of a quote inside a text that is not doubled
        raise refused("where holds two texts beside each other", node, how="write || between them, and a quote twice")
    nodes = list(node.flatten()) if isinstance(node, exp.DPipe) else node.expressions
    parts = [as_text(build(each)) for each in nodes]
    return _of_values(node, TEXT, lambda *each: texts.bounded("".join(each)), parts)


def _coalesce(node: exp.Expression, build: Build) -> Typed:
    parts, kind = together([build(each) for each in (node.this, *node.expressions)], node)
    values = [each.value for each in parts]

    def value(row: Row) -> Any:
        return next((result for each in values if (result := each(row)) is not None), None)

    return Typed(node, kind, value)


def _to_date(node: exp.Expression, build: Build) -> Typed:
    return cast(node, build(node.this), DATE)


def _round(node: exp.Expression, build: Build) -> Typed:
    places = node.args.get("decimals")
    if places is None:
        return round_half_up(node, build(node.this), 0)
    if not isinstance(places, exp.Literal) or not places.name.isdigit() or int(places.name) > 38:
        raise refused(f"where rounds {shown(node)} by what is not a number from 0 to 38", node, how="write round(x, 2)")
    return round_half_up(node, build(node.this), int(places.name))


def _pmod(node: exp.Expression, build: Build) -> Typed:
    """The remainder, with the sign of the divisor where it is positive: ((x % y) + y) % y."""
    left, right = (build(each) for each in node.expressions)
    rest = arithmetic(exp.Mod(this=left.node.copy(), expression=right.node.copy()), left, right)
    if rest.family != "integer":
        raise refused("where calls pmod with what is not whole", node, how="write %")
    value, divisor = rest.value, right.value

    def compute(row: Row) -> Any:
        result = value(row)
        if result is None or result >= 0:
            return result
        by: Any = divisor(row)
        total = result + by
        return abs(total) % abs(by) * (-1 if total < 0 else 1)

    return Typed(node, rest.kind, compute)


def _null_test(wanted: bool) -> Callable[[exp.Expression, Build], Typed]:
    def make(node: exp.Expression, build: Build) -> Typed:
        value = build(node.expressions[0]).value
        return Typed(node, BOOLEAN, lambda row: (value(row) is None) is wanted)

    return make


def _is_nan(node: exp.Expression, build: Build) -> Typed:
    one = build(node.this)
    if one.family != "float":
        raise refused(f"where asks {shown(node)} of {type_of(one)}, which is never NaN", node)
    value = one.value
    return Typed(node, BOOLEAN, lambda row: (result := value(row)) is not None and math.isnan(result))


def _array_contains(node: exp.Expression, build: Build) -> Typed:
    array = build(node.this)
    if not isinstance(array.kind, ArrayType) or not isinstance(array.kind.element, Primitive):
        raise refused(f"where looks with {shown(node)} in {type_of(array)}, which is not a list of plain values", node)
    element = Typed(node.this, array.kind.element, lambda _: None)
    (_, part), kind = together([element, build(node.expression)], node)
    if array.kind.element != kind and part.family not in NUMBERS:
        raise refused(f"where looks with {shown(node)} for another type than the list has", node, how="write a CAST")
    load = loader(kind) or (lambda value: value)
    values, wanted = array.value, part.value

    def value(row: Row) -> bool | None:
        result, one = values(row), wanted(row)
        if result is None or one is None:
            return None
        if any(each is not None and load(each) == one for each in result):
            return True
        return None if None in result else False

    return Typed(node, BOOLEAN, value)


def _of_one(maker: instants.Maker) -> Callable[[exp.Expression, Build], Typed]:
    def make(node: exp.Expression, build: Build) -> Typed:
        return maker(node, build(node.expressions[0] if isinstance(node, exp.Anonymous) else node.this))

    return make


_MAKERS: dict[type[exp.Expression], Callable[[Any, Build], Typed]] = {
    exp.Abs: lambda node, build: absolute(node, build(node.this)),
    exp.Sign: lambda node, build: sign(node, build(node.this)),
    exp.Ceil: lambda node, build: whole(node, build(node.this)),
    exp.Floor: lambda node, build: whole(node, build(node.this)),
    exp.Round: _round,
    exp.Sqrt: lambda node, build: roots.of_one(node, build(node.this), roots.square_root),
    exp.Exp: lambda node, build: roots.of_one(node, build(node.this), roots.exponential),
    exp.Ln: lambda node, build: roots.of_one(node, build(node.this), roots.logarithm),
    exp.Pow: lambda node, build: roots.power(node, build(node.this), build(node.expression)),
    exp.Length: _length,
    exp.Trim: _trim,
    exp.Substring: _substring,
    exp.Left: _end_of_text,
    exp.Right: _end_of_text,
    exp.Replace: _replace,
    exp.StrPosition: _position,
    exp.Concat: concat,
    exp.DPipe: concat,
    exp.Coalesce: _coalesce,
    exp.TsOrDsToDate: _to_date,
    exp.IsNan: _is_nan,
    exp.ArrayContains: _array_contains,
    **{kind: _of_one(maker) for kind, maker in instants.BY_NODE.items()},
}
_BY_NAME: dict[tuple[str, int], Callable[[Any, Build], Typed]] = {
    ("isnull", 1): _null_test(True),
    ("isnotnull", 1): _null_test(False),
    ("pmod", 2): _pmod,
    **{(name, 1): _of_one(maker) for name, maker in instants.BY_NAME.items()},
}
