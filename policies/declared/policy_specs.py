"""The spec of `kind: Policy`: a mask, an access rule or a row filter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, RootModel, Tag, model_validator

from catalog.errors import InvalidInput
from policies.declared.spec_parts import ExceptSpec, MatchSpec, Name, Spec, Sql, SubjectsSpec, as_list
from policies.masks import names, registry
from policies.model import MaskType


class MaskSpec(Spec):
    """`type` is a mask of docs/reference/policies.md or another product's name for it; `expression` belongs to CUSTOM."""

    type: Name
    expression: Sql | None = None
    params: dict[str, int | float | str] = Field({})

    @model_validator(mode="after")
    def _known(self) -> MaskSpec:
        try:
            kind, _ = names.read(self.type)
        except InvalidInput as error:
            raise ValueError(error.message.rstrip(".")) from None
        if (kind == MaskType.CUSTOM) != (self.expression is not None):
            need = "CUSTOM needs one, as in substring_index({col}, '?', 1)"
            raise ValueError(f"expression belongs to CUSTOM alone; {need}")
        known = {each.name: each for each in registry.of(kind).parameters}
        for name, value in self.params.items():
            if name not in known:
                raise ValueError(f"params.{name} is not known for {kind}; there is {', '.join(known) or 'none'}")
            if not known[name].allows(value):
                raise ValueError(f"params.{name} must be {known[name].range}")
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
    purpose: Annotated[list[Name], BeforeValidator(as_list)] = Field([])

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
