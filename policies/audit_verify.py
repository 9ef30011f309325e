"""Whether the audit chain holds: every link, the seals of its segments, and the heads that were published."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from catalog.errors import Unavailable
from policies.audit_ports import AuditEntry, AuditHead, AuditStore, HeadPublisher, Segment, SegmentStore
from policies.audit_seals import Noted, Trust, not_trusted, problem_of_seals, removed_json, removed_until
from policies.audit_text import digest, entry_json

_CHUNK = 2000
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Seals:
    """Where seals are kept, and which of them count."""

    store: SegmentStore
    trust: Trust


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether the chain holds. `first_bad` is the seq where it first does not, `problem` describes how. Where `holds` is false and
    `first_bad` None, nothing is broken, and what was sealed is not proven: `problem` names a key that is not trusted.

    entries       how many were looked at; sealed: how many seals hold
    head_checked  whether published heads could be read and compared; `note` gives the reason where not
    removed       the entries that retention removed, by their seals: {first, last, segments, from, to, setting, at, files}
    """

    holds: bool
    entries: int
    head: AuditHead
    first_bad: int | None = None
    problem: str | None = None
    head_checked: bool = False
    note: str | None = None
    sealed: int = 0
    removed: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "entries": self.entries,
            "head": {"seq": self.head.seq, "hash": self.head.hash},
            "first_bad": self.first_bad,
            "problem": self.problem,
            "head_checked": self.head_checked,
            "note": self.note,
            "sealed": self.sealed,
            "removed": self.removed,
        }


def verify(store: AuditStore, publisher: HeadPublisher | None, seals: Seals | None) -> Verification:
    """Walk the whole chain, in bounded memory. Where entries are removed meanwhile, it is walked again."""
    for attempt in range(_TRIES):
        segments = seals.store.segments() if seals is not None else []
        verified = _walk(store, publisher, segments, seals)
        if verified.holds or seals is None or attempt + 1 == _TRIES or seals.store.segments() == segments:
            return verified
    raise AssertionError("the loop above returns")


def _walk(
    store: AuditStore, publisher: HeadPublisher | None, segments: Sequence[Segment], seals: Seals | None
) -> Verification:
    trust = seals.trust if seals is not None else None
    # Heads first: what is appended meanwhile makes the chain longer than they say, never shorter.
    published, checked, note = _published(publisher)
    noted = store.head()
    expected = {head.seq: head.hash for head in published if head.chain == noted.chain}
    others = [head for head in published if head.chain != noted.chain]
    if others and expected:
        note = "Heads of another chain are published too: a chain before this one, or another Weir on this topic."

    end_removed = removed_until(segments)
    start = end_removed.last if end_removed is not None else 0

    def answer(seq: int, bad: int | None, problem: str | None) -> Verification:
        removed = removed_json(segments)
        sealed = 0 if problem is not None else len(segments)
        return Verification(problem is None, max(0, seq - start), noted, bad, problem, checked, note, sealed, removed)

    wrong = problem_of_seals(segments, noted.chain, trust) if trust is not None else None
    if wrong is not None:
        return answer(start, *wrong)
    heads = {each.last: each.head for each in segments}
    for seq, hash_ in expected.items():
        if heads.get(seq, hash_) != hash_:
            return answer(start, seq, f"The seal of entry {seq} is not of the entry whose hash was published.")
    notes = Noted()
    seq, prev = start, end_removed.head if end_removed is not None else ""
    while chunk := store.chain(seq, _CHUNK):
        for entry in chunk:
            problem = problem_of(entry, seq + 1, prev, expected.get(entry.seq), noted)
            if problem is None and heads.get(entry.seq, entry.hash) != entry.hash:
                problem = f"Entry {entry.seq} is not the one that was sealed."
            if problem is not None:
                bad = seq + 1 if entry.seq != seq + 1 else entry.seq
                return answer(seq, bad, problem)
            notes.add(entry)
            seq, prev = entry.seq, entry.hash
    longest = max([noted.seq, *expected, *heads])
    if longest > seq:
        return answer(seq, seq + 1, f"Entries {seq + 1} to {longest} are missing at the end.")
    wrong = notes.problem(segments, seals.store.segments(), seals.trust) if seals is not None else None
    if wrong is not None:
        return answer(seq, *wrong)
    unproven = not_trusted(segments, trust) if trust is not None else None
    if unproven is not None:
        return answer(seq, None, unproven)
    if others and not expected:
        return answer(seq, 1, "The published heads are of another chain: this one was begun again.")
    return answer(seq, None, None)


def _published(publisher: HeadPublisher | None) -> tuple[Sequence[AuditHead], bool, str | None]:
    if publisher is None:
        return [], False, "Heads are not published, so only the head in the store was compared."
    try:
        return publisher.newest(), True, None
    except Unavailable as error:
        return [], False, f"Published heads could not be compared: {error.message}"


def problem_of(entry: AuditEntry, seq: int, prev: str, published: str | None, noted: AuditHead) -> str | None:
    """Why an entry is not the one that has to be at its place; None where it is."""
    if entry.seq != seq:
        return f"Entry {seq} is missing; {entry.seq} follows."
    if entry.prev != prev:
        return f"Entry {seq} does not follow from the entry before it."
    if not is_as_written(entry):
        return f"Entry {seq} was changed after it was written."
    if published is not None and published != entry.hash:
        return f"Entry {seq} is not the one whose hash was published."
    if noted.seq == seq and noted.hash != entry.hash:
        return f"Entry {seq} is not the one whose hash was noted."
    return None


def is_as_written(entry: AuditEntry) -> bool:
    """Whether an entry has its hash. The quick writer of JSON writes nearly every entry as the other one does."""
    body = entry_json(entry)
    del body["hash"]
    try:
        if hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest() == entry.hash:
            return True
    except TypeError:  # numbers beyond 64 bits, lone surrogates
        pass
    return digest(entry) == entry.hash
