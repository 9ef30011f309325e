"""`/decisions`, `/policies/simulate|test|masks/preview`, `/masks`: what is decided, and what would be."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Place, Text
from api.features.declared.body import documents_text, takes_documents
from api.features.policies import answers, proposed
from api.features.policies.simulation import PolicySimulation
from api.guard.guards import Caller, case, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from catalog.errors import DatasetNotFound, InvalidInput
from policies.access.decision_service import DecisionRequest, Decisions, DecisionSubject
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.effective.policy_reach import PolicyReaches
from policies.masks import registry
from policies.sql.literals import without_literals
from policies.whatif.mask_preview import MaskPreview
from policies.whatif.policy_cases import read_cases
from policies.whatif.policy_tests import PolicyTests
from policies.whatif.simulate import Simulation

router = FeatureRouter(tags=["decisions"])


class SubjectBody(RequestBody):
    """A subject; groups and roles are added to those declared for the user."""

    user: str = Field("", max_length=253)
    groups: list[str] = Field([], max_length=1000)
    roles: list[str] = Field([], max_length=1000)


class DecisionBody(RequestBody):
    """May this subject read this dataset, and what of it?"""

    dataset: str = Field(min_length=1, max_length=1000, examples=["prod/orders"])
    subject: str | SubjectBody | None = Field(
        None, description="Who asks, when absent; others take the permission `decide`."
    )
    purpose: str | None = Field(None, max_length=253)
    fields: list[str] = Field([], max_length=1000, description="Only these paths; all when empty.")
    action: str = "read"

    def question(self) -> DecisionRequest:
        """What is to be decided."""
        who = self.subject
        named = DecisionSubject(who) if isinstance(who, str) else None
        if isinstance(who, SubjectBody):
            named = DecisionSubject(who.user, frozenset(who.groups), frozenset(who.roles))
        return DecisionRequest(self.dataset, named, self.purpose, tuple(self.fields), self.action)


class DecisionsBody(RequestBody):
    """Several questions, answered in order at one moment."""

    requests: list[DecisionBody] = Field(min_length=1, max_length=1000)


class MaskPreviewBody(RequestBody):
    """A mask as in a policy, and values of the caller's own."""

    mask: dict[str, object] = Field(examples=[{"type": "MASK_SHOW_LAST_4"}])
    values: list[Any] = Field(examples=[["4111 1111 1111 1111", None]])
    type: str = Field("STRING", max_length=60, description="Spark's type of the values.")


class PolicyTestsBody(RequestBody):
    """Tests of policies, and policies to test in place of those that are declared."""

    tests: str = Field(description="YAML with `cases`; docs/reference/policies.md has the format.")
    policies: str = Field("", description="YAML documents as for apply; nothing is applied.")


@router.post(
    "/decisions",
    dependencies=[
        signed_in(
            "about the caller; about others with `decide` or `manage`",
            scope="decide",
            cases={" (subject: another)": case("decide", "manage", others="admins of a domain, on its datasets")},
        )
    ],
)
def decide(
    decisions: From[Decisions], caller: Caller, body: DecisionsBody | DecisionBody
) -> answers.Decisions | answers.Decision:
    """What a subject may read, column by column, for an engine or service that enforces it. Each answer is audited."""
    if isinstance(body, DecisionsBody):
        decided = decisions.decide(caller, [each.question() for each in body.requests])
        return answers.Decisions(decisions=[answers.decided(each) for each in decided])
    (answer,) = decisions.decide(caller, [body.question()])
    if "error" in answer:
        error = answer["error"]
        kind = DatasetNotFound if error["code"] == DatasetNotFound.code else InvalidInput
        failed = kind(error["message"], details=error["details"])
        failed.code = error["code"]
        raise failed
    return answers.Decision.model_validate(answer)


@router.post(
    "/policies/simulate",
    dependencies=[
        needs("decide", "manage", "report:read", others="admins of a domain, what they may declare, on its datasets")
    ],
    openapi_extra=takes_documents(required=False),
)
async def simulate(
    request: Request,
    simulation: From[PolicySimulation],
    caller: Caller,
    user: Annotated[Text | None, Query(description="Only for this user.")] = None,
    dataset: Annotated[Text | None, Query(description="Only for this dataset, or those of a pattern.")] = None,
    remove: Annotated[list[Text] | None, Query(description="KIND/NAME to take away; repeat for several.")] = None,
    limit: Annotated[Place, Query(le=5000)] = 1000,
) -> answers.Simulation:
    """Who would gain and who would lose what, were the documents of the body applied: YAML, or JSON as for `apply`. Nothing is
    applied.

    Admins of a domain try what they may declare, on its datasets.
    """
    reach = simulation.reach(caller)
    text = await documents_text(request)
    return await run_in_threadpool(
        simulation.simulate, caller, reach, text, remove or (), user=user, dataset=dataset, limit=limit
    )


@router.post("/policies/test", dependencies=[needs("decide", "manage", "report:read")])
def test(
    tests: From[PolicyTests], simulation: From[Simulation], caller: Caller, body: PolicyTestsBody
) -> answers.PolicyTestReport:
    """Run tests of policies, against what is declared, or with other policies over it. Nothing is applied."""
    proposal = proposed.read(body.policies)
    report = tests.run(caller, read_cases(body.tests), simulation.view(proposal.documents), proposal.facts_after)
    return answers.PolicyTestReport.model_validate(report)


@router.post("/policies/masks/preview", dependencies=[signed_in("on values that the caller sends")])
def preview(
    masks: From[MaskPreview], audit: From[AuditLog], caller: Caller, body: MaskPreviewBody
) -> answers.MaskPreview:
    """What a mask makes of given values. Hashes and tokens are shown under a key of the preview's own."""
    written = str(body.mask.get("expression") or "")
    shown = [str(body.mask.get("type"))[:60], *([without_literals(written[:4000])] if written else [])]
    audit.record_by(caller, "mask.preview", "(values of the caller's own)", "allow", shown)
    return answers.MaskPreview.model_validate(masks.show(body.mask, body.values, body.type))


@router.get("/masks", dependencies=[signed_in()])
def masks() -> answers.Masks:
    """Every mask that a policy may name, those of other packages too: parameters, place in the order, what it makes of values."""
    installed = registry.installed()
    return answers.Masks(
        masks=[answers.KnownMask.of(kind, kind.name in installed.plugged) for kind in installed.kinds.values()]
    )


@router.get("/policy-reach", dependencies=[needs("manage", "report:read", "audit:read")])
def policy_reach(reaches: From[PolicyReaches], identity: From[Identity], caller: Caller) -> answers.PolicyReaches:
    """How many fields, datasets and people each policy meets, and how many queries of the last 7 days read what it meets."""
    with_queries = bool(identity.permissions(caller) & {"manage", "audit:read"})
    return answers.PolicyReaches.of(reaches.all(with_queries))
