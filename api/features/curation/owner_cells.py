"""The columns owners, businessOwners and technicalOwners of a table, as a list of a document's owners. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypedDict

from api.features.curation.cells import listed, owner_name
from catalog.errors import InvalidInput

_ROLES = {"businessOwners": "business", "technicalOwners": "technical"}


class Owner(TypedDict, total=False):
    """As a document has it: a user or a group."""

    user: str
    group: str
    roles: list[str]


def owners(cells: Mapping[str, str], before: Sequence[Owner]) -> list[Owner]:
    """The owners after a line. A column that is left out stays as it is; an owner of a role is an owner.

    Raises InvalidInput for one of a role whom the column owners leaves out.
    """
    known = {owner_name(each): each for each in before}
    names = _names(cells["owners"], known) if "owners" in cells else list(known)
    for column in _ROLES:
        for name in _names(cells.get(column, ""), known):
            if name not in names and "owners" in cells:
                raise InvalidInput(f"{column} names {name[:100]}, whom owners leaves out; add the name to owners.")
            names += [] if name in names else [name]
    by_role = {role: _names(cells[column], known) for column, role in _ROLES.items() if column in cells}
    return [_owner(name, known.get(name), by_role) for name in names]


def _names(cell: str, known: Collection[str]) -> list[str]:
    """The owners of a cell, each once. `user:ana` is ana, unless an owner has that very name."""
    return list(dict.fromkeys(each if each in known else each.removeprefix("user:") for each in listed(cell)))


def _owner(name: str, before: Owner | None, by_role: Mapping[str, Collection[str]]) -> Owner:
    owner: Owner = before or ({"group": name.removeprefix("group:")} if name.startswith("group:") else {"user": name})
    had = set(owner.get("roles") or ())
    roles = {role for role in _ROLES.values() if (name in by_role[role] if role in by_role else role in had)}
    if roles == had:
        return owner
    after: Owner = {**owner}
    after.pop("roles", None)
    if roles:
        after["roles"] = sorted(roles)
    return after
