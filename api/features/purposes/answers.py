"""The answer of `/purposes`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Self

from api.edge.answer import Answer, about
from policies.access.purposes import ListedPurpose


class DeclaredPurpose(Answer):
    """One purpose of the tree. What covers it holds for it."""

    name: str
    parent: str | None
    path: list[str] = about("From the root to it.")
    title: str
    description: str
    legal_basis: str | None = about("A basis of GDPR, Article 6: its own, or that of the nearest purpose above.")
    retention: str | None = about(
        "How long data may be kept for it, as in 90d: its own, or that of the nearest purpose above."
    )
    owner: str | None
    deprecated: bool = about("It takes no new access.")
    yours: bool = about("A grant of the caller's carries it, or a purpose that covers it.")
    users: list[str] | None = about(
        "The first 50 grants, policies, requests, views and purposes that name it; null without report:read or more."
    )
    uses: int | None = about("How many do.")

    @classmethod
    def of(cls, listed: ListedPurpose, granted: Collection[str]) -> Self:
        """`granted`: purposes that the caller's grants carry or cover."""
        purpose, users = listed.purpose, listed.users
        return cls(
            name=purpose.name,
            parent=purpose.parent,
            path=list(listed.path),
            title=purpose.title,
            description=purpose.description,
            legal_basis=listed.legal_basis,
            retention=listed.retention,
            owner=purpose.owner,
            deprecated=purpose.deprecated,
            yours=purpose.name in granted,
            users=list(users) if users is not None else None,
            uses=listed.uses,
        )


class UndeclaredPurpose(Answer):
    """A name that something uses and no query can state."""

    name: str
    users: list[str] = about("The first 50.")
    uses: int


class Purposes(Answer):
    """The tree, each purpose behind its parent; empty while purposes are free text."""

    purposes: list[DeclaredPurpose]
    undeclared: list[UndeclaredPurpose] = about("Empty without report:read or more.")
    granted: list[str] = about("Purposes that the caller's active grants carry or cover, declared or not.")
