"""What MessagePack and CBOR have and a tree of a record has not: keys that are not text, tags, sets, shared parts.

Runs in Spark's workers.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

_AS_THEY_ARE = frozenset({str, int, float, bool, type(None), bytes, datetime, date, time, Decimal, UUID})
_PER_BYTE = 4
"""Parts that a body may have for each of its bytes: one each is the most a body can write out, and CBOR's shared parts are
written once and may be in a tree a thousand times, or in themselves."""


class TooLarge(ValueError):
    """A body unfolds to far more than it weighs."""


def plain_tree(value: Any, size: int) -> Any:
    """The value with dicts of text keys, lists and scalars alone; `size` is the length of the body. Raises TooLarge."""
    left = size * _PER_BYTE + 64

    def plain(part: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise TooLarge
        kind = type(part)
        if kind in _AS_THEY_ARE:
            return part
        if isinstance(part, Mapping):
            return {key if type(key) is str else _name(key): plain(below) for key, below in part.items()}
        if isinstance(part, (list, tuple)):
            return [plain(below) for below in part]
        if isinstance(part, (set, frozenset)):
            return [plain(below) for below in sorted(part, key=repr)]
        if isinstance(part, (bytearray, memoryview)):
            return bytes(part)
        if kind.__name__ == "CBORTag":
            return plain(part.value)
        if kind.__name__ == "CBORSimpleValue":
            return int(part.value)
        return None if kind.__name__.lower().startswith("undefined") else str(part)

    return plain(value)


def _name(key: Any) -> str:
    """The text of a key: as JSON would write it, and bytes as text where they are some."""
    if isinstance(key, (bytes, bytearray)):
        try:
            return key.decode()
        except UnicodeDecodeError:
            return base64.b64encode(key).decode()
    if isinstance(key, bool) or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    return str(key)
