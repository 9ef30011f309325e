"""The people and groups that a directory keeps here, in lists for administrators: who is out, since when, what groups give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from policies.declared.directory import NAME, USER, DirectoryMembership, given_by
from policies.declared.state import GovernanceState, View
from policies.ports import Document

PersonState = Literal["active", "deactivated", "removed"]
STATES: tuple[PersonState, ...] = ("active", "deactivated", "removed")


@dataclass(frozen=True, slots=True)
class ListedPerson:
    """A person of the directory. `removed`: the directory has no such user any more, and the name is kept out.

    out_since  when they were deactivated or removed; None = active
    groups     names of their groups in the directory
    declared   whether a `kind: User` has the same name
    """

    name: str
    display: str
    state: PersonState
    out_since: datetime | None
    groups: tuple[str, ...]
    declared: bool


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """A group of the directory, how many users it has, and what rules give its members."""

    name: str
    members: int
    gives: DirectoryMembership


class DirectoryList:
    """Reads the directory of the declared state."""

    def __init__(self, state: GovernanceState) -> None:
        self._state = state

    def counts(self) -> dict[PersonState, int]:
        """How many people are in each state."""
        matching = [state for _, state, _ in _people(self._state.view())]
        return {state: matching.count(state) for state in STATES}

    def rules(self) -> int:
        """How many rules there are about what groups give."""
        return len(self._state.view().directory_rules)

    def people(self, state: PersonState | None, text: str, limit: int, offset: int) -> tuple[list[ListedPerson], int]:
        """(a page of the people in a state, by name; how many those are). `text`: a part of the name, in any capitals.

        The history is read for those of the page who are out, and for no others.
        """
        view, part = self._state.view(), text.strip().casefold()
        matching = [
            each
            for each in _people(view)
            if (state is None or each[1] == state)
            and (part in each[0].casefold() or part in _display(each[2]).casefold())
        ]
        return [self._listed(view, *each) for each in matching[offset : offset + limit]], len(matching)

    def groups(self, limit: int, offset: int) -> tuple[list[ListedGroup], int]:
        """(a page of the groups, by name; how many there are)"""
        view = self._state.view()
        groups = sorted((str((each.spec or {})["name"]), each.name) for each in view.directory.groups.values())
        return [
            ListedGroup(
                name,
                len(view.directory.members.get(identifier, ())),
                given_by([name], view.directory_rules, view.powerful),
            )
            for name, identifier in groups[offset : offset + limit]
        ], len(groups)

    def _listed(self, view: View, name: str, state: PersonState, document: Document | None) -> ListedPerson:
        directory = view.directory
        if document is None:
            name, since = self._removed(name)
        else:
            since = self._deactivated(document) if state == "deactivated" else None
        mine = directory.groups_of.get(document.name, frozenset()) if document is not None else frozenset()
        groups = (str((directory.groups[each].spec or {})["name"]) for each in mine if each in directory.groups)
        return ListedPerson(
            name=name,
            display=_display(document),
            state=state,
            out_since=since,
            groups=tuple(sorted(groups)),
            declared=name in view.users,
        )

    def _deactivated(self, document: Document) -> datetime:
        """When the time began in which the user is not active."""
        since = document.at
        for each in reversed(self._state.store.history(USER, document.name)):
            if each.spec is None or each.spec["active"] is True:
                break
            since = each.at
        return since

    def _removed(self, key: str) -> tuple[str, datetime | None]:
        """(the name as it was last written, when it was removed or renamed)"""
        states = self._state.store.history(NAME, key)
        names = [str(each.spec["user"]) for each in states if each.spec is not None and "user" in each.spec]
        removals = [each.at for each in states if each.spec is None]
        return (names[-1] if names else key), (removals[-1] if removals else None)


def _people(view: View) -> Sequence[tuple[str, PersonState, Document | None]]:
    """(name, state, the user) of everybody, by name; of removed people the key of the name, and no user."""
    people: list[tuple[str, PersonState, Document | None]] = [
        (str(spec["user"]), "active" if spec["active"] is True else "deactivated", each)
        for each in view.directory.users.values()
        if (spec := each.spec) is not None
    ]
    removed: list[tuple[str, PersonState, Document | None]] = [(key, "removed", None) for key in view.directory.freed]
    return sorted(people + removed, key=lambda each: (each[0].casefold(), each[0]))


def _display(document: Document | None) -> str:
    resource = ((document.spec or {}) if document is not None else {}).get("resource", {})
    return str(resource.get("displayName") or resource.get("name", {}).get("formatted") or "")
