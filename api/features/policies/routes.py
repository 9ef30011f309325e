"""`/decisions`, `/policies/simulate|test|masks/preview`: what is decided, and what would be."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.openapi import answers_with, takes
from api.edge.parameters import Place, Text
from api.features.policies import proposed
from api.features.policies.answers import Decision, PolicyTestReport
from api.features.policies.answers import Decisions as DecisionsAnswer
from api.features.policies.answers import MaskPreview as MaskPreviewAnswer
from api.features.policies.answers import Simulation as SimulationAnswer
from api.guard.guards import Caller, case, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import InstanceOf
from api.joins.domains import DomainRights
from api.visibility.knowledge import Knowledge
from api.wiring.instance import Instance
from catalog.errors import DatasetNotFound, InvalidInput, NotAllowed
from policies.access.decision_service import Asked, Decisions, Named
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.decision.domains import Power
from policies.model import Subject
from policies.sql.literals import without_literals
from policies.whatif.mask_preview import MaskPreview
from policies.whatif.policy_cases import read_cases
from policies.whatif.policy_tests import PolicyTests
from policies.whatif.simulate import Part, Simulation

router = FeatureRouter(tags=["decisions"])


class Who(RequestBody):
    """A subject; groups and roles are added to those declared for the user."""

    user: str = Field("", max_length=253)
    groups: list[str] = Field([], max_length=1000)
    roles: list[str] = Field([], max_length=1000)


class Ask(RequestBody):
    """May this subject read this dataset, and what of it?"""

    dataset: str = Field(min_length=1, max_length=1000, examples=["prod/orders"])
    subject: str | Who | None = Field(None, description="Who asks, when absent; others take the permission `decide`.")
    purpose: str | None = Field(None, max_length=253)
    fields: list[str] = Field([], max_length=1000, description="Only these paths; all when empty.")
    action: str = "read"


class AskBatch(RequestBody):
    """Several questions, answered in order at one moment."""

    requests: list[Ask] = Field(min_length=1, max_length=1000)


class MaskTry(RequestBody):
    """A mask as in a policy, and values of the caller's own."""

    mask: dict[str, Any] = Field(examples=[{"type": "MASK_SHOW_LAST_4"}])
    values: list[Any] = Field(examples=[["4111 1111 1111 1111", None]])
    type: str = Field("STRING", max_length=60, description="Spark's type of the values.")


class Tests(RequestBody):
    """Tests of policies, and policies to test in place of those that are declared."""

    tests: str = Field(description="YAML with `cases`; docs/policies.md has the format.")
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
    responses=answers_with(DecisionsAnswer | Decision),
)
def decide(built: InstanceOf, subject: Caller, body: AskBatch | Ask) -> Any:
    """What a subject may read, column by column, for an engine or service that enforces it. Each answer is audited."""
    if isinstance(body, AskBatch):
        return {"decisions": built[Decisions].decide(subject, [_asked(each) for each in body.requests])}
    (answer,) = built[Decisions].decide(subject, [_asked(body)])
    if "error" in answer:
        error = answer["error"]
        kind = DatasetNotFound if error["code"] == DatasetNotFound.code else InvalidInput
        failed = kind(error["message"], details=error["details"])
        failed.code = error["code"]
        raise failed
    return answer


def _asked(body: Ask) -> Asked:
    who = body.subject
    named = Named(who) if isinstance(who, str) else None
    if isinstance(who, Who):
        named = Named(who.user, frozenset(who.groups), frozenset(who.roles))
    return Asked(body.dataset, named, body.purpose, tuple(body.fields), body.action)


@router.post(
    "/policies/simulate",
    dependencies=[
        needs("decide", "manage", "report:read", others="admins of a domain, what they may declare, on its datasets")
    ],
    openapi_extra=takes("application/yaml", required=False),
    responses=answers_with(SimulationAnswer),
)
async def simulate(
    request: Request,
    built: InstanceOf,
    subject: Caller,
    user: Annotated[Text | None, Query(description="Only for this user.")] = None,
    dataset: Annotated[Text | None, Query(description="Only for this dataset, or those of a pattern.")] = None,
    remove: Annotated[list[Text] | None, Query(description="KIND/NAME to take away; repeat for several.")] = None,
    limit: Annotated[Place, Query(le=5000)] = 1000,
) -> Any:
    """Who would gain and who would lose what, were the YAML of the body applied. Nothing is applied.

    Admins of a domain try what they may declare, on its datasets.
    """
    reach = None if _looks_at_all(built, subject) else built[Identity].reach(subject, Power.DECLARE)
    if reach is not None and not reach:
        _may_look(built, subject)
    try:
        text = (await request.body()).decode()
    except UnicodeDecodeError:
        raise InvalidInput("The body is not UTF-8 text; send YAML documents.") from None

    def work() -> dict[str, Any]:
        proposal = proposed.read(text, remove or ())
        if reach is not None:
            proposal.require(built[DomainRights], subject)
        built[DomainRights].check(proposal.written)
        changed = [f"{each.kind}/{each.name}" for each in proposal.documents]
        built[AuditLog].record_by(
            subject, "policy.simulate", dataset or "*", "allow", [*([f"for {user}"] if user else []), *changed][:100]
        )
        outcome = built[Simulation].simulate(
            proposal.documents,
            user=user,
            dataset=dataset,
            limit=limit,
            facts_after=proposal.facts_after,
            part=None if reach is None else Part(reach.has, partial(built[Knowledge].worded, subject)),
        )
        alone = [] if reach is None else [f"Only datasets of {' and '.join(reach.names)} are part of the simulation."]
        return {**outcome, "notes": [*proposal.notes, *alone, *outcome["notes"]]}

    return await run_in_threadpool(work)


@router.post(
    "/policies/test", dependencies=[needs("decide", "manage", "report:read")], responses=answers_with(PolicyTestReport)
)
def test(built: InstanceOf, subject: Caller, body: Tests) -> Any:
    """Run tests of policies, against what is declared, or with other policies over it. Nothing is applied."""
    _may_look(built, subject)
    proposal = proposed.read(body.policies)
    return built[PolicyTests].run(
        subject, read_cases(body.tests), built[Simulation].view(proposal.documents), proposal.facts_after
    )


@router.post(
    "/policies/masks/preview",
    dependencies=[signed_in("on values that the caller sends")],
    responses=answers_with(MaskPreviewAnswer),
)
def preview(built: InstanceOf, subject: Caller, body: MaskTry) -> Any:
    """What a mask makes of given values. Hashes and tokens are shown under a key of the preview's own."""
    written = str(body.mask.get("expression") or "")
    shown = [str(body.mask.get("type"))[:60], *([without_literals(written[:4000])] if written else [])]
    built[AuditLog].record_by(subject, "mask.preview", "(values of the caller's own)", "allow", shown)
    return built[MaskPreview].show(body.mask, body.values, body.type)


def _looks_at_all(built: Instance, subject: Subject) -> bool:
    return bool(built[Identity].permissions(subject) & {"manage", "report:read", "decide"})


def _may_look(built: Instance, subject: Subject) -> None:
    if not _looks_at_all(built, subject):
        raise NotAllowed(
            f"{subject.user} may not see what others may read; it takes the permission manage, report:read or decide.",
            details={"permission": "manage", "reasons": [f"no role of {subject.user} carries one of them"]},
        )
