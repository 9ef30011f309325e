"""Routes of lineage."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from api.edge.parameters import only_known
from api.features.lineage.routes import graph, readers
from api.guard.router import PREFIX

router = APIRouter()
router.include_router(graph.producers, prefix=PREFIX)
router.include_router(graph.router, prefix=PREFIX, dependencies=[Depends(only_known)])
router.include_router(readers.router, prefix=PREFIX, dependencies=[Depends(only_known)])
