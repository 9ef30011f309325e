"""Texts without personal data, whatever the name of their field suggests: states, and addresses of pages and files."""

from __future__ import annotations

import re

_STATES = frozenset(
    {
        "true", "false", "yes", "no", "enabled", "disabled", "active", "inactive", "unknown", "undefined", "none", "null",
        "other", "n/a",
    }
)  # fmt: skip

_ADDRESS = re.compile(r"\s*(?:(?:[a-z][a-z0-9+.-]{1,15}:)?//[^\s/]|www\.\w|/[\w.-]+/)", re.I)


def is_state(text: str) -> bool:
    """Whether a text is one word for a yes, a no, or the lack of an answer."""
    return text.strip().lower() in _STATES


def is_address(text: str) -> bool:
    """Whether a text begins as a URL or a path does (RFC 3986: an authority behind two slashes, or a path)."""
    return _ADDRESS.match(text) is not None


def drawn_at_random(token: str) -> bool:
    """Whether the characters of a token look drawn at random: words and version numbers, as in the name of a file, do not.

    Half of its characters are in pieces that mix digits with letters, or capitals with small letters.
    """
    pieces = re.findall(r"[A-Za-z0-9]+", token)
    mixed = sum(len(piece) for piece in pieces if _mixed(piece))
    return mixed * 2 >= sum(map(len, pieces)) > 0


_MIXED = re.compile(r"[a-zA-Z]\d|\d[a-zA-Z]|[a-z][A-Z]")


def _mixed(piece: str) -> bool:
    return len(_MIXED.findall(piece)) * 6 >= len(piece)
