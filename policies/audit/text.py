"""An audit entry as JSON, and the text that its hash is of. Pure."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime

from catalog.records import rfc3339
from policies.audit.ports import AuditEntry


def digest(entry: AuditEntry) -> str:
    """SHA-256, in hex, of everything of an entry but its own hash, as JSON with sorted keys and no blanks."""
    return hashlib.sha256(body_text(entry).encode()).hexdigest()


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def body_text(entry: AuditEntry) -> str:
    """The text that the hash of an entry is of."""
    body = entry_json(entry)
    del body["hash"]
    return _ENCODER.encode(body)


def entry_json(entry: AuditEntry) -> dict[str, object]:
    """An entry as the API gives it."""
    return {
        "seq": entry.seq,
        "at": _exactly(entry.at),
        "actor": entry.actor,
        "action": entry.action,
        "target": entry.target,
        "decision": entry.decision,
        "reasons": list(entry.reasons),
        "details": dict(entry.details),
        "prev": entry.prev,
        "hash": entry.hash,
    }


def _exactly(moment: datetime) -> str:
    return rfc3339(moment) or ""
