"""Segments of the audit chain: sealed when they are long or old enough, removed whole when their time is over."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import structlog

from catalog.errors import InvalidInput
from catalog.records import rfc3339
from policies.audit.export import JSONL, About, Signer, export
from policies.audit.log import AuditLog
from policies.audit.ports import AuditEntry, AuditHead, AuditStore, Removal, Segment, SegmentStore
from policies.audit.seals import REMOVE, SEAL, canonical, digest, key_problem, removal_statement, sealed
from policies.audit.verify import problem_of
from policies.ports import Clock
from policies.settings import PolicySettings

_CHUNK = 2000
_AT_ONCE = 1000
"""Entries deleted in one transaction: others wait for it to write."""
_MOST_SEALS = 20
"""Segments sealed in one step, so that a long chain does not hold up other duties."""

log = structlog.get_logger("weir.audit")

Shipped = Callable[[], int | None]
"""Up to which entry the audit was shipped; None where it is not shipped."""


class Broken(Exception):
    """A segment whose entries are not as they were written. Nothing of it is sealed or removed."""


class AuditSegments:
    """Seals and removes. Any number of processes may do it; each seal and removal is done once."""

    def __init__(
        self,
        store: AuditStore,
        segments: SegmentStore,
        audit: AuditLog,
        signer: Signer,
        clock: Clock,
        settings: PolicySettings,
        shipped: Shipped = lambda: None,
        entries: int | None = None,
    ) -> None:
        """`entries`: of a segment, in place of the setting, which has a minimum."""
        self._store, self._segments, self._audit, self._signer = store, segments, audit, signer
        self._clock, self._settings, self._shipped = clock, settings, shipped
        self._entries_given = entries
        self._refused: str | None = None
        self._broken: int | None = None
        """The first entry of the segment that is broken; it is not walked again by this process."""

    def step(self) -> bool:
        """Seal what is due, remove what is due, delete some of what was removed; whether there is more to do at once."""
        if self._broken is None and self._may_seal():
            try:
                self._seal_due()
                self._remove_due()
            except Broken as problem:
                log.error("audit_segment_broken", problem=str(problem), fix="weir audit verify")
            except InvalidInput as error:
                log.warning("audit_segment_kept", problem=error.message)
        return self._segments.purge(_AT_ONCE) > 0

    def problem(self) -> str | None:
        """Why this process neither seals nor removes; None where it does."""
        return self._key_problem(self.listed())

    def _key_problem(self, segments: Sequence[Segment]) -> str | None:
        return key_problem(segments, self._signer.public_key(), self._settings.audit_trusted_keys)

    def _may_seal(self) -> bool:
        problem = self.problem()
        if problem != self._refused and problem is not None:
            log.warning("audit_segments_not_sealed", problem=problem)
        self._refused = problem
        return problem is None

    def listed(self) -> list[Segment]:
        """All segments, by number."""
        return self._segments.segments()

    # --- sealing ---------------------------------------------------------------------------------------------------

    def _seal_due(self) -> None:
        for _ in range(_MOST_SEALS):
            segments = self.listed()
            if self._key_problem(segments) is not None:
                return  # another host sealed first; its seal is the one before that this would name
            before = segments[-1] if segments else None
            last = self._last_due(before.last if before is not None else 0)
            if last is None or not self._seal(before, last):
                return

    def _last_due(self, after: int) -> int | None:
        """The last entry of the segment that is due, None where none is."""
        head = self._store.head()
        most = self._entries_given or self._settings.audit_segment_entries
        last = after + most if head.seq - after >= most else None
        if last is None:
            first = self._store.chain(after, 1)
            old = self._clock() - timedelta(days=self._settings.audit_segment_days)
            last = head.seq if first and first[0].at <= old else None
        return last if last is not None and self._has_more_than_its_own(after, head.seq) else None

    def _has_more_than_its_own(self, after: int, until: int) -> bool:
        """Whether anything but seals and removals was noted: a seal of them alone would be the next one to seal."""
        size = 10
        while after < until and (chunk := self._store.chain(after, size)):
            if any(each.actor != "weir" or each.action not in (SEAL, REMOVE) for each in chunk):
                return True
            after, size = chunk[-1].seq, _CHUNK
        return False

    def _seal(self, before: Segment | None, last: int) -> bool:
        start, prev = (before.last, before.head) if before is not None else (0, "")
        head = self._store.head()
        ends = list(self._ends(start, prev, last, head))
        draft = Segment(
            number=before.number + 1 if before is not None else 1,
            chain=head.chain,
            first=start + 1,
            last=last,
            begins=ends[0].at,
            ends=ends[-1].at,
            before=prev,
            head=ends[-1].hash,
            previous=digest(before) if before is not None else "",
            sealed_at=self._clock(),
            key=self._signer.public_key(),
            signature="",
        )
        seal = sealed(draft, self._signer.sign)

        def note() -> None:
            self._audit.record(
                "weir",
                SEAL,
                f"segment {seal.number}",
                "allow",
                [f"entries {seal.first} to {seal.last}"],
                {
                    "segment": seal.number,
                    "first": seal.first,
                    "last": seal.last,
                    "head": seal.head,
                    "seal": digest(seal),
                },
            )

        return self._segments.add(seal, note)

    def _ends(self, after: int, prev: str, last: int, head: AuditHead) -> Iterator[AuditEntry]:
        """The first and the last entry of a segment, all of which were looked at. Raises Broken."""
        first, seq = after + 1, after
        entry: AuditEntry | None = None
        while seq < last and (chunk := self._store.chain(seq, min(_CHUNK, last - seq))):
            for entry in chunk:
                problem = problem_of(entry, seq + 1, prev, None, head)
                if problem is not None:
                    raise self._found_broken(first, problem)
                if entry.seq == first:
                    yield entry
                seq, prev = entry.seq, entry.hash
        if entry is None or seq != last:
            raise self._found_broken(first, f"Entries {seq + 1} to {last} are missing.")
        yield entry

    def _found_broken(self, first: int, problem: str) -> Broken:
        self._broken = first
        return Broken(problem)

    # --- removing --------------------------------------------------------------------------------------------------

    def _remove_due(self) -> None:
        keep = self._settings.audit_keep_days
        if keep is None:
            return
        old = self._clock() - timedelta(days=keep)
        for each in self._segments.segments():
            if each.removal is not None:
                continue
            shipped = self._shipped()
            if each.ends >= old or (shipped is not None and shipped < each.last):
                return  # those behind it are younger, and segments go in order
            self._remove(each, f"policies.audit_keep_days={keep}")

    def _remove(self, segment: Segment, setting: str) -> None:
        *_, last = self._ends(segment.first - 1, segment.before, segment.last, self._store.head())
        if last.hash != segment.head:
            raise self._found_broken(segment.first, f"Entry {segment.last} is not the one that was sealed.")
        file = self._exported(segment)
        removal = Removal(self._clock(), setting, file, self._signer.public_key())
        signed = removal_statement(segment, removal)
        reasons = [
            f"entries {segment.first} to {segment.last} by {setting}",
            *([f"exported to {file}"] if file else []),
        ]
        details = {
            "segment": segment.number,
            "first": segment.first,
            "last": segment.last,
            "entries": segment.last - segment.first + 1,
            "from": rfc3339(segment.begins),
            "to": rfc3339(segment.ends),
            "removal": signed,
            "signature": self._signer.sign(canonical(signed)),
        }

        def note() -> None:
            self._audit.record("weir", REMOVE, f"segment {segment.number}", "allow", reasons, details)

        if self._segments.remove(segment.number, removal, note):
            log.info("audit_segment_removed", segment=segment.number, first=segment.first, last=segment.last)

    def _exported(self, segment: Segment) -> str | None:
        """Write the segment as a signed file; the file's name. What is not written whole raises, and nothing is removed."""
        folder = self._settings.audit_export_folder
        if folder is None:
            return None
        name = f"audit-{segment.chain}-{segment.first}-{segment.last}.jsonl"
        draft = folder / f".{name}.part"
        about = About(
            chain=segment.chain,
            head_seq=segment.last,
            head_hash=segment.head,
            where={"segment": str(segment.number)},
            at=rfc3339(self._clock()) or "",
            by="weir",
        )
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as written:
                for piece in export(self._entries(segment), JSONL, about, self._signer):
                    written.write(piece)
                written.flush()
                os.fsync(written.fileno())
            draft.replace(folder / name)
            _sync(folder)
        except OSError as error:
            raise InvalidInput(
                f"The audit's segment {segment.number} could not be exported to {folder} ({error.strerror}), so it is kept;"
                " check policies.audit_export_folder."
            ) from None
        finally:
            with contextlib.suppress(OSError):  # it is not there, or its folder is none
                draft.unlink()
        return name

    def _entries(self, segment: Segment) -> Iterator[AuditEntry]:
        seq = segment.first - 1
        while seq < segment.last and (chunk := self._store.chain(seq, min(_CHUNK, segment.last - seq))):
            yield from chunk
            seq = chunk[-1].seq


def _sync(folder: Path) -> None:
    """The folder's own list of files on disk, too."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
