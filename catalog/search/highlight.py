"""Marks what a query found in a text, as HTML that is safe to show: everything but `<em>` is escaped. Pure."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from typing import Any

from catalog.search_model import Needle
from catalog.tokens import CHUNK, fold, parts, split

_SHOWN = ("name", "path", "description")
_AROUND = 80  # letters of a description shown on each side of the first mark


def highlights(source: Mapping[str, Any], needles: Iterable[Needle]) -> dict[str, list[str]]:
    """{name|path|description|tags|owners: [marked text]} of the texts that contain a word of the query."""
    needles = list(needles)
    words = {word for needle in needles for word in needle.words}
    joined = {"".join(needle.words) for needle in needles if len(needle.words) > 1}
    marked_texts: dict[str, list[str]] = {}
    if not words:
        return marked_texts
    for name in _SHOWN:
        text = source.get(name)
        if isinstance(text, str) and (marked := mark(text, words, joined, shorten=name == "description")):
            marked_texts[name] = [marked]
    for name in ("tags", "owners", "entities"):
        marked_all = [m for text in source.get(name) or () if (m := mark(str(text), words, joined))]
        if marked_all:
            marked_texts[name] = marked_all
    return marked_texts


def mark(text: str, words: Set[str], joined: Set[str] = frozenset(), shorten: bool = False) -> str | None:
    """The text with its matching words in `<em>`, or None when none matches. A word matches by its beginning."""
    spans: list[tuple[int, int]] = []
    for chunk in CHUNK.finditer(text):
        start, (whole, inside, exact) = chunk.start(), _read(chunk.group())
        if whole in joined or whole in words:
            spans.append(chunk.span())
        elif exact:
            for begin, _, part in inside:
                if hit := max((len(word) for word in words if part.startswith(word)), default=0):
                    spans.append((start + begin, start + begin + hit))
        elif any(part.startswith(word) for _, _, part in inside for word in words):
            spans.append(chunk.span())
    if not spans:
        return None
    first, last = 0, len(text)
    if shorten:
        first, last = max(0, spans[0][0] - _AROUND), min(len(text), spans[0][1] + _AROUND)
    pieces, at = ["…" if first else ""], first
    for left, right in spans:
        if left < at or right > last:
            continue
        pieces += [html.escape(text[at:left]), "<em>", html.escape(text[left:right]), "</em>"]
        at = right
    return "".join([*pieces, html.escape(text[at:last]), "…" if last < len(text) else ""])


@lru_cache(20_000)
def _read(chunk: str) -> tuple[str, tuple[tuple[int, int, str], ...], bool]:
    """A run of letters and digits as one word, its parts with where they begin and end, and whether these places are those of
    the chunk: folding may move letters, and then the whole is to be marked."""
    folded = fold(chunk)
    inside = tuple((start, end, folded[start:end].lower()) for start, end in parts(folded))
    return "".join(split(chunk)), inside, len(folded) == len(chunk)
