"""The declared kinds of this room: what may stand in `spec` of a Policy, Role, User, Group, Workflow or Grant.

Unknown fields are errors. What was written is kept as written (a mask's alias stays the alias), so that `weir get`
gives the same document back; `policies.convert` turns a spec into what decisions work on.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    RootModel,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

from catalog.errors import InvalidInput
from catalog.paths import FieldPath
from policies.masks import names
from policies.matching import is_path
from policies.model import GrantStatus, MaskType

_DURATION = re.compile(r"(\d+)([smhdw])\Z")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
PERMISSIONS = frozenset({"manage", "scan", "review", "lineage:write", "audit:read", "report:read", "decide"})
"""What a role may let its holders do in Weir. None of them opens data."""


def duration(text: str) -> timedelta:
    """Read `30d`, `7d`, `2h`, `24h`, `90m`. Raises ValueError."""
    found = _DURATION.match(text)
    if found is None or int(found[1]) == 0:
        raise ValueError(f"{text!r} is no duration; write a number and s, m, h, d or w, as in 30d or 24h")
    try:
        return timedelta(seconds=int(found[1]) * _SECONDS[found[2]])
    except OverflowError:
        raise ValueError(f"{text!r} is longer than can be counted; write at most a few hundred years") from None


def _duration(text: str) -> str:
    duration(text)
    return text


def _dataset(text: str) -> str:
    if text != "*" and not re.match(r"[^/\s]+/\S+\Z", text):
        raise ValueError(f"{text!r} is no dataset; write CLUSTER/TOPIC, as in prod/orders or prod/clicks.*")
    return text


def _path(text: str) -> str:
    try:
        FieldPath.parse(text)
    except InvalidInput as error:
        raise ValueError(error.message.rstrip(".")) from None
    return text


def _selector(text: str) -> str:
    if text != "*" and is_path(text):
        return _path(text)
    if text != "*" and re.search(r"[\[\]{}@`\s]", text):
        raise ValueError(f"{text!r} is neither a path (value.customer.email), nor a tag (EMAIL_ADDRESS), nor *")
    return text


def _known_permission(text: str) -> str:
    if text not in PERMISSIONS:
        raise ValueError(f"{text!r} is no permission; there are {', '.join(sorted(PERMISSIONS))}")
    return text


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Name = Annotated[str, Field(min_length=1, max_length=253)]
DatasetPattern = Annotated[str, AfterValidator(_dataset)]
PathText = Annotated[str, AfterValidator(_path)]
Selector = Annotated[str, Field(min_length=1), AfterValidator(_selector)]
Duration = Annotated[str, AfterValidator(_duration)]
Sql = Annotated[str, Field(min_length=1, max_length=10_000)]


class Spec(BaseModel):
    """Base of all specs."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, serialize_by_alias=True)


class FieldRef(Spec):
    dataset: DatasetPattern
    path: PathText


class MatchSpec(Spec):
    """What a policy or workflow is about; one entry that fits is enough."""

    tags: list[Name] = []
    fields: list[FieldRef] = []
    datasets: list[DatasetPattern] = []

    @model_validator(mode="after")
    def _not_empty(self) -> MatchSpec:
        if not (self.tags or self.fields or self.datasets):
            raise ValueError("names nothing; give tags, fields or datasets ('*' for every dataset)")
        return self


class PeopleSpec(Spec):
    """Users, groups and roles by name."""

    users: list[Name] = []
    groups: list[Name] = []
    roles: list[Name] = []


class ExceptSpec(PeopleSpec):
    """Who is excepted; a purpose counts where an active grant carries it and the query states it."""

    everyone: bool = False
    purposes: list[Name] = []


class SubjectsSpec(PeopleSpec):
    everyone: bool = False
    exempt: ExceptSpec | None = Field(default=None, alias="except")

    @model_validator(mode="after")
    def _not_empty(self) -> SubjectsSpec:
        if not (self.everyone or self.users or self.groups or self.roles):
            raise ValueError("names nobody; give users, groups or roles, or everyone: true")
        return self


MASK_PARAMS: Mapping[MaskType, Mapping[str, str]] = {
    MaskType.MASK_SHOW_FIRST_4: {"show": "number"},
    MaskType.MASK_SHOW_LAST_4: {"show": "number"},
    MaskType.GENERALIZE: {"step": "number"},
    MaskType.TRUNCATE_GEO: {"decimals": "number"},
    MaskType.TOKEN: {"scope": "text"},
}
"""Parameters each mask takes; docs/masks.md says what they do."""


class MaskSpec(Spec):
    """`type` is a mask of docs/policies.md or another product's name for it; `expression` belongs to CUSTOM."""

    type: Name
    expression: Sql | None = None
    params: dict[str, int | float | str] = {}

    @model_validator(mode="after")
    def _known(self) -> MaskSpec:
        try:
            kind, _ = names.read(self.type)
        except InvalidInput as error:
            raise ValueError(error.message.rstrip(".")) from None
        if (kind is MaskType.CUSTOM) != (self.expression is not None):
            need = "CUSTOM needs one, as in substring_index({col}, '?', 1)"
            raise ValueError(f"expression stands with CUSTOM and nowhere else; {need}")
        for name, value in self.params.items():
            if name not in MASK_PARAMS.get(kind, {}):
                known = ", ".join(MASK_PARAMS.get(kind, {})) or "none"
                raise ValueError(f"params.{name} is not known for {kind}; there is {known}")
            what = MASK_PARAMS[kind][name]
            if what == "number" and (isinstance(value, str) or not 0 <= value < 1e15):
                raise ValueError(f"params.{name} must be a number from 0 to 10 to the power of 15")
        return self


class MaskPolicySpec(Spec):
    type: Literal["mask"]
    description: str = ""
    match: MatchSpec
    subjects: SubjectsSpec | None = None
    exempt: ExceptSpec | None = Field(default=None, alias="except")
    mask: MaskSpec


class RequiresSpec(Spec):
    """`purpose`: one or several; the grant must carry one, and the query must state it."""

    grant: bool = True
    purpose: Annotated[list[Name], BeforeValidator(_as_list)] = []

    @model_validator(mode="after")
    def _something(self) -> RequiresSpec:
        if not self.grant and not self.purpose:
            raise ValueError("asks for nothing; give grant: true or a purpose, or delete the policy")
        return self


class AccessPolicySpec(Spec):
    type: Literal["access"]
    description: str = ""
    match: MatchSpec
    requires: RequiresSpec


class RowFilterPolicySpec(Spec):
    type: Literal["row-filter"]
    description: str = ""
    match: MatchSpec
    subjects: SubjectsSpec | None = None
    exempt: ExceptSpec | None = Field(default=None, alias="except")
    where: Sql

    @model_validator(mode="after")
    def _whole_datasets(self) -> RowFilterPolicySpec:
        if self.match.fields:
            raise ValueError("a row filter is about whole datasets; put match.datasets or match.tags, not match.fields")
        return self


def _policy_type(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, Mapping) else getattr(value, "type", None)
    return kind if isinstance(kind, str) else None


AnyPolicySpec = Annotated[
    Annotated[MaskPolicySpec, Tag("mask")]
    | Annotated[AccessPolicySpec, Tag("access")]
    | Annotated[RowFilterPolicySpec, Tag("row-filter")],
    Discriminator(
        _policy_type,
        custom_error_type="policy_type",
        custom_error_message="type must be mask, access or row-filter",
    ),
]


class PolicySpec(RootModel[AnyPolicySpec]):
    """One of the three, by `type`."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True)


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
    read: list[ReadSpec] = []
    inherits: list[Name] = []
    row_filters: list[RoleFilterSpec] = []
    permissions: list[Annotated[str, AfterValidator(_known_permission)]] = []
    sees_unscanned: bool = False


class UserSpec(Spec):
    display_name: str = ""
    email: str = ""
    groups: list[Name] = []
    roles: list[Name] = []
    disabled: bool = False


class GroupSpec(Spec):
    description: str = ""
    members: list[Name] = []
    roles: list[Name] = []


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
    break_glass: BreakGlassSpec | None = None

    @model_validator(mode="after")
    def _stages_differ(self) -> WorkflowSpec:
        names = [stage.name for stage in self.stages]
        if len(set(names)) != len(names):
            raise ValueError("has two stages of one name; give each its own")
        return self


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
    unmask: list[Selector] = []
    rows: Sql | None = None
    purpose: Name
    valid_from: AwareDatetime
    valid_to: AwareDatetime
    requested_by: Name | None = None
    approved_by: list[Name] = []
    status: GrantStatus
    request: Name | None = None
    revoked_by: Name | None = None
    reason: str = ""
    break_glass: bool = False

    @model_validator(mode="after")
    def _lasts(self) -> GrantSpec:
        if self.valid_to <= self.valid_from:
            raise ValueError("validTo must be later than validFrom")
        return self


KINDS: Mapping[str, type[BaseModel]] = {
    "Policy": PolicySpec,
    "Role": RoleSpec,
    "User": UserSpec,
    "Group": GroupSpec,
    "Workflow": WorkflowSpec,
    "Grant": GrantSpec,
}
"""kind -> the pydantic model of its spec."""


def parse(kind: str, name: str, spec: Any) -> BaseModel:
    """A spec as its pydantic model. Raises InvalidInput naming the document, the field and the mend.

    `details["problems"]` has one {field, path, problem} for each; `path` begins with "spec".
    """
    try:
        return KINDS[kind].model_validate(spec)
    except ValidationError as error:
        problems = [_problem(kind, dict(e)) for e in error.errors(include_url=False)]
    first = problems[0]
    more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
    raise InvalidInput(
        f"{kind} {name}: {first['field']} {first['problem']}.{more}",
        details={"kind": kind, "name": name, "field": first["field"], "problems": problems},
    )


def dump(spec: BaseModel) -> dict[str, Any]:
    """A spec as JSON, as it was written: nothing added that was not there. `parse` of it gives the same."""
    written: dict[str, Any] = spec.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return written


def _problem(kind: str, error: dict[str, Any]) -> dict[str, Any]:
    # The name of the branch pydantic took ("mask") stands in the place of a Policy's error; nobody wrote it.
    place = list(error["loc"][1:] if kind == "Policy" and error["type"] != "policy_type" else error["loc"])
    match error["type"]:
        case "extra_forbidden":
            problem = f"is not a field here{_nearest(kind, str(place[-1]))}"
        case "missing":
            problem = "is missing"
        case "value_error":
            problem = str(error["ctx"]["error"])
        case "policy_type":
            place = ["type"]
            problem = "must be mask, access or row-filter"
        case "model_type" | "model_attributes_type" | "dict_type":
            problem = "must be a mapping of fields, as in {type: mask}"
        case _:
            problem = f"cannot be used: {error['msg'][0].lower()}{error['msg'][1:]}"
    path = ["spec", *place]
    return {"field": ".".join(map(str, path)), "path": path, "problem": problem}


def _nearest(kind: str, name: str) -> str:
    known = [each for each in _field_names() if each != name]
    close = difflib.get_close_matches(name, known, 1, 0.6)
    return f" (did you mean {close[0]}?)" if close else f"; docs/policies.md lists the fields of a {kind}"


def _field_names() -> list[str]:
    return sorted({field.alias or name for model in _specs(Spec) for name, field in model.model_fields.items()})


def _specs(base: type[BaseModel]) -> list[type[BaseModel]]:
    return [each for direct in base.__subclasses__() for each in (direct, *_specs(direct))]


SqlCheck = Callable[[str], object]
"""Raises InvalidInput (or a subclass) for SQL that may not be used."""
