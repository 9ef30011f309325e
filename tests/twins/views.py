"""In-memory twins of the ports of views, for fast tests."""

from __future__ import annotations

import copy
import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from catalog.errors import NotFound
from views.model import Positions, Row, Wish
from views.row_ports import Change, Changes, Contained, Versions, Wanted
from views.serving.key_order import bounds, key_bytes
from views.serving.whole_versions import whole_versions


@dataclass(slots=True)
class _Generation:
    rows: dict[bytes, Row] = field(default_factory=dict)
    contained: Contained = field(default_factory=Contained)
    changed: dict[bytes, int] = field(default_factory=dict)
    gone: dict[bytes, tuple[int, str, float]] = field(default_factory=dict)
    versions: Versions = field(default_factory=Versions)


class MemoryServingTable:
    """`views.ports.ServingTable` in dicts. Safe for threads."""

    def __init__(self) -> None:
        self._views: dict[str, dict[str, _Generation]] = {}
        self._lock = threading.RLock()

    def prepare(self, view: str, generation: str) -> None:
        with self._lock:
            self._views.setdefault(view, {}).setdefault(generation, _Generation())

    def write(
        self, view: str, generation: str, rows: Sequence[Row], gone: Sequence[str], positions: Positions
    ) -> tuple[int, int]:
        # Rows are kept as JSON text would keep them.
        keyed = {key_bytes(row.key): replace(row, values=json.loads(json.dumps(row.values))) for row in rows}
        removed = {key_bytes(key) for key in gone} - keyed.keys()
        with self._lock:
            stored = self._found(view, generation)
            before = stored.contained.positions
            behind = [offset - before.get(partition, 0) for partition, offset in positions.items()]
            if behind and max(behind) <= 0 and min(behind) < 0:
                return 0, 0
            new, lost = len(keyed.keys() - stored.rows.keys()), len(removed & stored.rows.keys())
            version = stored.versions.newest + (1 if keyed or removed else 0)
            for key, row in keyed.items():
                if key not in stored.rows or stored.rows[key].values != row.values:
                    stored.changed[key] = version
            for key in removed & stored.rows.keys():
                stored.gone[key] = version, stored.rows[key].key, time.time()
            stored.versions = replace(stored.versions, newest=version)
            # Replaced as a whole: a reader keeps what it took.
            stored.rows = {**{key: row for key, row in stored.rows.items() if key not in removed}, **keyed}
            merged = {**before, **{p: max(offset, before.get(p, 0)) for p, offset in positions.items()}}
            stored.contained = replace(stored.contained, positions=merged)
            return new, lost

    def expire(self, view: str, generation: str, before: Positions) -> int:
        with self._lock:
            stored = self._found(view, generation)
            left = {key: row for key, row in stored.rows.items() if row.offset >= before.get(row.partition, 0)}
            removed = stored.rows.keys() - left.keys()
            version = stored.versions.newest + (1 if removed else 0)
            for key in removed:
                stored.gone[key] = version, stored.rows[key].key, time.time()
            stored.versions, stored.rows = replace(stored.versions, newest=version), left
            return len(removed)

    def contain(self, view: str, generation: str, offsets: Mapping[str, Positions], at: datetime) -> None:
        with self._lock:
            stored = self._found(view, generation)
            copied = {topic: dict(positions) for topic, positions in offsets.items()}
            stored.contained = replace(stored.contained, offsets=copied, at=at)

    def contained(self, view: str, generation: str) -> Contained:
        with self._lock:
            stored = self._views.get(view, {}).get(generation)
            return stored.contained if stored is not None else Contained(there=False)

    def read(self, view: str, generation: str, wanted: Wanted, limit: int) -> list[Row]:
        low, high = bounds(wanted)
        chosen = None if wanted.keys is None else {key_bytes(key) for key in wanted.keys}
        with self._lock:
            stored = self._views.get(view, {}).get(generation)
            rows = stored.rows if stored is not None else {}
        inside = (key for key in rows if low <= key and (high is None or key < high))
        keys = sorted(key for key in inside if chosen is None or key in chosen)
        return [copy.deepcopy(rows[key]) for key in keys[: max(0, limit)]]

    def versions(self, view: str, generation: str) -> Versions:
        with self._lock:
            stored = self._views.get(view, {}).get(generation)
            return stored.versions if stored is not None else Versions()

    def changes(self, view: str, generation: str, after: int, until: int, limit: int, gone: bool = True) -> Changes:
        with self._lock:
            stored = self._views.get(view, {}).get(generation) or _Generation()
            there = [(stored.changed[key], key, row.key, copy.deepcopy(row)) for key, row in stored.rows.items()]
            removed = [(version, key, identity, None) for key, (version, identity, _) in stored.gone.items() if gone]
        inside = [each for each in (*there, *removed) if after < each[0] <= until]
        ordered = [Change(version, key, row) for version, _, key, row in sorted(inside, key=lambda each: each[:2])]
        return whole_versions(lambda most: ordered[:most], limit, until)

    def forget_gone(self, view: str, generation: str, before: datetime) -> int:
        with self._lock:
            stored = self._views.get(view, {}).get(generation) or _Generation()
            old = [key for key, (_, _, at) in stored.gone.items() if at < before.timestamp()]
            newest = max((stored.gone.pop(key)[0] for key in old), default=0)
            stored.versions = replace(stored.versions, forgotten=max(stored.versions.forgotten, newest))
            return len(old)

    def count(self, view: str, generation: str) -> int:
        with self._lock:
            stored = self._views.get(view, {}).get(generation)
            return len(stored.rows) if stored is not None else 0

    def generations(self, view: str) -> list[str]:
        with self._lock:
            return list(self._views.get(view, {}))

    def drop(self, view: str, generation: str) -> int:
        with self._lock:
            stored = self._views.get(view, {}).pop(generation, None)
            return len(stored.rows) if stored is not None else 0

    def close(self) -> None:
        """Nothing is open."""

    def _found(self, view: str, generation: str) -> _Generation:
        stored = self._views.get(view, {}).get(generation)
        if stored is None:
            raise NotFound(f"The serving table has no generation {generation} of the view {view}; prepare it first.")
        return stored


class MemoryViewStates:
    """`views.ports.ViewStates` in dicts. Safe for threads."""

    def __init__(self) -> None:
        self._states: dict[str, dict[str, object]] = {}
        self._wishes: dict[str, Wish] = {}
        self._beaten: datetime | None = None
        self._lock = threading.RLock()

    def beat(self, at: datetime) -> None:
        self._beaten = at

    def beaten(self) -> datetime | None:
        return self._beaten

    def get(self, view: str) -> dict[str, object]:
        with self._lock:
            return copy.deepcopy(self._states.get(view, {}))

    def all(self) -> dict[str, dict[str, object]]:
        with self._lock:
            return {view: copy.deepcopy(self._states.get(view, {})) for view in {**self._states, **self._wishes}}

    def put(self, view: str, state: Mapping[str, Any]) -> None:
        with self._lock:
            self._states[view] = json.loads(json.dumps(dict(state)))

    def names(self) -> set[str]:
        with self._lock:
            return {*self._states, *self._wishes}

    def wish(self, view: str) -> Wish:
        with self._lock:
            return copy.deepcopy(self._wishes.get(view, Wish()))

    def put_wish(self, view: str, wish: Wish) -> None:
        with self._lock:
            self._wishes[view] = json.loads(json.dumps(wish))

    def forget(self, view: str) -> None:
        with self._lock:
            self._states.pop(view, None)
            self._wishes.pop(view, None)
