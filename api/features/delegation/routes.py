"""`/me/delegation`: who decides access requests in somebody's place."""

from __future__ import annotations

from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Instant, Text
from api.features.delegation import answers
from api.guard.guards import Caller, case, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.wiring.clock import now
from policies.requests.approvals import Approvals

router = FeatureRouter("/me/delegation", tags=["access"])


class DelegationBody(RequestBody):
    """Who decides in one's place, and until when."""

    delegates: list[str] = Field(min_length=1, max_length=20)
    from_: Instant | None = Field(None, alias="from", description="Now when absent.")
    until: Instant
    user: str | None = Field(None, description="Whose place, for those who manage; one's own when absent.")


@router.get("", dependencies=[signed_in("the caller's own")])
def show(approvals: From[Approvals], caller: Caller) -> answers.Delegations:
    """Who decides in the caller's place, and in whose place the caller may decide now."""
    current = approvals.delegations.of(caller.user)
    return answers.Delegations(
        delegation=answers.Delegation.of(current, now()) if current is not None else None,
        instead_of=approvals.delegations.for_delegate(caller.user),
    )


@router.put(
    "", dependencies=[signed_in("the caller's own", scope="request", cases={" (user: another)": case("manage")})]
)
def delegate(approvals: From[Approvals], caller: Caller, body: DelegationBody) -> answers.Delegation:
    """Name who decides access requests in one's place for a time; replaces an earlier delegation."""
    declared = approvals.delegations.set(caller, body.delegates, body.until, body.from_, body.user)
    return answers.Delegation.of(declared, now())


@router.delete("", dependencies=[signed_in("the caller's own", scope="request")])
def end(approvals: From[Approvals], caller: Caller, user: Text | None = None) -> answers.EndedDelegation:
    """Decide for oneself again."""
    approvals.delegations.end(caller, user)
    return answers.EndedDelegation(user=user or caller.user, ended=True)
