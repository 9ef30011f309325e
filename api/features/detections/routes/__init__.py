"""Routes of detections: `/classifications`, those of one dataset, and `/recognizers`."""

from __future__ import annotations

from fastapi import APIRouter

from api.features.detections.routes import classifications, recognizers

router = APIRouter()
router.include_router(classifications.router)
router.include_router(recognizers.router)
