"""One bad value never ends a view: what fails, or wraps around, at one value without Spark's ANSI mode gives NULL for it.

Pure; changes the tree. Most functions have such a form already. These have not:

- `+`, `-`, `*` and CAST to a whole number wrap around beyond their type.
- An index of 0, bounds of `slice` and `sequence` that do not fit, and a NULL as the key of a map are errors.
- A regular expression, a time's format or the name of a time zone that comes from data may be none. Nothing shows that
  before it is tried, and the one function of Spark that tries any expression is `try_to_binary`: so the result goes through it
  as text. That is dear, and done only where the pattern is not written in the query.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from views.shape.roles import Roles

_RENAMED = {
    name: f"try_{name}"
    for name in (
        "aes_decrypt",
        "make_interval",
        "parse_json",
        "sum",
        "to_binary",
        "to_number",
        "url_decode",
        "validate_utf8",
        "variant_get",
    )
}
_ARITHMETIC: dict[type, str] = {exp.Add: "try_add", exp.Sub: "try_subtract", exp.Mul: "try_multiply"}
_WHOLE = ("TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL")
_CASTS = {"tinyint": "TINYINT", "smallint": "SMALLINT", "bigint": "BIGINT"}
_ALWAYS = -1
_TRIED: dict[str, tuple[int, str]] = {
    "regexp": (1, "BOOLEAN"),
    "regexp_like": (1, "BOOLEAN"),
    "rlike": (1, "BOOLEAN"),
    "regexp_count": (1, "INT"),
    "regexp_extract": (1, "STRING"),
    "regexp_extract_all": (1, "ARRAY<STRING>"),
    "regexp_instr": (1, "INT"),
    "regexp_replace": (1, "STRING"),
    "regexp_substr": (1, "STRING"),
    "split": (1, "ARRAY<STRING>"),
    "date_format": (1, "STRING"),
    "from_unixtime": (1, "STRING"),
    "to_date": (1, "DATE"),
    "to_timestamp": (1, "TIMESTAMP"),
    "to_unix_timestamp": (1, "BIGINT"),
    "unix_timestamp": (1, "BIGINT"),
    "from_utc_timestamp": (1, "TIMESTAMP"),
    "to_utc_timestamp": (1, "TIMESTAMP"),
    "getbit": (1, "TINYINT"),
    "bit_get": (1, "TINYINT"),
    "unbase64": (_ALWAYS, "BINARY"),
    "encode": (_ALWAYS, "BINARY"),
    "decode": (_ALWAYS, "STRING"),
    "aes_encrypt": (_ALWAYS, "BINARY"),
}
"""Function -> (the argument that must be written in the query, or the function is tried; the type of its result)."""


def with_null_for_bad_values(tree: Any, reading: Roles) -> None:
    """`reading`: of the tree. Bounds of time between streams stay as they are, since Spark reads the state's end from them."""
    bounds = {id(node) for each in reading.selects if each.tied for node in _conditions(each.select)}
    for node in reversed(list(tree.walk())):  # what is inside comes first
        if id(node) not in bounds:
            put = _fitted(node)
            if put is not None and put is not node:
                node.replace(put)


def _conditions(select: Any) -> list[Any]:
    """Every node of the ON and WHERE of a SELECT."""
    tests = [join.args.get("on") for join in select.args.get("joins") or ()]
    where = select.args.get("where")
    return [node for test in [*tests, where] if test is not None for node in test.walk()]


def _fitted(node: Any) -> Any:
    """What to put in place of a node whose own parts were fitted; None: it stays."""
    if type(node) in _ARITHMETIC:
        if isinstance(node.this, exp.Interval) or isinstance(node.expression, exp.Interval):
            return None
        return _call(_ARITHMETIC[type(node)], node.this, node.expression)
    if isinstance(node, exp.Cast):
        return _cast(node)
    if isinstance(node, (exp.RegexpLike, exp.RegexpILike, exp.Like, exp.ILike)):
        if _written(node.expression) or isinstance(node.parent, exp.Escape):
            return None
        return _tried(node, "BOOLEAN")
    if isinstance(node, exp.Escape) and not _written(node.this.expression):
        return _tried(node, "BOOLEAN")
    if not isinstance(node, exp.Anonymous):
        return None
    name, arguments = str(node.this).lower(), node.expressions
    if name in _RENAMED and not any(isinstance(each, exp.Distinct) for each in arguments):
        node.set("this", _RENAMED[name])
        return None
    if name in _CASTS and len(arguments) == 1:
        return _cast(exp.TryCast(this=arguments[0].copy(), to=exp.DataType.build(_CASTS[name])))
    if name in _TRIED:
        at, kind = _TRIED[name]
        many = name == "decode" and len(arguments) != 2  # its other form compares values
        return _tried(node, kind) if not many and (at == _ALWAYS or _from_data(arguments, at)) else None
    guard = _GUARDS.get(name)
    return guard(node, arguments) if guard is not None else None


def _cast(node: Any) -> Any:
    """A CAST to whole numbers as TRY_CAST."""
    if node.to.this.name not in _WHOLE or isinstance(node.this, exp.Literal):
        return None
    return exp.TryCast(this=node.this.copy(), to=node.to.copy(), safe=True)


def _from_data(arguments: Sequence[Any], at: int) -> bool:
    return len(arguments) > at and not _written(arguments[at])


def _written(node: Any) -> bool:
    """Whether a value is in the query itself."""
    inner = node.this if isinstance(node, exp.Neg) else node
    return isinstance(inner, exp.Literal | exp.RawString | exp.Null)


def _tried(node: Any, kind: str) -> Any:
    """NULL where the expression fails."""
    inner = node.copy()
    if kind == "BINARY":
        return _call("unhex", _text(_call("hex", inner)))
    if kind == "ARRAY<STRING>":
        return _call("from_json", _text(_call("to_json", inner)), exp.Literal.string("array<string>"))
    if kind == "STRING":
        return _text(inner)
    return exp.cast(_text(_plain_cast(inner)), kind, dialect="spark")


def _text(text: Any) -> Any:
    return _plain_cast(_call("try_to_binary", text, exp.Literal.string("utf-8")))


def _plain_cast(node: Any) -> Any:
    return exp.Cast(this=node, to=exp.DataType.build("STRING", dialect="spark"))


# --- guards -----------------------------------------------------------------------------------------------------------


def _element_at(call: Any, arguments: Sequence[Any]) -> Any:
    if len(arguments) != 2 or (_written(arguments[1]) and arguments[1].name != "0"):
        return None
    lists = exp.Like(this=_call("typeof", arguments[0]), expression=exp.Literal.string("array%"))
    zero = exp.EQ(this=_plain_cast(arguments[1].copy()), expression=exp.Literal.string("0"))
    # Of a map 0 is a key like others; the type is known when the query is planned, so this costs nothing for it.
    return _call(call.this, arguments[0], _case(exp.and_(lists, zero), exp.Null(), arguments[1].copy()))


def _not_zero(at: int) -> Callable[[Any, Sequence[Any]], Any]:
    def guard(call: Any, arguments: Sequence[Any]) -> Any:
        if len(arguments) <= at or (_written(arguments[at]) and arguments[at].name != "0"):
            return None
        return _call(
            call.this, *arguments[:at], _call("nullif", arguments[at], exp.Literal.number(0)), *arguments[at + 1 :]
        )

    return guard


def _slice(call: Any, arguments: Sequence[Any]) -> Any:
    if len(arguments) != 3:
        return None
    start, length = arguments[1].copy(), arguments[2].copy()
    if not _written(start) or start.name == "0":
        start = _call("nullif", start, exp.Literal.number(0))
    if not isinstance(length, exp.Literal):
        length = _case(exp.GTE(this=_in(length), expression=exp.Literal.number(0)), length.copy())
    return _call(call.this, arguments[0], start, length)


def _sequence(call: Any, arguments: Sequence[Any]) -> Any:
    if len(arguments) != 3:
        return None
    first, last, step = arguments
    # By its text, which shows the sign of a number and of an interval alike.
    text = _plain_cast(step.copy())
    moves = _call("regexp_like", text, exp.Literal.string("[1-9]"))
    back = _call("contains", text.copy(), exp.Literal.string("-"))
    forth = exp.and_(exp.LT(this=_in(first), expression=_in(last)), exp.Not(this=back.copy()), moves)
    down = exp.and_(exp.GT(this=_in(first), expression=_in(last)), back, moves.copy())
    return _case(exp.or_(exp.EQ(this=_in(first), expression=_in(last)), forth, down), call.copy())


def _map(call: Any, arguments: Sequence[Any]) -> Any:
    tests = [
        exp.Not(this=exp.Is(this=_in(key), expression=exp.Null()))
        for key in arguments[::2]
        if not isinstance(key, exp.Literal)
    ]
    return _case(exp.and_(*tests), call.copy()) if tests else None


def _map_from_arrays(call: Any, arguments: Sequence[Any]) -> Any:
    if len(arguments) != 2:
        return None
    size = _call("size", arguments[0])
    even = exp.EQ(this=size, expression=_call("size", arguments[1]))
    whole = exp.EQ(this=_call("size", _call("array_compact", arguments[0])), expression=size.copy())
    return _case(exp.and_(even, whole), call.copy())


def _within(limit: int) -> Callable[[Any, Sequence[Any]], Any]:
    def guard(call: Any, arguments: Sequence[Any]) -> Any:
        if len(arguments) != 1 or _written(arguments[0]):
            return None
        low, high = exp.Neg(this=exp.Literal.number(limit)), exp.Literal.number(limit)
        inside = exp.Between(this=_in(arguments[0]), low=low, high=high)
        return _call(call.this, _case(inside, arguments[0].copy()))

    return guard


_GUARDS: dict[str, Callable[[Any, Sequence[Any]], Any]] = {
    "element_at": _element_at,
    "try_element_at": _element_at,
    "array_insert": _not_zero(1),
    "split_part": _not_zero(2),
    "slice": _slice,
    "sequence": _sequence,
    "map": _map,
    "map_from_arrays": _map_from_arrays,
    "timestamp_seconds": _within(9_223_372_036_854),
    "timestamp_millis": _within(9_223_372_036_854_775),
}


def _call(name: Any, *arguments: Any) -> Any:
    return exp.Anonymous(this=str(name), expressions=[each.copy() for each in arguments])


def _case(test: Any, then: Any, otherwise: Any = None) -> Any:
    return exp.Case(ifs=[exp.If(this=test, true=then)], default=otherwise)


def _in(node: Any) -> Any:
    """A copy that keeps its meaning within a comparison."""
    return exp.paren(node.copy())
