"""Names that look like the one that was asked for."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher


def nearest(text: str, candidates: Iterable[str], limit: int) -> list[str]:
    """The candidates most like `text`, best first; unlike ones are left out."""
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(text)
    ranked: list[tuple[float, str]] = []
    for candidate in set(candidates):
        matcher.set_seq1(candidate)
        if matcher.real_quick_ratio() >= 0.6 and matcher.quick_ratio() >= 0.6 and (score := matcher.ratio()) >= 0.6:
            ranked.append((-score, candidate))
    return [candidate for _, candidate in sorted(ranked)[:limit]]
