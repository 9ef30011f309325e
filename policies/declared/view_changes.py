"""The view after some documents changed: parts of which nothing did are the same objects as before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policies.decision.domains import Domain
from policies.decision.policy_index import Compiled, Problem
from policies.declared import access_specs
from policies.declared.builtin import BUILT_IN_ROLES
from policies.declared.directory import Directory, DirectoryMembership, DirectoryRuleSpec, strong
from policies.declared.view import PEOPLE_KINDS, View
from policies.model import Grant, Role
from policies.purposes import NO_PURPOSES, Purposes

Key = tuple[str, str]
"""Kind and name."""

_NOTHING = View(
    version=0,
    roles={},
    policies=Compiled(),
    grants={},
    workflows=(),
    users={},
    groups={},
    removed_users=frozenset(),
    problems=(),
)


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A document at one version as decisions need it; `problem` where it cannot be read."""

    version: int
    value: Any
    problem: str | None = None


class Changes:
    """What makes a view out of the one before.

    before   None for the first view, of which every part is made
    read     all documents as they are now
    changed  those of them that are new or differ; None for deleted ones
    """

    def __init__(
        self, before: View | None, read: Mapping[Key, DocumentVersion], changed: Mapping[Key, DocumentVersion | None]
    ) -> None:
        self._first = before is None
        self._before = before if before is not None else _NOTHING
        self._read, self._changed = read, changed
        self._kinds = {kind for kind, _ in changed}

    def view(self, version: int, directory: Directory) -> View:
        """The view at `version`."""
        before = self._before
        roles = self._roles()
        grants = self._part("Grant", before.grants)
        groups = self._part("Group", before.groups)
        users = self._part("User", before.users)
        services = self._part("ServiceAccount", before.services)
        domains = self._part("Domain", before.domains)
        rules, adopted = self._directory_rights()
        return View(
            version=version,
            roles=roles,
            policies=self._policies(version),
            grants=grants,
            workflows=tuple(self._values("Workflow")) if self._concern("Workflow") else before.workflows,
            users=users,
            groups=groups,
            removed_users=self._removed() - users.keys() - services.keys(),
            problems=self._problems(),
            grants_by_subject=self._grants_by_subject(grants),
            providers=self._part("IdentityProvider", before.providers),
            groups_of_user=_groups_of(groups) if self._concern("Group") else before.groups_of_user,
            services=services,
            directory=directory,
            directory_rules=rules,
            adopted=adopted,
            visibility=tuple(r.value for r in self._of("Visibility"))
            if self._concern("Visibility")
            else before.visibility,
            powerful=self._powerful(roles, groups, domains),
            templates=self._part("RequestTemplate", before.templates),
            purposes=self._purposes(),
            domains=domains,
            principals=self._part("Principal", before.principals),
        )

    def _concern(self, *kinds: str) -> bool:
        return self._first or not self._kinds.isdisjoint(kinds)

    def _of(self, kind: str) -> list[DocumentVersion]:
        """The documents of a kind, by name."""
        return [each for _, each in sorted((name, each) for (of, name), each in self._read.items() if of == kind)]

    def _values(self, kind: str) -> list[Any]:
        """What the documents of a kind declare, by name; without those that cannot be read."""
        return [each.value for each in self._of(kind) if each.value is not None]

    def _part(self, kind: str, before: Any) -> Any:
        """Name -> what is declared."""
        if not self._concern(kind):
            return before
        if not self._first:  # a copy is quicker than a walk through all that was read
            copy = dict(before)
            for (of, name), each in self._changed.items():
                if of == kind:
                    copy.pop(name, None)
                    if each is not None and each.value is not None:
                        copy[name] = each.value
            return copy
        return {
            name: each.value for (of, name), each in sorted(self._read.items()) if of == kind and each.value is not None
        }

    def _roles(self) -> Mapping[str, Role]:
        roles = self._part("Role", self._before.roles)
        return {**BUILT_IN_ROLES, **roles} if self._concern("Role") else roles

    def _policies(self, version: int) -> Compiled:
        if not self._concern("Policy"):
            return self._before.policies
        unreadable = [
            Problem(None, f"{each.problem} Declare it again, or delete it.")
            for each in self._of("Policy")
            if each.problem
        ]
        return Compiled(self._values("Policy"), unreadable, version)

    def _grants_by_subject(self, grants: Mapping[str, Grant]) -> Mapping[tuple[str, str], Sequence[Grant]]:
        before = self._before
        if not self._concern("Grant"):
            return before.grants_by_subject
        names = list(grants) if self._first else [name for kind, name in self._changed if kind == "Grant"]
        return _by_subject(before.grants_by_subject, before.grants, grants, names)

    def _removed(self) -> frozenset[str]:
        gone = {name for (kind, name), each in self._changed.items() if kind in PEOPLE_KINDS and each is None}
        return self._before.removed_users | gone

    def _directory_rights(self) -> tuple[tuple[DirectoryRuleSpec, ...], tuple[str, ...]]:
        """The rules of what the directory gives, and whom it may create."""
        if not self._concern("DirectoryRights"):
            return self._before.directory_rules, self._before.adopted
        specs = self._values("DirectoryRights")
        return tuple(rule for spec in specs for rule in spec.rights), tuple(
            name for spec in specs for name in spec.adopt
        )

    def _powerful(
        self, roles: Mapping[str, Role], groups: Mapping[str, access_specs.GroupSpec], domains: Mapping[str, Domain]
    ) -> DirectoryMembership:
        if not self._concern("Role", "Group", "Domain"):
            return self._before.powerful
        return strong(roles, {name: group.roles for name, group in groups.items()}, domains.values())

    def _purposes(self) -> Purposes:
        if not self._concern("Purpose"):
            return self._before.purposes
        declared = self._values("Purpose")
        return Purposes(declared) if declared else NO_PURPOSES

    def _problems(self) -> tuple[str, ...]:
        unread = any(each is not None and each.problem for each in self._changed.values())
        if not self._first and not self._before.problems and not unread:
            return self._before.problems
        return tuple(each.problem for _, each in sorted(self._read.items()) if each.problem)


def _by_subject(
    before: Mapping[tuple[str, str], Sequence[Grant]],
    old: Mapping[str, Grant],
    new: Mapping[str, Grant],
    names: Collection[str],
) -> Mapping[tuple[str, str], Sequence[Grant]]:
    """Grants by whom they name, where only those of these names changed."""
    removed: dict[tuple[str, str], set[str]] = defaultdict(set)
    added: dict[tuple[str, str], list[Grant]] = defaultdict(list)
    for name in names:
        for key in _keys(old.get(name)):
            removed[key].add(name)
        for key in _keys(grant := new.get(name)):
            if grant is not None:
                added[key].append(grant)
    after = dict(before)
    for key in removed.keys() | added.keys():
        kept = [g for g in before.get(key, ()) if g.name not in removed.get(key, ())]
        after[key] = sorted([*kept, *added.get(key, ())], key=lambda g: g.name)
    return after


def _keys(grant: Grant | None) -> list[tuple[str, str]]:
    if grant is None:
        return []
    of = (("user", grant.subject.users), ("group", grant.subject.groups), ("role", grant.subject.roles))
    return [(kind, name) for kind, names in of for name in names]


def _groups_of(groups: Mapping[str, access_specs.GroupSpec]) -> Mapping[str, frozenset[str]]:
    """User -> the groups whose declarations list them as a member."""
    collected: dict[str, set[str]] = defaultdict(set)
    for name, group in groups.items():
        for member in group.members:
            collected[member].add(name)
    return {user: frozenset(names) for user, names in collected.items()}
