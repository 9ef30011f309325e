"""`/purposes`: the declared tree of what data is used for."""

from __future__ import annotations

from typing import Any

from api.edge.openapi import answers_with
from api.features.purposes import answers as schemas
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import InstanceOf
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.access.purposes import PurposeUse
from policies.effective.dataset_access import SEES_ALL

router = FeatureRouter(tags=["access"])


@router.get(
    "/purposes",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(schemas.Purposes),
)
def purposes(built: InstanceOf, subject: Caller) -> Any:
    """Every declared purpose, and those that the caller's grants carry. Without any, purposes are free text."""
    answer = built[PurposeUse].listed(with_users=bool(built[Identity].permissions(subject) & SEES_ALL))
    granted = built[Grants].purposes(subject)
    mine = set(granted)
    for each in answer["purposes"]:
        each["yours"] = each["name"] in mine
    return {**answer, "granted": granted}
