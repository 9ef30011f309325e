"""What people may do in Weir and with which datasets, by their roles and domains."""

from __future__ import annotations

from collections.abc import Mapping

from catalog.errors import NotAllowed
from policies.access.sessions import gone_because
from policies.decision import domains
from policies.decision.domains import Domain, Power, Reach
from policies.declared.builtin import ADMIN_USER
from policies.declared.state import GovernanceState, View
from policies.matching import resolve
from policies.model import Subject


class Permissions:
    """Permissions and powers of subjects, by what is declared now."""

    def __init__(self, state: GovernanceState) -> None:
        self._state = state

    def permissions(self, subject: Subject) -> frozenset[str]:
        """What the subject may do in Weir, by every role of theirs, inherited ones too, within the token's scopes."""
        roles = resolve(subject, self._state.view().roles).roles.values()
        allowed = frozenset().union(*(role.permissions for role in roles if role is not None))
        return allowed if subject.scopes is None else allowed & subject.scopes

    def powers(self, subject: Subject, reference: str) -> frozenset[Power]:
        """What the subject may do with a dataset, by permissions that hold everywhere and by its domain, within the token's
        scopes. `reference`: `CLUSTER/TOPIC` as the catalog gives it."""
        view = self._state.view()
        allowed = self.permissions(subject)
        everywhere = {each for each in Power if each in allowed}
        here = domains.powers_on(resolve(subject, view.roles), reference, view.domains.values())
        return frozenset(everywhere | domains.within_scopes(here, subject.scopes))

    def manages(self, subject: Subject) -> bool:
        """Whether the subject holds the permission `manage`."""
        return "manage" in self.permissions(subject)

    def may(self, subject: Subject, power: Power, reference: str) -> bool:
        """Whether the subject has one power over a dataset; see `powers`."""
        return power in self.powers(subject, reference)

    def reach(self, subject: Subject, power: Power, only: str | None = None) -> Reach:
        """For which datasets the subject has a power by their domains; permissions that hold everywhere do not count.
        `only`: by this domain alone."""
        view = self._state.view()
        own = domains.reach(resolve(subject, view.roles), view.domains.values(), power, subject.scopes)
        return own if only is None else own.of(only)

    def every_domain(self) -> Mapping[str, Domain]:
        """All declared domains, by name."""
        return self._state.view().domains

    def domains(self, subject: Subject) -> dict[str, frozenset[Power]]:
        """Domain -> what the subject may do with its datasets, of those whose admin or steward they are."""
        view = self._state.view()
        who = resolve(subject, view.roles)
        mine = {
            name: domains.within_scopes(domains.powers(who, each), subject.scopes)
            for name, each in view.domains.items()
        }
        return {name: each for name, each in mine.items() if each}

    def holders(self, permission: str) -> dict[str, list[str]]:
        """Who has a permission: `{roles, users}`, names sorted.

        `roles` carry it, inherited too; `users` are the declared ones who hold such a role by now, by a group too.
        Users whom only an identity provider knows are not among them.
        """
        view = self._state.view()
        people = {ADMIN_USER} | view.people
        return {
            "roles": sorted(
                role for role in view.roles if permission in self.permissions(Subject("", roles=frozenset({role})))
            ),
            "users": sorted(
                user
                for user in people
                if gone_because(view, user) is None and permission in self.permissions(of_declared(view, user))
            ),
        }

    def require(self, subject: Subject, permission: str) -> None:
        """Raises NotAllowed when no role of the subject carries the permission."""
        if permission not in self.permissions(subject):
            raise NotAllowed(
                f"{subject.user} lacks the permission {permission!r}; ask an administrator for a role that carries it.",
                details={"permission": permission, "reasons": [f"no role of {subject.user} carries {permission}"]},
            )


def of_declared(view: View, user: str) -> Subject:
    """A user with the groups and roles that are declared for them."""
    return view.subject(user, roles=frozenset({"admin"}) if user == ADMIN_USER else frozenset())
