"""What follows the first candidates of an answer, so that its pages together hold every hit once. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.search.language.query import Question
from catalog.search.language.ranking import Ranked, rank
from catalog.search_model import IndexPage


def further(page: IndexPage, before: Sequence[Ranked], question: Question, weight: Sequence[float]) -> list[Ranked]:
    """What was not there before, in the order of the index: if it were ranked again, each page of an answer would have
    another order, and hits would be on two pages or on none."""
    seen = {each.hit.id for each in before}
    ranked = {each.hit.id: each for each in rank([hit for hit in page.hits if hit.id not in seen], question, weight)}
    return [ranked[hit.id] for hit in page.hits if hit.id in ranked]


def lacking(ranked: Sequence[Ranked], page: IndexPage) -> int:
    """How many hits the index's total does not count, as they lack a word and were found in another way."""
    counted = {hit.id for hit in page.hits}
    return sum(None in each.held and each.hit.id not in counted for each in ranked)
