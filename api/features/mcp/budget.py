"""Cuts an answer to a number of characters: at a whole item, with what is left out counted and named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from api.features.mcp.fence import as_json

LONGEST_TEXT = 2_000
"""Characters of one text in an answer; the rest is counted."""
_SHORTER_TEXTS = (500, 120)
_SHORTER_LISTS = (50, 10, 2)
_SHORTEST = 40
"""Below this many characters a text is never cut."""


@dataclass(frozen=True, slots=True)
class FittingAnswer:
    """An answer that fits.

    data      what is shown, JSON-ready
    shown     items of the main list in it
    written   the data as text, where that is already known; else None
    cut_texts texts of which only the beginning is shown
    cut_lists inner lists of which only the beginning is shown
    """

    data: dict[str, object]
    shown: int
    cut_texts: int = 0
    cut_lists: int = 0
    written: str | None = None


class _Shortener:
    """Copies JSON with texts and lists of bounded length; counts what it cuts. JSON is of dicts and lists alone, so no abstract
    classes are asked here: answers have thousands of values."""

    def __init__(self, text: int, items: int | None) -> None:
        self._text, self._items = text, items
        self.texts = self.lists = 0

    def short(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._short_text(value)
        if isinstance(value, dict):
            return {key: self.short(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            shown = value if self._items is None else value[: self._items]
            self.lists += len(shown) < len(value)
            return [self.short(each) for each in shown]
        return value

    def _short_text(self, text: str) -> str:
        if len(text) <= max(self._text, _SHORTEST):
            return text
        self.texts += 1
        return f"{text[: self._text]}... [{len(text) - self._text:,} more characters]"


def fit(data: Mapping[str, Any], items: str | None, most: int) -> FittingAnswer:
    """Cut an answer to `most` characters of JSON.

    `items`: key of the main list, whose first items are kept whole as many as fit. Where not even one fits, or the rest of the
    answer is too long, its texts and inner lists become shorter until it does. Raises ValueError where `most` is too small for
    an empty answer of this shape.
    """
    whole = _whole(data, items, most)
    if whole is not None:
        return whole
    cut = FittingAnswer(dict(data), 0)
    for texts, lists in ((LONGEST_TEXT, None), *zip(_SHORTER_TEXTS * 2, (None, *_SHORTER_LISTS), strict=True)):
        cut = _fit(data, items, most, _Shortener(texts, lists))
        if (cut.shown or not items or not data[items]) and len(as_json(cut.data)) <= most:
            return cut
    if len(as_json(cut.data)) <= most:
        return cut
    bare = {
        key: [] if key == items else value
        for key, value in cut.data.items()
        if not isinstance(value, (dict, list, str))
    }
    bare |= {items: []} if items else {}
    if len(as_json(bare)) > most:
        raise ValueError(f"{most} characters are too few for an answer")
    return FittingAnswer(bare, 0, cut.cut_texts, cut.cut_lists + 1)


def _whole(data: Mapping[str, Any], items: str | None, most: int) -> FittingAnswer | None:
    """Everything, where it fits without cutting a list: most answers are written once. None where it does not."""
    shortener = _Shortener(LONGEST_TEXT, None)
    short = {key: shortener.short(value) for key, value in data.items()}
    written = as_json(short)
    if len(written) > most:
        return None
    return FittingAnswer(short, len(short[items]) if items else 0, shortener.texts, shortener.lists, written)


def _fit(data: Mapping[str, Any], items: str | None, most: int, shortener: _Shortener) -> FittingAnswer:
    rest = {key: [] if key == items else shortener.short(value) for key, value in data.items()}
    if items is None:
        return FittingAnswer(rest, 0, shortener.texts, shortener.lists)
    room = most - len(as_json(rest))
    kept: list[Any] = []
    counts = (shortener.texts, shortener.lists)
    for each in data[items]:
        shown = shortener.short(each)
        room -= len(as_json(shown)) + 1
        if room < 0:
            break
        kept.append(shown)
        counts = (shortener.texts, shortener.lists)
    return FittingAnswer({**rest, items: kept}, len(kept), *counts)


def without_empty(value: Any) -> Any:
    """JSON without keys whose value is null, an empty text, list or object: an answer is read by the character."""
    if isinstance(value, dict):
        kept = {key: without_empty(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each is not None and each not in ("", [], {})}
    if isinstance(value, list):
        return [without_empty(each) for each in value]
    return value
