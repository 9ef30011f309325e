"""The spec of `kind: Visibility`: who may know that datasets exist, their schema, their personal data, their lineage."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from policies.decision.visibility import DOMAIN_TAG, Aspect, Audience, VisibilityRule
from policies.declared.spec_parts import DatasetPattern, Name, PeopleSpec, Spec
from policies.model import SubjectMatch


class OwnersSpec(Spec):
    """Owners of datasets, by name."""

    users: list[Name] = Field([])
    groups: list[Name] = Field([])


class VisibilityMatchSpec(Spec):
    """Which datasets; one entry that fits is enough. `domains: [sales]` is the tag domain.sales."""

    datasets: list[DatasetPattern] = Field([])
    tags: list[Name] = Field([])
    domains: list[Name] = Field([])
    owners: OwnersSpec = Field(default_factory=OwnersSpec)

    @model_validator(mode="after")
    def _not_empty(self) -> VisibilityMatchSpec:
        if not (self.datasets or self.tags or self.domains or self.owners.users or self.owners.groups):
            raise ValueError(
                "names nothing; give datasets, tags, domains or owners ('*' in datasets for every dataset)"
            )
        return self


class AudienceSpec(PeopleSpec):
    """Users, groups and roles; owners of the dataset are always among them."""

    @model_validator(mode="after")
    def _not_empty(self) -> AudienceSpec:
        if not (self.users or self.groups or self.roles):
            raise ValueError("names nobody; give users, groups or roles, or write owners or everyone")
        return self


def _known_word(value: Any) -> Any:
    if isinstance(value, str) and value not in ("everyone", "owners"):
        raise ValueError(f"{value!r} is nobody; write everyone, owners, or users, groups and roles")
    return value


AudienceOf = Annotated[Literal["everyone", "owners"] | AudienceSpec, BeforeValidator(_known_word)]


class VisibilitySpec(Spec):
    """An aspect that is absent is left to other documents, and to WEIR_POLICIES__VISIBILITY."""

    description: str = ""
    match: VisibilityMatchSpec
    existence: AudienceOf | None = None
    schema_: AudienceOf | None = Field(default=None, alias="schema")
    evidence: AudienceOf | None = None
    lineage: AudienceOf | None = None

    @model_validator(mode="after")
    def _something(self) -> VisibilitySpec:
        if not any(self.audiences().values()):
            raise ValueError("lets nobody know of anything; give existence, schema, evidence or lineage")
        return self

    def audiences(self) -> dict[Aspect, Literal["everyone", "owners"] | AudienceSpec | None]:
        """As written, by aspect."""
        return {
            Aspect.EXISTENCE: self.existence,
            Aspect.SCHEMA: self.schema_,
            Aspect.EVIDENCE: self.evidence,
            Aspect.LINEAGE: self.lineage,
        }


def rule(name: str, spec: VisibilitySpec) -> VisibilityRule:
    """The rule that a document declares."""
    match = spec.match
    return VisibilityRule(
        name,
        tuple(match.datasets),
        frozenset((*match.tags, *(f"{DOMAIN_TAG}{each}" for each in match.domains))),
        SubjectMatch(users=frozenset(match.owners.users), groups=frozenset(match.owners.groups)),
        {aspect: _audience(given) for aspect, given in spec.audiences().items() if given is not None},
    )


def _audience(given: Literal["everyone", "owners"] | AudienceSpec) -> Audience:
    if isinstance(given, str):
        return Audience(everyone=given == "everyone")
    return Audience(
        people=SubjectMatch(users=frozenset(given.users), groups=frozenset(given.groups), roles=frozenset(given.roles))
    )
