"""Text that a command is given by a file or by a pipe."""

from __future__ import annotations

import sys
from pathlib import Path

from catalog.errors import InvalidInput


def text_of(file: Path, newline: str | None = None) -> str:
    """The text of a file, of standard input where its name is `-`. `newline`: "" keeps the ends of lines as they are.

    Raises InvalidInput where it cannot be read or is not UTF-8.
    """
    if str(file) == "-":
        return standard_input()
    try:
        with file.open(encoding="utf-8-sig", newline=newline) as opened:
            return opened.read()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InvalidInput(f"The file {file} cannot be read: {why}.") from None


def standard_input() -> str:
    """All of it as text. Raises InvalidInput where it is not UTF-8."""
    try:
        text = sys.stdin.read()
        text.encode()  # in some locales Python reads other bytes as halves of characters, which cannot be sent
    except UnicodeError:
        raise InvalidInput("Standard input is not UTF-8 text.") from None
    return text
