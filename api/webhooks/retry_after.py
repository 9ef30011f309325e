"""How long a server asks to be left alone, by its header Retry-After."""

from __future__ import annotations

import httpx

_MOST_S = 86_400.0
"""A day: a server that names more would be asked no more."""


def pause_of(answer: httpx.Response) -> float | None:
    """Seconds; None without the header, or with its other form, a date, which is rare: the pause is ours to choose then."""
    text = answer.headers.get("retry-after", "")
    return min(_MOST_S, float(text)) if text.isascii() and text.isdigit() else None
