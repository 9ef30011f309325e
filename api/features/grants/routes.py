"""`/grants`: list, end, extend."""

from __future__ import annotations

from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Instant, Name, Text
from api.features.access_requests.answers import AccessRequest
from api.features.grants import answers
from api.guard.guards import Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.wiring.clock import now
from policies.access.grants import Grants
from policies.requests.extensions import Extensions
from policies.requests.view import RequestView

router = FeatureRouter("/grants", tags=["access"])


class ExtensionBody(RequestBody):
    """A later end of a grant."""

    until: Instant
    reason: str = Field("", max_length=2000, description="A word to the approvers.")
    ticket: str = Field("", max_length=100, description="Id of a ticket in another system.")


@router.get(
    "", dependencies=[signed_in("all for `manage` and `report:read`; those of a dataset for its owners", agents=True)]
)
def list_grants(grants: From[Grants], extensions: From[Extensions], caller: Caller) -> answers.Grants:
    """The caller's grants; all of them for those who manage or report. `mayRevoke`: whether the caller may end it."""
    moment = now()
    return answers.Grants(
        grants=[
            answers.ListedGrant.of(
                each,
                moment,
                may_revoke=grants.may_revoke(caller, each),
                may_extend=extensions.may_extend(caller, each.name),
            )
            for each in grants.list(caller, everybody=True)
        ]
    )


@router.delete(
    "/{name}",
    dependencies=[
        needs("manage", others="its holder, its approvers, owners of the dataset", unseen=True, scope="request")
    ],
)
def revoke(grants: From[Grants], caller: Caller, name: Name, reason: Text = "") -> answers.Grant:
    """End a grant now. Queries admitted after this answer no longer see it; live ones end."""
    return answers.Grant.of(grants.revoke(caller, name, reason), now())


@router.post("/{name}/extend", dependencies=[needs(others="its holder", scope="request")], status_code=201)
def extend(
    extensions: From[Extensions], view: From[RequestView], caller: Caller, name: Name, body: ExtensionBody
) -> AccessRequest:
    """Ask that a grant of one's own ends later. Its end moves when the request is approved."""
    request = extensions.extend(caller, name, body.until, body.reason, body.ticket)
    return AccessRequest.of(view.one(caller, request))
