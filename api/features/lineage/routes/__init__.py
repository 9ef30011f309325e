"""Routes of lineage. `/jobs/runs/{run_id}` comes before `/jobs/{namespace}/{name}`, which fits the same paths."""

from __future__ import annotations

from fastapi import APIRouter

from api.features.lineage.routes import announcements, events, graph, jobs, observed, readers, runs, statements

router = APIRouter()
for part in (events, runs, graph, announcements, jobs, observed, readers, statements):
    router.include_router(part.router)
