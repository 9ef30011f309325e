"""CSV as RFC 4180 has it, with care for spreadsheets that run what they open.

A text that begins with = + - @ (after blanks too) or a tab is a formula to a spreadsheet. Topics hold what strangers
typed, so by default such a text gets a ' before it, which spreadsheets do not show (OWASP, "CSV injection"). Numbers,
times and other types stay as they are. NULL is an empty cell, an empty text is "".
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from catalog.spreadsheet import defused

_QUOTED = frozenset('",\r\n\t')


class CsvText(StrEnum):
    """`?csv=`: texts a spreadsheet would run are defused (safe), or written as they are (plain)."""

    SAFE = "safe"
    PLAIN = "plain"


def csv_line(values: Sequence[Any], kinds: Sequence[str], text: CsvText) -> str:
    """One line. `kinds` are the columns' types as answers name them; only texts and what is written as one are defused."""
    return ",".join(_cell(v, kind, text) for v, kind in zip(values, kinds, strict=True)) + "\r\n"


def _cell(value: Any, kind: str, text: CsvText) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if not isinstance(value, str):
        written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    elif kind == "string" and text is CsvText.SAFE:
        written = defused(value)
    else:
        written = value
    if not written or not _QUOTED.isdisjoint(written) or written[0] == " " or written[-1] == " ":
        return '"' + written.replace('"', '""') + '"'
    return written
