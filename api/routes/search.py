"""`/search`: datasets and fields; asked as Marquez's clients ask, datasets and jobs of lineage."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BeforeValidator

from api.auth import Caller, ServicesOf
from api.routes import marquez
from api.routes.names import Limit, Offset

router = APIRouter(tags=["catalog"])


_Upper = BeforeValidator(lambda given: given.upper() if isinstance(given, str) else given)
_SORTS = {"UPDATED_AT": "UPDATE_AT"}
_Sort = BeforeValidator(lambda given: _SORTS.get(given.upper(), given.upper()) if isinstance(given, str) else given)


@router.get("/search")
@router.get("/search/", include_in_schema=False)
def search(
    built: ServicesOf,
    _: Caller,
    q: Annotated[str, Query(description="Words; quote a phrase. Empty lists everything.")] = "",
    kind: Annotated[Literal["dataset", "field"] | None, Query()] = None,
    tag: Annotated[str | None, Query(description="Only with this tag.")] = None,
    owner: Annotated[str | None, Query(description="Only of this owner.")] = None,
    entity: Annotated[
        str | None, Query(description="Only fields holding this kind of personal data; PII for any.")
    ] = None,
    namespace: Annotated[str | None, Query(description="Only of this namespace or cluster.")] = None,
    limit: Limit = 20,
    offset: Offset = 0,
    filter: Annotated[
        Literal["DATASET", "JOB"] | None,
        _Upper,
        Query(
            description="As Marquez's clients ask: the answer is in Marquez's shape, of lineage's datasets and jobs."
        ),
    ] = None,
    sort: Annotated[Literal["NAME", "UPDATE_AT"] | None, _Sort, Query(description="As `filter`.")] = None,
) -> dict[str, Any]:
    """Search as you type: names split into words, misspellings forgiven, filters, facets with counts."""
    if filter is not None or sort is not None:
        kind_of = filter.lower() if filter else None
        return marquez.search(built, q, kind_of, namespace, limit, by_time=sort == "UPDATE_AT")
    asked = {"kind": kind, "tag": tag, "owner": owner, "entity": entity, "namespace": namespace}
    filters = {name: [value] for name, value in asked.items() if value is not None}
    return built.search.search(q, filters=filters, limit=limit, offset=offset).to_json()
