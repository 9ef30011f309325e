"""The keys that all processes of one record store share: what is sealed, signed or masked by one of them is read by all.

A process states the fingerprint of each key in the record store at the first start. Another process whose key has
another fingerprint would mask one value in two ways, and does not start.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

KEYS: Mapping[str, str] = {
    "masks": "makes masked values",
    "audit-signature": "signs the audit",
    "sign-in": "seals what sign-in keeps of providers",
    "notify": "seals addresses of chat services",
    "cursors": "seals positions in lists",
    "clicks": "hashes queries whose answers were opened",
}
"""Name of the file in WEIR_HOME/secrets -> what the key does."""


def fingerprint(name: str, key: str) -> str:
    """32 hex characters that differ where two keys differ; nothing of the key can be computed from them."""
    return hmac.new(key.encode(), b"weir key fingerprint 1: " + name.encode(), hashlib.sha256).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class KeyStatement:
    """name: of the key; home: the folder WEIR_HOME of the process that stated it, on the machine `host`."""

    name: str
    fingerprint: str
    host: str
    home: str
    stated_at: datetime


class RecordKeys(Protocol):
    """Where fingerprints are stated."""

    def stated(self) -> Mapping[str, KeyStatement]:
        """By the name of the key."""
        ...

    def state(self, statement: KeyStatement) -> None:
        """State the fingerprint of a key, in place of an earlier one."""
        ...
