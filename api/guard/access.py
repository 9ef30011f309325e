"""Who may call a route, as data: permissions, scope, and what an answer leaves out."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.errors import NotAllowed
from policies.declared.service_specs import SCIM, SCOPES
from policies.model import Subject

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
KNOWN = "what the caller may know of"
DECIDED = "rows, columns and masks by the caller's decision; 403 without a right to read"
NO_SCOPE = ""
"""Scope of a route that every token opens."""


@dataclass(frozen=True, slots=True)
class Access:
    """Who may call a route, or one case of it.

    permissions  one of these is enough; None: no permission is needed
    signed_in    False: everybody may call, without a token
    others       who may call without such a permission, in words; the service behind the route decides on them
    unseen       everybody else gets 404, as they may not know of the thing; or 403
    limits       what an answer leaves out, in words
    directory    only a service account's token with the scope `scim`
    scope        what a limited token needs; None: see `scope_for`, `NO_SCOPE`: nothing
    agents       whether the token of an agent opens it; None: where the answer is cut to what the caller may know of or read, since
                 that cuts it to the datasets of the token too
    """

    permissions: frozenset[str] | None = None
    signed_in: bool = True
    others: str = ""
    unseen: bool = False
    limits: str = ""
    directory: bool = False
    scope: str | None = None
    agents: bool | None = None

    @property
    def opens_to_agents(self) -> bool:
        """Whether agents may call it."""
        return not self.signed_in or (self.limits in (KNOWN, DECIDED) if self.agents is None else self.agents)

    def includes(self, permissions: frozenset[str]) -> bool:
        """Whether these permissions are enough."""
        return not self.directory and (self.permissions is None or bool(self.permissions & permissions))

    def scope_for(self, method: str) -> str | None:
        """The scope that a limited token needs, or None: the declared one, else the one permission, else `read` for a route
        that only reads. Every other route needs `manage`."""
        if not self.signed_in:
            return None
        if self.directory:
            return SCIM
        if self.scope is not None:
            return self.scope or None
        if self.permissions is not None and len(self.permissions) == 1 and self.permissions <= SCOPES:
            return next(iter(self.permissions))
        return "read" if method in _READING else "manage"

    @property
    def who(self) -> str:
        """Who may call, in words."""
        if self.directory:
            return "a service account's token with the scope `scim`"
        if not self.signed_in:
            return "everybody, without signing in"
        if self.permissions is None:
            return "everybody who is signed in"
        permissions = " or ".join(f"`{each}`" for each in sorted(self.permissions))
        return "; ".join(filter(None, (permissions, self.others)))


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the list of routes: `GET`, `/api/v1/views/{name}`, and the case of it that has an access of its own."""

    method: str
    path: str
    case: str = ""

    def __str__(self) -> str:
        return f"{self.method} {self.path}{self.case}"


def require_open_to_agents(subject: Subject, access: Access) -> None:
    """Raises NotAllowed for an agent on a route that is for people alone."""
    if subject.agent is not None and not access.opens_to_agents:
        raise NotAllowed(
            f"Agents may not do this; {subject.user} does it without agent {subject.agent.name}.",
            details={"reasons": ["agent"]},
        )


def require_scope(subject: Subject, needed: str | None) -> None:
    """Raises NotAllowed for a limited token that lacks the scope."""
    if subject.scopes is None:
        return
    if needed is None and subject.scopes != {SCIM}:
        return
    if needed is None or needed not in subject.scopes:
        has = ", ".join(sorted(subject.scopes))
        raise NotAllowed(
            f"This token is limited to {has}, and this request needs "
            + (f"the scope {needed}; make a token with it." if needed else "another token."),
            details={"scope": needed, "reasons": ["scope"]},
        )
