"""Answers of `/search` and below."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from api.edge.answer import Answer, OpenAnswer, about, absent
from catalog.search import answers as found


class NeedleHeld(Answer):
    """How a hit holds one thing that was sought."""

    needle: str
    missing: Literal[True] = absent("It does not hold it.")
    in_: str = absent("Where: name, path, text, entity, ...", alias="in")
    how: str = absent("How: word, beginning, slip, stem or meaning.")
    quality: float = absent("0 to 1.")


class HitReasons(OpenAnswer):
    """Why a hit has its place: a number for each reason, and how it holds each thing that was sought."""

    held: list[NeedleHeld] = absent()


class HitBase(Answer):
    """What both kinds of hits hold."""

    namespace: str
    name: str
    cluster: str | None
    reference: str = about("CLUSTER/TOPIC of the dataset.")
    source: Literal["lineage", "catalog"]
    description: str
    terms: list[str]
    owners: list[str]
    format: dict[str, str]
    tags: list[str]
    entities: list[str] = about("Kinds of personal data.")
    score: float
    highlights: dict[str, list[str]] = about("HTML-escaped, <em> around what matched.")
    why: HitReasons = absent("Where `explain` was asked for.")


class FieldHit(HitBase):
    """A field that was found."""

    kind: Literal["field"]
    path: str
    states: dict[str, str] = about("Tag -> suggested, confirmed, or term.")
    types: list[str]
    presence: float | None = about(
        "Share of the records that hold it, 0 to 1; null where that is not known or withheld."
    )


class DatasetHit(HitBase):
    """A dataset that was found."""

    kind: Literal["dataset"]
    fields: int = about("How many fields search knows of it.")
    reported_tags: list[str] = about("Keys of tags that producers give.")
    type: str | None = about("As producers report.")
    lifecycle: str | None = about("As producers report.")
    certified: bool = absent("People vouch for it.")
    deprecated: bool = absent("It is to be used no more.")
    best_fields: list[FieldHit] = absent("Of a grouped answer.")
    matching_fields: int = absent("Of a grouped answer: how many fields fit.")
    matching_fields_complete: bool = absent("Of a grouped answer: whether that is all of them.")


def hit(each: found.Hit) -> DatasetHit | FieldHit:
    """One hit, built of what is indexed without a check of each key: a page has hundreds of them."""
    parts: dict[str, Any] = {
        **each.source,
        "score": round(each.score, 4),
        "highlights": {name: list(texts) for name, texts in each.highlights.items()},
    }
    if each.why is not None:
        parts["why"] = HitReasons.model_validate(each.why)
    if parts["kind"] == "field":
        return FieldHit.model_construct(**parts)
    if each.fields is not None:
        parts["best_fields"] = [hit(field) for field in each.fields]
    if each.matching is not None:
        parts["matching_fields"], parts["matching_fields_complete"] = each.matching
    return DatasetHit.model_construct(**parts)


class FacetCount(Answer):
    """How many hits have a value."""

    value: str
    count: int


class SearchAnswer(Answer):
    """What a search found."""

    total: int
    hits: list[Annotated[DatasetHit | FieldHit, Field(discriminator="kind")]]
    facets: dict[str, list[FacetCount]]
    left_out: list[str] = about("Words of the query that the best hit lacks.")
    did_you_mean: str | None = about("The words as they may be meant, without the filters typed among them.")
    filters: dict[str, list[str]] = about("Filters that were typed in the query.")

    @classmethod
    def of(cls, answer: found.SearchAnswer) -> SearchAnswer:
        return cls(
            total=answer.total,
            hits=[hit(each) for each in answer.hits],
            facets={
                name: [FacetCount(value=value, count=count) for value, count in counts]
                for name, counts in answer.facets.items()
            },
            left_out=list(answer.left_out),
            did_you_mean=answer.did_you_mean,
            filters={name: list(values) for name, values in answer.filters.items()},
        )


class SearchOpened(Answer):
    """Whether an opened answer counts."""

    counted: bool


class SearchSuggestion(Answer):
    """What the text may become."""

    text: str
    kind: str = about("dataset, field, or the name of a filter.")
    of: str | None = about("The dataset.")


class SearchSuggestions(Answer):
    """What is being typed may become."""

    suggestions: list[SearchSuggestion]
