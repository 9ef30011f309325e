"""People and groups that a company's directory keeps here (SCIM), and what its groups give.

They are documents beside what is declared by hand, so a right by the directory is never mixed with a declared one, and
the past can be read. A group's members are documents of their own: a group of thousands changes by one small document.

    ScimUser    ID -> {user, active, created, resource}      ScimName    key of a name -> {id, user}, or {released}
    ScimGroup   ID -> {name, created, resource}              ScimMember  GROUP/USER -> {}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field, model_validator

from policies.decision.domains import Domain
from policies.declared.spec_parts import Name, Spec
from policies.matching import dataset_matches, resolve
from policies.model import Role, Subject
from policies.ports import Document
from policies.spellings import name_key

USER, NAME, GROUP, MEMBER = "ScimUser", "ScimName", "ScimGroup", "ScimMember"
DIRECTORY_KINDS = frozenset({USER, NAME, GROUP, MEMBER})
"""Kinds of the directory. No kind that `weir apply` takes, so no declared document can write one."""


class DirectoryRuleSpec(Spec):
    """What a group of the directory gives its members. `group`: its name there, exact, but `*` means any text. With `*`
    no role counts that carries a permission, and no group that has such a role or that a domain names.

    groups, roles        names here
    group_of_same_name   its members are in the group of that name here
    """

    group: Name
    groups: list[Name] = Field([])
    roles: list[Name] = Field([])
    group_of_same_name: bool = False

    @model_validator(mode="after")
    def _gives_something(self) -> DirectoryRuleSpec:
        if not (self.groups or self.roles or self.group_of_same_name):
            raise ValueError("gives nothing; name groups or roles, or set groupOfSameName: true")
        if "*" in self.group and self.roles and self.group.strip("*") == "":
            raise ValueError("would give roles to members of every group; name the group that means the role")
        return self


class DirectorySpec(Spec):
    """What the groups of the directory give. Without a rule they give nothing.

    adopt   names, `*` for any text, of people whom declarations name and the directory may create
    """

    description: str = ""
    rights: list[DirectoryRuleSpec] = Field([])
    adopt: list[Name] = Field([])


@dataclass(frozen=True, slots=True)
class DirectoryMembership:
    """Groups and roles that the directory gives a person, or that it may not give."""

    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()


_NOTHING = DirectoryMembership()


@dataclass(frozen=True)
class Directory:
    """The directory as it is at one version. `with_changes` gives another one; this one stays.

    users, groups  id -> document        names  key of a name -> id of the user
    freed          keys of names whose user was removed or renamed, and that nobody has now
    released       keys of names that an administrator released, and that nobody has now
    """

    users: Mapping[str, Document] = field(default_factory=dict)
    groups: Mapping[str, Document] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    freed: frozenset[str] = frozenset()
    released: frozenset[str] = frozenset()
    members: Mapping[str, frozenset[str]] = field(default_factory=dict)
    groups_of: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def with_changes(self, changed: Iterable[Document]) -> Directory:
        """The directory after these documents became what they are; a document without a spec is gone."""
        users, groups, names = dict(self.users), dict(self.groups), dict(self.names)
        freed, released = set(self.freed), set(self.released)
        joined: dict[tuple[str, str], bool] = {}
        for each in changed:
            match each.kind:
                case "ScimUser":
                    _put(users, each)
                case "ScimGroup":
                    _put(groups, each)
                case "ScimName":
                    key, spec = name_key(each.name), each.spec
                    for keys in (freed, released):
                        keys.discard(key)
                    names.pop(key, None)
                    if spec is None:
                        freed.add(key)
                    elif "id" in spec:
                        names[key] = str(spec["id"])
                    else:
                        released.add(key)
                case "ScimMember":
                    group, _, user = each.name.partition("/")
                    joined[group, user] = each.spec is not None
        return Directory(
            users=users,
            groups=groups,
            names=names,
            freed=frozenset(freed),
            released=frozenset(released),
            members=_joined(self.members, joined),
            groups_of=_joined(self.groups_of, {(u, g): there for (g, u), there in joined.items()}),
        )

    def user(self, name: str) -> Document | None:
        """The person of a name, in any spelling."""
        return self.users.get(self.names.get(name_key(name), ""))

    def gone(self, name: str) -> str | None:
        """Why the directory keeps a person of this name out; None when it does not. Capitals do not matter: no other
        spelling lets a person in who was deactivated."""
        key = name_key(name)
        if key in self.freed:
            return "was removed by the directory"
        person = self.user(name)
        active = person is None or (person.spec or {}).get("active") is True
        return None if active else "was deactivated by the directory"

    def given(
        self, name: str, rules: Iterable[DirectoryRuleSpec], barred: DirectoryMembership = _NOTHING
    ) -> DirectoryMembership:
        """What groups of the directory give the person of exactly this name, if they are active. `barred`: what a rule
        with `*` does not give, since who keeps the directory could get anything by a group's name.
        """
        person = self.user(name)
        spec = person.spec if person is not None else None
        if person is None or spec is None or spec["user"] != name or spec["active"] is not True:
            return DirectoryMembership()
        mine = [self.groups[each] for each in self.groups_of.get(person.name, ()) if each in self.groups]
        return given_by([str((each.spec or {}).get("name", "")) for each in mine], rules, barred)


def given_by(
    named: Iterable[str], rules: Iterable[DirectoryRuleSpec], barred: DirectoryMembership = _NOTHING
) -> DirectoryMembership:
    """What rules give the members of groups of these names; `barred` as in `Directory.given`."""
    named = tuple(named)
    groups: set[str] = set()
    roles: set[str] = set()
    for rule in rules:
        kept_back = barred if "*" in rule.group else _NOTHING
        for group in named:
            if dataset_matches(rule.group, group):
                same = {group} if rule.group_of_same_name else set()
                groups |= {*rule.groups, *same} - kept_back.groups
                roles |= set(rule.roles) - kept_back.roles
    return DirectoryMembership(frozenset(groups), frozenset(roles))


def not_given(rule: DirectoryRuleSpec, barred: DirectoryMembership) -> list[str]:
    """`group admins`, `role steward`: what a rule names, or would give by a group's own name, and does not give."""
    if "*" not in rule.group:
        return []
    same = {group for group in barred.groups if rule.group_of_same_name and dataset_matches(rule.group, group)}
    groups = sorted(barred.groups & {*rule.groups, *same})
    return [*(f"group {each}" for each in groups), *(f"role {each}" for each in sorted(barred.roles & set(rule.roles)))]


def strong(
    roles: Mapping[str, Role], roles_of_groups: Mapping[str, Sequence[str]], domains: Iterable[Domain] = ()
) -> DirectoryMembership:
    """Roles that carry a permission, inherited ones too, and groups that have such a role, or that are admins or stewards of a
    domain.

    A role that cannot be read counts: what it carries is not known.
    """

    def carries(name: str) -> bool:
        with_inherited = resolve(Subject("", roles=frozenset({name})), roles).roles.values()
        return any(role is not None and (role.permissions or role.problem) for role in with_inherited)

    carrying = frozenset(filter(carries, roles))
    of_domains = frozenset().union(*(each.admins.groups | each.stewards.groups for each in domains))
    of_roles = frozenset(name for name, own in roles_of_groups.items() if carrying.intersection(own))
    return DirectoryMembership(of_roles | of_domains, carrying)


def _put(documents: dict[str, Document], each: Document) -> None:
    if each.spec is None:
        documents.pop(each.name, None)
    else:
        documents[each.name] = each


def _joined(
    before: Mapping[str, frozenset[str]], changes: Mapping[tuple[str, str], bool]
) -> Mapping[str, frozenset[str]]:
    """`before` with pairs added (True) and removed (False)."""
    if not changes:
        return before
    touched: dict[str, set[str]] = {}
    for (left, right), there in changes.items():
        members = touched.setdefault(left, set(before.get(left, ())))
        if there:
            members.add(right)
        else:
            members.discard(right)
    after = {**before, **{left: frozenset(groups) for left, groups in touched.items()}}
    return {left: groups for left, groups in after.items() if groups}
