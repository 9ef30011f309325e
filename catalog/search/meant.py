"""What a query would be with the words of what it found in place of those that were misspelled. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from catalog.search.language.matching import NeedleMatch
from catalog.search.language.query import Question
from catalog.search.language.ranking import Ranked
from catalog.search_model import Needle

_AS_TYPED = frozenset({"word", "beginning", "stem"})


def meant(ranked: Sequence[Ranked], question: Question) -> str | None:
    """The query as it was typed, without its filters: its quotes and other words stay. None where nothing is misspelled."""
    text = question.typed
    for at, needle in enumerate(question.needles):
        best = _slip([match for each in ranked if (match := each.held[at]) is not None])
        if best is not None:
            right = _corrected(needle, best)
            whole = r"\s+".join(map(re.escape, needle.text.split()))
            text = re.sub(rf"(?<!\S){whole}(?!\S)", _literally(right), text, flags=re.IGNORECASE)
    return text if text != question.typed else None


def _slip(matches: Sequence[NeedleMatch]) -> NeedleMatch | None:
    """The best match of a word that no hit has as it was typed. A slip comes before a guess at its meaning."""
    if any(match.how in _AS_TYPED for match in matches):
        return None
    best = max(matches, key=lambda match: (match.quality, match.how == "slip"), default=None)
    return best if best is not None and best.how == "slip" and best.word else None


def _corrected(needle: Needle, match: NeedleMatch) -> str:
    """`custmer_id` -> `customer_id`: the words that are wrong are changed, and what is between them stays."""
    if len(match.words) != len(needle.words):
        return match.word or needle.text
    text = needle.text
    for typed, right in zip(needle.words, match.words, strict=True):
        if not right.startswith(typed):
            text, changed = re.subn(re.escape(typed), _literally(right), text, count=1, flags=re.IGNORECASE)
            if not changed:  # accents were folded
                return " ".join(match.words)
    return text


def _literally(text: str) -> str:
    """As what replaces a pattern: a backslash is one."""
    return text.replace("\\", r"\\")
