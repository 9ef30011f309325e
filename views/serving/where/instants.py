"""Times as whole seconds, milliseconds or microseconds since 1970, and back; days likewise. Pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from sqlglot import exp

from views.serving.where.casts import time_parts
from views.serving.where.refusals import refused, shown
from views.serving.where.typed import BIGINT, DATE, INT, TIMESTAMP, Typed, as_kind, mapped, type_of

SECOND, MILLI, MICRO = 1_000_000, 1_000, 1
"""How many microseconds one is."""
_EPOCH = date(1970, 1, 1).toordinal()
_CYCLE, _CYCLE_YEARS = 146_097, 400
"""The days after which the calendar repeats."""
_DAY = 86_400 * SECOND
_LARGEST = (1 << 63) - 1


def number_of_time(node: exp.Expression, of: Typed, unit: int) -> Typed:
    """`unix_millis(time)` and its siblings, rounded down. Raises InvalidInput for what is not a time."""
    if of.family == "null":
        return as_kind(of, BIGINT)
    if of.kind not in (TIMESTAMP, DATE):
        raise _not(node, of, "a time", "write a CAST to TIMESTAMP")
    return Typed(node, BIGINT, mapped(of.value, lambda text: _micros(text) // unit))


def time_of_number(node: exp.Expression, of: Typed, unit: int) -> Typed:
    """`timestamp_millis(number)` and its siblings; NULL beyond the times that there are. Raises InvalidInput."""
    if of.family == "null":
        return as_kind(of, TIMESTAMP)
    if of.family != "integer":
        raise _not(node, of, "a whole number", "write a CAST to BIGINT")
    return Typed(node, TIMESTAMP, mapped(of.value, lambda number: _time(number * unit)))


def number_of_day(node: exp.Expression, of: Typed) -> Typed:
    """`unix_date(day)`. Raises InvalidInput."""
    if of.family == "null":
        return as_kind(of, INT)
    if of.kind != DATE:
        raise _not(node, of, "a date", "write a CAST to DATE")
    return Typed(node, INT, mapped(of.value, lambda text: _micros(text) // _DAY))


def day_of_number(node: exp.Expression, of: Typed) -> Typed:
    """`date_from_unix_date(number)`. Raises InvalidInput."""
    if of.family == "null":
        return as_kind(of, DATE)
    if of.family != "integer" or of.kind == BIGINT:
        raise _not(node, of, "an INT", "write a CAST to INT")
    return Typed(node, DATE, mapped(of.value, _day))


def _not(node: exp.Expression, of: Typed, wanted: str, how: str) -> Exception:
    return refused(f"where gives {shown(node)} {type_of(of)} in place of {wanted}", node, how=how)


def _micros(text: str) -> int:
    """Of a time or date in the JSON form of rows."""
    year, month, day, hour, minute, second = time_parts(text)
    cycles, rest = divmod(year - 1, _CYCLE_YEARS)
    days = date(rest + 1, month, day).toordinal() + cycles * _CYCLE - _EPOCH
    fraction = text.removesuffix("Z").partition(".")[2]
    return days * _DAY + ((hour * 60 + minute) * 60 + second) * SECOND + int(f"{fraction:0<6}"[:6])


def _time(micros: int) -> str | None:
    if not -_LARGEST - 1 <= micros <= _LARGEST:
        return None
    days, rest = divmod(micros, _DAY)
    seconds, fraction = divmod(rest, SECOND)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{_day(days)}T{clock}{f'.{fraction:06d}' if fraction else ''}Z"


def _day(number: int) -> str:
    cycles, rest = divmod(number + _EPOCH - 1, _CYCLE)
    day = date.fromordinal(rest + 1)
    year = day.year + cycles * _CYCLE_YEARS
    sign = "+" if year > 9999 else "-" if year < 0 else ""
    return f"{sign}{abs(year):04d}-{day.month:02d}-{day.day:02d}"


Maker = Callable[[Any, Typed], Typed]
BY_NAME: dict[str, Maker] = {
    "timestamp_seconds": lambda node, of: time_of_number(node, of, SECOND),
    "timestamp_millis": lambda node, of: time_of_number(node, of, MILLI),
    "timestamp_micros": lambda node, of: time_of_number(node, of, MICRO),
}
BY_NODE: dict[type[exp.Expression], Maker] = {
    exp.UnixSeconds: lambda node, of: number_of_time(node, of, SECOND),
    exp.UnixMillis: lambda node, of: number_of_time(node, of, MILLI),
    exp.UnixMicros: lambda node, of: number_of_time(node, of, MICRO),
    exp.UnixDate: number_of_day,
    exp.DateFromUnixDate: day_of_number,
}
