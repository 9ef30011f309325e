"""`/search`: datasets and fields; asked as Marquez's clients ask, datasets and jobs of lineage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Query
from pydantic import BeforeValidator, Field

from api.edge.answer import RequestBody
from api.edge.parameters import Count, Limit, Offset, Text
from api.features.marquez import search as marquez
from api.features.marquez.answers import MarquezFoundPage
from api.features.search import answers
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from api.visibility.sight import SightRules, Sights
from catalog.errors import InvalidInput
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.search.clicks import Clicks

router = FeatureRouter(tags=["catalog"])


_Lower = BeforeValidator(lambda given: given.lower() if isinstance(given, str) else given)
_Upper = BeforeValidator(lambda given: given.upper() if isinstance(given, str) else given)
_SORTS = {"UPDATED_AT": "UPDATE_AT"}
_Sort = BeforeValidator(lambda given: _SORTS.get(given.upper(), given.upper()) if isinstance(given, str) else given)


@dataclass(frozen=True, slots=True)
class SearchParameters:
    """The query of `/search`."""

    q: Annotated[Text, Query(description="Words; quote a phrase. Empty lists everything.")] = ""
    kind: Annotated[list[Annotated[Literal["dataset", "field"], _Lower]] | None, Query()] = None
    tag: Annotated[list[Text] | None, Query(description="Only with this tag; PII for any of personal data.")] = None
    owner: Annotated[list[Text] | None, Query(description="Only of this user or group.")] = None
    entity: Annotated[
        list[Text] | None, Query(description="Only what holds this kind of personal data; PII for any.")
    ] = None
    namespace: Annotated[list[Text] | None, Query(description="Only of this namespace or cluster.")] = None
    cluster: Annotated[list[Text] | None, Query(description="Only of this cluster.")] = None
    format: Annotated[list[Text] | None, Query(description="Only with values of this format, as json or avro.")] = None
    source: Annotated[
        list[Annotated[Literal["lineage", "catalog"], _Lower]] | None,
        Query(description="lineage: known from producers alone; catalog: listed, scanned or declared."),
    ] = None
    dataset: Annotated[list[Text] | None, Query(description="Only fields of this dataset: its name or reference.")] = (
        None
    )
    type: Annotated[list[Text] | None, Query(description="Only fields of this type, as timestamp.")] = None
    has: Annotated[
        list[Annotated[Literal["description", "owner", "tag", "term"], _Lower]] | None,
        Query(description="Only with a description, owner, tag or term."),
    ] = None
    state: Annotated[
        list[Annotated[Literal["broken", "certified", "deprecated", "personal", "scanned"], _Lower]] | None,
        Query(
            alias="is",
            description="Only what is broken (has an open incident), certified, deprecated, personal or scanned.",
        ),
    ] = None
    term: Annotated[list[Text] | None, Query(description="Only what carries this term of the glossary.")] = None
    product: Annotated[list[Text] | None, Query(description="Only what belongs to this data product.")] = None
    property: Annotated[list[Text] | None, Query(description="Only with this property, as retention=gold.")] = None
    group: Annotated[
        Literal["dataset"] | None, Query(description="Answer with datasets, each with its best fields.")
    ] = None
    explain: Annotated[bool, Query(description="Give the reasons for each hit's place.")] = False
    limit: Limit = 20
    offset: Offset = 0
    filter: Annotated[
        Literal["DATASET", "JOB"] | None,
        _Upper,
        Query(
            description="As Marquez's clients ask: the answer is in Marquez's shape, of lineage's datasets and jobs."
        ),
    ] = None
    sort: Annotated[Literal["NAME", "UPDATE_AT"] | None, _Sort, Query(description="As `filter`.")] = None

    def filters(self) -> dict[str, Sequence[str]]:
        """Values by the names that filters have in queries; without those that were left out."""
        named: dict[str, Sequence[str] | None] = {
            "kind": self.kind or None,
            "tag": self.tag,
            "owner": self.owner,
            "entity": self.entity,
            "namespace": self.namespace,
            "cluster": self.cluster,
            "format": self.format,
            "source": self.source,
            "dataset": self.dataset,
            "type": self.type,
            "has": self.has,
            "is": self.state,
            "term": self.term,
            "product": self.product,
            "property": self.property,
        }
        return {name: values for name, values in named.items() if values is not None}

    def beside_marquez(self) -> list[str]:
        """Parameters that were given and that Marquez's clients do not know."""
        more = {"group": self.group, "explain": self.explain, "offset": self.offset}
        filters = [name for name, values in self.filters().items() if values and name != "namespace"]
        return [*filters, *(name for name, value in more.items() if value)]


@router.get("/search", dependencies=[signed_in(KNOWN)])
@router.get("/search/", dependencies=[signed_in(KNOWN)], include_in_schema=False)
def search(
    readers: From[Readers],
    store: From[CatalogStore],
    sights: From[SightRules],
    caller: Caller,
    query: Annotated[SearchParameters, Depends()],
) -> answers.SearchAnswer | MarquezFoundPage:
    """Search as you type: names split into words, other words for the same, misspellings forgiven, facets with counts.

    What holds all words comes first; where that is little, what lacks some follows, and `leftOut` names them.
    A filter may be given several times, or typed in the query (`owner:otto`); one of its values must fit.
    """
    reader = readers.of(caller)
    if query.filter is not None or query.sort is not None:
        _refuse(query.beside_marquez())
        kind = query.filter.lower() if query.filter else None
        where = query.namespace[0] if query.namespace else None
        return marquez.search(reader, query.q, kind, where, query.limit, by_time=query.sort == "UPDATE_AT")
    answer = answers.SearchAnswer.of(
        reader.search.search(
            query.q,
            filters=query.filters(),
            limit=query.limit,
            offset=query.offset,
            explain=query.explain,
            grouped=query.group is not None,
        )
    )
    seen = sights.of(caller)
    if not seen.unbounded:
        for hit in answer.hits:
            for field in (hit,) if isinstance(hit, answers.FieldHit) else hit.best_fields or ():
                _cut(field, store, seen)
    return answer


def _refuse(others: Sequence[str]) -> None:
    """What Marquez's clients never send would be left out of its answer. Raises InvalidInput."""
    if others:
        raise InvalidInput(
            f"{others[0]} does not go with filter or sort, by which Marquez's clients ask; leave out one or the other.",
            details={"field": others[0]},
        )


def _cut(field: answers.FieldHit, store: CatalogStore, sights: Sights) -> None:
    """Take from a hit what counts records, where the reader may not see it."""
    if field.presence is None:
        return
    record = store.dataset(DatasetId(field.namespace, field.name))
    if record is None or not sights.of(record).counts:
        field.presence = None


class OpenedAnswerBody(RequestBody):
    """An answer that was opened."""

    q: Text = Field(description="The query as it was typed.", examples=["customer email"])
    dataset: Text = Field(description="The dataset that was opened, or that of the field.", examples=["prod/orders"])


@router.post("/search/opened", dependencies=[signed_in(KNOWN, scope="read")])
def opened(
    readers: From[Readers], clicks: From[Clicks], caller: Caller, body: OpenedAnswerBody
) -> answers.SearchOpened:
    """Report which answer of a search was opened; it breaks ties when the same is asked again.

    Who opened it is not kept, and of the query only a keyed hash: it may hold personal data. `counted` is false for a
    query without words.
    """
    datasets = readers.of(caller).datasets
    record = datasets.get(datasets.find(body.dataset))
    return answers.SearchOpened(counted=clicks.opened(body.q, record.id))


@router.get("/search/suggest", dependencies=[signed_in(KNOWN)])
def suggest(
    readers: From[Readers],
    caller: Caller,
    q: Annotated[Text, Query(description="What was typed so far.")] = "",
    limit: Annotated[Count, Query(le=20, description="At most this many.")] = 10,
) -> answers.SearchSuggestions:
    """What is being typed may become: names of datasets and fields, or values of the filter that it ends with.

    `kind` is `dataset`, `field` or the name of the filter: `owner:ot` may become `otto` of kind `owner`.
    """
    return answers.SearchSuggestions(
        suggestions=[
            answers.SearchSuggestion(text=each.text, kind=each.kind, of=each.of)
            for each in readers.of(caller).search.suggest(q, limit)
        ]
    )
