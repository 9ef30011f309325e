"""The record store in memory: what people do with datasets. See `catalog.signals.SignalStore`."""

from __future__ import annotations

import threading
from collections.abc import Collection
from datetime import datetime
from itertools import permutations
from typing import Any

from catalog.model import DatasetId
from catalog.signals import CLICKS_KEPT, PAIRS_KEPT, JointReads, added, weight


class MemorySignals:
    _state: Any
    _lock: threading.RLock

    def add_click(self, query: str, dataset: DatasetId, at: datetime) -> None:
        with self._lock:
            if dataset in self._state.datasets:
                scores = self._state.clicks
                scores[query, dataset] = added(scores.get((query, dataset)), at)
                while len(scores) > CLICKS_KEPT:
                    del scores[min(scores, key=scores.__getitem__)]

    def clicks(self, query: str, at: datetime) -> dict[DatasetId, float]:
        scores = self._state.clicks.items()
        return {dataset: weight(score, at) for (of, dataset), score in scores if of == query and self._shown(dataset)}

    def add_together(self, datasets: Collection[DatasetId], at: datetime) -> None:
        with self._lock:
            pairs = self._state.together
            for pair in permutations({each for each in datasets if each in self._state.datasets}, 2):
                queries, score = pairs.get(pair, (0, None))
                pairs[pair] = (queries + 1, added(score, at))
            while len(pairs) > PAIRS_KEPT:
                del pairs[min(pairs, key=lambda pair: pairs[pair][1])]

    def together(self, dataset: DatasetId, at: datetime) -> dict[DatasetId, JointReads]:
        return {
            other: JointReads(queries, weight(score, at))
            for (one, other), (queries, score) in self._state.together.items()
            if one == dataset and self._shown(other)
        }

    def _move_signals(self, old: DatasetId, new: DatasetId | None) -> None:
        """What was counted of a dataset is of its new id, or forgotten."""
        state, moved = self._state, {old: new}
        clicks = {(query, moved.get(of, of)): score for (query, of), score in state.clicks.items()}
        state.clicks = {key: score for key, score in clicks.items() if key[1] is not None}
        pairs = {(moved.get(a, a), moved.get(b, b)): counted for (a, b), counted in state.together.items()}
        state.together = {pair: counted for pair, counted in pairs.items() if None not in pair}

    def _shown(self, dataset: DatasetId) -> bool:
        record = self._state.datasets.get(dataset)
        return record is not None and record.deleted_at is None
