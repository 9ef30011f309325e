"""Answers of `/directory`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about
from catalog.records import rfc3339
from policies.access.directory_list import ListedGroup, ListedPerson


class ReleasedName(Answer):
    """A name that the directory neither keeps nor keeps out any more."""

    name: str
    released: Literal[True]
    mentions: list[str] = about("What passes to who gets the name: `User eva`, `Grant g-7`, `Dataset prod/orders`.")


class DirectoryPeopleCounts(Answer):
    """People of the directory by state."""

    active: int
    deactivated: int
    removed: int = about("Names whose user the directory removed or renamed; they are kept out.")


class DirectoryShown(Answer):
    """What a directory needs to know, and how much it keeps here."""

    address: str | None = about("What the directory calls; null where Weir does not know its own address.")
    people: DirectoryPeopleCounts
    groups: int
    rules: int = about("Rules of `kind: DirectoryRights`; without one, groups give nothing.")


class DirectoryPerson(Answer):
    """A person whom the directory keeps, or whose name it keeps out."""

    name: str
    display_name: str
    state: Literal["active", "deactivated", "removed"]
    out_since: Time | None = about("When they were deactivated or removed; null while they are active.")
    groups: list[str] = about("Their groups in the directory.")
    declared: bool = about("Whether a `kind: User` has the same name.")


class DirectoryPeopleListed(Answer):
    """A page of people."""

    people: list[DirectoryPerson]
    total: int


class DirectoryGroup(Answer):
    """A group of the directory, and what the rules give its members."""

    name: str
    members: int
    gives_groups: list[str]
    gives_roles: list[str]


class DirectoryGroupsListed(Answer):
    """A page of groups."""

    groups: list[DirectoryGroup]
    total: int


def person(listed: ListedPerson) -> DirectoryPerson:
    """A person as lists show them."""
    return DirectoryPerson(
        name=listed.name,
        display_name=listed.display,
        state=listed.state,
        out_since=rfc3339(listed.out_since),
        groups=list(listed.groups),
        declared=listed.declared,
    )


def group(listed: ListedGroup) -> DirectoryGroup:
    """A group as lists show it."""
    return DirectoryGroup(
        name=listed.name,
        members=listed.members,
        gives_groups=sorted(listed.gives.groups),
        gives_roles=sorted(listed.gives.roles),
    )
