"""Queries of all processes in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from policies.plan.seen_query import SeenQuery


class MemoryQueryBoard:
    """`policies.plan.query_board.QueryBoard`."""

    def __init__(self) -> None:
        self._queries: dict[tuple[str, str], SeenQuery] = {}
        self._stops: dict[str, dict[str, str]] = {}

    def publish(self, process: str, queries: Sequence[SeenQuery], gone: Collection[str]) -> None:
        for query_id in gone:
            self._queries.pop((process, query_id), None)
        self._queries.update({(process, query.id): query for query in queries})

    def queries(self, processes: Collection[str], query_id: str | None = None) -> Sequence[tuple[str, SeenQuery]]:
        return [
            (process, query)
            for (process, key), query in self._queries.items()
            if process in processes and query_id in (None, key)
        ]

    def ask_to_stop(self, process: str, query_id: str, why: str) -> None:
        self._stops.setdefault(process, {})[query_id] = why

    def take_stops(self, process: str) -> Mapping[str, str]:
        return self._stops.pop(process, {})

    def forget(self, process: str) -> None:
        self._stops.pop(process, None)
        for key in [key for key in self._queries if key[0] == process]:
            del self._queries[key]
