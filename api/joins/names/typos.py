"""Which known name a name is a typing error of. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz.distance import OSA

_SEGMENT = re.compile(r"[^\W\d_]+|\d+")
_SHORTEST = 4
"""Letters of a part that may be mistyped: shorter parts differ on purpose (`team-a`, `orders-eu`)."""


def nearest(name: str, known: Iterable[str], *, of_parts: bool = False) -> str | None:
    """The known name that `name` is most likely meant to be; None where no one is near.

    Near is a name that differs by the case of letters or by what separates its parts, or by a typing error in one part of four
    letters or more: one letter wrong, missing, added or swapped, two in a part of eight. Digits are never typing errors.
    `of_parts`: also a name whose first parts it is (`EMIAL` for EMAIL_ADDRESS).
    """
    parts = _parts(name)
    if not parts:
        return None
    ranked = [(far, len(each), each) for each in known if (far := _distance(parts, _parts(each), of_parts)) is not None]
    return min(ranked)[2] if ranked else None


def _distance(name: list[str], other: list[str], of_parts: bool) -> int | None:
    """Typing errors between the parts of two names; None where they are not near."""
    if "".join(name) == "".join(other):
        return 0
    if len(name) != len(other) and not (of_parts and len(name) < len(other) and len(name[0]) >= _SHORTEST):
        return None
    wrong = [(mine, theirs) for mine, theirs in zip(name, other, strict=False) if mine != theirs]
    if not wrong:
        return 2  # its first parts, without an error
    if len(wrong) > 1:
        return None
    mine, theirs = wrong[0]
    shortest = min(len(mine), len(theirs))
    if shortest < _SHORTEST or mine.isdigit() or theirs.isdigit():
        return None
    errors = OSA.distance(mine, theirs)
    if errors > (2 if shortest >= 8 else 1):
        return None
    return errors + (2 if len(name) != len(other) else 0)


def _parts(name: str) -> list[str]:
    return _SEGMENT.findall(name.casefold())
