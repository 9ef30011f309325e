"""What people write in questions, checked: directions, levels, depths, moments."""

from __future__ import annotations

from datetime import UTC, datetime

from catalog.errors import InvalidInput
from lineage.ingest.parse import parse_time
from lineage.model import NOW, Basis, Direction, Level

AsOf = datetime | int | str | None
"""A moment: a datetime, milliseconds since 1970, RFC 3339; None is now."""


def direction_of(value: Direction | str) -> Direction:
    try:
        return Direction(value)
    except ValueError:
        raise InvalidInput(
            f"direction {value!r} is not one: write upstream, downstream or both.", details={"direction": str(value)}
        ) from None


def basis_of(value: Basis | str) -> Basis:
    try:
        return Basis(value)
    except ValueError:
        raise InvalidInput(
            f"basis {value!r} is not one: write contents or last_run.", details={"basis": str(value)}
        ) from None


def level_of(value: Level | str) -> Level:
    try:
        return Level("column" if value == "field" else value)
    except ValueError:
        raise InvalidInput(
            f"level {value!r} is not one: write dataset or column.", details={"level": str(value)}
        ) from None


def depth_within(depth: int) -> int:
    if not 1 <= depth <= 100:
        raise InvalidInput(f"depth {depth} is out of range: 1 to 100.", details={"depth": depth})
    return depth


def as_of_time(value: AsOf) -> int:
    """Milliseconds of a time."""
    if value is None:
        return NOW
    if isinstance(value, datetime):
        value = value if value.tzinfo else value.replace(tzinfo=UTC)
        value = value.isoformat()
    at = value if isinstance(value, int) else parse_time(value)
    if at is None:
        raise InvalidInput(
            f"asOf {value!r} is not a time: write it as in 2026-03-01T00:00:00Z.", details={"asOf": str(value)}
        )
    return at
