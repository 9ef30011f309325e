"""The clock of an instance, which every service gets when it is joined."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The present, UTC."""
    return datetime.now(UTC)
