"""Seals of the audit chain: what is signed of a segment, and whether seals and removals hold together. Pure.

A segment is a run of entries. Its seal is signed and names the seal before, so a chain of seals is beside the chain of
entries, and proves what follows where the entries of old segments were removed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from catalog.records import rfc3339
from policies.audit.actions import AuditAction
from policies.audit.ports import AuditEntry, Removal, Segment

SEAL: AuditAction = "audit.seal"
REMOVE: AuditAction = "audit.remove"
"""Actions of the entries that note a seal, and a removal."""

Check = Callable[[str, str, bytes], bool]
"""Public key, signature, data: whether it was signed with the key."""
Sign = Callable[[bytes], str]


@dataclass(frozen=True, slots=True)
class Trust:
    """check: of signatures; keys: public keys whose seals count."""

    check: Check
    keys: frozenset[str]


def canonical(value: Any) -> bytes:
    """JSON with sorted keys and no blanks: what is signed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def statement(of: Segment) -> Mapping[str, Any]:
    """What the signature of a seal is over."""
    return {
        "weirAuditSeal": 1,
        "chain": of.chain,
        "number": of.number,
        "first": of.first,
        "last": of.last,
        "from": rfc3339(of.begins),
        "to": rfc3339(of.ends),
        "before": of.before,
        "head": of.head,
        "previous": of.previous,
        "at": rfc3339(of.sealed_at),
        "key": of.key,
    }


def digest(of: Segment) -> str:
    """SHA-256, in hex, of a seal with its signature: what the next seal and a removal name it by."""
    return hashlib.sha256(canonical(statement(of)) + of.signature.encode()).hexdigest()


def sealed(draft: Segment, sign: Sign) -> Segment:
    """The segment with its signature."""
    return replace(draft, signature=sign(canonical(statement(draft))))


def removal_statement(of: Segment, removal: Removal) -> dict[str, object]:
    """What the signature of a removal is over."""
    return {
        "weirAuditRemoval": 1,
        "chain": of.chain,
        "number": of.number,
        "last": of.last,
        "seal": digest(of),
        "setting": removal.setting,
        "file": removal.file,
        "at": rfc3339(removal.at),
        "key": removal.key,
    }


def removed_until(segments: Sequence[Segment]) -> Segment | None:
    """The last segment whose entries were removed."""
    return next((each for each in reversed(segments) if each.removal is not None), None)


def problem_of_seals(segments: Sequence[Segment], chain: str, trust: Trust) -> tuple[int, str] | None:
    """The first entry from which the seals do not hold, and why; None where they do."""
    before: Segment | None = None
    for each in segments:
        number, first = (before.number + 1, before.last + 1) if before is not None else (1, 1)
        if each.number != number:
            return first, f"The seal {number} is missing."
        if each.chain != chain:
            return each.first, f"The seal {number} is of another chain."
        if each.first != first or each.last < each.first or each.before != (before.head if before is not None else ""):
            return first, f"The seal {number} does not follow from the one before it."
        if each.previous != (digest(before) if before is not None else ""):
            return first, f"The seal {number} does not name the one before it."
        if not trust.check(each.key, each.signature, canonical(statement(each))):
            return first, f"The seal {number} was changed after it was signed."
        if each.removal is not None and before is not None and before.removal is None:
            return before.first, f"Entries of the seal {number} were removed before those of the seal {before.number}."
        before = each
    return None


def keys_of(segments: Sequence[Segment]) -> list[str]:
    """The public keys of all seals and removals, each once, the oldest first."""
    keys = dict.fromkeys(each.key for each in segments)
    return list(keys | dict.fromkeys(each.removal.key for each in segments if each.removal is not None))


def not_trusted(segments: Sequence[Segment], trust: Trust) -> str | None:
    """Why seals that hold together prove nothing to this process; None where they do: a key that it does not know may be that
    of another host, or of who made all seals again."""
    strange = [key for key in keys_of(segments) if key not in trust.keys]
    if not strange:
        return None
    return (
        f"No entry is broken, but segments are sealed with {' and '.join(strange)}, which this process does not trust: compare with"
        " `weir audit key` of the host that seals, and name the key in policies.audit_trusted_keys."
    )


def key_problem(segments: Sequence[Segment], own: str, listed: Sequence[str]) -> str | None:
    """Why a process must not seal with its key; None where it may. A seal with a key that others do not know would never
    again hold for them.

    own: its public key; listed: policies.audit_trusted_keys
    """
    used = keys_of(segments)
    fix = (
        "give every host the same secrets/audit-signature or, where that is lost, name both keys in policies.audit_trusted_keys of"
        " every host."
    )
    strange = next((key for key in used if key != own and key not in listed), None)
    if strange is not None:
        return f"Segments of the audit are sealed with {strange}, and the key of this process is {own}: {fix}"
    if used and own not in used and own not in listed:
        return f"Segments of the audit are sealed with {used[-1]}, and this process has a new key, {own}: {fix}"
    return None


class Noted:
    """What the entries note of seals and removals, gathered while the chain is walked."""

    def __init__(self) -> None:
        self._seals: list[tuple[int, Any, Any]] = []
        self._removals: list[Mapping[str, Any]] = []

    def add(self, entry: AuditEntry) -> None:
        """Look at an entry that holds."""
        if entry.action == SEAL and entry.actor == "weir":
            self._seals.append((entry.seq, entry.details.get("segment"), entry.details.get("seal")))
        elif entry.action == REMOVE and entry.actor == "weir":
            self._removals.append(entry.details)

    def problem(self, segments: Sequence[Segment], later: Sequence[Segment], trust: Trust) -> tuple[int, str] | None:
        """The first entry from which seals or removals are not as the entries note them.

        later: the segments as they were read after the walk, which has the notes of what was sealed meanwhile, too
        """
        known = {each.number: digest(each) for each in later}
        for seq, number, noted in self._seals:
            # An entry may be forged: what it names as a number can be anything that JSON has.
            if type(number) is not int or known.get(number) != noted:
                named = number if type(number) is int and abs(number) < 10**9 else "of no number"
                return (
                    seq,
                    f"Entry {seq} notes the seal {named}, and there is no such seal: it was removed or changed.",
                )
        last = removed_until(segments)
        if last is not None and last.removal is not None and not self._tells(last, last.removal, trust):
            return (
                1,
                f"Entries 1 to {last.last} are gone, and no entry of the audit proves that they were removed by a setting.",
            )
        return None

    def _tells(self, of: Segment, removal: Removal, trust: Trust) -> bool:
        signed = removal_statement(of, removal)
        return any(
            details.get("removal") == signed
            and trust.check(removal.key, str(details.get("signature")), canonical(signed))
            for details in self._removals
        )


@dataclass(frozen=True, slots=True)
class Removed:
    """Entries that retention removed, from the first one on: their `seq`, and when the first and the last were written.

    setting, at  by which setting the last segment was removed, and when; files: those that segments were exported to before
    """

    first: int
    last: int
    segments: int
    begins: datetime
    ends: datetime
    setting: str
    at: datetime
    files: tuple[str, ...]


def removed_by(segments: Sequence[Segment]) -> Removed | None:
    """What was removed; None where nothing was."""
    removed = [each for each in segments if each.removal is not None]
    if not removed or removed[-1].removal is None:
        return None
    last = removed[-1].removal
    return Removed(
        first=removed[0].first,
        last=removed[-1].last,
        segments=len(removed),
        begins=removed[0].begins,
        ends=removed[-1].ends,
        setting=last.setting,
        at=last.at,
        files=tuple(each.removal.file for each in removed if each.removal is not None and each.removal.file),
    )
