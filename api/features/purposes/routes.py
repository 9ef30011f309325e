"""`/purposes`: the declared tree of what data is used for."""

from __future__ import annotations

from api.features.purposes import answers
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.access.purposes import PurposeUse
from policies.effective.dataset_access import SEES_ALL

router = FeatureRouter("/purposes", tags=["access"])


@router.get("", dependencies=[signed_in(KNOWN)])
def purposes(use: From[PurposeUse], identity: From[Identity], grants: From[Grants], caller: Caller) -> answers.Purposes:
    """Every declared purpose, and those that the caller's grants carry. Without any, purposes are free text."""
    listed = use.listed(with_users=bool(identity.permissions(caller) & SEES_ALL))
    granted = grants.purposes(caller)
    return answers.Purposes(
        purposes=[answers.DeclaredPurpose.of(each, frozenset(granted)) for each in listed.purposes],
        undeclared=[
            answers.UndeclaredPurpose(name=each.name, users=list(each.users), uses=each.uses)
            for each in listed.undeclared
        ],
        granted=list(granted),
    )
