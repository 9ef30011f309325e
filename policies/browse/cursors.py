"""Where a page of records begins: an opaque text between two pages. Pure."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from catalog.errors import InvalidInput

OLDER, NEWER = "older", "newer"
_LONGEST = 200_000
_LAST = 1 << 62


@dataclass(frozen=True, slots=True)
class Cursor:
    """direction  older: records below the bounds; newer: records from the bounds on
    bounds  partition -> offset; None where positions are withheld
    at      then the time: records stamped before it (older), or from it on (newer)
    """

    direction: str
    bounds: Mapping[int, int] | None = None
    at: datetime | None = None

    def text(self) -> str:
        """URL-safe, at most some ten characters a partition."""
        place: object = (
            [[p, o] for p, o in sorted(self.bounds.items())]
            if self.bounds is not None
            else int((self.at or datetime.fromtimestamp(0, UTC)).timestamp() * 1000)
        )
        packed = zlib.compress(json.dumps([self.direction, place], separators=(",", ":")).encode())
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def read_cursor(text: str) -> Cursor:
    """Raises InvalidInput for a text that no page gave."""
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(packed, _LONGEST)
        direction, place = json.loads(plain)
        if direction not in (OLDER, NEWER):
            raise ValueError(direction)
        if isinstance(place, list):
            bounds = {int(p): int(o) for p, o in place}
            if any(not 0 <= p < 1 << 31 or not 0 <= o <= _LAST for p, o in bounds.items()):
                raise ValueError(place)
            return Cursor(direction, bounds)
        return Cursor(direction, at=datetime.fromtimestamp(int(place) / 1000, UTC))
    except (ValueError, TypeError, OverflowError, OSError, zlib.error, RecursionError) as error:
        raise InvalidInput(
            "The cursor is not one that a page of records gave; leave it out to begin at the newest record.",
            details={"field": "cursor"},
        ) from error
