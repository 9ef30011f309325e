"""The record store in memory: quality over time. See `catalog.quality_store.QualityStore`."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from catalog.errors import DatasetNotFound
from catalog.model import DatasetId
from catalog.quality_store import (
    MOST_ANOMALIES,
    MOST_MARKS,
    MOST_POINTS,
    Anomaly,
    QualityMark,
    QualityPoint,
    QualityState,
    Tier,
    anomaly_order,
)


class MemoryQuality:
    _state: Any
    _lock: threading.RLock

    def _need(self, dataset: DatasetId) -> None:
        if dataset not in self._state.datasets:
            raise DatasetNotFound(f"There is no dataset {dataset} in the catalog.")

    def quality_state(self, dataset: DatasetId) -> QualityState | None:
        state: QualityState | None = self._state.quality_states.get(dataset)
        return state

    def put_quality_state(self, state: QualityState, points: Collection[QualityPoint] = ()) -> None:
        with self._lock:
            self._need(state.dataset)
            self._state.quality_states[state.dataset] = state
            kept = dict(self._state.quality_points.get(state.dataset, {}))
            kept.update({(each.tier, each.at): each for each in points})
            for tier in {each.tier for each in points}:
                moments = sorted((at for of, at in kept if of == tier), reverse=True)
                for at in moments[MOST_POINTS[tier] :]:
                    del kept[tier, at]
            self._state.quality_points[state.dataset] = kept

    def quality_points_at(self, dataset: DatasetId, moments: Mapping[Tier, Collection[datetime]]) -> list[QualityPoint]:
        kept = self._state.quality_points.get(dataset, {})
        wanted = {(tier, at) for tier in moments for at in moments[tier]}
        return sorted((kept[key] for key in wanted if key in kept), key=lambda each: each.at)

    def newest_quality_points(
        self, dataset: DatasetId, tier: Tier, limit: int, since: datetime | None = None
    ) -> list[QualityPoint]:
        kept = self._state.quality_points.get(dataset, {})
        moments = sorted(at for of, at in kept if of == tier and (since is None or at >= since))
        return [kept[tier, at] for at in moments[-limit:]]

    def put_anomaly(self, anomaly: Anomaly) -> None:
        with self._lock:
            self._need(anomaly.dataset)
            self._state.anomalies[anomaly.id] = anomaly
            over = [each for each in self.anomalies(anomaly.dataset, 10**9) if each.ended_at is not None]
            for each in over[MOST_ANOMALIES:]:
                del self._state.anomalies[each.id]

    def anomalies(self, dataset: DatasetId, limit: int) -> list[Anomaly]:
        with self._lock:
            own = [each for each in self._state.anomalies.values() if each.dataset == dataset]
        return sorted(own, key=anomaly_order)[:limit]

    def lasting_anomalies(self, dataset: DatasetId) -> list[Anomaly]:
        return [each for each in self.anomalies(dataset, 10**9) if each.ended_at is None]

    def put_quality_mark(self, mark: QualityMark) -> None:
        with self._lock:
            self._need(mark.dataset)
            self._state.quality_marks[mark.id] = mark
            for each in self.quality_marks(mark.dataset)[MOST_MARKS:]:
                del self._state.quality_marks[each.id]

    def delete_quality_mark(self, dataset: DatasetId, id: str) -> bool:
        with self._lock:
            own = id in {each.id for each in self.quality_marks(dataset)}
            if own:
                del self._state.quality_marks[id]
            return own

    def quality_marks(self, dataset: DatasetId) -> list[QualityMark]:
        with self._lock:
            own = [each for each in self._state.quality_marks.values() if each.dataset == dataset]
        return sorted(own, key=lambda each: (-each.ends_at.timestamp(), each.id))

    def _move_quality(self, old: DatasetId, new: DatasetId | None) -> None:
        """What is kept of a dataset goes by another name, or goes with it."""

        state = self._state
        for table in (state.quality_states, state.quality_points):
            kept = table.pop(old, None)
            if new is not None and kept is not None:
                table[new] = replace(kept, dataset=new) if isinstance(kept, QualityState) else kept
        for table in (state.anomalies, state.quality_marks):
            for id, each in list(table.items()):
                if each.dataset == old:
                    table.pop(id)
                    if new is not None:
                        table[id] = replace(each, dataset=new)
