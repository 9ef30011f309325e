"""Answers of `/audit`."""

from __future__ import annotations

from typing import Literal

from api.http.schemas.base import Answer, FreeForm, Time, about


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


class AuditEntries(Answer):
    """A page of entries, newest first."""

    entries: list[AuditEntry]
    next: str | None = about("`cursor` of the next page.")
    note: str | None = about("Entries that were not looked at, in a sentence.")


class AuditKey(Answer):
    """The public half of the key that signs exports."""

    algorithm: Literal["Ed25519"]
    key: str = about("32 bytes in base64.")


class AuditHead(Answer):
    """The end of the chain."""

    seq: int
    hash: str


class AuditVerification(Answer):
    """Whether the chain holds."""

    holds: bool
    entries: int
    head: AuditHead
    first_bad: int | None = about("`seq` where it first does not hold.")
    problem: str | None
    head_checked: bool = about("Published heads were compared.")
    note: str | None = about("Why they were not.")
