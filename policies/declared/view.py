"""All that is declared, ready for deciding; made of documents, and made again of what changed alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from policies.decision.decide import decide
from policies.decision.domains import Domain
from policies.decision.policy_index import Compiled
from policies.decision.visibility import VisibilityRule
from policies.declared import (
    access_specs,
    kinds,
    provider_specs,
)
from policies.declared.directory import DIRECTORY_KINDS, Directory, DirectoryMembership, DirectoryRuleSpec
from policies.declared.principal_specs import PrincipalSpec
from policies.declared.service_specs import ServiceAccountSpec
from policies.matching import resolve
from policies.model import DatasetFacts, Decision, Grant, Role, Subject
from policies.purposes import NO_PURPOSES, Purposes
from policies.workflow import Workflow

GOVERNANCE_KINDS = frozenset(kinds.KINDS)
READ_KINDS = GOVERNANCE_KINDS | DIRECTORY_KINDS
"""Kinds of documents that a view is made of."""
PEOPLE_KINDS = frozenset({"User", "ServiceAccount"})


@dataclass(frozen=True)
class View:
    """All that is declared, at one version."""

    version: int
    roles: Mapping[str, Role]
    policies: Compiled
    grants: Mapping[str, Grant]
    workflows: tuple[Workflow, ...]
    users: Mapping[str, access_specs.UserSpec]
    groups: Mapping[str, access_specs.GroupSpec]
    removed_users: frozenset[str]
    problems: tuple[str, ...]
    grants_by_subject: Mapping[tuple[str, str], Sequence[Grant]] = field(default_factory=dict)
    providers: Mapping[str, provider_specs.IdentityProviderSpec] = field(default_factory=dict)
    groups_of_user: Mapping[str, frozenset[str]] = field(default_factory=dict)
    services: Mapping[str, ServiceAccountSpec] = field(default_factory=dict)
    directory: Directory = field(default_factory=Directory)
    directory_rules: tuple[DirectoryRuleSpec, ...] = ()
    adopted: tuple[str, ...] = ()
    """Names and patterns of declared people whom the directory may create."""
    visibility: tuple[VisibilityRule, ...] = ()
    """Who may know of what; by name."""
    powerful: DirectoryMembership = field(default_factory=DirectoryMembership)
    """Roles that carry a permission, inherited ones too, and groups that have such a role."""
    templates: Mapping[str, access_specs.RequestTemplateSpec] = field(default_factory=dict)
    purposes: Purposes = NO_PURPOSES
    domains: Mapping[str, Domain] = field(default_factory=dict)
    """Teams with admins and stewards of their own."""
    principals: Mapping[str, PrincipalSpec] = field(default_factory=dict)
    """Who principals of Kafka are."""

    def given_by_directory(self, user: str) -> DirectoryMembership:
        """What the directory (SCIM) gives a user; nothing that is declared by hand."""
        return self.directory.given(user, self.directory_rules, self.powerful)

    def has_group(self, name: str) -> bool:
        """Whether a group is declared, or given by the directory."""
        return name in self.groups or any(
            name in rule.groups or (rule.group_of_same_name and name in self.directory_groups())
            for rule in self.directory_rules
        )

    def directory_groups(self) -> frozenset[str]:
        """Names of the directory's groups."""
        return frozenset(str((each.spec or {}).get("name", "")) for each in self.directory.groups.values())

    def subject(self, user: str, groups: frozenset[str] = frozenset(), roles: frozenset[str] = frozenset()) -> Subject:
        """A user with the groups and roles declared for them, those of the directory, and those given (of a provider)."""
        spec = self.users.get(user) or self.services.get(user)
        if spec is not None:
            groups, roles = groups | set(spec.groups), roles | set(spec.roles)
        given = self.given_by_directory(user)
        groups, roles = groups | given.groups | self.groups_of_user.get(user, frozenset()), roles | given.roles
        return Subject(user, groups, roles.union(*(self.groups[g].roles for g in groups if g in self.groups)))

    def listed_in(self, user: str) -> frozenset[str]:
        """The groups whose declarations list a user as a member."""
        return self.groups_of_user.get(user, frozenset())

    @property
    def people(self) -> frozenset[str]:
        """Names of all users and service accounts that are declared, listed by a group, or kept by the directory."""
        users = (str((each.spec or {}).get("user", "")) for each in self.directory.users.values())
        return frozenset({*self.users, *self.services, *self.groups_of_user, *users})

    def grants_of(self, subject: Subject) -> list[Grant]:
        """Every grant, of any state, that names the user, a group, or a role that the user has directly or by inheritance."""
        keys = [("user", subject.user), *(("group", g) for g in subject.groups)]
        keys += [("role", r) for r in resolve(subject, self.roles).roles]
        return list({g.name: g for key in keys for g in self.grants_by_subject.get(key, ())}.values())

    def stated(self, grants: Iterable[Grant]) -> Sequence[str]:
        """Purposes which somebody with these grants may state, as many as show every different answer, sorted."""
        return self.purposes.worth_stating({each.purpose for each in grants}, self.policies.purposes)

    def decide(
        self,
        subject: Subject,
        facts: DatasetFacts,
        purpose: str | None,
        now: datetime,
        unscanned_is_sensitive: bool = True,
        grants: Sequence[Grant] | None = None,
    ) -> Decision:
        """What the subject may read, by what is declared in this view.

        `grants`: those of the subject that are active, where the caller looked them up already.
        """
        return decide(
            subject,
            facts,
            roles=self.roles,
            policies=self.policies,
            grants=self.grants_of(subject) if grants is None else grants,
            purpose=purpose,
            now=now,
            unscanned_is_sensitive=unscanned_is_sensitive,
            purposes=self.purposes,
        )
