"""Spans of time as people write them: `10 minutes`, `1 second`, `90d`, `500 ms`."""

from __future__ import annotations

import re
from datetime import timedelta

_SPAN = re.compile(r"\s*(\d{1,9})\s*(ms|milliseconds?|s|seconds?|m|minutes?|h|hours?|d|days?|w|weeks?)\s*\Z", re.I)
_UNITS = {
    "ms": "milliseconds",
    "milli": "milliseconds",
    "s": "seconds",
    "m": "minutes",
    "h": "hours",
    "d": "days",
    "w": "weeks",
}


def span(text: str) -> timedelta:
    """Read a span. Raises ValueError with a sentence that names the text and what to write."""
    match = _SPAN.match(text)
    if match is None:
        raise ValueError(
            f"{text!r} is not a span of time; write a number and a unit, as in 10 minutes, 1 second or 90d"
        )
    unit = match[2].lower()
    name = "milliseconds" if unit.startswith(("ms", "milli")) else _UNITS[unit[0]]
    return timedelta(**{name: int(match[1])})


def spark_interval(value: timedelta) -> str:
    """A span as Spark reads it, in milliseconds."""
    return f"{value // timedelta(milliseconds=1)} milliseconds"
