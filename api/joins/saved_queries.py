"""Queries that people keep under a name, and share: who may open, change and delete which."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from catalog.errors import LimitExceeded, NotAllowed, NotFound
from catalog.ports import Clock
from catalog.records import rfc3339
from catalog.saved_queries import MOST_OF_ONE, SavedQuery, SavedQueryStore
from policies.model import Subject


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody writes of a query they save."""

    name: str
    sql: str
    purpose: str | None = None
    description: str = ""
    shared: Mapping[str, Any] | None = None
    chart: Mapping[str, Any] | None = None


class SavedQueries:
    """The service behind `/saved-queries`. Sharing a query opens no data: who runs it is decided for as ever."""

    def __init__(self, store: SavedQueryStore, now: Clock, manages: Callable[[Subject], bool]) -> None:
        """`manages`: whether somebody may delete what others share."""
        self._store, self._now, self._manages = store, now, manages

    def all(self, subject: Subject) -> list[dict[str, Any]]:
        """Those the subject may open, their own and shared ones, changed last first."""
        return [
            self._shown(each, subject) for each in self._store.saved_queries(subject.user) if self._opens(each, subject)
        ]

    def get(self, subject: Subject, id: str) -> dict[str, Any]:
        """Raises NotFound, for one of somebody else that is not shared too."""
        return self._shown(self._find(subject, id), subject)

    def create(self, subject: Subject, wanted: Wanted) -> dict[str, Any]:
        """Raises Conflict for a name that the subject has already, LimitExceeded beyond so many queries."""
        own = sum(each.owner == subject.user for each in self._store.saved_queries(subject.user))
        if own >= MOST_OF_ONE:
            raise LimitExceeded(
                f"You have {own} saved queries, and no one may have more than {MOST_OF_ONE}; delete some first.",
                details={"limit": MOST_OF_ONE},
            )
        at = self._now()
        query = SavedQuery(
            id=uuid.uuid4().hex, owner=subject.user, name=wanted.name, sql=wanted.sql, created_at=at, updated_at=at
        )
        return self._put(subject, query, wanted)

    def change(self, subject: Subject, id: str, wanted: Wanted) -> dict[str, Any]:
        """Raises NotFound, NotAllowed for one of somebody else, Conflict."""
        query = self._find(subject, id)
        if query.owner != subject.user:
            raise NotAllowed(
                f"Only {query.owner} may change the query {query.name!r}; save a copy of your own.",
                details={"query": id, "reasons": ["owner"]},
            )
        return self._put(subject, query, wanted)

    def delete(self, subject: Subject, id: str) -> dict[str, Any]:
        """Raises NotFound, NotAllowed."""
        query = self._find(subject, id)
        if query.owner != subject.user and not self._manages(subject):
            raise NotAllowed(
                f"Only {query.owner}, or who may manage, may delete the query {query.name!r}.",
                details={"query": id, "reasons": ["owner"]},
            )
        self._store.delete_saved_query(id)
        return {"id": id, "name": query.name}

    def _put(self, subject: Subject, query: SavedQuery, wanted: Wanted) -> dict[str, Any]:
        query = replace(
            query,
            name=wanted.name,
            sql=wanted.sql,
            purpose=wanted.purpose,
            description=wanted.description,
            shared=wanted.shared,
            chart=wanted.chart,
            updated_at=self._now(),
        )
        self._store.put_saved_query(query)
        return self._shown(query, subject)

    def _find(self, subject: Subject, id: str) -> SavedQuery:
        query = self._store.saved_query(id)
        if query is None or not self._opens(query, subject):
            raise NotFound(f"There is no saved query {id!r} that you may open.", details={"query": id})
        return query

    @staticmethod
    def _opens(query: SavedQuery, subject: Subject) -> bool:
        return query.opens_to(subject.user, subject.groups)

    def _shown(self, query: SavedQuery, subject: Subject) -> dict[str, Any]:
        own, shared = query.owner == subject.user, query.shared or {}
        return {
            "id": query.id,
            "name": query.name,
            "sql": query.sql,
            "purpose": query.purpose,
            "description": query.description,
            "owner": query.owner,
            "shared": {
                "everyone": bool(shared.get("everyone")),
                "users": list(shared.get("users", ())),
                "groups": list(shared.get("groups", ())),
            },
            "chart": dict(query.chart) if query.chart is not None else None,
            "createdAt": rfc3339(query.created_at),
            "updatedAt": rfc3339(query.updated_at),
            "may": {"change": own, "delete": own or self._manages(subject)},
        }
