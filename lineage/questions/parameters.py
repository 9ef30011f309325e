"""What people write in questions, checked: directions, levels, depths, moments."""

from __future__ import annotations

from datetime import UTC, datetime

from catalog.errors import InvalidInput
from lineage.ingest.parse import parse_time
from lineage.model import NOW, Basis, Direction, Level

AsOf = datetime | int | str | None
"""A moment: a datetime, milliseconds since 1970, RFC 3339; None is now."""


def direction_of(given: Direction | str) -> Direction:
    try:
        return Direction(given)
    except ValueError:
        raise InvalidInput(
            f"direction {given!r} is not one: write upstream, downstream or both.", details={"direction": str(given)}
        ) from None


def basis_of(given: Basis | str) -> Basis:
    try:
        return Basis(given)
    except ValueError:
        raise InvalidInput(
            f"basis {given!r} is not one: write contents or last_run.", details={"basis": str(given)}
        ) from None


def level_of(given: Level | str) -> Level:
    try:
        return Level("column" if given == "field" else given)
    except ValueError:
        raise InvalidInput(
            f"level {given!r} is not one: write dataset or column.", details={"level": str(given)}
        ) from None


def depth_within(depth: int) -> int:
    if not 1 <= depth <= 100:
        raise InvalidInput(f"depth {depth} is out of range: 1 to 100.", details={"depth": depth})
    return depth


def as_of_time(given: AsOf) -> int:
    """Milliseconds of a time."""
    if given is None:
        return NOW
    if isinstance(given, datetime):
        given = given if given.tzinfo else given.replace(tzinfo=UTC)
        given = given.isoformat()
    at = given if isinstance(given, int) else parse_time(given)
    if at is None:
        raise InvalidInput(
            f"asOf {given!r} is not a time: write it as in 2026-03-01T00:00:00Z.", details={"asOf": str(given)}
        )
    return at
