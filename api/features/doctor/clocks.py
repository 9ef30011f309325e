"""Differences between this machine's clock and those of servers, from what they answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from email.utils import parsedate_to_datetime

from api.features.doctor.findings import Finding, ok, warning

LIMIT_SECONDS = 5.0


def difference(theirs: float, before: float, after: float, resolution: float = 0.0) -> float:
    """Seconds that their clock is ahead of ours at least (behind: below 0); 0 where it fits into the call.

    theirs         their time, in seconds since 1970, at some moment of the call
    before, after  ours when the call began and when it ended
    resolution     of their time, which is rounded down
    """
    if theirs + resolution < before:
        return theirs + resolution - before
    return max(0.0, theirs - after)


def clock(name: str, seconds: float) -> Finding:
    """What a difference of so many seconds means."""
    name = f"{name} clock"
    if abs(seconds) <= LIMIT_SECONDS:
        return ok(name, f"Its clock and ours differ by {abs(seconds):.1f} seconds at most.")
    side = "ahead of" if seconds > 0 else "behind"
    return warning(
        name,
        f"Its clock is {abs(seconds):.0f} seconds {side} the clock of this machine.",
        "Have both machines keep their time by NTP.",
    )


def http_clock(name: str, date: str | None, before: float, after: float) -> Iterator[Finding]:
    """From the header `Date` of an answer, which counts whole seconds; nothing where there is none."""
    with suppress(TypeError, ValueError):
        if date:
            yield clock(name, difference(parsedate_to_datetime(date).timestamp(), before, after, 1.0))


def asked_clock(name: str, ask: Callable[[], float]) -> Finding:
    """From a question that gives their time in seconds since 1970."""
    before = time.time()
    theirs = ask()
    return clock(name, difference(theirs, before, time.time()))
