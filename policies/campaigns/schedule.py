"""When a declared review is due to begin. Pure."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import datetime, timedelta

_MONTHS = {"monthly": 1, "quarterly": 3, "yearly": 12}


def occurrences(every: str, start: datetime) -> Iterator[datetime]:
    """The times of a schedule, from `start` on: once, monthly, quarterly, yearly, or `Nd`.

    Months are counted from `start`, so the 31st becomes the last day of a shorter month and the 31st again after it.
    """
    yield start
    if every == "once":
        return
    number = 1
    while True:
        try:
            if every in _MONTHS:
                yield _months_later(start, number * _MONTHS[every])
            else:
                yield start + timedelta(days=number * int(every.removesuffix("d")))
        except (OverflowError, ValueError):
            return  # the calendar ends in the year 9999
        number += 1


def due(every: str, start: datetime, declared: datetime, now: datetime) -> datetime | None:
    """The latest time of the schedule that has come and is not before the declaration; None when there is none.

    Times that were missed, as while no worker ran, are one: the latest. What is before the declaration never begins,
    but for `once`, which begins when it is declared if its time is over.
    """
    if every == "once":
        return start if start <= now else None
    latest = None
    for each in occurrences(every, start):
        if each > now:
            break
        if each >= declared:
            latest = each
    return latest


def _months_later(start: datetime, months: int) -> datetime:
    year, month = divmod(start.month - 1 + months, 12)
    year, month = start.year + year, month + 1
    return start.replace(year=year, month=month, day=min(start.day, calendar.monthrange(year, month)[1]))
