"""When a notice is sent, by a person's preference. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from catalog.errors import InvalidInput
from policies.notify.notices import Digest, Preference

_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")


def due(preference: Preference, now: datetime) -> tuple[datetime, str | None]:
    """When to send what comes now, and the key of the digest it is collected in; None: it is sent alone."""
    match preference.digest:
        case Digest.HOURLY:
            moment = next_hour(now)
        case Digest.DAILY:
            moment = _next_day(now, preference.at, preference.zone)
        case _:
            return now, None
    return moment, f"{preference.digest}:{moment.isoformat()}"


def next_hour(now: datetime) -> datetime:
    """The next full hour, UTC."""
    return now.astimezone(UTC).replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


def _next_day(now: datetime, at: str, zone: str) -> datetime:
    """The next moment at which clocks of the zone show `at`. In an hour that a change of clocks leaves out: as much later."""
    place = zone_of(zone)
    local = now.astimezone(place)
    time = time_of(at)
    for days in (0, 1, 2):
        day = local.date() + timedelta(days=days)
        moment = datetime.combine(day, time, place).astimezone(UTC)
        if moment > now:
            return moment
    raise AssertionError("one of the next two days has this time")


def time_of(text: str) -> time:
    """`08:00`. Raises InvalidInput."""
    parsed = _TIME.fullmatch(text)
    if parsed is None:
        raise InvalidInput(f"{text[:20]!r} is not a time of day; write HH:MM, as in 08:00.", details={"field": "at"})
    return time(int(parsed[1]), int(parsed[2]))


def zone_of(name: str) -> ZoneInfo:
    """Raises InvalidInput for a name that is not in the time zone database."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput(
            f"{name[:60]!r} is not a time zone; write a name such as Europe/Berlin or UTC.", details={"field": "zone"}
        ) from None
