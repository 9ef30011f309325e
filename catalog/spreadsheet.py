"""Texts in CSV files that a spreadsheet would run."""

from __future__ import annotations

import re

from catalog.unseen import MOVING

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_BEFORE = re.compile(rf"\A[\s{MOVING}\u200c\u200d]+")
"""What may precede a formula: spreadsheets drop a byte order mark and blanks, some what has no width."""
_CONTROL = ("\t", "\r", "\n")


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may take the text for a formula. Blanks before it do not keep it from that (OWASP, "CSV
    injection")."""
    return text.startswith(_CONTROL) or _BEFORE.sub("", text).startswith(_FORMULA)


def defused(text: str) -> str:
    """The text with an apostrophe before it where it may be a formula; spreadsheets do not show that."""
    return "'" + text if is_formula(text) else text
