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
from policies.access.mentions import Mentions
from policies.access.offboarding import EndedAccess, Offboarding
from policies.audit.log import AuditLog
from policies.declared.directory import GROUP, MEMBER, NAME, USER, Directory
from policies.declared.person_names import RULE, can_be_a_name, is_own
from policies.declared.state import GovernanceState
from policies.matching import dataset_matches
from policies.model import Subject
from policies.ports import Change, Clock, Document
from policies.spellings import earlier_keys, name_key, plain

_MOST_NAMED = 50
"""How many members an entry of the audit names, of those added and of those removed."""


class DirectoryPeople:
    """The service behind SCIM's Users and Groups. `resource` is what SCIM keeps of a thing, without ids and members.

    Every method that changes raises Conflict when the thing is not at the version `expect`; None = whatever it is.
    """

    def __init__(
        self,
        state: GovernanceState,
        clock: Clock,
        audit: AuditLog,
        offboarding: Offboarding,
        mentions: Mentions | None = None,
    ) -> None:
        self._state, self._clock, self._audit, self._offboarding = state, clock, audit, offboarding
        self._mentions = mentions or Mentions(state, clock)
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
        """Raises Conflict for a name that is taken, or has rights that nobody gave to the directory; InvalidInput for one
        that cannot be."""
        identifier, now, user = secrets.token_hex(12), self._clock(), plain(user)
        spec = {"user": user, "active": active, "created": rfc3339(now), "resource": dict(resource)}
        with self._store.transaction():
            self._require_free(user, adopts=True)
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
            user = plain(user)
            spec = {**before, "user": user, "active": active, "resource": resource}
            if spec == before:
                _check(present, expect)
                return present
            changes = [Change(USER, identifier, spec, by=by.user, expect=expect)]
            if name_key(user) != name_key(before["user"]):
                self._require_free(user)
                changes += [*self._freed(before["user"], by), self._named(user, identifier, by)]
            self._store.apply(changes, self._clock())
            reasons = [identifier, _state(active)] + ([f"was {before['user']}"] if user != before["user"] else [])
            self._audit.record(by.user, "directory.user.change", user, "allow", reasons)
            cut = [] if active or not before["active"] else [(user, "the directory deactivated the user")]
            if user != before["user"]:
                cut.append((before["user"], f"the directory renamed the user to {user}"))
            ended_now = [(name, why, self._offboarding.holdings(name, why)) for name, why in cut]
        for name, why, ended in ended_now:
            self._after(name, why, ended)
        return self.user(identifier)

    def remove_user(self, by: Subject, identifier: str, expect: int | None) -> None:
        """The name is out from now on, until the directory creates a user of that name again."""
        with self._store.transaction():
            present = self.user(identifier)
            user = str((present.spec or {})["user"])
            self._store.apply([*self._removal(identifier, by, expect), *self._freed(user, by)], self._clock())
            self._audit.record(by.user, "directory.user.remove", user, "allow", [identifier])
            why = "the directory removed the user"
            ended = self._offboarding.holdings(user, why)
        self._after(user, why, ended)

    def _cut(self, user: str) -> None:
        why = "the directory deactivated the user"
        with self._store.transaction():
            ended = self._offboarding.holdings(user, why)
        self._after(user, why, ended)

    def _after(self, user: str, why: str, ended: EndedAccess) -> None:
        done = self._offboarding.running(user, why, ended)
        self._audit.record("weir", "directory.user.cut", user, "allow", [why, *done.words()])

    def release(self, by: Subject, name: str) -> list[str]:
        """Take a name back from the directory: whom it keeps under it is gone there, nothing keeps the name out any more,
        and the directory may create one user of it, whatever mentions the name. Gives what mentions it.

        An administrator's word, since all that the name has passes to who gets it. Raises NotFound for a name that the
        directory does not keep or keep out, and that nothing mentions.
        """
        name, why, ended = plain(name), "an administrator took the name from the directory", None
        with self._store.transaction():
            directory, mentions = self.directory(), self._mentions.of(name)
            known = name_key(name) in directory.names.keys() | directory.freed | directory.released
            if not (known or mentions) or self._is_reserved(name):
                raise NotFound(
                    f"The directory does not keep {name!r} or keep it out, and nothing else mentions the name of a person.",
                    details={"name": name},
                )
            person = directory.user(name)
            removal = self._removal(person.name, by, None) if person is not None else []
            released = Change(NAME, name_key(name), {"released": rfc3339(self._clock())}, by=by.user)
            self._store.apply([*removal, released], self._clock())
            self._audit.record(
                by.user,
                "directory.release",
                name,
                "allow",
                [person.name] if person is not None else [],
                {"users": [name], "mentions": mentions[:_MOST_NAMED]},
            )
            if person is not None:
                ended = self._offboarding.holdings(name, why)
        if ended is not None:
            self._after(name, why, ended)
        return mentions

    def _removal(self, identifier: str, by: Subject, expect: int | None) -> list[Change]:
        groups = self.directory().groups_of.get(identifier, frozenset())
        memberships = [Change(MEMBER, f"{group}/{identifier}", None, by=by.user) for group in sorted(groups)]
        return [Change(USER, identifier, None, by=by.user, expect=expect), *memberships]

    def _named(self, user: str, identifier: str, by: Subject) -> Change:
        return Change(NAME, name_key(user), {"id": identifier, "user": user}, by=by.user)

    def _freed(self, user: str, by: Subject) -> list[Change]:
        """A name is out from now on. Where an earlier Weir wrote it under another key, that goes too."""
        keys = sorted({name_key(user), *earlier_keys(user)})
        return [Change(NAME, key, None, by=by.user) for key in keys if self._store.get(NAME, key) is not None]

    def _is_reserved(self, user: str) -> bool:
        key = name_key(user)
        return is_own(user) or key in map(name_key, self._state.view().services)

    def _require_free(self, user: str, *, adopts: bool = False) -> None:
        """`adopts`: a rule of an administrator can give the name to the directory; not one that was another person's."""
        if not can_be_a_name(user):
            raise InvalidInput(f"userName {RULE}.", details={"field": "userName"})
        view = self._state.view()
        if view.directory.user(user) is not None:
            raise _taken(f"There is a user named {user!r} already.")
        if self._is_reserved(user):
            raise _taken(f"{user!r} is a name of Weir's own or of a service account; give the person another.")
        key = name_key(user)
        if key in view.directory.released:
            return
        mentions = self._mentions.of(user)
        adopted = adopts and key not in view.directory.freed and any(dataset_matches(a, user) for a in view.adopted)
        if mentions and not adopted:
            more = f" and {len(mentions) - 3} more" if len(mentions) > 3 else ""
            raise _taken(
                f"The name {user!r} has rights here that the directory did not give: {', '.join(mentions[:3])}{more}."
                f" They would pass to this user; an administrator allows it with: weir user release {user}."
            )

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
                by.user,
                "directory.group.create",
                name,
                "allow",
                [identifier, f"{len(set(members))} members"],
                self._members_named(members, ()),
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
            after = frozenset(members)
            spec = {**(present.spec or {}), "name": name, "resource": resource}
            if spec == present.spec and after == before:
                _check(present, expect)
                return present
            self._require_users(after - before)
            changes = [Change(GROUP, identifier, spec, by=by.user, expect=expect)]
            self._store.apply([*changes, *_memberships(by, identifier, after, before)], self._clock())
            reasons = [identifier, f"{len(after - before)} members added", f"{len(before - after)} members removed"]
            details = self._members_named(after - before, before - after)
            self._audit.record(by.user, "directory.group.change", name, "allow", reasons, details)
        return self.group(identifier)

    def remove_group(self, by: Subject, identifier: str, expect: int | None) -> None:
        with self._store.transaction():
            present, members = self.group(identifier), self.members(identifier)
            removal = [Change(GROUP, identifier, None, by=by.user, expect=expect)]
            self._store.apply([*removal, *_memberships(by, identifier, (), members)], self._clock())
            name = str((present.spec or {})["name"])
            reasons = [identifier, f"{len(members)} members removed"]
            self._audit.record(
                by.user, "directory.group.remove", name, "allow", reasons, self._members_named((), members)
            )

    def _members_named(self, added: Collection[str], removed: Collection[str]) -> dict[str, object]:
        """Names of members for the audit, so many; `notNamed`: how many more there were."""
        users = self.directory().users
        names = [
            sorted(str((users[each].spec or {})["user"]) for each in set(ids) if each in users)
            for ids in (added, removed)
        ]
        come, gone = (each[:_MOST_NAMED] for each in names)
        beyond = len(set(added)) + len(set(removed)) - len(come) - len(gone)
        return {"users": sorted({*come, *gone}), "added": come, "removed": gone, "notNamed": beyond}

    def _require_users(self, members: Collection[str]) -> None:
        unknown = sorted(each for each in set(members) if self._store.get(USER, each) is None)
        if unknown:
            raise InvalidInput(
                f"Member {unknown[0][:80]!r} is not a user of this directory; groups in groups are not kept.",
                details={"field": "members", "unknown": len(unknown)},
            )


def _memberships(by: Subject, group: str, after: Collection[str], before: Collection[str]) -> list[Change]:
    added = [Change(MEMBER, f"{group}/{each}", {}, by=by.user) for each in sorted(set(after) - set(before))]
    return added + [Change(MEMBER, f"{group}/{each}", None, by=by.user) for each in sorted(set(before) - set(after))]


def _check(present: Document, expect: int | None) -> None:
    Change(present.kind, present.name, present.spec, expect=expect).check(present)


def _state(active: bool) -> str:
    return "active" if active else "deactivated"


def _taken(message: str) -> Conflict:
    return Conflict(message, details={"field": "userName", "scimType": "uniqueness"})
