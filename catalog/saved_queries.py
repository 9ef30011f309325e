"""Statements that people keep under a name, for themselves or to share. A row of an answer is never kept with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

MOST_OF_ONE = 500
"""Queries that one person may keep."""


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A statement under a name.

    id       made when it is saved first; the address of the query
    owner    who saved it; a name is unique among one owner's queries
    sql      the statement; `:name` is a parameter, whose values are not kept
    shared   who else may open it: {everyone: bool, users: [name], groups: [name]}
    chart    how its answer is drawn, as the pages write it; None: as a table
    """

    id: str
    owner: str
    name: str
    sql: str
    created_at: datetime
    updated_at: datetime
    purpose: str | None = None
    description: str = ""
    shared: Mapping[str, Any] | None = None
    chart: Mapping[str, Any] | None = None

    def opens_to(self, user: str, groups: Collection[str]) -> bool:
        """Whether somebody may open it: its owner, and those it is shared with."""
        if user == self.owner:
            return True
        shared = self.shared or {}
        return bool(
            shared.get("everyone") or user in shared.get("users", ()) or set(groups) & set(shared.get("groups", ()))
        )


class SavedQueryStore(Protocol):
    """Keeps saved queries; the twins in memory and SQL have one contract."""

    def put_saved_query(self, query: SavedQuery) -> None:
        """Insert or replace by id. Raises Conflict where the owner has another query of that name."""

    def saved_query(self, id: str) -> SavedQuery | None: ...

    def saved_queries(self, user: str) -> list[SavedQuery]:
        """A person's own, and all that others share with anybody; those that changed last first."""

    def delete_saved_query(self, id: str) -> None:
        """Forget it; nothing where there is none."""
