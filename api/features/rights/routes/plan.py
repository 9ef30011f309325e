"""`/rights/plan`, `/rights/apply`, `/rights/undo`, `/rights/adopt`: ACLs at the brokers made equal to what Weir grants."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Limit, Offset, Text
from api.features.rights import plan_answers as answers
from api.guard.guards import Caller, needs
from api.guard.router import FeatureRouter
from api.guard.services import From
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.broker_rights.comparison import mode_of
from policies.broker_rights.ledger import ApplyState
from policies.broker_rights.reconcile import Reconciliation

router = FeatureRouter("/rights", tags=["access"])

Cluster = Annotated[Text | None, Query(description="The cluster; needed where there are several.")]
_CLUSTER = Field(None, max_length=253, description="The cluster; needed where there are several.", examples=["prod"])


class RightsApplyBody(RequestBody):
    """The plan that was looked at."""

    plan: str = Field(min_length=1, max_length=64, description="Its id.", examples=["9f2c1e07a4b3d586"])
    cluster: str | None = _CLUSTER


class RightsUndoBody(RequestBody):
    """Where to take the last apply back."""

    cluster: str | None = _CLUSTER


class RightsAdoptBody(RequestBody):
    """Whose ACLs Weir is to take care of."""

    principal: str = Field(min_length=1, max_length=1000, examples=["User:orders-app"])
    dataset: str | None = Field(None, max_length=500, description="Only of these topics.", examples=["prod/orders"])
    cluster: str | None = _CLUSTER


@router.get("/plan", dependencies=[needs("audit:read", "manage", "report:read", scope="report:read")])
def plan(
    service: From[Reconciliation],
    identity: From[Identity],
    audit: From[AuditLog],
    caller: Caller,
    cluster: Cluster = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.RightsPlan:
    """The changes that make the ACLs of a cluster equal to what Weir grants, each with its reason. Changes nothing.

    The live ACLs are read each time. 409 where the brokers have no authorizer, or do not show their ACLs to Weir.
    """
    record = service.comparison.record(cluster)
    planned = service.comparison.of(record).plan
    audit.record_by(
        caller, "report.rights", record.name, "allow", [f"plan {planned.id}: {len(planned.changes)} changes"]
    )
    return answers.plan_of(
        planned,
        mode_of(record),
        planned.changes[offset : offset + limit],
        [
            *service.ledger.applies(record.namespace, [ApplyState.WAITING]),
            *service.ledger.applies(record.namespace, limit=20),
        ],
        service.second_person_above,
        identity.manages(caller),
    )


@router.post("/apply", dependencies=[needs("manage")])
def apply(service: From[Reconciliation], caller: Caller, body: RightsApplyBody) -> answers.RightsApply:
    """Make the changes of a plan. 409 where it went stale since it was looked at.

    A plan of many changes waits: another person who may manage has to apply the same plan.
    """
    return answers.RightsApply.of(service.apply(caller, body.plan, body.cluster))


@router.post("/undo", dependencies=[needs("manage")])
def undo(service: From[Reconciliation], caller: Caller, body: RightsUndoBody) -> answers.RightsApply:
    """Take back the last apply of a person. 409 where there is none, or where the cluster is declared enforce.

    An undo of many changes waits: another person who may manage has to undo it too.
    """
    return answers.RightsApply.of(service.undo(caller, body.cluster))


@router.post("/adopt", dependencies=[needs("manage")])
def adopt(service: From[Reconciliation], caller: Caller, body: RightsAdoptBody) -> answers.AdoptedAcls:
    """Take ACLs to READ topics that somebody else made into the care of Weir, which deletes them when the right ends."""
    return answers.AdoptedAcls.of(*service.adopt(caller, body.cluster, body.principal, body.dataset))
