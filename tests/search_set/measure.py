"""How good a ranking is: nDCG@10, reciprocal rank, and whether nothing right was found."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tests.search_set.judged import KINDS, Place, Query

DEPTH = 10
RIGHT = 2
"""What is only related (1) is not right."""


@dataclass(frozen=True, slots=True)
class Score:
    """`ndcg`, `rr`: 0..1. `missed`: nothing of grade 2 or 3 among the first ten."""

    ndcg: float
    rr: float
    missed: bool


@dataclass(frozen=True, slots=True)
class Mean:
    count: int
    ndcg: float
    mrr: float
    missed: int

    def to_json(self) -> dict[str, float]:
        return {
            "queries": self.count,
            "ndcg": round(self.ndcg, 4),
            "mrr": round(self.mrr, 4),
            "missed": self.missed,
        }


def score(places: Sequence[Place], grades: Mapping[Place, int]) -> Score:
    """A place that is found twice counts once."""
    gains: list[int] = []
    seen: set[Place] = set()
    for place in places[:DEPTH]:
        gains.append(0 if place in seen else grades.get(place, 0))
        seen.add(place)
    best = sorted(grades.values(), reverse=True)[:DEPTH]
    first = next((n for n, grade in enumerate(gains, 1) if grade >= RIGHT), None)
    return Score(_dcg(gains) / _dcg(best), 1 / first if first else 0.0, first is None)


def _dcg(grades: Iterable[int]) -> float:
    return sum((2.0**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


def scores(queries: Sequence[Query], ask: Callable[[str], Sequence[Place]]) -> list[Score]:
    return [score(ask(query.q), query.grades) for query in queries]


def means(queries: Sequence[Query], given: Sequence[Score], half: str | None = None) -> dict[str, Mean]:
    """Kind -> mean, and `all`; of one half of the set, or of both."""
    groups: dict[str, list[Score]] = defaultdict(list)
    for query, one in zip(queries, given, strict=True):
        if half in (None, query.half):
            groups[query.kind].append(one)
            groups["all"].append(one)
    return {kind: _mean(groups[kind]) for kind in (*KINDS, "all") if groups[kind]}


def _mean(given: Sequence[Score]) -> Mean:
    return Mean(
        len(given),
        statistics.fmean(s.ndcg for s in given),
        statistics.fmean(s.rr for s in given),
        sum(s.missed for s in given),
    )
