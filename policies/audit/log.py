"""The audit chain: who did what to what, why it was allowed or denied, in links that cannot be changed unseen.

Every entry carries the SHA-256 of itself and of the entry before. `verify` finds an entry that was edited, one that is
missing in between, and a cut tail: the head is stored beside the entries, and is published where the store's owner cannot
reach it. Nothing that goes in here may be a value of a record; callers strip literals from SQL.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from catalog.errors import InvalidInput
from policies.audit.acting import marks
from policies.audit.actions import AuditAction
from policies.audit.names import MOST_FIELD_NAMES, fields_left_out, wanted_names
from policies.audit.ports import AuditEntry, AuditFilter, AuditHead, AuditStore, AuditUse, HeadPublisher
from policies.audit.text import digest
from policies.audit.verify import Seals, Verification, verify
from policies.model import Subject
from policies.ports import Clock

MAX_LIMIT = 1000
_CHUNK = 2000


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Entries, newest first, and the cursor of the next page (None at the end). `note`: entries that were not looked at."""

    entries: tuple[AuditEntry, ...]
    next: str | None
    note: str | None = None


class AuditLog:
    """Writes, reads and verifies the chain."""

    def __init__(
        self, store: AuditStore, clock: Clock, publisher: HeadPublisher | None = None, seals: Seals | None = None
    ) -> None:
        """`seals`: those of the chain's segments, without which removed entries are missing entries."""
        self._store, self._clock, self._publisher, self._seals = store, clock, publisher, seals

    def record_by(
        self, subject: Subject, action: AuditAction, target: str, decision: str = "allow", reasons: Sequence[str] = ()
    ) -> None:
        """As `record`, of what a caller did, with how they signed in."""
        self.record(subject.user, action, target, decision, reasons, subject.sign_in_method)

    def record(
        self,
        actor: str,
        action: AuditAction,
        target: str,
        decision: str = "allow",
        reasons: Sequence[str] = (),
        details: Mapping[str, Any] | None = None,
    ) -> AuditEntry:
        """Append an entry; it is durable when this returns (inside a transaction: when that commits).

        `action` is a word such as query, request.approve, grant.revoke, apply; `details` must be JSON. Where an agent makes the
        present call for the actor, they name it, its purpose and its tool besides (`policies.audit.acting`). Raises
        Unavailable when the store does not answer: then whatever was to be audited must not happen.
        """
        # A round trip through JSON now, so that what is hashed is what will be read back.
        clean = json.loads(json.dumps({**marks(actor), **(details or {})}, default=str))
        at = self._clock().astimezone(UTC)

        def make(seq: int, prev: str) -> AuditEntry:
            entry = AuditEntry(
                seq=seq,
                at=at,
                actor=actor,
                action=action,
                target=target,
                decision=decision,
                reasons=tuple(reasons),
                details=clean,
                prev=prev,
                hash="",
            )
            return replace(entry, hash=digest(entry))

        return self._store.append(make, self._publisher.publish if self._publisher is not None else None)

    def list(self, where: AuditFilter | None = None, cursor: str | None = None, limit: int = 50) -> AuditPage:
        """A page, newest first. `cursor` is the `next` of the page before. Raises InvalidInput for another cursor."""
        if cursor is not None and not cursor.isdigit():
            raise InvalidInput(f"The cursor {cursor[:40]!r} is not one; pass the `next` of the page before.")
        limit = max(1, min(limit, MAX_LIMIT))
        where = where or AuditFilter()
        unnamed = self._store.unnamed() if wanted_names(where) else 0
        entries = self._store.entries(where, int(cursor) if cursor is not None else None, limit + 1)
        more = len(entries) > limit
        page = tuple(entries[:limit])
        notes = [unnamed_note(unnamed), _left_out_note(page) if where.field is not None else None]
        note = " ".join(filter(None, notes)) or None
        return AuditPage(page, str(entries[limit - 1].seq) if more else None, note)

    def before(self, where: AuditFilter, seq: int | None, limit: int) -> Sequence[AuditEntry]:
        """Entries that fit, newest first; only those before a seq, where one is given."""
        return self._store.entries(where, seq, limit)

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
        return verify(self._store, self._publisher, self._seals)


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
