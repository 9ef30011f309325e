"""The columns owners, businessOwners and technicalOwners of a table, as a list of a document's owners. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from api.features.curation.cells import listed, owner_name
from catalog.errors import InvalidInput

_ROLES = {"businessOwners": "business", "technicalOwners": "technical"}


def owners(cells: Mapping[str, str], before: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The owners after a line. A column that is left out stays as it is; an owner of a role is an owner.

    Raises InvalidInput for one of a role whom the column owners leaves out.
    """
    known = {owner_name(each): dict(each) for each in before}
    names = listed(cells["owners"]) if "owners" in cells else list(known)
    for column in _ROLES:
        for name in listed(cells.get(column, "")):
            if name not in names and "owners" in cells:
                raise InvalidInput(f"{column} names {name[:100]}, whom owners leaves out; add the name to owners.")
            names += [] if name in names else [name]
    return [_owner(name, known.get(name), cells) for name in names]


def _owner(name: str, before: dict[str, Any] | None, cells: Mapping[str, str]) -> dict[str, Any]:
    owner = before or ({"group": name.removeprefix("group:")} if name.startswith("group:") else {"user": name})
    had = set(owner.get("roles") or ())
    roles = {
        role for column, role in _ROLES.items() if (name in listed(cells[column]) if column in cells else role in had)
    }
    if roles == had:
        return owner
    rest = {key: value for key, value in owner.items() if key != "roles"}
    return {**rest, "roles": sorted(roles)} if roles else rest
