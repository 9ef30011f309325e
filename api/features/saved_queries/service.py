"""Queries that people keep under a name, and share: who may open, change and delete which."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from api.features.saved_queries import answers
from catalog.errors import LimitExceeded, NotAllowed, NotFound
from catalog.ports import Clock
from catalog.records import rfc3339
from catalog.saved_queries import MOST_OF_ONE, SavedQuery, SavedQueryStore
from policies.model import Subject


@dataclass(frozen=True, slots=True)
class SavedQueryContent:
    """What a person writes of a query."""

    name: str
    sql: str
    purpose: str | None = None
    description: str = ""
    shared: Mapping[str, Any] | None = None
    chart: Mapping[str, Any] | None = None


class SavedQueries:
    """The service behind `/saved-queries`. Sharing a query opens no data: who runs it is decided for as ever."""

    def __init__(
        self,
        store: SavedQueryStore,
        now: Clock,
        manages: Callable[[Subject], bool],
        hides: Callable[[Subject], Callable[[Any], bool]],
    ) -> None:
        """`manages`: whether somebody may delete what others share; `hides`: for somebody, whether a value names a dataset that
        is hidden from them."""
        self._store, self._now, self._manages, self._hides = store, now, manages, hides

    def all(self, subject: Subject) -> list[answers.SavedQuery]:
        """Those the subject may open, their own and shared ones, changed last first."""
        hides = self._hides(subject)
        return [
            self._shown(each, subject)
            for each in self._store.saved_queries(subject.user)
            if _opens(each, subject, hides)
        ]

    def get(self, subject: Subject, id: str) -> answers.SavedQuery:
        """Raises NotFound, for one of somebody else that is not shared too."""
        return self._shown(self._find(subject, id), subject)

    def create(self, subject: Subject, content: SavedQueryContent) -> answers.SavedQuery:
        """Raises Conflict for a name that the subject has already, LimitExceeded beyond so many queries."""
        own = sum(each.owner == subject.user for each in self._store.saved_queries(subject.user))
        if own >= MOST_OF_ONE:
            raise LimitExceeded(
                f"You have {own} saved queries, and no one may have more than {MOST_OF_ONE}; delete some first.",
                details={"limit": MOST_OF_ONE},
            )
        at = self._now()
        query = SavedQuery(
            id=uuid.uuid4().hex, owner=subject.user, name=content.name, sql=content.sql, created_at=at, updated_at=at
        )
        return self._put(subject, query, content)

    def change(self, subject: Subject, id: str, content: SavedQueryContent) -> answers.SavedQuery:
        """Raises NotFound, NotAllowed for one of somebody else, Conflict."""
        query = self._find(subject, id)
        if query.owner != subject.user:
            raise NotAllowed(
                f"Only {query.owner} may change the query {query.name!r}; save a copy of your own.",
                details={"query": id, "reasons": ["owner"]},
            )
        return self._put(subject, query, content)

    def delete(self, subject: Subject, id: str) -> answers.DeletedQuery:
        """Raises NotFound, NotAllowed."""
        query = self._find(subject, id)
        if query.owner != subject.user and not self._manages(subject):
            raise NotAllowed(
                f"Only {query.owner}, or who may manage, may delete the query {query.name!r}.",
                details={"query": id, "reasons": ["owner"]},
            )
        self._store.delete_saved_query(id)
        return answers.DeletedQuery(id=id, name=query.name)

    def _put(self, subject: Subject, query: SavedQuery, content: SavedQueryContent) -> answers.SavedQuery:
        query = replace(
            query,
            name=content.name,
            sql=content.sql,
            purpose=content.purpose,
            description=content.description,
            shared=content.shared,
            chart=content.chart,
            updated_at=self._now(),
        )
        self._store.put_saved_query(query)
        return self._shown(query, subject)

    def _find(self, subject: Subject, id: str) -> SavedQuery:
        query = self._store.saved_query(id)
        if query is None or not _opens(query, subject, self._hides(subject)):
            raise NotFound(f"There is no saved query {id!r} that you may open.", details={"query": id})
        return query

    def _shown(self, query: SavedQuery, subject: Subject) -> answers.SavedQuery:
        own, shared = query.owner == subject.user, query.shared or {}
        return answers.SavedQuery(
            id=query.id,
            name=query.name,
            sql=query.sql,
            purpose=query.purpose,
            description=query.description,
            owner=query.owner,
            shared=answers.SharedWith(
                everyone=bool(shared.get("everyone")),
                users=list(shared.get("users", ())),
                groups=list(shared.get("groups", ())),
            ),
            chart=answers.QueryChart(**query.chart) if query.chart is not None else None,
            createdAt=rfc3339(query.created_at),
            updatedAt=rfc3339(query.updated_at),
            may=answers.SavedQueryMayDo(change=own, delete=own or self._manages(subject)),
        )


def _opens(query: SavedQuery, subject: Subject, hides: Callable[[Any], bool]) -> bool:
    """What others share opens where it names nothing that is hidden from the subject."""
    if not query.opens_to(subject.user, subject.groups):
        return False
    return query.owner == subject.user or not hides([query.name, query.sql, query.description])
