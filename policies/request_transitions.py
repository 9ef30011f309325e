"""The life of an access request as a pure state machine.

    pending --approve (last stage's quorum)--> approved      pending --deny--> denied
    pending --cancel--> cancelled                            pending --time--> expired
    pending --ask back--> asked-back                         asked-back --answer or decision--> pending
    review --approve--> approved                             review --deny--> denied (its grant is revoked)

`policies.requests.talk` has what people write to each other meanwhile, and escalation.

A request in review is one of break-glass: its grant was made at once, and somebody must look at it afterwards.

No function here reads a clock or a store; each gives a new request, or raises Conflict or NotAllowed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from catalog.errors import Conflict, NotAllowed
from policies.access_request import OPEN, UNDECIDED, AccessRequest, RequestState, Vote
from policies.spellings import same_person
from policies.workflow import Stage


def at(request: AccessRequest, now: datetime) -> AccessRequest:
    """The request as it is at a moment: expired when its time is over, or when the access it asks for would be."""
    if request.state in UNDECIDED and now >= min(request.expires_at, request.valid_to):
        return replace(request, state=RequestState.EXPIRED)
    return request


def vote(
    request: AccessRequest,
    by: str,
    verdict: str,
    now: datetime,
    comment: str = "",
    instead_of: str | None = None,
    escalated: bool = False,
) -> AccessRequest:
    """One person's word in the stage that waits. Whether they are an approver of it is for the caller to know.

    Raises NotAllowed for one's own request, Conflict for a request that is decided or a second word in one stage.
    """
    request = at(request, now)
    if request.state not in OPEN:
        raise Conflict(
            f"Access request {request.id} is {request.state}, so it cannot be decided any more.",
            details={"id": request.id, "state": str(request.state)},
        )
    if same_person(by, request.requester):
        raise NotAllowed(
            f"{by} made access request {request.id} and cannot decide it; another approver must.",
            details={"id": request.id, "reasons": ["nobody decides their own request"]},
        )
    stage = request.current
    if any(v.stage == stage.name and same_person(v.by, by) for v in request.votes):
        raise Conflict(
            f"{by} has decided stage {stage.name!r} of access request {request.id} already; others must follow.",
            details={"id": request.id, "stage": stage.name},
        )
    cast = Vote(
        by=by,
        stage=stage.name,
        verdict=verdict,
        at=now,
        comment=comment,
        instead_of=instead_of,
        narrowed=None,
        escalated=escalated,
    )
    # Somebody answered, so the clock of escalation begins again.
    state = RequestState.PENDING if request.state is RequestState.ASKED_BACK else request.state
    voted = replace(
        request, votes=(*request.votes, cast), state=state, waiting_since=now, asked_back_at=None, escalated=0
    )
    if verdict == "deny":
        return replace(voted, state=RequestState.DENIED)
    if len(voted.voted(stage.name)) < stage.quorum:
        return voted
    if request.stage + 1 < len(request.stages):
        return replace(voted, stage=request.stage + 1)
    return replace(voted, state=RequestState.APPROVED, stage=len(request.stages))


def cancel(request: AccessRequest, now: datetime) -> AccessRequest:
    """Take a pending request back. Raises Conflict when it is decided."""
    request = at(request, now)
    if request.state not in UNDECIDED:
        raise Conflict(
            f"Access request {request.id} is {request.state}, so it cannot be cancelled.",
            details={"id": request.id, "state": str(request.state)},
        )
    return replace(request, state=RequestState.CANCELLED)


def extended(request: AccessRequest, required: Iterable[Stage]) -> AccessRequest:
    """With the stages added that are asked for now and were not when the request was made."""
    more = [s for s in required if not any((s.approvers, s.quorum) == (o.approvers, o.quorum) for o in request.stages)]
    names = {s.name for s in request.stages}
    added = [replace(s, name=f"{s.name} (added)") if s.name in names else s for s in more]
    return replace(request, stages=(*request.stages, *added)) if added else request
