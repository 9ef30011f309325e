"""Which people a match names, by one pass over all people of a view: for lists of thousands."""

from __future__ import annotations

from collections import defaultdict

from policies.access.sessions import gone_because
from policies.declared.builtin import ADMIN_USER
from policies.declared.state import View
from policies.matching import resolve
from policies.model import Subject, SubjectMatch


class PeopleIndex:
    """People of a view by group and by role, inherited roles too. People whom only an identity provider knows are not in it."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._groups: dict[str, set[str]] = defaultdict(set)
        self._roles: dict[str, set[str]] = defaultdict(set)
        self.people = view.people | {ADMIN_USER}
        for user in self.people:
            admin = frozenset({"admin"}) if user == ADMIN_USER else frozenset()
            subject = view.subject(user, frozenset(), admin)
            for group in subject.groups:
                self._groups[group].add(user)
            for role in resolve(Subject(user, subject.groups, subject.roles), view.roles).roles:
                self._roles[role].add(user)

    def is_of(self, view: View) -> bool:
        """Whether another view has the same people in the same groups and roles: then only who is gone differs."""
        mine, parts = self.view, ("users", "groups", "roles", "services", "directory", "directory_rules", "powerful")
        return all(getattr(mine, part) is getattr(view, part) for part in parts)

    def matching(self, match: SubjectMatch) -> set[str]:
        """Names of the people whom a match names, disabled and deleted ones not among them."""
        matches = set(match.users)
        if match.everyone:
            matches |= self.people
        for group in match.groups:
            matches |= self._groups.get(group, set())
        for role in match.roles:
            matches |= self._roles.get(role, set())
        return {user for user in matches if gone_because(self.view, user) is None}

    def permitted(self, permission: str) -> set[str]:
        """People with a role that carries a permission."""
        roles = frozenset(name for name, role in self.view.roles.items() if permission in role.permissions)
        return self.matching(SubjectMatch(roles=roles)) if roles else set()
