"""The record store in memory: how far consumer groups were behind. See `catalog.lags.LagStore`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from catalog.lags import GroupLag


class MemoryLags:
    _state: Any
    _lock: threading.RLock

    def add_lags(self, samples: Sequence[GroupLag], at: datetime) -> None:
        with self._lock:
            for each in samples:
                self._state.lags[each.cluster, each.topic, each.group, at] = each.lag

    def lags(self, cluster: str, topic: str, since: datetime) -> dict[str, list[tuple[datetime, int]]]:
        series: dict[str, list[tuple[datetime, int]]] = {}
        for (of, about, group, at), lag in sorted(self._state.lags.items()):
            if (of, about) == (cluster, topic) and at >= since:
                series.setdefault(group, []).append((at, lag))
        return series

    def newest_lags(self, since: datetime) -> list[GroupLag]:
        newest: dict[tuple[str, str, str], GroupLag] = {}
        for (cluster, topic, group, at), lag in sorted(self._state.lags.items()):
            if at >= since:
                newest[cluster, topic, group] = GroupLag(cluster, topic, group, lag)
        return [newest[key] for key in sorted(newest)]

    def forget_lags(self, before: datetime, most: int) -> int:
        with self._lock:
            lags = self._state.lags
            newest = sorted((key[3] for key in lags), reverse=True)
            edge = newest[most] if len(newest) > most else None
            gone = [key for key in lags if key[3] < before or (edge is not None and key[3] <= edge)]
            for key in gone:
                del lags[key]
            return len(gone)
