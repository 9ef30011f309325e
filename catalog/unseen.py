"""Characters that nobody sees, or that change how the text around them looks: two names that differ by one look the same."""

from __future__ import annotations

import re

_BLANK_LETTERS = "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
"""Unicode takes them for printable, and they have no shape of their own: fillers, joiners, variation selectors, an empty
braille cell."""
_BLANK = re.compile(f"[{_BLANK_LETTERS}]")

MOVING = (
    "\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f"
)
"""What of a text moves the cursor, turns the direction of writing or hides, as the inside of a set of a pattern: controls,
line ends, directional marks, blanks without width, tags. Joiners of emoji and of Indic letters are not among it."""

_MOVING = re.compile(f"[{MOVING}]")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def has_unseen(text: str) -> bool:
    """Whether a name has a character that is not printable, or that has no shape of its own."""
    return not text.isprintable() or _BLANK.search(text) is not None


def written_out(text: str) -> str:
    """A text with its line ends, control characters and what turns the direction of writing written out: `\\n`, `\\x1b`."""
    return _MOVING.sub(lambda match: _written(match[0]), text)


def _written(sign: str) -> str:
    code = ord(sign)
    if code < 256:
        return _SHORT.get(sign) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
