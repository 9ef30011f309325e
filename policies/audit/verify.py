"""Whether the audit chain holds: every link, the seals of its segments, and the heads that were published."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from catalog.errors import Unavailable
from policies.audit.ports import AuditEntry, AuditHead, AuditStore, HeadPublisher, Segment, SegmentStore
from policies.audit.seals import Noted, Removed, Trust, not_trusted, problem_of_seals, removed_by, removed_until
from policies.audit.text import digest, entry_json

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
    removed       the entries that retention removed, by their seals
    """

    holds: bool
    entries: int
    head: AuditHead
    first_bad: int | None = None
    problem: str | None = None
    head_checked: bool = False
    note: str | None = None
    sealed: int = 0
    removed: Removed | None = None


def verify(store: AuditStore, publisher: HeadPublisher | None, seals: Seals | None) -> Verification:
    """Walk the whole chain, in bounded memory. Where entries are removed meanwhile, it is walked again."""
    for attempt in range(_TRIES):
        segments = seals.store.segments() if seals is not None else []
        verified = _walk(store, publisher, segments, seals)
        if verified.holds or seals is None or attempt + 1 == _TRIES or seals.store.segments() == segments:
            return verified
    raise AssertionError("the loop above returns")


@dataclass(frozen=True, slots=True)
class _Expected:
    """What the chain has to agree with.

    noted      the head in the store
    published  seq -> hash, of the heads of this chain
    foreign    whether heads of another chain are published
    sealed     seq -> hash, of the last entry of each segment
    """

    noted: AuditHead
    published: Mapping[int, str]
    foreign: bool
    sealed: Mapping[int, str]

    @property
    def longest(self) -> int:
        """The seq up to which the chain has to reach."""
        return max([self.noted.seq, *self.published, *self.sealed])

    def seal_of_another(self) -> int | None:
        """The first seq whose sealed entry is not the one whose hash was published; None where there is none."""
        return next((seq for seq, hash_ in self.published.items() if self.sealed.get(seq, hash_) != hash_), None)

    def problem_of(self, entry: AuditEntry, seq: int, prev: str) -> str | None:
        """Why an entry is not the one that has to be at `seq`; None where it is."""
        problem = problem_of(entry, seq, prev, self.published.get(entry.seq), self.noted)
        if problem is None and self.sealed.get(entry.seq, entry.hash) != entry.hash:
            return f"Entry {entry.seq} is not the one that was sealed."
        return problem


@dataclass(frozen=True, slots=True)
class _End:
    """Where a walk ended: behind the entry `seq`. `bad` and `problem` are `first_bad` and `problem` of the verification."""

    seq: int
    bad: int | None = None
    problem: str | None = None


def _walk(
    store: AuditStore, publisher: HeadPublisher | None, segments: Sequence[Segment], seals: Seals | None
) -> Verification:
    # Heads first: what is appended meanwhile makes the chain longer than they say, never shorter.
    published, checked, note = _published(publisher)
    noted = store.head()
    own = {head.seq: head.hash for head in published if head.chain == noted.chain}
    foreign = any(head.chain != noted.chain for head in published)
    if foreign and own:
        note = "Heads of another chain are published too: a chain before this one, or another Weir on this topic."
    expected = _Expected(noted, own, foreign, {each.last: each.head for each in segments})
    end = _end(store, expected, segments, seals)
    return Verification(
        holds=end.problem is None,
        entries=max(0, end.seq - _start(segments)[0]),
        head=noted,
        first_bad=end.bad,
        problem=end.problem,
        head_checked=checked,
        note=note,
        sealed=0 if end.problem is not None else len(segments),
        removed=removed_by(segments),
    )


def _start(segments: Sequence[Segment]) -> tuple[int, str]:
    """Seq and hash of the last entry that was removed."""
    removed = removed_until(segments)
    return (removed.last, removed.head) if removed is not None else (0, "")


def _end(store: AuditStore, expected: _Expected, segments: Sequence[Segment], seals: Seals | None) -> _End:
    start, hash_ = _start(segments)
    wrong = problem_of_seals(segments, expected.noted.chain, seals.trust) if seals is not None else None
    if wrong is not None:
        return _End(start, *wrong)
    if (seq := expected.seal_of_another()) is not None:
        return _End(start, seq, f"The seal of entry {seq} is not of the entry whose hash was published.")
    notes = Noted()
    end = _links(store, expected, start, hash_, notes)
    if end.problem is not None:
        return end
    if expected.longest > end.seq:
        missing = f"Entries {end.seq + 1} to {expected.longest} are missing at the end."
        return _End(end.seq, end.seq + 1, missing)
    if seals is not None:
        wrong = notes.problem(segments, seals.store.segments(), seals.trust)
        if wrong is not None:
            return _End(end.seq, *wrong)
        unproven = not_trusted(segments, seals.trust)
        if unproven is not None:
            return _End(end.seq, None, unproven)
    if expected.foreign and not expected.published:
        return _End(end.seq, 1, "The published heads are of another chain: this one was begun again.")
    return end


def _links(store: AuditStore, expected: _Expected, seq: int, prev: str, notes: Noted) -> _End:
    """Look at every entry behind `seq`, whose hash is `prev`, up to the first that does not hold."""
    while chunk := store.chain(seq, _CHUNK):
        for entry in chunk:
            problem = expected.problem_of(entry, seq + 1, prev)
            if problem is not None:
                return _End(seq, seq + 1, problem)
            notes.add(entry)
            seq, prev = entry.seq, entry.hash
    return _End(seq)


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
