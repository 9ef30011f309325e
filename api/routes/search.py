"""`/search`: datasets and fields."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from api.auth import Caller, ServicesOf
from api.routes.names import Limit, Offset

router = APIRouter(tags=["catalog"])


@router.get("/search")
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
) -> dict[str, Any]:
    """Search as you type: names split into words, misspellings forgiven, filters, facets with counts."""
    asked = {"kind": kind, "tag": tag, "owner": owner, "entity": entity, "namespace": namespace}
    filters = {name: [value] for name, value in asked.items() if value is not None}
    return built.search.search(q, filters=filters, limit=limit, offset=offset).to_json()
