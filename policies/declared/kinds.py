"""The declared kinds of this room: what may be in `spec` of a Purpose, Policy, Role, User, Group, Workflow,
RequestTemplate, Grant, IdentityProvider, ServiceAccount, DirectoryRights, AccessReview, Visibility, Principal or Domain.

Unknown fields are errors. What was written is kept as written (a mask's alias stays the alias), so that `weir get`
gives the same document back; `policies.declared.convert` turns a spec into what decisions work on.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, TypedDict

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean
from policies.declared.access_specs import (
    GrantSpec,
    GroupSpec,
    RequestTemplateSpec,
    RoleSpec,
    UserSpec,
    WorkflowSpec,
)
from policies.declared.campaign_specs import AccessReviewSpec
from policies.declared.directory import DirectorySpec
from policies.declared.domain_specs import DomainSpec
from policies.declared.policy_specs import PolicySpec
from policies.declared.principal_specs import PrincipalSpec
from policies.declared.provider_specs import IdentityProviderSpec
from policies.declared.purpose_specs import PurposeSpec
from policies.declared.service_specs import ServiceAccountSpec
from policies.declared.spec_parts import Spec
from policies.declared.visibility_specs import VisibilitySpec

KINDS: Mapping[str, type[BaseModel]] = {
    "Domain": DomainSpec,
    "Purpose": PurposeSpec,
    "Policy": PolicySpec,
    "Role": RoleSpec,
    "User": UserSpec,
    "Group": GroupSpec,
    "Workflow": WorkflowSpec,
    "RequestTemplate": RequestTemplateSpec,
    "Grant": GrantSpec,
    "IdentityProvider": IdentityProviderSpec,
    "ServiceAccount": ServiceAccountSpec,
    "DirectoryRights": DirectorySpec,
    "AccessReview": AccessReviewSpec,
    "Visibility": VisibilitySpec,
    "Principal": PrincipalSpec,
}
"""kind -> the pydantic model of its spec."""


def parse(kind: str, name: str, spec: Any) -> BaseModel:
    """A spec as its pydantic model. Raises InvalidInput naming the document, the field and the fix.

    `details["problems"]` has a `FieldProblem` for each.
    """
    try:
        return KINDS[kind].model_validate(spec)
    except ValidationError as error:
        problems = [_problem(kind, each) for each in error.errors(include_url=False)]
    first = problems[0]
    more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
    raise InvalidInput(
        f"{kind} {name}: {first['field']} {first['problem']}.{more}",
        details={"kind": kind, "name": name, "field": first["field"], "problems": problems},
    )


def dump(spec: BaseModel) -> dict[str, object]:
    """A spec as JSON, as it was written: nothing added that was not there. `parse` of it gives the same."""
    return spec.model_dump(mode="json", by_alias=True, exclude_unset=True)


class FieldProblem(TypedDict):
    """What is wrong with one field; `path` begins with "spec"."""

    field: str
    path: list[str | int]
    problem: str


def _problem(kind: str, error: ErrorDetails) -> FieldProblem:
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
    path: list[str | int] = ["spec", *place]
    return {"field": ".".join(map(str, path)), "path": path, "problem": problem}


def _nearest(kind: str, name: str) -> str:
    names = [each for each in _field_names() if each != name]
    close = difflib.get_close_matches(name, names, 1, 0.6)
    return f" ({did_you_mean(close)})" if close else f"; docs/reference/policies.md lists the fields of a {kind}"


def _field_names() -> list[str]:
    return sorted({field.alias or name for model in _specs(Spec) for name, field in model.model_fields.items()})


def _specs(base: type[BaseModel]) -> list[type[BaseModel]]:
    return [each for direct in base.__subclasses__() for each in (direct, *_specs(direct))]
