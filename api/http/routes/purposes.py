"""`/purposes`: the declared tree of what data is used for."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from api.http.callers.auth import Caller, ServicesOf
from api.http.edge.openapi import answers_with
from api.http.schemas import purposes as schemas
from policies.effective.dataset_access import SEES_ALL

router = APIRouter(tags=["access"])


@router.get("/purposes", responses=answers_with(schemas.Purposes))
def purposes(built: ServicesOf, subject: Caller) -> Any:
    """Every declared purpose, and those that the caller's grants carry. Without any, purposes are free text."""
    answer = built.purposes.listed(with_users=bool(built.identity.permissions(subject) & SEES_ALL))
    granted = built.grants.purposes(subject)
    mine = set(granted)
    for each in answer["purposes"]:
        each["yours"] = each["name"] in mine
    return {**answer, "granted": granted}
