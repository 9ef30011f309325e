"""CAST between types. A value that the named type does not have becomes NULL. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from sqlglot import exp

from catalog.datatypes import Primitive, family
from policies.masks.spark_decimals import WIDE, precision_scale, rounded
from views.serving.values import BITS, moment
from views.serving.where.numbers import in_range, truncated
from views.serving.where.refusals import refused, shown
from views.serving.where.typed import BIGINT, BOOLEAN, DATE, TEXT, TIMESTAMP, Typed, as_kind, mapped, to_single, type_of

Change = Callable[[Any], Any]

_BLANK = "".join(map(chr, range(33))) + "\x7f"
_WHOLE_TEXT = re.compile(r"([+-]?[0-9]+)(?:\.[0-9]*)?\Z")
_NUMBER_TEXT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_TRUE, _FALSE = frozenset(("t", "true", "y", "yes", "1")), frozenset(("f", "false", "n", "no", "0"))
_NOT_FINITE = {
    **dict.fromkeys(("inf", "+inf", "infinity", "+infinity"), float("inf")),
    **dict.fromkeys(("-inf", "-infinity"), float("-inf")),
    "nan": float("nan"),
}
_DATE_TEXT = re.compile(r"([0-9]{4,7})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T].*)?)?)?\Z", re.S)
_TIME_TEXT = re.compile(r"([+-]?[0-9]{4,})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?)?Z?\Z")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_NUMBER = 400


def cast(node: exp.Expression, of: Typed, to: Primitive) -> Typed:
    """`CAST(of AS to)`. Raises InvalidInput where no value of the one type is one of the other, or where its text is not the
    same everywhere (DOUBLE)."""
    if of.kind == to:
        return Typed(node, to, of.value, constant=of.constant)
    if of.family == "null":
        return Typed(node, to, of.value, constant=True)
    change = _change(of, to)
    if change is None:
        target = to.name.lower()
        reason = f"where casts {shown(of.node)} from {type_of(of)} to {target}, which cannot be done"
        raise refused(reason, node, how=f"compare it as {type_of(of)}, or CAST it to another type")
    return Typed(node, to, mapped(of.value, change), constant=of.constant)


def _change(of: Typed, to: Primitive) -> Change | None:
    source, target = of.family, family(to)
    match target:
        case "integer":
            return _to_integer(source, of.primitive, to) if source != "other" else None
        case "decimal":
            return _to_decimal(to) if source in ("string", "integer", "decimal", "float", "boolean") else None
        case "float" if source == "string":
            return lambda text: _text_to_float(text, to)
        case "float" if source in ("integer", "decimal", "float", "boolean"):
            return to_single if to.name == "FLOAT" else float
        case "string":
            return _to_text(source)
        case "boolean" if source == "string":
            return lambda text: True if _folded(text) in _TRUE else False if _folded(text) in _FALSE else None
        case "boolean" if source in ("integer", "decimal", "float"):
            return lambda value: value != 0
        case "date" if source == "string":
            return _text_to_date
        case "date" if source == "timestamp":
            return lambda text: text.partition("T")[0]
        case "timestamp" if source == "string" and to == TIMESTAMP:
            return _text_to_time
        case "timestamp" if source == "date":
            return lambda text: f"{text}T00:00:00" + ("Z" if to == TIMESTAMP else "")
        case "timestamp" if source == "timestamp":
            return lambda text: text.removesuffix("Z") + ("Z" if to == TIMESTAMP else "")
        case _:
            return None


def _folded(text: str) -> str:
    return text.strip(_BLANK).lower()


def _to_integer(source: str, of: Primitive, to: Primitive) -> Change | None:
    match source:
        case "string":
            return lambda text: _text_to_whole(text, to)
        case "integer" | "decimal" | "float":
            return lambda value: truncated(value, to)
        case "boolean":
            return int
        case "timestamp" if of == TIMESTAMP and to == BIGINT:
            return _seconds
        case _:
            return None


def _text_to_whole(text: str, to: Primitive) -> int | None:
    result = _WHOLE_TEXT.match(text.strip(_BLANK))
    if result is None or len(result[1]) > _LONGEST_NUMBER:
        return None
    value = int(result[1])
    return value if in_range(value, to) else None


def _to_decimal(to: Primitive) -> Change:
    precision, scale = precision_scale(to)

    def change(value: Any) -> Decimal | None:
        if isinstance(value, str):
            value = value.strip(_BLANK)
            if len(value) > _LONGEST_NUMBER or not _NUMBER_TEXT.match(value):
                return None
        try:
            exact = Decimal(repr(value) if isinstance(value, float) else value)
            if not exact.is_finite() or exact.adjusted() > WIDE.prec // 2:
                return None
            return rounded(exact, precision, scale)
        except InvalidOperation:
            return None

    return change


def _text_to_float(text: str, to: Primitive) -> float | None:
    text = text.strip(_BLANK)
    special = _NOT_FINITE.get(text.lower())
    if special is not None:
        return special
    if len(text) > _LONGEST_NUMBER or not _NUMBER_TEXT.match(text.removesuffix("d").removesuffix("f")):
        return None
    value = float(text.removesuffix("d").removesuffix("f"))
    return to_single(value) if to.name == "FLOAT" else value


def _to_text(source: str) -> Change | None:
    match source:
        case "integer":
            return str
        case "decimal":
            return lambda value: format(value, "f")
        case "boolean":
            return lambda value: "true" if value else "false"
        case "date":
            return lambda value: value
        case "timestamp":
            return _time_text
        case _:
            return None  # DOUBLE: Java writes 1.0E10


def _time_text(value: str) -> str:
    """2026-01-02 03:04:05, with a fraction only where there is one."""
    text = value.removesuffix("Z").replace("T", " ")
    return text.rstrip("0") if "." in text else text


def _text_to_date(text: str) -> str | None:
    result = _DATE_TEXT.match(text.strip(_BLANK))
    try:
        return date(int(result[1]), int(result[2] or 1), int(result[3] or 1)).isoformat() if result else None
    except ValueError:
        return None


def _text_to_time(text: str) -> str | None:
    try:
        return moment(text.strip(_BLANK)).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return None


def time_parts(text: str) -> tuple[int, int, int, int, int, int]:
    """Year, month, day, hour, minute and second of a date or a time in the JSON form of rows."""
    result = _TIME_TEXT.match(text)
    if result is None:
        raise ValueError("not a time")
    return tuple(int(each or 0) for each in result.groups()[:6])  # type: ignore[return-value]


def _seconds(text: str) -> int | None:
    """Since 1970, rounded down."""
    year, month, day, hour, minute, second = time_parts(text)
    if not 1 <= year <= 9999:
        return None
    return (datetime(year, month, day, hour, minute, second, tzinfo=UTC) - _EPOCH) // timedelta(seconds=1)


def as_text(one: Typed) -> Typed:
    """What `||` and concat make of a part. Raises InvalidInput."""
    return cast(one.node, one, TEXT) if one.family != "null" else as_kind(one, TEXT)


def primitive_of(node: exp.Cast) -> Primitive:
    """The type that a CAST names. Raises InvalidInput for one that rows are not compared by."""
    to = node.to
    kind = _KINDS.get(to.this)
    if to.this == exp.DType.DECIMAL:
        numbers = [int(each.name) for each in to.expressions if each.name.isdigit()]
        precision, scale = (*numbers, 10, 0)[:2] if len(numbers) != 1 else (numbers[0], 0)
        if 1 <= precision <= 38 and 0 <= scale <= precision:
            kind = Primitive(f"DECIMAL({precision},{scale})")
    if kind is None:
        raise refused(
            f"where casts to {to.sql('spark').lower()}",
            node,
            how="CAST to STRING, a number, BOOLEAN, DATE or TIMESTAMP",
        )
    return kind


_KINDS = {
    **{getattr(exp.DType, name): Primitive(name) for name in BITS if hasattr(exp.DType, name) and name != "INTEGER"},
    exp.DType.FLOAT: Primitive("FLOAT"),
    exp.DType.DOUBLE: Primitive("DOUBLE"),
    exp.DType.TEXT: TEXT,
    exp.DType.BOOLEAN: BOOLEAN,
    exp.DType.DATE: DATE,
    exp.DType.TIMESTAMP: TIMESTAMP,
    exp.DType.TIMESTAMPTZ: TIMESTAMP,
    exp.DType.TIMESTAMPLTZ: TIMESTAMP,
    exp.DType.TIMESTAMPNTZ: Primitive("TIMESTAMP_NTZ"),
}
