"""`sequence(start, stop, step)`: at most MOST elements, counted from its literals where they are there, else at run time.

At run time its end is checked before it is used, so no evaluation of it, early or late, makes a longer list:

    get(transform(array(named_struct('a', start, 'b', stop, 'c', step)),
                  s -> sequence(s.a, CASE WHEN too far THEN raise_error(...) ELSE s.b END, s.c)), 0)

The struct binds each argument once: what is checked is what is used, also where an argument gives another value each time.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from sqlglot import exp

from policies.sql.lexer import PREFIX
from policies.sql.words import words

MOST = 200_000
"""Elements: a year by five minutes, 138 days by minutes."""
MARK = "weir: a sequence is too long"
"""What the engine raises; see `policies/adapters/spark/errors.py`."""

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_MICROSECONDS = {
    "MICROSECOND": 1,
    "MILLISECOND": 1_000,
    "SECOND": _SECOND,
    "MINUTE": 60 * _SECOND,
    "HOUR": 3_600 * _SECOND,
    "DAY": _DAY,
    "WEEK": 7 * _DAY,
    "MONTH": 28 * _DAY,
    "QUARTER": 90 * _DAY,
    "YEAR": 365 * _DAY,
}
"""At least so long is each; a step that is taken for shorter only allows for fewer elements."""
_SPANS = (("YEAR", "MONTH"), ("DAY", "HOUR", "MINUTE", "SECOND"))
_LONGEST_SPAN = 9 * 10**18
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_MIXED = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)")
_WRITTEN = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?", re.ASCII)
_QUOTED = re.compile(r"(?<!INTERVAL )'([^']*)'")
_GENERATORS = words("explode explode_outer posexplode posexplode_outer")
_ROWS = words("explode explode_outer posexplode posexplode_outer inline inline_outer stack")
"""Functions that name their columns themselves."""
_TIMES = (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPNTZ, exp.DType.TIMESTAMPLTZ)
_NAME = "weir_s"


def problem(call: Any) -> str | None:
    """Why a sequence may not run, in words; None when it may."""
    if len(call.expressions) not in (2, 3):
        return "sequence takes a start, an end and, if you like, a step."
    step = call.expressions[2] if len(call.expressions) == 3 else None
    if step is not None and _is_interval(step) and _microseconds(step) is None:
        return "The step of a sequence of times is written out, as in INTERVAL 5 MINUTES."
    count = _known(call)
    if count is not None and count > MOST:
        return f"The sequence would have {count:,} elements; at most {MOST:,} are made. Take a longer step or a nearer end."
    return None


def length(call: Any) -> int:
    """Elements at most."""
    count = _known(call)
    return MOST if count is None else min(count, MOST)


def is_bounded(call: Any) -> bool:
    """Whether the text alone keeps a sequence short."""
    count = _known(call)
    return count is not None and count <= MOST


def is_exploded(call: Any) -> bool:
    """Whether its elements become rows, so that no value grows."""
    around = call.parent
    return isinstance(around, exp.Anonymous) and _name(around) in _GENERATORS


def goes_by_days(call: Any) -> bool:
    """Whether its step is a day or more: a calendar."""
    step = call.expressions[2] if len(call.expressions) == 3 else None
    if step is None:
        return any(_is(each, (exp.DType.DATE, *_TIMES)) for each in call.expressions)
    return _is_interval(step) and (_microseconds(step) or 0) >= _DAY


def guard(root: Any) -> None:
    """Check the end of each sequence whose length nobody knows yet. Changes `root`."""
    calls = _of_unknown_length(root)
    for call in calls:
        _keep_name(call)
    for call in reversed(calls):  # the inner ones first: a guard holds copies
        call.replace(_guarded(call))
    if not all(isinstance(call.expressions[1], exp.Case) for call in _of_unknown_length(root)):
        raise ValueError("A sequence is left without the check of its end.")


def _of_unknown_length(root: Any) -> list[Any]:
    calls = (call for call in root.find_all(exp.Anonymous) if _name(call) == "sequence")
    return [call for call in calls if len(call.expressions) in (2, 3) and _known(call) is None]


def _keep_name(call: Any) -> None:
    """The column with a call keeps the name that Spark gives it without the guard."""
    item = call
    while item.parent is not None and not (isinstance(item.parent, exp.Select) and item.arg_key == "expressions"):
        item = item.parent
    unnamed = isinstance(item.parent, exp.Select) and not isinstance(item, (exp.Alias, exp.Aliases))
    if unnamed and not (isinstance(item, exp.Anonymous) and _name(item) in _ROWS):
        text = str(item.sql(dialect="spark", normalize_functions=False))
        alias = exp.alias_(exp.null(), _QUOTED.sub(r"\1", text).replace("`", ""), quoted=True)
        item.replace(alias)
        alias.set("this", item)  # the same node, no copy: its sequences are still to be guarded


def _known(call: Any) -> int | None:
    """The number of elements, where the text determines it."""
    arguments = call.expressions
    if len(arguments) not in (2, 3):
        return None
    step = arguments[2] if len(arguments) == 3 else None
    numbers = [_integer(each) for each in arguments[:2]]
    if numbers[0] is not None and numbers[1] is not None:
        by = abs((_integer(step) if step is not None else 1) or 1)
        return abs(numbers[1] - numbers[0]) // by + 1
    times = [_moment(each) for each in arguments[:2]]
    if times[0] is not None and times[1] is not None:
        by = _DAY if step is None else (_microseconds(step) or 0)
        if not by:
            return None
        # Zones move literals by hours: one day more or less.
        between = abs((times[1] - times[0]).total_seconds()) * _SECOND
        return int(between // by) + 1
    return None


def _guarded(call: Any) -> Any:
    arguments = call.expressions
    parts = [exp.Literal.string("a"), arguments[0].copy(), exp.Literal.string("b"), arguments[1].copy()]
    start, stop = exp.column("a", table=_NAME, quoted=True), exp.column("b", table=_NAME, quoted=True)
    step = arguments[2] if len(arguments) == 3 else None
    last: list[Any] = []
    if step is not None and _is_interval(step):
        last = [step.copy()]
    elif step is not None:
        parts += [exp.Literal.string("c"), step.copy()]
        last = [exp.column("c", table=_NAME, quoted=True)]
    raised = _call("raise_error", exp.Literal.string(MARK))
    end = exp.Case(ifs=[exp.If(this=_too_far(start, stop, arguments, step), true=raised)], default=stop.copy())
    body = _call("sequence", start.copy(), end, *last)
    bound = exp.Lambda(this=body, expressions=[exp.to_identifier(_NAME, quoted=True)])
    array = _call("transform", _call("array", _call("named_struct", *parts)), bound)
    return _call("get", array, exp.Literal.number(0))


def _too_far(start: Any, stop: Any, arguments: list[Any], step: Any) -> Any:
    by_time = step is None and any(_is(each, _TIMES) for each in arguments[:2])
    if by_time or (step is not None and _is_interval(step)):
        by = _DAY if by_time else _microseconds(step) or 1
        span = exp.Literal.number(min(MOST * max(1, by), _LONGEST_SPAN))
        ends = [
            _call("unix_micros", exp.Cast(this=e.copy(), to=exp.DataType.build("timestamp"))) for e in (stop, start)
        ]
        between = _call("abs", exp.Paren(this=exp.Sub(this=ends[0], expression=ends[1])))
        return exp.GT(this=between, expression=span)
    # Whole numbers, or dates by days: both take a number of steps. Where that is beyond the type, no end is too far.
    far = exp.Literal.number(MOST)
    above = exp.GT(this=stop.copy(), expression=_call("try_add", start.copy(), far.copy()))
    below = exp.LT(this=stop.copy(), expression=_call("try_subtract", start.copy(), far.copy()))
    return exp.Or(this=above, expression=below)


def _call(name: str, *arguments: Any) -> Any:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _name(call: Any) -> str:
    return (call.this if isinstance(call.this, str) else call.this.name).lower().removeprefix(PREFIX)


def _integer(node: Any) -> int | None:
    if isinstance(node, (exp.Neg, exp.Paren)):
        inner = _integer(node.this)
        return None if inner is None else -inner if isinstance(node, exp.Neg) else inner
    return int(node.name) if isinstance(node, exp.Literal) and node.is_int else None


def _is(node: Any, kinds: tuple[Any, ...]) -> bool:
    """Whether a value is surely of a type: written so, cast to it, or made by a function that gives no other."""
    if isinstance(node, exp.Cast):
        return node.to.this in kinds
    name = _name(node) if isinstance(node, exp.Anonymous) else ""
    dates = (
        "to_date",
        "date",
        "make_date",
        "current_date",
        "last_day",
        "next_day",
        "date_add",
        "date_sub",
        "add_months",
    )
    times = (
        "to_timestamp",
        "timestamp",
        "make_timestamp",
        "current_timestamp",
        "now",
        "date_trunc",
        "timestamp_seconds",
        "timestamp_millis",
        "timestamp_micros",
        "from_utc_timestamp",
        "to_utc_timestamp",
    )
    return (name in dates and exp.DType.DATE in kinds) or (name in times and exp.DType.TIMESTAMP in kinds)


def _moment(node: Any) -> datetime | None:
    if not _is(node, (exp.DType.DATE, *_TIMES)) or not isinstance(node, exp.Cast):
        return None
    if not isinstance(node.this, exp.Literal) or not node.this.is_string:
        return None
    # Python reads more forms than Spark, and some of them as another time.
    if not _WRITTEN.fullmatch(node.this.name.strip()):
        return None
    try:
        moment = datetime.fromisoformat(node.this.name.strip())
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _is_interval(node: Any) -> bool:
    if isinstance(node, (exp.Neg, exp.Paren, exp.Add, exp.Sub)):
        return _is_interval(node.this) or (node.args.get("expression") is not None and _is_interval(node.expression))
    return isinstance(node, exp.Interval)


def _microseconds(node: Any) -> int | None:
    """The length of a step that is written out, whatever its direction; None where it is not known."""
    if isinstance(node, (exp.Neg, exp.Paren)):
        return _microseconds(node.this)
    if isinstance(node, exp.Add):
        parts = [_microseconds(each) for each in (node.this, node.expression)]
        signed = any("-" in each.name for each in node.find_all(exp.Literal)) or node.find(exp.Neg) is not None
        return None if signed or None in parts else sum(part or 0 for part in parts)
    if not isinstance(node, exp.Interval) or not isinstance(node.this, exp.Literal):
        return None
    text, unit = node.this.name.strip().lstrip("+-").strip(), node.args.get("unit")
    if isinstance(unit, exp.IntervalSpan):
        return _spanned(text, unit.this.name.upper(), unit.expression.name.upper())
    if unit is None:
        matches = _MIXED.findall(text)
        pieces = [(number, name) for number, name in matches]
        if not pieces or "-" in text:
            return None
    else:
        pieces = [(text, unit.name)]
    total = 0.0
    for number, name in pieces:
        length_of = _MICROSECONDS.get(name.upper().removesuffix("S"))
        if length_of is None or not _NUMBER.fullmatch(number):
            return None
        total += float(number) * length_of
    return int(total)


def _spanned(text: str, first: str, last: str) -> int | None:
    """`'1:30' HOUR TO MINUTE`"""
    for units in _SPANS:
        if first in units and last in units:
            names = units[units.index(first) : units.index(last) + 1]
            numbers = _NUMBER.findall(text)
            if len(numbers) == len(names):
                return int(sum(float(n) * _MICROSECONDS[unit] for n, unit in zip(numbers, names, strict=True)))
    return None
