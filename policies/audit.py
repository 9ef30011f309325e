"""The audit chain: who did what to what, why it was allowed or denied, in links that cannot be changed unseen.

Every entry carries the SHA-256 of itself and of the entry before. `verify` finds an entry that was edited, one that is
missing in between, and a cut tail: the head stands beside the entries, and is published where the store's owner cannot
reach it. Nothing that goes in here may be a value of a record; callers strip literals from SQL.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import orjson

from catalog.errors import InvalidInput, Unavailable
from catalog.records import rfc3339
from policies.audit_names import MOST_FIELD_NAMES, fields_left_out, wanted_names
from policies.ports import AuditEntry, AuditFilter, AuditHead, AuditStore, AuditUse, Clock, HeadPublisher

MAX_LIMIT = 1000
_CHUNK = 2000


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Entries, newest first, and the cursor of the next page (None at the end). `note`: entries that were not looked at."""

    entries: tuple[AuditEntry, ...]
    next: str | None
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"entries": [entry_json(e) for e in self.entries], "next": self.next, "note": self.note}


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether the chain holds. `first_bad` is the seq where it first does not, `problem` says how.

    head_checked: whether published heads could be read and compared; `note` says why not.
    """

    holds: bool
    entries: int
    head: AuditHead
    first_bad: int | None = None
    problem: str | None = None
    head_checked: bool = False
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "entries": self.entries,
            "head": {"seq": self.head.seq, "hash": self.head.hash},
            "first_bad": self.first_bad,
            "problem": self.problem,
            "head_checked": self.head_checked,
            "note": self.note,
        }


class AuditLog:
    """Writes, reads and verifies the chain."""

    def __init__(self, store: AuditStore, clock: Clock, publisher: HeadPublisher | None = None) -> None:
        self._store, self._clock, self._publisher = store, clock, publisher

    def record(
        self,
        actor: str,
        action: str,
        target: str,
        decision: str = "allow",
        reasons: Sequence[str] = (),
        details: Mapping[str, Any] | None = None,
    ) -> AuditEntry:
        """Append an entry; it is durable when this returns (inside a transaction: when that commits).

        `action` is a word such as query, request.approve, grant.revoke, apply; `details` must be JSON. Raises
        Unavailable when the store does not answer: then whatever was to be audited must not happen.
        """
        # A round trip through JSON now, so that what is hashed is what will be read back.
        clean = json.loads(json.dumps(dict(details or {}), default=str))
        at = self._clock().astimezone(UTC)

        def make(seq: int, prev: str) -> AuditEntry:
            entry = AuditEntry(seq, at, actor, action, target, decision, tuple(reasons), clean, prev, "")
            return replace(entry, hash=digest(entry))

        return self._store.append(make, self._publisher.publish if self._publisher is not None else None)

    def list(self, where: AuditFilter | None = None, cursor: str | None = None, limit: int = 50) -> AuditPage:
        """A page, newest first. `cursor` is the `next` of the page before. Raises InvalidInput for another cursor."""
        if cursor is not None and not cursor.isdigit():
            raise InvalidInput(f"The cursor {cursor[:40]!r} is not one; pass the `next` of the page before.")
        limit = max(1, min(limit, MAX_LIMIT))
        where = where or AuditFilter()
        unnamed = self._store.unnamed() if wanted_names(where) else 0
        found = self._store.entries(where, int(cursor) if cursor is not None else None, limit + 1)
        more = len(found) > limit
        page = tuple(found[:limit])
        notes = [unnamed_note(unnamed), _left_out_note(page) if where.field is not None else None]
        note = " ".join(filter(None, notes)) or None
        return AuditPage(page, str(found[limit - 1].seq) if more else None, note)

    def first(self) -> datetime | None:
        """When the audit begins; None while it is empty."""
        begin = self._store.chain(0, 1)
        return begin[0].at if begin else None

    def uses(self, kind: str, actions: Collection[str], since: datetime) -> Sequence[AuditUse]:
        """See `AuditStore.uses`."""
        return self._store.uses(kind, actions, since)

    def unnamed(self) -> int:
        """See `AuditStore.unnamed`."""
        return self._store.unnamed()

    def head(self) -> AuditHead:
        """Where the chain ends now."""
        return self._store.head()

    def matching(self, where: AuditFilter, until: int) -> Iterator[AuditEntry]:
        """Entries that fit, up to and with a seq, oldest first, in bounded memory."""
        after = 0
        while chunk := self._store.matching(where, after, _CHUNK):
            for entry in chunk:
                if entry.seq > until:
                    return
                yield entry
            after = chunk[-1].seq

    def verify(self) -> Verification:
        """Walk the whole chain, in bounded memory."""
        # Heads first: what is appended meanwhile makes the chain longer than they say, never shorter.
        published, checked, note = self._published()
        noted = self._store.head()
        expected = {head.seq: head.hash for head in published if head.chain == noted.chain}
        others = [head for head in published if head.chain != noted.chain]
        if others and expected:
            note = "Heads of another chain are published too: a chain before this one, or another Weir on this topic."
        seq, prev = 0, ""
        while chunk := self._store.chain(seq, _CHUNK):
            for entry in chunk:
                problem = _problem(entry, seq + 1, prev, expected.get(entry.seq), noted)
                if problem is not None:
                    bad = seq + 1 if entry.seq != seq + 1 else entry.seq
                    return Verification(False, seq, noted, bad, problem, checked, note)
                seq, prev = entry.seq, entry.hash
        longest = max([noted.seq, *expected])
        if longest > seq:
            problem = f"Entries {seq + 1} to {longest} are missing at the end."
            return Verification(False, seq, noted, seq + 1, problem, checked, note)
        if others and not expected:
            problem = "The published heads are of another chain: this one was begun anew."
            return Verification(False, seq, noted, 1, problem, checked, note)
        return Verification(True, seq, noted, None, None, checked, note)

    def _published(self) -> tuple[Sequence[AuditHead], bool, str | None]:
        if self._publisher is None:
            return [], False, "Heads are not published, so only the head in the store was compared."
        try:
            return self._publisher.newest(), True, None
        except Unavailable as error:
            return [], False, f"Published heads could not be compared: {error.message}"


def unnamed_note(count: int) -> str | None:
    """The sentence on entries that cannot be found by name yet."""
    if not count:
        return None
    return f"{count:,} older entries are not indexed by person, dataset, field and grant yet; ask again in a while to find them."


def _left_out_note(page: Sequence[AuditEntry]) -> str | None:
    left = {entry.seq: count for entry in page if (count := fields_left_out(entry))}
    if not left:
        return None
    return (
        f"{len(left):,} of these entries used more fields than are indexed ({sum(left.values()):,} beyond the {MOST_FIELD_NAMES:,}"
        " names of each), so every field of their datasets finds them; their details have the fields."
    )


def _problem(entry: AuditEntry, seq: int, prev: str, published: str | None, noted: AuditHead) -> str | None:
    if entry.seq != seq:
        return f"Entry {seq} is missing; {entry.seq} follows."
    if entry.prev != prev:
        return f"Entry {seq} does not follow from the entry before it."
    if not _is_as_written(entry):
        return f"Entry {seq} was changed after it was written."
    if published is not None and published != entry.hash:
        return f"Entry {seq} is not the one whose hash was published."
    if noted.seq == seq and noted.hash != entry.hash:
        return f"Entry {seq} is not the one whose hash was noted."
    return None


def _is_as_written(entry: AuditEntry) -> bool:
    """Whether an entry has its hash. The quick writer of JSON writes nearly every entry as the other one does."""
    body = entry_json(entry)
    del body["hash"]
    try:
        if hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest() == entry.hash:
            return True
    except TypeError:  # numbers beyond 64 bits, lone surrogates
        pass
    return digest(entry) == entry.hash


def digest(entry: AuditEntry) -> str:
    """SHA-256, in hex, of everything of an entry but its own hash, as JSON with sorted keys and no blanks."""
    return hashlib.sha256(body_text(entry).encode()).hexdigest()


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def body_text(entry: AuditEntry) -> str:
    """The text that the hash of an entry is of."""
    body = entry_json(entry)
    del body["hash"]
    return _ENCODER.encode(body)


def entry_json(entry: AuditEntry) -> dict[str, Any]:
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
