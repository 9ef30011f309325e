"""The spec of `kind: Domain`: a team with datasets, admins and stewards of its own."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from catalog.errors import InvalidInput
from policies.decision.domains import Domain
from policies.declared.spec_parts import DatasetPattern, Name, Spec
from policies.model import SubjectMatch

KIND = "Domain"
OWN_KINDS = frozenset({"Policy", "Visibility"})
"""Kinds of documents that may belong to a domain, by `metadata.domain`."""
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\Z")


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError(f"{text!r} has letters that do not show; write CLUSTER/TOPIC, as in prod/hr.*")
    return text


OwnPattern = Annotated[DatasetPattern, Field(max_length=300), AfterValidator(_printable)]


class MembersSpec(Spec):
    """Users and groups by name. Roles are not among them: what a role is may be changed by others."""

    users: list[Name] = Field([])
    groups: list[Name] = Field([])


class DomainSpec(Spec):
    """`datasets`: patterns `CLUSTER/TOPIC`, `*` for any text; a dataset belongs to one domain at most.

    admins    decide on access, declare policies and who may know of the datasets, and do all that stewards do
    stewards  review personal data, edit descriptions, owners and tags, see reports
    """

    description: str = ""
    datasets: list[OwnPattern] = Field(min_length=1, max_length=200)
    admins: MembersSpec = Field(default_factory=MembersSpec)
    stewards: MembersSpec = Field(default_factory=MembersSpec)


def check_name(name: str) -> None:
    """Raises InvalidInput for a name that documents of the domain could not begin with."""
    if not _NAME.match(name):
        raise InvalidInput(
            f"Domain {name}: metadata.name has lower-case letters, digits and - only, at most 63, as in human-resources.",
            details={"kind": KIND, "name": name, "field": "metadata.name"},
        )


def domain(name: str, spec: DomainSpec) -> Domain:
    """The domain that a document declares."""
    return Domain(name, tuple(dict.fromkeys(spec.datasets)), _people(spec.admins), _people(spec.stewards))


def _people(spec: MembersSpec) -> SubjectMatch:
    return SubjectMatch(users=frozenset(spec.users), groups=frozenset(spec.groups))
