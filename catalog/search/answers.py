"""What a search answers. Plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Hit:
    """A dataset or a field.

    highlights  HTML-escaped, `<em>` around what matched
    why         the reasons for its place, where they were asked for
    fields      of a grouped answer: the dataset's best fields
    matching    of a grouped answer: how many fields of the dataset were found, and whether that is all of them
    """

    score: float
    source: Mapping[str, Any]
    highlights: Mapping[str, Sequence[str]]
    why: Mapping[str, Any] | None = None
    fields: tuple[Hit, ...] | None = None
    matching: tuple[int, bool] | None = None


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """`left_out`: words of the query that the best hit does not hold; `did_you_mean`: the query without
    its filters, with words of the hits in place of those that were misspelled; `filters`: those that were typed in the query."""

    total: int
    hits: tuple[Hit, ...]
    facets: Mapping[str, Sequence[tuple[str, int]]]
    left_out: tuple[str, ...] = ()
    did_you_mean: str | None = None
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What may be typed. kind: dataset | field, or the name of the filter of which it is a value. `of`: the dataset, for a
    dataset or a field."""

    text: str
    kind: str
    of: str | None = None
