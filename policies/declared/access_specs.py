"""The specs of who there is and what they may: `kind: Role`, `User`, `Group`, `Workflow`, `Grant`."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, Field, model_validator

from policies.declared.principal_specs import principal
from policies.declared.spec_parts import (
    DatasetName,
    DatasetPattern,
    Duration,
    MatchSpec,
    Name,
    PathText,
    PeopleSpec,
    Selector,
    Spec,
    Sql,
    SubjectsSpec,
    known_permission,
)
from policies.model import GrantStatus


class ReadSpec(Spec):
    """What a role reads: datasets by name or tag; with `path`, one place in them."""

    dataset: DatasetPattern | None = None
    tag: Name | None = None
    path: PathText | None = None

    @model_validator(mode="after")
    def _something(self) -> ReadSpec:
        if self.dataset is None and self.tag is None:
            raise ValueError("names nothing; give dataset: CLUSTER/TOPIC or tag: NAME")
        return self


class RoleFilterSpec(Spec):
    dataset: DatasetPattern
    where: Sql


class RoleSpec(Spec):
    description: str = ""
    read: list[ReadSpec] = Field([])
    inherits: list[Name] = Field([])
    row_filters: list[RoleFilterSpec] = Field([])
    permissions: list[Annotated[str, AfterValidator(known_permission)]] = Field([])
    sees_unscanned: bool = False


class UserSpec(Spec):
    display_name: str = ""
    email: str = ""
    groups: list[Name] = Field([])
    roles: list[Name] = Field([])
    disabled: bool = False


class GroupSpec(Spec):
    description: str = ""
    members: list[Name] = Field([])
    roles: list[Name] = Field([])


class ApproversSpec(PeopleSpec):
    """Who may decide a stage; `owners` = the owners of the dataset."""

    owners: bool = False

    @model_validator(mode="after")
    def _not_empty(self) -> ApproversSpec:
        if not (self.owners or self.users or self.groups or self.roles):
            raise ValueError("names nobody; give owners: true, users, groups or roles")
        return self


class StageSpec(Spec):
    name: Name
    approvers: ApproversSpec
    quorum: int = Field(default=1, ge=1, le=100)


class BreakGlassSpec(Spec):
    """Access at once for those on call, reviewed afterwards."""

    subjects: SubjectsSpec
    max_duration: Duration
    review: PeopleSpec
    review_within: Duration


class WorkflowSpec(Spec):
    description: str = ""
    match: MatchSpec
    stages: list[StageSpec] = Field(min_length=1)
    max_duration: Duration | None = None
    request_expires_after: Duration | None = None
    escalate_after: Duration | None = None
    break_glass: BreakGlassSpec | None = None

    @model_validator(mode="after")
    def _stages_differ(self) -> WorkflowSpec:
        names = [stage.name for stage in self.stages]
        if len(set(names)) != len(names):
            raise ValueError("has two stages of one name; give each its own")
        return self


class RequestTemplateSpec(Spec):
    """An access request that is often made: people choose it by name.

    fields, unmask   as in a request; without `unmask` all fields are shown without masks
    subjects         who may use it; everyone when absent
    """

    description: str = ""
    datasets: list[DatasetName] = Field(min_length=1, max_length=50)
    fields: list[Selector] = Field(default=["*"], min_length=1)
    unmask: list[Selector] | None = None
    rows: Sql | None = None
    purpose: Name
    duration: Duration
    reason: str = Field(default="", max_length=2000)
    subjects: SubjectsSpec | None = None


class GrantSubjectSpec(Spec):
    """One of user, group, role."""

    user: Name | None = None
    group: Name | None = None
    role: Name | None = None

    @model_validator(mode="after")
    def _one(self) -> GrantSubjectSpec:
        if [self.user, self.group, self.role].count(None) != 2:
            raise ValueError("must name one of user, group, role")
        return self


class GrantSpec(Spec):
    subject: GrantSubjectSpec
    dataset: DatasetPattern
    fields: list[Selector] = Field(default=["*"], min_length=1)
    unmask: list[Selector] = Field([])
    rows: Sql | None = None
    purpose: Name
    valid_from: AwareDatetime
    valid_to: AwareDatetime
    requested_by: Name | None = None
    approved_by: list[Name] = Field([])
    status: GrantStatus
    request: Name | None = None
    revoked_by: Name | None = None
    reason: str = ""
    break_glass: bool = False
    sources: list[Name] = Field([])
    consumer: Annotated[Name, AfterValidator(principal)] | None = None

    @model_validator(mode="after")
    def _lasts(self) -> GrantSpec:
        if self.valid_to <= self.valid_from:
            raise ValueError("validTo must be later than validFrom")
        return self
