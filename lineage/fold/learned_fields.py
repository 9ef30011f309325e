"""Which datasets have columns in the graph that mean fields which the catalog has learned since."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from catalog.model import DatasetId
from lineage.names import Names, Resolve
from lineage.ports import LineageGraph

_AT_ONCE = 50
"""Datasets looked at in one turn: a part of a second, between batches of events."""

Learned = Mapping[DatasetId, tuple[int, object]]
"""Dataset -> version of its schema, and a value that is another one once anything may be."""


def _nothing() -> Learned:
    return {}


class LearnedFields:
    """Remembers what was looked at. `resolve.learned`, where it has one, gives the datasets that the catalog has fields of."""

    def __init__(self, graph: LineageGraph, resolve: Resolve, most_columns: int) -> None:
        self._graph, self._resolve, self._most_columns = graph, resolve, most_columns
        self._learned: Callable[[], Learned] = getattr(resolve, "learned", _nothing)
        self._looked_at: dict[DatasetId, tuple[int, object]] = {}
        """Oldest first."""

    def behind(self) -> set[str]:
        """Ids of datasets whose columns have other names by now. New versions come first, then what was not looked at for
        longest; the rest waits for the next turn. Raises Unavailable."""
        learned = self._learned()
        turn = {dataset: at for at, dataset in enumerate(self._looked_at)}
        unread = [dataset for dataset, state in learned.items() if self._looked_at.get(dataset) != state]
        unread.sort(key=lambda each: (self._version(each) == learned[each][0], turn.get(each, -1)))
        behind = set()
        for dataset in unread[:_AT_ONCE]:
            names = Names(self._resolve)
            columns = [node.field for node in self._graph.fields_of(dataset.node_id, self._most_columns)]
            if any(column and names.column(dataset, column) != column for column in columns):
                behind.add(dataset.node_id)
            self._looked_at.pop(dataset, None)
            self._looked_at[dataset] = learned[dataset]
        return behind

    def _version(self, dataset: DatasetId) -> int | None:
        state = self._looked_at.get(dataset)
        return state[0] if state else None
