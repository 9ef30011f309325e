"""Keeps the people and groups of a company's directory: created, changed, deactivated, removed (SCIM 2.0).

What a person is called there is their name here. A deactivated or removed person is out everywhere at once: no sign-in by
a provider, no token and no declared right lets them in.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from typing import Any

from catalog.errors import Conflict, InvalidInput, NotFound
from catalog.records import rfc3339
from policies.access.offboarding import Ended, Offboarding
from policies.audit import AuditLog
from policies.declared.builtin import ADMIN_USER
from policies.declared.directory import GROUP, MEMBER, NAME, USER, Directory
from policies.declared.state import GovernanceState
from policies.model import Subject
from policies.ports import Change, Clock, Document

_OWN_NAMES = frozenset({ADMIN_USER, "weir"})
_MOST_NAME = 253


class DirectoryPeople:
    """The service behind SCIM's Users and Groups. `resource` is what SCIM keeps of a thing, without ids and members.

    Every method that changes raises Conflict when the thing is not at the version `expect`; None = whatever it is.
    """

    def __init__(self, state: GovernanceState, clock: Clock, audit: AuditLog, offboarding: Offboarding) -> None:
        self._state, self._clock, self._audit, self._offboarding = state, clock, audit, offboarding
        self._store = state.store

    def directory(self) -> Directory:
        """People and groups as they are now."""
        return self._state.view().directory

    def user(self, identifier: str) -> Document:
        """Raises NotFound."""
        return self._document(USER, identifier, "User")

    def group(self, identifier: str) -> Document:
        """Raises NotFound."""
        return self._document(GROUP, identifier, "Group")

    def _document(self, kind: str, identifier: str, word: str) -> Document:
        document = self._store.get(kind, identifier)
        if document is None:
            raise NotFound(f"There is no {word} with the id {identifier[:80]!r}.", details={"id": identifier[:80]})
        return document

    # --- people ----------------------------------------------------------------------------------------------------

    def create_user(self, by: Subject, user: str, active: bool, resource: Mapping[str, Any]) -> Document:
        """Raises Conflict for a name that is taken, InvalidInput for one that cannot be."""
        identifier, now = secrets.token_hex(12), self._clock()
        spec = {"user": user, "active": active, "created": rfc3339(now), "resource": dict(resource)}
        with self._store.transaction():
            self._require_free(user)
            self._store.apply(
                [self._named(user, identifier, by), Change(USER, identifier, spec, by=by.user, expect=0)], now
            )
            self._audit.record(by.user, "directory.user.create", user, "allow", [identifier, _state(active)])
        if not active:
            self._cut(user)
        return self.user(identifier)

    def change_user(
        self, by: Subject, identifier: str, expect: int | None, change: Callable[[Document], tuple[str, bool, Any]]
    ) -> Document:
        """`change` gives (name, active, resource) of the user as it is to be, from what it is at that moment."""
        with self._store.transaction():
            present = self.user(identifier)
            before = dict(present.spec or {})
            user, active, resource = change(present)
            spec = {**before, "user": user, "active": active, "resource": resource}
            if spec == before:
                _check(present, expect)
                return present
            changes = [Change(USER, identifier, spec, by=by.user, expect=expect)]
            if user.casefold() != before["user"].casefold():
                self._require_free(user)
                changes += [
                    Change(NAME, before["user"].casefold(), None, by=by.user),
                    self._named(user, identifier, by),
                ]
            self._store.apply(changes, self._clock())
            reasons = [identifier, _state(active)] + ([f"was {before['user']}"] if user != before["user"] else [])
            self._audit.record(by.user, "directory.user.change", user, "allow", reasons)
            cut = [] if active or not before["active"] else [(user, "the directory deactivated the user", False)]
            if user != before["user"]:
                cut.append((before["user"], f"the directory renamed the user to {user}", True))
            ended_now = [(name, why, self._offboarding.holdings(name, why, unlink=gone)) for name, why, gone in cut]
        for name, why, ended in ended_now:
            self._after(name, why, ended)
        return self.user(identifier)

    def remove_user(self, by: Subject, identifier: str, expect: int | None) -> None:
        """The name is out from now on, until the directory creates a user of that name again."""
        with self._store.transaction():
            present = self.user(identifier)
            user = str((present.spec or {})["user"])
            groups = self.directory().groups_of.get(identifier, frozenset())
            changes = [Change(USER, identifier, None, by=by.user, expect=expect), Change(NAME, user.casefold(), None)]
            changes += [Change(MEMBER, f"{group}/{identifier}", None, by=by.user) for group in sorted(groups)]
            self._store.apply(changes, self._clock())
            self._audit.record(by.user, "directory.user.remove", user, "allow", [identifier])
            why = "the directory removed the user"
            ended = self._offboarding.holdings(user, why, unlink=True)
        self._after(user, why, ended)

    def _cut(self, user: str) -> None:
        why = "the directory deactivated the user"
        with self._store.transaction():
            ended = self._offboarding.holdings(user, why)
        self._after(user, why, ended)

    def _after(self, user: str, why: str, ended: Ended) -> None:
        done = self._offboarding.running(user, why, ended)
        self._audit.record("weir", "directory.user.cut", user, "allow", [why, *done.words()])

    def _named(self, user: str, identifier: str, by: Subject) -> Change:
        return Change(NAME, user.casefold(), {"id": identifier, "user": user}, by=by.user)

    def _require_free(self, user: str) -> None:
        if not user.strip() or user != user.strip() or not user.isprintable() or len(user) > _MOST_NAME:
            raise InvalidInput(
                f"userName must be 1 to {_MOST_NAME} printable characters, without blanks around it.",
                details={"field": "userName"},
            )
        if self._store.get(NAME, user.casefold()) is not None:
            raise _taken(f"There is a user named {user!r} already.")
        if user.casefold() in _OWN_NAMES or self._store.get("ServiceAccount", user) is not None:
            raise _taken(f"{user!r} is a name of Weir's own or of a service account; give the person another.")

    # --- groups ----------------------------------------------------------------------------------------------------

    def members(self, identifier: str) -> frozenset[str]:
        """Ids of a group's members."""
        return self.directory().members.get(identifier, frozenset())

    def create_group(self, by: Subject, name: str, resource: Mapping[str, Any], members: Collection[str]) -> Document:
        """Raises InvalidInput for a member that is not a user of the directory."""
        identifier, now = secrets.token_hex(12), self._clock()
        spec = {"name": name, "created": rfc3339(now), "resource": dict(resource)}
        with self._store.transaction():
            self._require_users(members)
            self._store.apply(
                [Change(GROUP, identifier, spec, by=by.user, expect=0), *_memberships(by, identifier, members, ())], now
            )
            self._audit.record(
                by.user, "directory.group.create", name, "allow", [identifier, f"{len(set(members))} members"]
            )
        return self.group(identifier)

    def change_group(
        self,
        by: Subject,
        identifier: str,
        expect: int | None,
        change: Callable[[Document, frozenset[str]], tuple[str, Any, Collection[str]]],
    ) -> Document:
        """`change` gives (name, resource, members) of the group as it is to be. A change of members alone changes the
        version too."""
        with self._store.transaction():
            present, before = self.group(identifier), self.members(identifier)
            name, resource, members = change(present, before)
            wanted = frozenset(members)
            spec = {**(present.spec or {}), "name": name, "resource": resource}
            if spec == present.spec and wanted == before:
                _check(present, expect)
                return present
            self._require_users(wanted - before)
            changes = [Change(GROUP, identifier, spec, by=by.user, expect=expect)]
            self._store.apply([*changes, *_memberships(by, identifier, wanted, before)], self._clock())
            reasons = [identifier, f"{len(wanted - before)} members added", f"{len(before - wanted)} members removed"]
            self._audit.record(by.user, "directory.group.change", name, "allow", reasons)
        return self.group(identifier)

    def remove_group(self, by: Subject, identifier: str, expect: int | None) -> None:
        with self._store.transaction():
            present, members = self.group(identifier), self.members(identifier)
            gone = [Change(GROUP, identifier, None, by=by.user, expect=expect)]
            self._store.apply([*gone, *_memberships(by, identifier, (), members)], self._clock())
            name = str((present.spec or {})["name"])
            self._audit.record(by.user, "directory.group.remove", name, "allow", [identifier])

    def _require_users(self, members: Collection[str]) -> None:
        unknown = sorted(each for each in set(members) if self._store.get(USER, each) is None)
        if unknown:
            raise InvalidInput(
                f"Member {unknown[0][:80]!r} is not a user of this directory; groups in groups are not kept.",
                details={"field": "members", "unknown": len(unknown)},
            )


def _memberships(by: Subject, group: str, wanted: Collection[str], before: Collection[str]) -> list[Change]:
    added = [Change(MEMBER, f"{group}/{each}", {}, by=by.user) for each in sorted(set(wanted) - set(before))]
    return added + [Change(MEMBER, f"{group}/{each}", None, by=by.user) for each in sorted(set(before) - set(wanted))]


def _check(present: Document, expect: int | None) -> None:
    Change(present.kind, present.name, present.spec, expect=expect).check(present)


def _state(active: bool) -> str:
    return "active" if active else "deactivated"


def _taken(message: str) -> Conflict:
    return Conflict(message, details={"field": "userName", "scimType": "uniqueness"})
