"""What was ranked, as a search answers it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.search.answers import Hit, SearchAnswer
from catalog.search.highlight import highlights
from catalog.search.language.query import Question
from catalog.search.language.ranking import Ranked
from catalog.search.meant import meant
from catalog.search_model import IndexPage


def answer_of(
    total: int, hits: tuple[Hit, ...], page: IndexPage, ranked: Sequence[Ranked], question: Question
) -> SearchAnswer:
    """What a search answers, with what its best hit lacks and how it was misspelled."""
    best = ranked[0] if ranked else None
    exact = best is not None and "exact" in best.reasons
    lacking = (
        []
        if best is None or exact
        else [
            text
            for needle, match in zip(question.needles, best.held, strict=True)
            for text in ((needle.text,) if match is None else match.lacking)
        ]
    )
    return SearchAnswer(
        total=total,
        hits=hits,
        facets=page.facets,
        left_out=tuple(lacking),
        did_you_mean=None if best is None or exact else meant(ranked, question),
        filters=question.filters,
    )


def hit_of(ranked: Ranked, question: Question, explain: bool) -> Hit:
    """What a search shows of it. explain: with the reasons for its place."""
    why: dict[str, object] | None = None
    if explain:
        why = {name: round(value, 4) for name, value in ranked.reasons.items()}
        why["held"] = [
            {"needle": needle.text, "missing": True}
            if match is None
            else {"needle": match.needle, "in": match.where, "how": match.how, "quality": round(match.quality, 3)}
            for needle, match in zip(question.needles, ranked.held, strict=True)
        ]
    return Hit(ranked.score, ranked.hit.source, highlights(ranked.hit.source, question.needles), why)
