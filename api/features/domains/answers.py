"""Answers of `/domains`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, FreeForm, Time, about

DomainPower = Literal["review", "scan", "report:read", "audit:read", "decide", "edit", "approve", "certify", "declare"]


class ListedDomain(Answer):
    """A domain, and what the caller is in it."""

    name: str
    description: str
    membership: Literal["admin", "steward"] | None = about("Null: the caller is neither.")


class Domains(Answer):
    """Domains that the caller may know of, by name."""

    domains: list[ListedDomain]


class DomainMembers(Answer):
    """Users and groups by name."""

    users: list[str]
    groups: list[str]


class DomainDocument(Answer):
    """A document that belongs to the domain."""

    kind: Literal["Policy", "Visibility"]
    name: str
    description: str


class OneDomain(ListedDomain):
    """A domain, its people and its documents."""

    patterns: list[str] = about("CLUSTER/TOPIC, with * for any text.")
    admins: DomainMembers
    stewards: DomainMembers
    documents: list[DomainDocument] = about("Those that the caller may know of.")
    may: list[DomainPower] = about("What the caller may do with each of its datasets.")
    manages: bool = about("The caller may change all of it.")


class DomainDataset(Answer):
    """A dataset of a domain."""

    namespace: str
    name: str
    reference: str = about("CLUSTER/TOPIC.")
    owners: list[str]
    tags: list[str]


class DomainDatasets(Answer):
    """Datasets of a domain that the caller may know of, by CLUSTER/TOPIC."""

    datasets: list[DomainDataset]
    total: int


class DomainAuditEntry(Answer):
    """What of an entry of the audit is about datasets of the domain."""

    id: str = about("Hash of the entry, by which auditors find it.")
    at: Time
    actor: str
    action: str = about("query, request.approve, grant.revoke, apply, ...")
    decision: str = about("allow or deny, mostly.")
    datasets: list[str] = about("CLUSTER/TOPIC of those of the domain.")
    fields: dict[str, list[str]] = about("Dataset -> paths of its fields.")
    reasons: list[str]
    details: FreeForm
    partial: bool = about("The entry is about more than datasets of the domain; that part is not shown.")


class DomainAudit(Answer):
    """A page of entries, newest first."""

    entries: list[DomainAuditEntry]
    next: str | None = about("`cursor` of the next page.")
    note: str | None = about("Entries that were not looked at, in a sentence.")
