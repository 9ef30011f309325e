"""What a table of rights consists of: a route, and who may call it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Route:
    """`GET`, `/api/v1/views/{name}`, and the case of it that has a right of its own: a query or what a body names."""

    method: str
    path: str
    case: str = ""

    def __str__(self) -> str:
        return f"{self.method} {self.path}{self.case}"


@dataclass(frozen=True, slots=True)
class Right:
    """`needs`: one of these permissions is enough; None: no permission is needed. `others`: who may without one.

    `unseen`: others get 404, as they may not know of the thing, or 403. `limits`: what an answer leaves out.
    """

    needs: frozenset[str] | None = None
    signed_in: bool = True
    others: str = ""
    unseen: bool = False
    limits: str = ""
    directory: bool = False
    """Only a token of a service account with the scope `scim`."""

    def of(self, permissions: frozenset[str]) -> bool:
        """Whether these permissions are enough."""
        return not self.directory and (self.needs is None or bool(self.needs & permissions))

    @property
    def who(self) -> str:
        """In words: who may call."""
        if self.directory:
            return "a service account's token with the scope `scim`"
        if not self.signed_in:
            return "everybody, without signing in"
        if self.needs is None:
            return "everybody who is signed in"
        permissions = " or ".join(f"`{each}`" for each in sorted(self.needs))
        return "; ".join(filter(None, (permissions, self.others)))


def needs(*permissions: str, others: str = "", unseen: bool = False) -> Right:
    return Right(frozenset(permissions), others=others, unseen=unseen)
