"""What a pipe gives to a command."""

from __future__ import annotations

import sys

from catalog.errors import InvalidInput


def standard_input() -> str:
    """All of it as text. Raises InvalidInput where it is not UTF-8."""
    try:
        text = sys.stdin.read()
        text.encode()  # in some locales Python reads other bytes as halves of characters, which cannot be sent
    except UnicodeError:
        raise InvalidInput("Standard input is not UTF-8 text.") from None
    return text
