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

    def to_json(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            **self.source,
            "score": round(self.score, 4),
            "highlights": {k: list(v) for k, v in self.highlights.items()},
        }
        if self.why is not None:
            shown["why"] = dict(self.why)
        if self.fields is not None:
            shown["bestFields"] = [each.to_json() for each in self.fields]
        if self.matching is not None:
            shown["matchingFields"], shown["matchingFieldsComplete"] = self.matching
        return shown


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

    def to_json(self) -> dict[str, Any]:
        return {
            "total": self.total,
            "hits": [hit.to_json() for hit in self.hits],
            "facets": {
                name: [{"value": value, "count": count} for value, count in counts]
                for name, counts in self.facets.items()
            },
            "leftOut": list(self.left_out),
            "didYouMean": self.did_you_mean,
            "filters": {name: list(values) for name, values in self.filters.items()},
        }


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What may be typed. kind: dataset | field, or the name of the filter of which it is a value. `of`: the dataset, for a
    dataset or a field."""

    text: str
    kind: str
    of: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, "kind": self.kind, "of": self.of}
