"""Marquez's read paths in Marquez's shapes: its web pages and clients work on this graph as they are. Nothing here writes.

`GET /lineage` and `GET /jobs/runs/{run_id}` answer for both and are routes of lineage; `/search` is a route of search.
"""

from __future__ import annotations

from fastapi import APIRouter

from api.features.marquez.routes import datasets, jobs, namespaces

router = APIRouter()
for part in (namespaces, datasets, jobs):
    router.include_router(part.router)
