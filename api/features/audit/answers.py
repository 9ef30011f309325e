"""Answers of `/audit`."""

from __future__ import annotations

from typing import Literal, Self

from api.edge.answer import Answer, FreeForm, Time, about
from catalog.records import rfc3339
from policies.audit import ports as audit_ports
from policies.audit import seals as audit_seals
from policies.audit.log import AuditPage
from policies.audit.shipping import ShippingReport
from policies.audit.verify import Verification


class AuditEntry(Answer):
    """One decision, chained to the one before."""

    seq: int
    at: Time
    actor: str
    action: str = about("query, request.approve, grant.revoke, apply, ...")
    target: str
    decision: str = about("allow or deny, mostly.")
    reasons: list[str]
    details: FreeForm
    prev: str = about("Hash of the entry before.")
    hash: str

    @classmethod
    def of(cls, entry: audit_ports.AuditEntry) -> Self:
        return cls(
            seq=entry.seq,
            at=rfc3339(entry.at),
            actor=entry.actor,
            action=entry.action,
            target=entry.target,
            decision=entry.decision,
            reasons=list(entry.reasons),
            details=dict(entry.details),
            prev=entry.prev,
            hash=entry.hash,
        )


class AuditEntries(Answer):
    """A page of entries, newest first."""

    entries: list[AuditEntry]
    next: str | None = about("`cursor` of the next page.")
    note: str | None = about(
        "Entries that were not looked at, and a dataset or an action of the question that there is not."
    )

    @classmethod
    def of(cls, page: AuditPage) -> Self:
        return cls(entries=[AuditEntry.of(each) for each in page.entries], next=page.next, note=page.note)


class AuditKey(Answer):
    """The public half of the key that signs exports."""

    algorithm: Literal["Ed25519"]
    key: str = about("32 bytes in base64.")


class AuditHead(Answer):
    """The end of the chain."""

    seq: int
    hash: str


class RemovedEntries(Answer):
    """Entries that are not there any more, from the first one on."""

    first: int
    last: int
    segments: int
    from_: Time = about("When the first was written.", alias="from")
    to: Time = about("When the last was written.")
    setting: str = about("The setting by which the last segment was removed.")
    at: Time = about("When that was.")
    files: list[str] = about("Files that segments were exported to before.")

    @classmethod
    def of(cls, removed: audit_seals.Removed) -> Self:
        return cls(
            first=removed.first,
            last=removed.last,
            segments=removed.segments,
            from_=rfc3339(removed.begins),
            to=rfc3339(removed.ends),
            setting=removed.setting,
            at=rfc3339(removed.at),
            files=list(removed.files),
        )


class AuditSegment(Answer):
    """A sealed run of entries."""

    number: int
    first: int
    last: int
    entries: int
    from_: Time = about("When the first was written.", alias="from")
    to: Time = about("When the last was written.")
    head: str = about("Hash of the last entry.")
    seal: str = about("SHA-256 of the seal.")
    key: str = about("The public key that it is signed with.")
    sealed_at: Time
    removed_at: Time | None = about("When its entries were removed; null: they are there.")
    setting: str | None = about("The setting by which they were removed.")
    file: str | None = about("The file that they were exported to before.")

    @classmethod
    def of(cls, segment: audit_ports.Segment) -> Self:
        removal = segment.removal
        return cls(
            number=segment.number,
            first=segment.first,
            last=segment.last,
            entries=segment.last - segment.first + 1,
            from_=rfc3339(segment.begins),
            to=rfc3339(segment.ends),
            head=segment.head,
            seal=audit_seals.digest(segment),
            key=segment.key,
            sealed_at=rfc3339(segment.sealed_at),
            removed_at=rfc3339(removal.at) if removal is not None else None,
            setting=removal.setting if removal is not None else None,
            file=removal.file if removal is not None else None,
        )


class AuditShipped(Answer):
    """How far the audit was shipped to its topic."""

    place: str | None = about("CLUSTER/TOPIC; null: it is not shipped.")
    position: int = about("`seq` of the last entry that arrived.")
    lag: int = about("Entries that were not shipped yet.")
    shipped_at: Time | None
    failures: int = about("In a row, since the last success.")
    problem: str | None
    cut: int = about("Entries that were shipped without their details, as they were too large.")
    begins: int | None = about("`seq` of the first entry that was shipped; null: none was.")
    missed: int = about("Entries that were removed before they could be shipped.")

    @classmethod
    def of(cls, report: ShippingReport) -> Self:
        return cls(
            place=report.place,
            position=report.position,
            lag=report.lag,
            shipped_at=rfc3339(report.shipped_at),
            failures=report.failures,
            problem=report.problem,
            cut=report.cut,
            begins=report.begins,
            missed=report.missed,
        )


class AuditSegments(Answer):
    """Segments, oldest first."""

    segments: list[AuditSegment]
    problem: str | None = about("Why this process neither seals nor removes: its key is not the one of the seals.")
    keep_days: int | None = about("Segments of which all entries are older are removed; null: none is.")
    shipping: AuditShipped


class AuditVerification(Answer):
    """Whether the chain holds."""

    holds: bool
    entries: int
    head: AuditHead
    first_bad: int | None = about(
        "`seq` where it first does not hold; null with `holds: false`: nothing is broken, and a key is not trusted."
    )
    problem: str | None
    head_checked: bool = about("Published heads were compared.")
    note: str | None = about("Why they were not.")
    sealed: int = about("Seals of segments that hold.")
    removed: RemovedEntries | None = about("Entries that retention removed, as their seals prove.")

    @classmethod
    def of(cls, verified: Verification) -> Self:
        return cls(
            holds=verified.holds,
            entries=verified.entries,
            head=AuditHead(seq=verified.head.seq, hash=verified.head.hash),
            first_bad=verified.first_bad,
            problem=verified.problem,
            head_checked=verified.head_checked,
            note=verified.note,
            sealed=verified.sealed,
            removed=RemovedEntries.of(verified.removed) if verified.removed is not None else None,
        )
