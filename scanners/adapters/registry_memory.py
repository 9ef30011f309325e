"""Schemas of registries as they were read, the newest used of them: a schema never changes under its id."""

from __future__ import annotations

import threading

from cachetools import LRUCache

from scanners.model import RegisteredSchema

_LARGEST = 32 * 2**20
"""Characters of schemas that are kept together; a registry holds thousands of them, each of up to a megabyte."""
_OF_ONE = 1000
"""What one takes beside its text."""

Key = tuple[str | int, ...]


class KeptSchemas:
    """Schemas by key. Safe for threads."""

    def __init__(self, largest: int = _LARGEST) -> None:
        """`largest`: characters of all together; those that were used longest ago go first."""
        self._kept: LRUCache[Key, RegisteredSchema] = LRUCache(largest, lambda each: len(each.text) + _OF_ONE)
        self._lock = threading.Lock()

    def get(self, *key: str | int) -> RegisteredSchema | None:
        with self._lock:
            return self._kept.get(key)

    def put(self, schema: RegisteredSchema, *key: str | int) -> RegisteredSchema:
        """Keep it, unless it alone is larger than all may be; gives it back."""
        with self._lock:
            if self._kept.getsizeof(schema) <= self._kept.maxsize:
                self._kept[key] = schema
        return schema

    def of(self, first: str) -> list[tuple[Key, RegisteredSchema]]:
        """All whose key begins so."""
        with self._lock:
            return [(key, schema) for key, schema in self._kept.items() if key[0] == first]
