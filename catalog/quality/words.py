"""An anomaly in words: what was measured, and what is usual."""

from __future__ import annotations

from datetime import datetime

from catalog.quality.series import Measure, Series
from catalog.quality.usual import Kind

_DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")


def reason(name: str, series: Series, value: float, low: float, high: float, kind: Kind, at: datetime) -> str:
    """`orders: 40 records an hour, usually 900 to 1,100 on Fridays at 14:00 UTC`; without a point at its end."""
    share = series.measure.is_share
    usually = _range(series, low, high)
    return f"{name}: {_measured(series, value)}, usually {'in ' if share else ''}{usually}{_when(kind, at)}"


def title(name: str, series: Series) -> str:
    """`The volume of orders is unusual`: without figures, so that all who may know the dataset may read it."""
    path = series.path
    what = {
        Measure.VOLUME: f"The volume of {name}",
        Measure.RECORDS: f"The number of records read of {name}",
        Measure.LATENESS: f"The age of the newest record of {name}",
        Measure.NULLS: f"The share of nulls of {path} in {name}",
        Measure.PRESENCE: f"The presence of {path} in {name}",
        Measure.DISTINCT: f"The number of different values of {path} in {name}",
        Measure.TYPE: f"The share of the type {series.type} of {path} in {name}",
    }[series.measure]
    return f"{what} is unusual"


def _measured(series: Series, value: float) -> str:
    path = series.path
    match series.measure:
        case Measure.VOLUME:
            return f"{_number(value)} records an hour"
        case Measure.RECORDS:
            return f"{_number(value)} records read"
        case Measure.LATENESS:
            return f"the newest record is {_duration(value)} old"
        case Measure.NULLS:
            return f"{path} is null in {_percent(value)} of its occurrences"
        case Measure.PRESENCE:
            return f"{path} is in {_percent(value)} of the records"
        case Measure.DISTINCT:
            return f"{path} has about {_number(value)} different values"
        case Measure.TYPE:
            return f"{path} is {series.type} in {_percent(value)} of its occurrences"


def _range(series: Series, low: float, high: float) -> str:
    if series.measure is Measure.LATENESS:
        least, most = _duration(low), _duration(high)
    elif series.measure.is_share:
        least, most = _percent(low), _percent(high)
    else:
        least, most = _number(low), _number(high)
    if least == most:
        return most
    ends = least.rpartition(" ")
    same_unit = ends[1] and ends[2] == most.rpartition(" ")[2]
    return f"{ends[0] if same_unit else least} to {most}"


def _when(kind: Kind, at: datetime) -> str:
    hour = f"at {at.hour:02}:00 UTC"
    return {"week": f" on {_DAYS[at.weekday()]} {hour}", "day": f" {hour}"}.get(kind, "")


def _number(value: float) -> str:
    """Three digits are enough to compare."""
    if value == 0:
        return "0"
    if value < 10:
        return f"{value:.2g}"
    digits = max(0, len(str(int(value))) - 3)
    return f"{round(value / 10**digits) * 10**digits:,}"


def _percent(share: float) -> str:
    percent = share * 100
    if 0 < percent < 0.1:
        return "less than 0.1 %"
    return f"{percent:.3g} %"


def _duration(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"
