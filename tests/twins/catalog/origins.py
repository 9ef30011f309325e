"""The record store in memory: where declared documents were applied from. See `catalog.document_origins`."""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Any

from catalog.document_origins import DocumentOrigin


class MemoryOrigins:
    _state: Any
    _lock: threading.RLock

    def put_origins(self, origins: Collection[DocumentOrigin]) -> None:
        with self._lock:
            self._state.origins.update({(each.kind, each.name): each for each in origins})

    def origins(self, kind: str) -> dict[str, DocumentOrigin]:
        with self._lock:
            return {name: each for (of, name), each in self._state.origins.items() if of == kind}

    def delete_origins(self, kind: str, names: Collection[str]) -> None:
        with self._lock:
            for name in names:
                self._state.origins.pop((kind, name), None)
