"""Routes of Marquez."""

from __future__ import annotations

from fastapi import APIRouter

from api.features.marquez.routes import datasets
from api.guard.router import PREFIX

router = APIRouter()
router.include_router(datasets.router, prefix=PREFIX)
