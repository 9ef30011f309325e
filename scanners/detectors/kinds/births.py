"""Dates of birth: what a date looks like, and how the years of birth of a population are distributed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime

from scanners.detectors.core.tally import Group

_DATE = re.compile(
    r"(\d{4})[-/.](\d\d)[-/.](\d\d)(?:[T ].*)?\Z|(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:[T ].*)?\Z|(\d{4})(\d\d)(\d\d)\Z"
)
_SHORT_DATE = re.compile(
    r"(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|[12]\d|3[01])[./-]\d\d\Z|((?:19|20)\d\d)(?:-(?:0[1-9]|1[0-2]))?\Z"
)
"""A year of two digits; or a year, or a year and a month, alone (FHIR)."""
_DATE_IN_WORDS = re.compile(
    r"\d{1,2}(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(\d{4}|\d\d)\Z|"
    r"(?:\d{1,2}(?:st|nd|rd|th|\.)?[ -])?[^\W\d_]{3,10}\.?[ -](?:\d{1,2}(?:st|nd|rd|th)?,?[ -])?(?:de )?(\d{4})\Z",
    re.I,
)
"""With the name of a month; the first form is that of passenger lists (IATA)."""

KEY = "DATE_OF_BIRTH|date"
YEARS_KEY = "DATE_OF_BIRTH|birth_years"
FIRST_YEAR = 1900
"""The earliest year of birth of somebody who may be a customer today."""
_RECENT = 10
"""Years before now in which hardly any customer, patient or employee is born."""
RECENT = "recent"


def named(counts: Mapping[str, int]) -> Counter[str]:
    """Counters of a field that is called as dates of birth are: which texts are a possible one."""
    group = Group(counts)
    for text in counts:
        if text:
            group.add(text, _year(text.strip()) is not None)
    return group.counters()


def looks_like_dates(first: str) -> bool:
    """Whether a column may be one of whole days: its first text is a day without a time of the day."""
    return _whole_day(first.strip()) is not None


def by_years(counts: Mapping[str, int]) -> Counter[str]:
    """Counters of days in a field whose name is neutral: valid ones, by decade, and those of the last years."""
    group, now = Group(counts), _today().year
    for text in counts:
        year = _whole_day(text.strip()) if text else None
        marks = () if year is None else (f"decade_{year // 10}", *((RECENT,) if year > now - _RECENT else ()))
        group.add(text, year is not None, *marks)
    return group.counters()


def _today() -> date:
    return datetime.now(UTC).date()


def _possible(year: int) -> int | None:
    return year if FIRST_YEAR <= year <= _today().year else None


def _year(text: str) -> int | None:
    """The year of a date of birth, 0 where two digits leave the century open; None for what can be none."""
    if _DATE.match(text):
        return _day(text)
    short = _SHORT_DATE.match(text)
    if short:
        return _possible(int(short[1])) if short[1] else 0
    written = _DATE_IN_WORDS.match(text)
    if not written:
        return None
    year = written[1] or written[2]
    return _possible(int(year)) if len(year) == 4 else 0


def _whole_day(text: str) -> int | None:
    """The year of a day that is written with all its digits and without a time, midnight aside."""
    if _TIME_OF_DAY.search(text):
        return None
    return _day(text)


_TIME_OF_DAY = re.compile(r"[T ](?!00:00)\d\d:\d\d|[T ]\d\d:\d\d:(?!00)")


def _day(text: str) -> int | None:
    match = _DATE.match(text)
    if not match:
        return None
    ordered = (match[1], match[2], match[3]) if match[1] else (match[6], match[5], match[4])
    year, month, day = map(int, ordered if ordered[0] else (match[7], match[8], match[9]))
    if month > 12:
        month, day = day, month
    try:
        born = date(year, month, day)
    except ValueError:
        return None
    return _possible(born.year) if born <= _today() else None
