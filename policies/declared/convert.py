"""From declared specs (`policies.declared.kinds` lists them) to what decisions and approvals work on, and from a grant back."""

from __future__ import annotations

from datetime import timedelta

from policies.declared import access_specs, policy_specs, spec_parts
from policies.masks import names
from policies.model import (
    AccessPolicy,
    Grant,
    Mask,
    MaskPolicy,
    Policy,
    Role,
    RowFilter,
    RowPolicy,
    SubjectMatch,
    Target,
)
from policies.workflow import Approvers, BreakGlass, Stage, Workflow

EVERYONE = SubjectMatch(everyone=True)


def targets(match: spec_parts.MatchSpec) -> tuple[Target, ...]:
    """Every entry of a match as a target."""
    return (
        *(Target(tag=tag) for tag in match.tags),
        *(Target(dataset=ref.dataset, path=ref.path) for ref in match.fields),
        *(Target(dataset=pattern) for pattern in match.datasets),
    )


def people(spec: spec_parts.PeopleSpec | None) -> SubjectMatch:
    """A subject match of what a spec names; nobody when there is none."""
    if spec is None:
        return SubjectMatch()
    return SubjectMatch(
        everyone=bool(getattr(spec, "everyone", False)),
        users=frozenset(spec.users),
        groups=frozenset(spec.groups),
        roles=frozenset(spec.roles),
        purposes=frozenset(getattr(spec, "purposes", ())),
    )


def mask(spec: policy_specs.MaskSpec) -> Mask:
    """The mask by any of its names, with the parameters the name implies."""
    kind, implied = names.read(spec.type)
    return Mask(kind, spec.expression, {**implied, **spec.params})


def policy(
    name: str,
    spec: policy_specs.MaskPolicySpec | policy_specs.AccessPolicySpec | policy_specs.RowFilterPolicySpec,
    domain: str | None = None,
) -> Policy:
    """A policy; without `subjects` it is about everyone. `domain`: whose admins declared it."""
    match = targets(spec.match)
    if isinstance(spec, policy_specs.AccessPolicySpec):
        return AccessPolicy(name, match, spec.requires.grant, frozenset(spec.requires.purpose))
    subjects = people(spec.subjects) if spec.subjects is not None else EVERYONE
    exempt = _both(people(spec.exempt), people(spec.subjects.exempt if spec.subjects is not None else None))
    if isinstance(spec, policy_specs.MaskPolicySpec):
        return MaskPolicy(name=name, match=match, subjects=subjects, mask=mask(spec.mask), exempt=exempt, domain=domain)
    return RowPolicy(name, match, subjects, spec.where, exempt)


def _both(first: SubjectMatch, second: SubjectMatch) -> SubjectMatch:
    return SubjectMatch(
        first.everyone or second.everyone,
        first.users | second.users,
        first.groups | second.groups,
        first.roles | second.roles,
        first.purposes | second.purposes,
    )


def role(name: str, spec: access_specs.RoleSpec) -> Role:
    return Role(
        name=name,
        read=tuple(Target(dataset=r.dataset, tag=r.tag, path=r.path) for r in spec.read),
        inherits=tuple(spec.inherits),
        row_filters=tuple(RowFilter(f.dataset, f.where) for f in spec.row_filters),
        permissions=frozenset(spec.permissions),
        sees_unscanned=spec.sees_unscanned,
    )


def workflow(name: str, spec: access_specs.WorkflowSpec) -> Workflow:
    glass = spec.break_glass
    return Workflow(
        name=name,
        match=targets(spec.match),
        stages=tuple(
            Stage(stage.name, Approvers(stage.approvers.owners, people(stage.approvers)), stage.quorum)
            for stage in spec.stages
        ),
        max_duration=_duration(spec.max_duration),
        request_expires_after=_duration(spec.request_expires_after),
        break_glass=None
        if glass is None
        else BreakGlass(
            people(glass.subjects),
            spec_parts.duration(glass.max_duration),
            people(glass.review),
            spec_parts.duration(glass.review_within),
        ),
        escalate_after=_duration(spec.escalate_after),
    )


def _duration(text: str | None) -> timedelta | None:
    return spec_parts.duration(text) if text is not None else None


def grant(name: str, spec: access_specs.GrantSpec) -> Grant:
    subject = spec.subject
    return Grant(
        name=name,
        subject=SubjectMatch(
            users=frozenset([subject.user] if subject.user else []),
            groups=frozenset([subject.group] if subject.group else []),
            roles=frozenset([subject.role] if subject.role else []),
        ),
        dataset=spec.dataset,
        valid_from=spec.valid_from,
        valid_to=spec.valid_to,
        purpose=spec.purpose,
        fields=tuple(spec.fields),
        unmask=tuple(spec.unmask),
        rows=spec.rows,
        requested_by=spec.requested_by,
        approved_by=tuple(spec.approved_by),
        status=spec.status,
        break_glass=spec.break_glass,
        sources=frozenset(spec.sources),
        consumer=spec.consumer,
    )
