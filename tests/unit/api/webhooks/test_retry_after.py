"""What a server asks by Retry-After, whatever it writes there."""

from __future__ import annotations

import httpx
import pytest

from api.webhooks.retry_after import pause_of


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("77", 77.0),
        ("0", 0.0),
        ("9" * 400, 86_400.0),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("\xb2", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
    ],
)
def test_seconds_are_taken_and_nothing_else(text: str, seconds: float | None) -> None:
    assert pause_of(httpx.Response(429, headers=[(b"retry-after", text.encode("latin-1"))])) == seconds


def test_no_header_is_no_pause() -> None:
    assert pause_of(httpx.Response(503)) is None
