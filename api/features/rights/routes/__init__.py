"""Routes of rights at the brokers: as they are, and made equal to what Weir grants."""

from __future__ import annotations

from fastapi import APIRouter

from api.features.rights.routes import consumers, plan, present

router = APIRouter()
for part in (present, plan, consumers):
    router.include_router(part.router)
