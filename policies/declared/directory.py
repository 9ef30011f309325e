"""People and groups that a company's directory keeps here (SCIM), and what its groups give.

They are documents beside what is declared by hand, so a right by the directory is never mixed with a declared one, and
the past can be read. A group's members are documents of their own: a group of thousands changes by one small document.

    ScimUser    ID -> {user, active, created, resource}      ScimName    name in small letters -> {id, user}
    ScimGroup   ID -> {name, created, resource}              ScimMember  GROUP/USER -> {}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import Field, model_validator

from policies.declared.spec_parts import Name, Spec
from policies.matching import dataset_matches
from policies.ports import Document

USER, NAME, GROUP, MEMBER = "ScimUser", "ScimName", "ScimGroup", "ScimMember"
DIRECTORY_KINDS = frozenset({USER, NAME, GROUP, MEMBER})
"""Kinds of the directory. No kind that `weir apply` takes, so no declared document can write one."""


class DirectoryRuleSpec(Spec):
    """What a group of the directory gives its members. `group`: its name there, exact, but `*` means any text.

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
    """What the groups of the directory give. Without a rule they give nothing."""

    description: str = ""
    rights: list[DirectoryRuleSpec] = Field([])


@dataclass(frozen=True, slots=True)
class Given:
    """What the directory gives a person."""

    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Directory:
    """The directory as it is at one version. `with_changes` gives another one; this one stays.

    users, groups  id -> document        names  name in small letters -> id of the user
    freed          names whose user was removed or renamed, and that nobody has now
    """

    users: Mapping[str, Document] = field(default_factory=dict)
    groups: Mapping[str, Document] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    freed: frozenset[str] = frozenset()
    members: Mapping[str, frozenset[str]] = field(default_factory=dict)
    groups_of: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def with_changes(self, changed: Iterable[Document]) -> Directory:
        """The directory after these documents became what they are; a document without a spec is gone."""
        users, groups, names = dict(self.users), dict(self.groups), dict(self.names)
        freed = set(self.freed)
        joined: dict[tuple[str, str], bool] = {}
        for each in changed:
            match each.kind:
                case "ScimUser":
                    _put(users, each)
                case "ScimGroup":
                    _put(groups, each)
                case "ScimName" if each.spec is not None:
                    names[each.name] = str(each.spec["id"])
                    freed.discard(each.name)
                case "ScimName":
                    names.pop(each.name, None)
                    freed.add(each.name)
                case "ScimMember":
                    group, _, user = each.name.partition("/")
                    joined[group, user] = each.spec is not None
        return Directory(
            users, groups, names, frozenset(freed),
            _joined(self.members, joined), _joined(self.groups_of, {(u, g): there for (g, u), there in joined.items()}),
        )  # fmt: skip

    def user(self, name: str) -> Document | None:
        """The person of a name, whatever its capitals."""
        return self.users.get(self.names.get(name.casefold(), ""))

    def gone(self, name: str) -> str | None:
        """Why the directory keeps a person of this name out; None when it does not. Capitals do not matter: no other
        spelling lets a person in who was deactivated."""
        key = name.casefold()
        if key in self.freed:
            return "was removed by the directory"
        person = self.user(name)
        active = person is None or (person.spec or {}).get("active") is True
        return None if active else "was deactivated by the directory"

    def given(self, name: str, rules: Iterable[DirectoryRuleSpec]) -> Given:
        """What groups of the directory give the person of exactly this name, if they are active."""
        person = self.user(name)
        spec = person.spec if person is not None else None
        if person is None or spec is None or spec["user"] != name or spec["active"] is not True:
            return Given()
        groups: set[str] = set()
        roles: set[str] = set()
        mine = [self.groups[each] for each in self.groups_of.get(person.name, ()) if each in self.groups]
        named = [str((each.spec or {}).get("name", "")) for each in mine]
        for rule in rules:
            for group in named:
                if dataset_matches(rule.group, group):
                    groups.update(rule.groups)
                    roles.update(rule.roles)
                    if rule.group_of_same_name:
                        groups.add(group)
        return Given(frozenset(groups), frozenset(roles))


def _put(kept: dict[str, Document], each: Document) -> None:
    if each.spec is None:
        kept.pop(each.name, None)
    else:
        kept[each.name] = each


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
    after = {**before, **{left: frozenset(kept) for left, kept in touched.items()}}
    return {left: kept for left, kept in after.items() if kept}
