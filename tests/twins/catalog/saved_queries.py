"""The record store in memory: saved queries. See `catalog.saved_queries.SavedQueryStore`."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from catalog.errors import Conflict
from catalog.saved_queries import SavedQuery


class MemorySavedQueries:
    _state: Any
    _lock: threading.RLock

    def put_saved_query(self, query: SavedQuery) -> None:
        with self._lock:
            queries = self._state.saved_queries
            if any((e.owner, e.name) == (query.owner, query.name) and e.id != query.id for e in queries.values()):
                raise Conflict(
                    f"You have a saved query {query.name!r} already; choose another name, or change that one."
                )
            queries[query.id] = replace(query, shared=query.shared or None)

    def saved_query(self, id: str) -> SavedQuery | None:
        queries: SavedQuery | None = self._state.saved_queries.get(id)
        return queries

    def saved_queries(self, user: str) -> list[SavedQuery]:
        with self._lock:
            queries = [each for each in self._state.saved_queries.values() if each.owner == user or each.shared]
        return sorted(queries, key=lambda query: (query.updated_at, query.id), reverse=True)

    def delete_saved_query(self, id: str) -> None:
        with self._lock:
            self._state.saved_queries.pop(id, None)
